/* How do other tools get to see a trace? */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "analyzers/inside/inside_lanes.h"
#include "cli/command.h"
#include "cli/output.h"
#include "cli/record/messages.h"
#include "cli/trace_check.h"
#include "core/bundle/bundle_open.h"
#include "reports/export/export_lanes.h"
#include "reports/export/trace_export.h"
#include "reports/reports.h"

struct options {
    struct trace_check_options check; /* traces, their scope, rules */
    const char *to, *report;
    const char *output;
    bool force, mangled_names;
};

enum { OPTION_TO = 512, OPTION_REPORT, OPTION_FORCE, OPTION_MANGLED };

static const struct argp_option option_table[] = {
    {"to", OPTION_TO, "FORMAT", 0, "", 0},
    {"report", OPTION_REPORT, "TABLE", 0, "Which table of csv: ", 0},
    {"mangled", OPTION_MANGLED, NULL, 0, "Kernel names as they were recorded, not demangled", 0},
    {"output", 'o', "FILE", 0, "Write to FILE instead of standard output, compressed when it ends in .gz", 0},
    {"force", OPTION_FORCE, NULL, 0, "Replace FILE if it exists", 0},
    {0}};

static void refuse_without_format(const struct argp_state *state)
{
    struct str words;
    str_init(&words);
    export_format_names(&words);
    argp_error(state, "which format? use --to with one of %s", str_text(&words));
    str_release(&words);
}

