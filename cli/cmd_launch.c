/* What do launches cost, and does the GPU wait for them? */
#include "cli/command.h"
#include "cli/record/messages.h"
#include "cli/trace_arguments.h"
#include "reports/launch_report.h"

static const struct argp argp_of_launch = {
    NULL,
    trace_options_parse,
    "TRACE [TRACE]",
    "What does launching each kernel cost the host, how long does the kernel wait, and does the GPU wait for the "
    "host? With two traces also what changed.\v"
    "Exit status: 0, 2 wrong usage, 5 a trace cannot be used or has no launches to measure. docs/stats.md explains "
    "every number.",
    trace_table_children,
    NULL,
    NULL};

struct measurement {
    struct event_stream *streams[TRACE_SIDES];
    struct short_names names;
    struct launch_pairs pairs;
    struct launch_report report;
};

static void measurement_release(struct measurement *m)
{
    launch_pairs_release(&m->pairs);
    for (size_t i = 0; i < TRACE_SIDES; i++) {
        kernel_launch_costs_release(&m->report.launches[i]);
        idle_gaps_release(&m->report.gaps[i]);
        event_stream_free(m->streams[i]);
    }
    short_names_release(&m->names);
}

static int refuse_without_calls(const struct trace_options *o, const struct measurement *m, size_t side, struct err *e)
{
    const char *trace = o->traces.traces[side];
    if (event_stream_has_unread(m->streams[side]))
        return err_set(
            e, ERR_INPUT,
            "'%s' holds several tables of nsys, and the one that is read has no calls of the CUDA API; put the "
            "cuda_api_trace or cuda_kern_exec_trace in it into a file of its own, or give the SQLite export",
            trace);
    if (trace_note_caveats(m->streams[side]) == EXIT_UNUSABLE_INPUT)
        return err_set(e, ERR_INPUT, "what can be read of '%s' has no calls of the CUDA API", trace);
    return err_set(e, ERR_INPUT,
                   "'%s' has no calls of the CUDA API, so that the cost of launches is not in it; record them, or "
                   "export them too: the SQLite export of nsys has them",
                   trace);
}

static int measure_launches(const struct trace_options *o, struct measurement *m, size_t side, struct err *e)
{
    struct launch_report *r = &m->report;
    struct launch_costs_parts *parts = NULL;
    int rc = launch_costs_parts_new(&parts, o->tables.names, &m->names, &r->launches[side], &r->gaps[side], e);
    if (!rc)
        rc = trace_open(&o->traces, side, launch_costs_parts_measure(parts), &m->streams[side], &r->sides[side], e);
    if (!rc)
        rc = launch_costs_parts_finish(parts, m->streams[side], e);
    launch_costs_parts_free(parts);
    return rc;
}

static int measure_side(const struct trace_options *o, struct measurement *m, size_t side, struct err *e)
{
    struct launch_report *r = &m->report;
    int rc = measure_launches(o, m, side, e);
    if (!rc && !r->launches[side].calls)
        rc = refuse_without_calls(o, m, side, e);
    if (!rc && !r->launches[side].total.launches)
        rc = err_set(e, ERR_INPUT, "'%s' has no launch: none of its calls starts a kernel%s", o->traces.traces[side],
                     r->launches[side].kernels ? " that is recorded" : "");
    return rc;
}

static int measure(const struct trace_options *o, struct measurement *m, struct err *e)
{
    struct launch_report *r = &m->report;
    *r = (struct launch_report){.pairs = &m->pairs, .names = &m->names, .style = o->tables.names};
    r->top = trace_options_top(o);
    for (size_t i = 0; i < o->traces.count; i++) {
        int rc = measure_side(o, m, i, e);
        if (rc)
            return rc;
        r->side_count++;
    }
    if (r->side_count < TRACE_SIDES)
        return 0;
    return launch_pairs_make(&m->pairs, &r->launches[0], &r->launches[1], &m->names, e);
}

static int write_report(const struct trace_options *o, const struct launch_report *r, struct err *e)
{
    static const struct json_rows rows[] = {{.path = {"launches"}}, {{NULL}}};
    if (result_is_data(&o->traces.result))
        return result_write_data(&o->traces.result, json_launch(r), rows, e);
    struct document document;
    document_init(&document);
    int rc = report_launch(r, &document, e);
    if (!rc)
        rc = result_write_document(&o->traces.result, &document, e);
    document_release(&document);
    return rc;
}

int cmd_launch(int argc, char **argv)
{
    struct err e = {0};
    struct trace_options o = trace_options_default;
    struct measurement m = {0};
    short_names_init(&m.names);
    command_parse(&argp_of_launch, argc, argv, &o);
    int rc = trace_arguments_check(&o.traces, &e);
    if (!rc)
        rc = measure(&o, &m, &e);
    if (!rc)
        rc = write_report(&o, &m.report, &e);
    int status = rc ? message_error(&e) : EXIT_PASS;
    for (size_t i = 0; !rc && i < m.report.side_count; i++)
        status = (int)exit_status_worse((enum exit_status)status, trace_note_caveats(m.streams[i]));
    measurement_release(&m);
    return status;
}
