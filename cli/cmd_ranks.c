/* Whose lateness costs us, and was it a late arrival or a slow transfer? */
#include <stdlib.h>

#include "analyzers/ranks/ranks.h"
#include "cli/command.h"
#include "cli/output.h"
#include "cli/parts/part_option.h"
#include "cli/parts/program_parts.h"
#include "cli/record/messages.h"
#include "cli/result_options.h"
#include "cli/scope_options.h"
#include "cli/trace_arguments.h"
#include "reports/ranks_report.h"

struct options {
    const char **traces;
    size_t count;
    size_t jobs;
    struct stream_scope scope;
    struct result_options result;
};

enum { OPTION_COMM = 256, OPTION_JOBS };

static const struct argp_option option_table[] = {
    COMM_OPTION(OPTION_COMM),
    {"jobs", OPTION_JOBS, "N", 0, "Read N traces at once, each in a process of its own (default: 1)", 0},
    {0}};

static error_t parse_option(int key, char *value, struct argp_state *state)
{
    struct options *o = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &o->scope;
        state->child_inputs[1] = &o->result;
        return 0;
    case OPTION_COMM: o->scope.comm = value; return 0;
    case OPTION_JOBS: o->jobs = trace_option_jobs(state, value); return 0;
    case ARGP_KEY_ARG: o->traces[o->count++] = value; return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "name a folder of traces, a bundle, or the traces of some ranks");
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {
    {&scope_argp_of_ranks, 0, NULL, 0}, {&result_argp, 0, NULL, 0}, {&part_argp, 0, NULL, 0}, {0}};

static const struct argp argp_of_ranks = {
    option_table,
    parse_option,
    "TRACE...",
    "Whose lateness costs the other ranks how much, and why; or is a transfer slow? TRACE is a folder of traces, a "
    "bundle of several ranks, or the trace of a rank.\v"
    "Exit status: 0, 2 wrong usage, 3 inconclusive, 5 a trace cannot be read or has no work, whatever the others "
    "say. docs/ranks.md explains every number.",
    children,
    NULL,
    NULL};

static int write_json(const struct options *o, const struct ranks_report *r, struct err *e)
{
    struct byte_sink *to = NULL;
    int rc = output_open(o->result.output, o->result.force, &to, e);
    if (!rc)
        rc = json_ranks_write(r, to, e);
    if (!rc)
        rc = byte_sink_finish(to, e);
    byte_sink_free(to);
    return rc;
}

static int write_report(const struct options *o, const struct ranks_report *r, struct err *e)
{
    if (result_is_json(&o->result))
        return write_json(o, r, e);
    struct document document;
    document_init(&document);
    int rc = report_ranks(r, &document, e);
    if (!rc)
        rc = result_write_document(&o->result, &document, e);
    document_release(&document);
    return rc;
}

static int open_traces(const struct options *o, struct event_stream **stream, struct err *e)
{
    int rc = result_options_check(&o->result, e);
    if (!rc)
        rc = comm_regex_check(o->scope.comm, e);
    if (!rc && o->scope.has_window)
        rc = err_set(e, ERR_USAGE,
                     "--window counts from the first event of each rank, and ranks may begin apart: it would not cut "
                     "them at one moment; use --range");
    if (!rc && o->scope.skip_first)
        rc = err_set(e, ERR_USAGE,
                     "--skip-first would count the wait for the first collective as time without communication; ranks "
                     "leaves out by itself what began before all ranks were recorded");
    if (!rc)
        rc = part_option_apply(o->result.output, o->result.force, true, e);
    if (!rc)
        rc = event_stream_open_as(
            stream, o->traces, o->count,
            &(struct event_stream_wish){.notes = true, .jobs = o->jobs, .may_fork = true, .source = program_parts()},
            e);
    if (!rc && event_stream_is_launches_only(*stream))
        rc = err_set(e, ERR_INPUT, "'%s' holds launches alone: what its GPUs did is not in it", o->traces[0]);
    if (!rc)
        rc = event_stream_scope(*stream, &o->scope, e);
    return rc;
}

/* Without any work there is nothing to judge, as in every command. */
static enum exit_status status_of(const struct ranks *r)
{
    if (r->arrivals.doubt == ARRIVALS_FEW_PLACES && !r->arrivals.places.count)
        return EXIT_UNUSABLE_INPUT;
    return r->costs.verdict ? EXIT_PASS : EXIT_INCONCLUSIVE;
}

static int ranks(const struct options *o)
{
    struct err e = {0};
    struct event_stream *stream = NULL;
    struct ranks measured = {0};
    int status = EXIT_PASS;
    int rc = open_traces(o, &stream, &e);
    if (!rc)
        rc = ranks_measure(stream, &measured, &e);
    if (!rc) {
        const struct ranks_report r = {
            .side = {.source = event_stream_source(stream), .caveats = event_stream_caveats(stream)},
            .ranks = &measured,
            .operand = o->count == 1 ? o->traces[0] : NULL};
        rc = write_report(o, &r, &e);
    }
    if (rc)
        status = message_error(&e);
    else
        status = (int)exit_status_worse(status_of(&measured), trace_note_caveats(stream));
    ranks_release(&measured);
    event_stream_free(stream);
    return status;
}

int cmd_ranks(int argc, char **argv)
{
    struct err e = {0};
    struct options o = {.traces = calloc((size_t)argc, sizeof *o.traces)};
    int status;
    if (o.traces) {
        command_parse(&argp_of_ranks, argc, argv, &o);
        status = ranks(&o);
    } else {
        err_memory(&e);
        status = message_error(&e);
    }
    free(o.traces);
    return status;
}
