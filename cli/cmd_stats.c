/* How often, how long, how much, in one trace or in two side by side? */
#include "cli/command.h"
#include "cli/record/messages.h"
#include "cli/trace_arguments.h"
#include "core/trace/parts/recording_note.h"
#include "reports/stats_report.h"

struct options {
    struct trace_options common; /* first: parsed there */
    enum statistics_by by;
};

enum { OPTION_BY = 256 };

static const struct argp_option option_table[] = {
    {"by", OPTION_BY, "WHAT", 0,
     "A row for each name (default), stream or device, or for what launched the work: op (PyTorch operator), module, "
     "frame (Python), range (NVTX), step (ProfilerStep#N, or each occurrence of --range)",
     0},
    {0}};

static const char *const by_words[] = {"name", "stream", "device", "op", "module", "frame", "range", "step", NULL};

static error_t parse_option(int key, char *value, struct argp_state *state)
{
    struct options *o = state->input;
    switch (key) {
    case OPTION_BY: o->by = (enum statistics_by)trace_option_word(state, "by", value, by_words); return 0;
    default: return trace_options_parse(key, value, state);
    }
}

static const struct argp argp_of_stats = {
    option_table,
    parse_option,
    "TRACE [TRACE]",
    "How often, how long, how much: per kernel, copy, memset and call; with two traces also what changed.\v"
    "Exit status: 0, 2 wrong usage, 5 a trace cannot be used or holds nothing to count. docs/stats.md explains every "
    "number.",
    trace_table_children,
    NULL,
    NULL};

struct measurement {
    struct event_stream *streams[TRACE_SIDES];
    struct short_names names;
    struct statistics_pairs pairs;
    struct stats_report report;
};

static void measurement_release(struct measurement *m)
{
    statistics_pairs_release(&m->pairs);
    for (size_t i = 0; i < TRACE_SIDES; i++) {
        trace_statistics_release(&m->report.statistics[i]);
        event_stream_free(m->streams[i]);
    }
    short_names_release(&m->names);
}

static int measure_by_owner(const struct options *o, struct measurement *m, size_t side, struct err *e)
{
    struct stats_report *r = &m->report;
    int rc = trace_open(&o->common.traces, side, NULL, &m->streams[side], &r->sides[side], e);
    return rc ? rc
              : trace_statistics_by_owner(m->streams[side], o->by, o->common.traces.scope.range, &m->names,
                                          &r->statistics[side], e);
}

static int measure_side(const struct options *o, struct measurement *m, size_t side, struct err *e)
{
    struct stats_report *r = &m->report;
    struct statistics_parts *parts = NULL;
    if (statistics_by_owner(o->by))
        return measure_by_owner(o, m, side, e);
    int rc = statistics_parts_new(&parts, o->by, r->style, &m->names, &r->statistics[side], e);
    if (!rc)
        rc =
            trace_open(&o->common.traces, side, statistics_parts_measure(parts), &m->streams[side], &r->sides[side], e);
    if (!rc)
        rc = statistics_parts_finish(parts, m->streams[side], e);
    statistics_parts_free(parts);
    return rc;
}

static int measure(const struct options *o, struct measurement *m, struct err *e)
{
    struct stats_report *r = &m->report;
    *r = (struct stats_report){.pairs = &m->pairs, .names = &m->names, .style = o->common.tables.names};
    r->top = trace_options_top(&o->common);
    for (size_t i = 0; i < o->common.traces.count; i++) {
        int rc = measure_side(o, m, i, e);
        if (!rc)
            rc = recording_note(m->streams[i], &o->common.traces.scope, RECORDING_OF_KERNELS, e);
        if (rc)
            return rc;
        r->side_count++;
    }
    return r->side_count == TRACE_SIDES
               ? statistics_pairs_make(&m->pairs, &r->statistics[0], &r->statistics[1], &m->names, e)
               : 0;
}

static int write_report(const struct options *o, const struct stats_report *r, struct err *e)
{
    static const struct json_rows rows[] = {{.path = {"kernels"}}, {.path = {"memory"}}, {.path = {"api"}}, {{NULL}}};
    if (result_is_data(&o->common.traces.result))
        return result_write_data(&o->common.traces.result, json_stats(r), rows, e);
    struct document document;
    document_init(&document);
    int rc = report_stats(r, &document, e);
    if (!rc)
        rc = result_write_document(&o->common.traces.result, &document, e);
    document_release(&document);
    return rc;
}

/* Says what is wrong with the traces and what follows for the exit status. */
static enum exit_status judge(const struct measurement *m)
{
    enum exit_status status = EXIT_PASS;
    for (size_t i = 0; i < m->report.side_count; i++) {
        status = exit_status_worse(status, trace_note_caveats(m->streams[i]));
        if (m->report.statistics[i].count)
            continue;
        message_note("'%s' has no GPU work and no calls: there is nothing to count", m->report.sides[i].source);
        status = EXIT_UNUSABLE_INPUT;
    }
    return status;
}

int cmd_stats(int argc, char **argv)
{
    struct err e = {0};
    struct options o = {.common = trace_options_default};
    struct measurement m = {0};
    short_names_init(&m.names);
    command_parse(&argp_of_stats, argc, argv, &o);
    o.common.traces.host_scopes = statistics_needs_scopes(o.by);
    int rc = trace_arguments_check(&o.common.traces, &e);
    if (!rc)
        rc = measure(&o, &m, &e);
    if (!rc)
        rc = write_report(&o, &m.report, &e);
    int status = rc ? message_error(&e) : (int)judge(&m);
    measurement_release(&m);
    return status;
}
