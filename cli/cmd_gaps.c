/* When does the GPU run no kernel, and whose fault is it? */
#include "analyzers/capture/idle_gaps_part.h"
#include "cli/command.h"
#include "cli/record/messages.h"
#include "cli/trace_arguments.h"
#include "core/trace/parts/recording_note.h"
#include "core/trace/rank_starts.h"
#include "reports/gaps_report.h"

struct options {
    struct trace_options common; /* first: parsed there */
    bool is_full;
};

enum { OPTION_FULL = 256 };

static const struct argp_option option_table[] = {
    {"full", OPTION_FULL, NULL, 0, "Show each of many devices, not one for all that are alike", 0}, {0}};

static error_t parse_option(int key, char *value, struct argp_state *state)
{
    struct options *o = state->input;
    if (key != OPTION_FULL)
        return trace_options_parse(key, value, state);
    o->is_full = true;
    return 0;
}

static const struct argp argp_of_gaps = {
    option_table,
    parse_option,
    "TRACE [TRACE]",
    "When does each device run no kernel: is the host late, does it wait, does the work depend on other work, do only "
    "copies run? With two traces also what changed.\v"
    "Exit status: 0, 2 wrong usage, 5 a trace cannot be used or has no GPU work. docs/stats.md explains every cause.",
    trace_names_children,
    NULL,
    NULL};

struct measurement {
    struct event_stream *streams[TRACE_SIDES];
    struct gaps_report report;
};

static void measurement_release(struct measurement *m)
{
    for (size_t i = 0; i < TRACE_SIDES; i++) {
        idle_gaps_release(&m->report.gaps[i]);
        event_stream_free(m->streams[i]);
    }
}

static int measure(const struct trace_options *o, struct measurement *m, struct err *e)
{
    struct gaps_report *r = &m->report;
    r->style = o->tables.names;
    for (size_t i = 0; i < o->traces.count; i++) {
        const struct trace_measure parts = idle_gaps_parts(&r->gaps[i]);
        int rc = trace_open(&o->traces, i, &parts, &m->streams[i], &r->sides[i], e);
        if (!rc)
            rc = idle_gaps_finish(m->streams[i], &r->gaps[i], e);
        if (!rc)
            rc = recording_note(m->streams[i], &o->traces.scope, RECORDING_OF_TIME, e);
        if (!rc && !r->gaps[i].operations) {
            trace_note_caveats(m->streams[i]); /* a damaged trace may have had some */
            rc = err_set(e, ERR_INPUT, "'%s' has no GPU work%s: there are no gaps in it", o->traces.traces[i],
                         stream_scope_is_everything(&o->traces.scope) ? "" : " in the part that was asked for");
        }
        if (rc)
            return rc;
        r->sides[i].has_from = rank_starts_get_only(event_stream_starts(m->streams[i]), &r->sides[i].from_ns);
        r->starts[i] = event_stream_starts(m->streams[i]);
        r->strings[i] = event_stream_strings(m->streams[i]);
        r->side_count++;
    }
    return 0;
}

static int write_report(const struct trace_options *o, const struct gaps_report *r, struct err *e)
{
    static const struct json_rows rows[] = {{.path = {"traces", "devices", "causes"}}, {{NULL}}};
    if (result_is_data(&o->traces.result))
        return result_write_data(&o->traces.result, json_gaps(r), rows, e);
    struct document document;
    document_init(&document);
    int rc = report_gaps(r, &document, e);
    if (!rc)
        rc = result_write_document(&o->traces.result, &document, e);
    document_release(&document);
    return rc;
}

int cmd_gaps(int argc, char **argv)
{
    struct err e = {0};
    struct options o = {.common = trace_options_default};
    struct measurement m = {0};
    command_parse(&argp_of_gaps, argc, argv, &o);
    m.report.is_full = o.is_full;
    int rc = trace_arguments_check(&o.common.traces, &e);
    if (!rc)
        rc = measure(&o.common, &m, &e);
    if (!rc)
        rc = write_report(&o.common, &m.report, &e);
    int status = rc ? message_error(&e) : EXIT_PASS;
    for (size_t i = 0; !rc && i < m.report.side_count; i++)
        status = (int)exit_status_worse((enum exit_status)status, trace_note_caveats(m.streams[i]));
    measurement_release(&m);
    return status;
}
