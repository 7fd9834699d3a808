/* What ran beside what in these traces, and do the assertions hold? */
#include <string.h>

#include "base/str.h"
#include "cli/command.h"
#include "cli/output.h"
#include "cli/trace_check.h"
#include "reports/reports.h"

struct options {
    struct trace_check_options check;
    const char *format;
    const char *output;
    bool force;
};

enum { OPTION_FORMAT = 256, OPTION_FORCE };

static const struct argp_option option_table[] = {
    {"format", OPTION_FORMAT, "FORMAT", 0, "text (default), md, html or json", 0},
    {"output", 'o', "FILE", 0, "Write the result to FILE", 0},
    {"force", OPTION_FORCE, NULL, 0, "Replace FILE if it exists", 0},
    {0}};

static error_t parse_option(int key, char *value, struct argp_state *state)
{
    struct options *o = state->input;
    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = &o->check; return 0;
    case OPTION_FORMAT: o->format = value; return 0;
    case 'o': o->output = value; return 0;
    case OPTION_FORCE: o->force = true; return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {{&trace_check_argp, 0, NULL, 0}, {0}};

static const struct argp argp_of_overlap = {
    option_table,
    parse_option,
    "TRACE...",
    "Which GPU work ran at the same time, which did not, and do the assertions hold? Several traces are a rank each.\v"
    "Exit status: 0 all hold, 1 one fails, 2 wrong usage or rule, 3 one is inconclusive, 5 the trace cannot be used "
    "or a rule finds nothing to judge. docs/overlap.md and docs/rules.md explain every number and function.",
    children,
    NULL,
    NULL};

/* What is wrong with the command line is said before the trace is read. */
static int check_options(const struct options *o, struct err *e)
{
    int code = output_check_format(o->format, e);
    return code ? code : output_check(o->output, o->force, e);
}

static int write_report(const struct options *o, const struct overlap_report *r, struct err *e)
{
    if (!strcmp(o->format, "json"))
        return output_json(json_overlap(r), o->output, o->force, e);
    struct document document;
    document_init(&document);
    int code = report_overlap(r, &document, e);
    if (!code)
        code = output_document(&document, o->format, o->output, o->force, e);
    document_release(&document);
    return code;
}

static int report(const struct options *o, const struct trace_check *c, struct err *e)
{
    const struct overlap_report r = {.source = event_stream_source(c->stream),
                                     .strings = event_stream_strings(c->stream),
                                     .query = &c->query,
                                     .timeline = &c->timeline,
                                     .assertions = &c->results,
                                     .caveats = event_stream_caveats(c->stream),
                                     .classes = c->sets.classes,
                                     .class_count = CLASS_SETS};
    trace_check_say_caveats(c, &o->check);
    return write_report(o, &r, e);
}

int cmd_overlap(int argc, char **argv)
{
    struct err e = {0};
    struct options o = {.format = "text"};
    struct trace_check c = {0};
    int code = trace_check_options_init(&o.check, argc, &e);
    if (!code) {
        command_parse(&argp_of_overlap, argc, argv, &o);
        code = check_options(&o, &e);
    }
    if (!code)
        code = trace_check_do(&c, &o.check, false, &e);
    if (!code)
        code = report(&o, &c, &e);
    const int status = code ? output_error(&e) : (int)trace_check_status(&c);
    trace_check_release(&c);
    trace_check_options_release(&o.check);
    return status;
}
