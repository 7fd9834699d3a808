/* What ran beside what in this trace, and do the assertions hold? */
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "cli/command.h"
#include "cli/output.h"
#include "model/class_sets.h"
#include "reports/reports.h"

/* Rules stay in the order of the command line, --rules files among --assert. */
struct rule_option {
    const char *text;
    bool is_file;
};

struct options {
    const char *trace;
    const char *comm_pattern;
    const char *format;
    const char *output;
    bool force;
    struct rule_option *rules; /* one for each word of the command line is enough */
    size_t rule_count;
};

enum { OPTION_ASSERT = 256, OPTION_RULES, OPTION_COMM, OPTION_FORMAT, OPTION_FORCE };

static const struct argp_option option_table[] = {
    {"assert", OPTION_ASSERT, "RULE", 0, "Check a rule, such as 'overlap(h2d, kernel) >= 80%'; may be repeated", 0},
    {"rules", OPTION_RULES, "FILE", 0, "Check the rules in FILE, one a line, # begins a comment line", 0},
    {"comm", OPTION_COMM, "REGEX", 0, "Kernels whose names match are 'comm', all others 'compute'", 0},
    {"format", OPTION_FORMAT, "FORMAT", 0, "text (default), md, html or json", 0},
    {"output", 'o', "FILE", 0, "Write the result to FILE", 0},
    {"force", OPTION_FORCE, NULL, 0, "Replace FILE if it exists", 0},
    {0}};

static error_t parse_option(int key, char *value, struct argp_state *state)
{
    struct options *o = state->input;
    switch (key) {
    case OPTION_ASSERT:
    case OPTION_RULES: o->rules[o->rule_count++] = (struct rule_option){value, key == OPTION_RULES}; return 0;
    case OPTION_COMM: o->comm_pattern = value; return 0;
    case OPTION_FORMAT: o->format = value; return 0;
    case 'o': o->output = value; return 0;
    case OPTION_FORCE: o->force = true; return 0;
    case ARGP_KEY_ARG:
        if (o->trace)
            argp_error(state, "one trace at a time: '%s' is a second one", value);
        o->trace = value;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "name a trace: an nsys CSV export or a bundle, - for standard input");
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp_of_overlap = {
    option_table,
    parse_option,
    "TRACE",
    "Which GPU work ran at the same time, which did not, and do the assertions hold?\v"
    "Exit status: 0 all hold, 1 one fails, 2 wrong usage or rule, 3 one is inconclusive, 5 the trace cannot be used "
    "or a rule finds nothing to judge. docs/overlap.md and docs/rules.md explain every number and function.",
    NULL,
    NULL,
    NULL};

static bool is_json(const struct options *o)
{
    return !strcmp(o->format, "json");
}

/* What is wrong with the command line is said before the trace is read. */
static int check_options(const struct options *o, struct err *e)
{
    if (!is_json(o) && !document_format_by_name(o->format))
        return err_set(e, ERR_USAGE, "unknown format '%s'; use %s or json", o->format, document_format_names());
    return output_check(o->output, o->force, e);
}

/* The rule itself is its place: "--assert 'serial(kernels)':8: ...". */
static int read_assertion(const char *text, struct rule_list *rules, struct err *e)
{
    struct str where;
    str_init(&where);
    str_addf(&where, "--assert '%.200s'", text);
    int code = where.failed ? err_memory(e) : rule_list_add(rules, text, str_text(&where), e);
    str_release(&where);
    return code;
}

static int read_rules(const struct options *o, struct rule_list *rules, struct err *e)
{
    int code = rule_list_set_comm_pattern(rules, o->comm_pattern, e);
    for (size_t i = 0; !code && i < o->rule_count; i++)
        code = o->rules[i].is_file ? rule_list_read(rules, o->rules[i].text, e)
                                   : read_assertion(o->rules[i].text, rules, e);
    return code;
}

/* Everything that one call measures. */
struct measurement {
    struct class_sets sets;
    struct timeline_query query;
    struct rule_list *rules;
    struct event_stream *stream;
    struct timeline timeline;
    struct rule_results results;
};

static void measurement_release(struct measurement *m)
{
    rule_results_release(&m->results);
    timeline_release(&m->timeline);
    event_stream_free(m->stream);
    rule_list_free(m->rules);
    class_sets_release(&m->sets);
}

static int measure(const struct options *o, struct measurement *m, struct err *e)
{
    int code = rule_list_new(&m->rules, e);
    if (!code)
        code = class_sets_init(&m->sets, o->comm_pattern, &m->query, e);
    if (!code)
        code = read_rules(o, m->rules, e);
    if (!code)
        code = rule_list_query(m->rules, &m->query, e);
    if (!code)
        code = event_stream_open(&m->stream, o->trace, e);
    if (!code)
        code = timeline_measure(m->stream, &m->query, &m->timeline, e);
    return code ? code
                : rule_list_judge(m->rules, &m->query, &m->timeline, event_stream_caveats(m->stream), &m->results, e);
}

static int write_report(const struct options *o, const struct overlap_report *r, struct err *e)
{
    if (is_json(o))
        return output_json(json_overlap(r), o->output, o->force, e);
    struct document document;
    document_init(&document);
    int code = report_overlap(r, &document, e);
    if (!code)
        code = output_document(&document, o->format, o->output, o->force, e);
    document_release(&document);
    return code;
}

static enum exit_status status_of(const struct measurement *m)
{
    enum exit_status status = rule_results_status(&m->results);
    if (!m->timeline.gpu_events || caveat_has(event_stream_caveats(m->stream), CAVEAT_TRUNCATED))
        status = exit_status_worse(status, EXIT_UNUSABLE_INPUT);
    return status;
}

static int report(const struct options *o, const struct measurement *m, struct err *e)
{
    const struct caveat_list *caveats = event_stream_caveats(m->stream);
    const struct overlap_report r = {.source = o->trace,
                                     .strings = event_stream_strings(m->stream),
                                     .query = &m->query,
                                     .timeline = &m->timeline,
                                     .assertions = &m->results,
                                     .caveats = caveats,
                                     .classes = m->sets.classes,
                                     .class_count = CLASS_SETS};
    for (size_t i = 0; i < caveats->count; i++)
        if (caveats->items[i].kind != CAVEAT_NOTE || !m->timeline.gpu_events) /* notes stand in the result and change no status, */
            output_note("%s", caveats->items[i].text);
    if (!m->timeline.gpu_events)
        output_note("'%s' has no GPU events: nothing can be measured or checked", o->trace);
    return write_report(o, &r, e);
}

int cmd_overlap(int argc, char **argv)
{
    struct err e = {0};
    struct options o = {.format = "text"};
    struct measurement m = {0};
    o.rules = calloc((size_t)argc, sizeof *o.rules);
    if (!o.rules) {
        err_memory(&e);
        return output_error(&e);
    }
    command_parse(&argp_of_overlap, argc, argv, &o);
    int code = check_options(&o, &e);
    if (!code)
        code = measure(&o, &m, &e);
    if (!code)
        code = report(&o, &m, &e);
    int status = code ? output_error(&e) : (int)status_of(&m);
    measurement_release(&m);
    free(o.rules);
    return status;
}
