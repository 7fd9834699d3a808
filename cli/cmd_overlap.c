/* What ran beside what in these traces, and do the assertions hold? */
#include "analyzers/overlap/measure_cost.h"
#include "cli/command.h"
#include "cli/parts/part_option.h"
#include "cli/record/messages.h"
#include "cli/result_options.h"
#include "cli/trace_check.h"
#include "core/base/str.h"
#include "core/trace/parts/recording_note.h"
#include "reports/reports.h"

struct options {
    struct trace_check_options check;
    struct result_options result;
    bool cost;
};

enum { OPTION_COST = 256 };

static const struct argp_option option_table[] = {
    {"cost", OPTION_COST, NULL, 0,
     "TRACE... is A, B, and both together: what the overlap gains, and what it costs each", 0},
    {0}};

static error_t parse_option(int key, char *value, struct argp_state *state)
{
    struct options *o = state->input;
    (void)value;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &o->check;
        state->child_inputs[1] = &o->result;
        return 0;
    case OPTION_COST: o->cost = true; return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {
    {&trace_check_argp, 0, NULL, 0}, {&result_argp, 0, NULL, 0}, {&part_argp, 0, NULL, 0}, {0}};

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
    int code = result_options_check(&o->result, e);
    if (!code && o->cost && o->check.trace_count != 3)
        code = err_set(e, ERR_USAGE, "--cost takes three traces: A alone, B alone, both together");
    if (!code && o->cost && o->check.rule_count)
        code = err_set(e, ERR_USAGE, "--cost compares traces and takes no rules");
    return code ? code : part_option_apply(o->result.output, o->result.force, !o->cost, e);
}

static int write_report(const struct options *o, const struct overlap_report *r, struct err *e)
{
    static const struct json_rows rows[] = {{.path = {"devices", "pairs"}}, {{NULL}}};
    if (result_is_data(&o->result))
        return result_write_data(&o->result, json_overlap(r), rows, e);
    struct document document;
    document_init(&document);
    int code = report_overlap(r, &document, e);
    if (!code)
        code = result_write_document(&o->result, &document, e);
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
                                     .class_count = CLASS_SETS,
                                     .starts = event_stream_starts(c->stream),
                                     .dependent_launch = event_stream_dependent_launch(c->stream),
                                     .is_full = o->check.is_full};
    trace_check_print_caveats(c, &o->check);
    return write_report(o, &r, e);
}

static int overlap(const struct options *o)
{
    struct err e = {0};
    struct trace_check c = {0};
    int code = trace_check_do(&c, &o->check, false, &e);
    if (!code)
        code = recording_note(c.stream, &o->check.scope, RECORDING_OF_TIME, &e);
    if (!code)
        code = report(o, &c, &e);
    const int status = code ? message_error(&e) : (int)trace_check_status(&c);
    trace_check_release(&c);
    return status;
}

static int write_cost(const struct options *o, const struct cost_report *r, struct err *e)
{
    static const struct json_rows whole[] = {{{NULL}}};
    if (result_is_data(&o->result))
        return result_write_data(&o->result, json_cost(r), whole, e);
    struct document document;
    document_init(&document);
    int code = report_cost(r, &document, e);
    if (!code)
        code = result_write_document(&o->result, &document, e);
    document_release(&document);
    return code;
}

/* A truncated trace is unusable for a difference; missing records and different work make it inconclusive. */
static enum exit_status cost_status(struct event_stream *const streams[3], const struct overlap_cost *measured)
{
    enum exit_status status = measured->differing ? EXIT_INCONCLUSIVE : EXIT_PASS;
    for (size_t i = 0; i < 3; i++) {
        const struct caveat_list *caveats = event_stream_caveats(streams[i]);
        if (caveat_has(caveats, CAVEAT_TRUNCATED))
            status = exit_status_worse(status, EXIT_UNUSABLE_INPUT);
        else if (caveat_has(caveats, CAVEAT_WEAKENS) || caveat_has(caveats, CAVEAT_TIMES))
            status = exit_status_worse(status, EXIT_INCONCLUSIVE);
    }
    return status;
}

static int cost(const struct options *o)
{
    struct err e = {0};
    struct event_stream *streams[3] = {NULL};
    struct overlap_cost measured;
    int code = 0;
    for (size_t i = 0; !code && i < 3; i++) {
        code = event_stream_open(&streams[i], o->check.traces[i], &e);
        if (!code)
            code = event_stream_scope(streams[i], &o->check.scope, &e);
    }
    if (!code)
        code = overlap_cost_measure(streams[0], streams[1], streams[2], &measured, &e);
    if (!code) {
        const struct cost_report r = {.cost = &measured,
                                      .caveats = {event_stream_caveats(streams[0]), event_stream_caveats(streams[1]),
                                                  event_stream_caveats(streams[2])}};
        code = write_cost(o, &r, &e);
    }
    const int status = code ? message_error(&e) : (int)cost_status(streams, &measured);
    for (size_t i = 0; i < 3; i++)
        event_stream_free(streams[i]);
    return status;
}

int cmd_overlap(int argc, char **argv)
{
    struct err e = {0};
    struct options o = {.result.others = result_csv};
    int status;
    int code = trace_check_options_init(&o.check, argc, &e);
    if (!code) {
        command_parse(&argp_of_overlap, argc, argv, &o);
        code = check_options(&o, &e);
    }
    if (code)
        status = message_error(&e);
    else
        status = o.cost ? cost(&o) : overlap(&o);
    trace_check_options_release(&o.check);
    return status;
}