static error_t parse_option(int key, char *value, struct argp_state *state)
{
    struct options *o = state->input;
    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = &o->check; return 0;
    case OPTION_TO: o->to = value; return 0;
    case OPTION_REPORT: o->report = value; return 0;
    case 'o': o->output = value; return 0;
    case OPTION_FORCE: o->force = true; return 0;
    case OPTION_MANGLED: o->mangled_names = true; return 0;
    case ARGP_KEY_END:
        if (!o->to)
            refuse_without_format(state);
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

/* What stands in the table of formats goes behind what stands in that of options. */
static char *help(int key, const char *text, void *input)
{
    (void)input;
    if (key != OPTION_TO && key != OPTION_REPORT)
        return (char *)text;
    struct str words;
    str_init(&words);
    str_add(&words, text);
    export_format_help(&words, key == OPTION_REPORT);
    return str_take(&words);
}

static const struct argp_child children[] = {{&trace_check_argp, 0, NULL, 0}, {0}};

static const struct argp argp_of_export = {
    option_table,
    parse_option,
    "TRACE...",
    "Writes a trace in the format of another tool; several become ranks of one.\v"
    "What the format cannot carry is said on standard error. Rules change nothing but --to pftrace, which shows where "
    "they are broken; cpprof check judges. Exit status: 0, 2 wrong usage, 4 FILE cannot be written, "
    "5 a trace cannot be used or has nothing that the format holds (of a truncated one, the good part is written). "
    "docs/export.md tells what becomes of what.",
    children,
    help,
    NULL};

/* With rules, the trace comes measured and judged. */
static int open_stream(const struct options *o, struct trace_check *c, struct err *e)
{
    const struct trace_check_options *of = &o->check;
    if (of->rule_count)
        return trace_check_do(c, of, false, e);
    int rc = event_stream_open_ranks(&c->stream, of->traces, of->trace_count, e);
    return rc ? rc : event_stream_scope(c->stream, &of->scope, e);
}

static int open_trace(const struct options *o, struct trace_check *c, struct trace_survey *survey, struct err *e)
{
    int rc = open_stream(o, c, e);
    if (!rc)
        rc = trace_survey_take(c->stream, survey, e);
    if (!rc && !survey->events)
        rc = err_set(e, ERR_INPUT, "'%s' has no events%s", event_stream_source(c->stream),
                     stream_scope_is_everything(&o->check.scope) ? "" : " in the part that is asked for");
    return rc;
}

/* The inside of the kernels of a run. */
struct inside_of_run {
    struct bundle bundle;
    struct run run;
    struct inside_lanes_list lanes;
    bool has_samples;
};

static void init_inside(struct inside_of_run *r)
{
    *r = (struct inside_of_run){.lanes = {{0}}};
    bundle_init(&r->bundle);
    run_init(&r->run);
}

static void release_inside(struct inside_of_run *r)
{
    inside_lanes_release(&r->lanes);
    run_release(&r->run);
    bundle_release(&r->bundle);
}

/* A part of a trace is chosen by time, stream and range, of which lanes have none. NULL: the inside is written. */
static const char *why_no_inside(const struct options *o, const struct export_format *format)
{
    if (!format->takes_lanes)
        return "this format has no place for it; --to pftrace has";
    if (o->check.trace_count != 1)
        return "only a run that is exported by itself has it";
    return stream_scope_is_everything(&o->check.scope) ? NULL : "only a run that is exported whole has it";
}

static int note_no_inside(const struct options *o, const char *why, struct caveat_list *losses, struct err *e)
{
    int rc = 0;
    for (size_t i = 0; i < o->check.trace_count && !rc; i++)
        rc = export_inside_note(o->check.traces[i], why, losses, e);
    return rc;
}

static int join_inside(struct inside_of_run *r, const char *path, struct err *e)
{
    int rc = !strcmp(path, "-") || !bundle_is(path) ? 0 : bundle_open(&r->bundle, path, e);
    if (rc || !(r->bundle.has_table[BUNDLE_INSIDE_TILES] || r->bundle.has_table[BUNDLE_INSIDE_SERIES]))
        return rc;
    rc = run_join(&r->run, &r->bundle, e);
    r->has_samples = !rc && r->bundle.has_table[BUNDLE_INSIDE_SERIES];
    return rc ? rc : inside_lanes_read(&r->lanes, &r->run, e);
}

static int read_inside(struct inside_of_run *r, const struct options *o, const struct export_format *format,
                       struct caveat_list *losses, struct err *e)
{
    const char *why_not = why_no_inside(o, format);
    int rc = why_not ? note_no_inside(o, why_not, losses, e) : join_inside(r, o->check.traces[0], e);
    if (!rc && r->has_samples && !format->takes_samples)
        rc = export_samples_note(&r->run, losses, e);
    return rc ? rc : export_lanes_note(&r->lanes, losses, e);
}

static int write_trace(const struct options *o, const struct export_format *format, const struct trace_check *c,
                       const struct trace_survey *survey, const struct inside_of_run *inside,
                       struct caveat_list *losses, struct err *e)
{
    struct byte_sink *sink;
    int rc = output_open(o->output, o->force, &sink, e);
    if (rc)
        return rc;
    const struct check_report check = trace_check_report(c, &o->check);
    const struct trace_export whole = {.stream = c->stream,
                                       .survey = survey,
                                       .mangled_names = o->mangled_names,
                                       .lanes = &inside->lanes,
                                       .run = inside->has_samples ? &inside->run : NULL,
                                       .check = o->check.rule_count ? &check : NULL,
                                       .losses = losses};
    rc = format->write(&whole, sink, e);
    if (!rc)
        rc = byte_sink_finish(sink, e);
    byte_sink_free(sink);
    return rc;
}

/* What the format leaves out, and what the input itself lacks. */
static enum exit_status print_caveats(const struct event_stream *stream, const struct caveat_list *losses)
{
    const struct caveat_list *caveats = event_stream_caveats(stream);
    for (size_t i = 0; i < losses->count; i++)
        message_note("%s", losses->items[i].text);
    for (size_t i = 0; i < caveats->count; i++)
        message_note("%s", caveats->items[i].text);
    return caveat_has(caveats, CAVEAT_TRUNCATED) ? EXIT_UNUSABLE_INPUT : EXIT_PASS;
}

static int export_trace(const struct options *o, const struct export_format *format)
{
    struct err e = {0};
    struct trace_check c = {0};
    struct trace_survey survey;
    struct inside_of_run inside;
    struct caveat_list losses;
    caveat_list_init(&losses);
    init_inside(&inside);
    int rc = open_trace(o, &c, &survey, &e);
    if (!rc)
        rc = format->check(&survey, &losses, &e);
    if (!rc)
        rc = read_inside(&inside, o, format, &losses, &e);
    if (!rc)
        rc = write_trace(o, format, &c, &survey, &inside, &losses, &e);
    const int status = rc ? message_error(&e) : (int)print_caveats(c.stream, &losses);
    caveat_list_release(&losses);
    release_inside(&inside);
    trace_check_release(&c);
    return status;
}

static int check_options(const struct options *o, const struct export_format **format, struct err *e)
{
    int rc = export_format_find(o->to, o->report, format, e);
    if (!rc && o->check.rule_count && !(*format)->takes_rules)
        rc = err_set(e, ERR_USAGE, "--to %s does not show where rules are broken; --to pftrace does", o->to);
    if (!rc && o->check.scope.comm && !o->check.rule_count)
        rc = err_set(e, ERR_USAGE, "--comm says which kernels a rule means; add --assert RULE or --rules FILE");
    if (!rc && (*format)->is_binary)
        rc = output_check_binary(o->output, o->to, e);
    return rc ? rc : output_check(o->output, o->force, e);
}

int cmd_export(int argc, char **argv)
{
    struct options o = {0};
    struct err e = {0};
    const struct export_format *format;
    int status = trace_check_options_init(&o.check, argc, &e);
    o.check.needs_events = true;
    if (!status)
        command_parse(&argp_of_export, argc, argv, &o);
    if (!status)
        status = check_options(&o, &format, &e);
    status = status ? message_error(&e) : export_trace(&o, format);
    trace_check_options_release(&o.check);
    return status;
}
