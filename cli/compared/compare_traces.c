/* Is a step faster in one capture or trace than in another? */
#include "cli/compared/compare_traces.h"

#include <string.h>

#include "analyzers/steps/step_comparison.h"
#include "analyzers/verdict_status.h"
#include "cli/compared/compared_formats.h"
#include "cli/input_kind.h"
#include "cli/trace_arguments.h"
#include "reports/steps_report.h"

struct side {
    struct input in;
    struct event_stream *stream;
    struct trace_steps steps;
};

struct comparing {
    struct side sides[TRACE_SIDES];
    struct step_comparison comparison;
};

bool compare_traces_takes(const char *path)
{
    struct input in;
    struct err ignored = {0};
    const bool can_look = !input_look(&in, path, &ignored);
    const bool takes = can_look && (in.kind == INPUT_CAPTURE || in.kind == INPUT_TRACE || in.kind == INPUT_FOLDER ||
                                    in.kind == INPUT_FILE || in.kind == INPUT_STREAM);
    input_release(&in);
    return takes;
}

static int open_side(struct side *s, const char *path, const struct compare_traces_options *o, struct err *e)
{
    const struct stream_scope all = {.comm = o->comm};
    int rc = input_look(&s->in, path, e);
    if (!rc)
        rc = event_stream_open(&s->stream, path, e);
    if (!rc)
        rc = event_stream_scope(s->stream, &all, e);
    if (!rc && event_stream_is_launches_only(s->stream))
        rc = err_set(e, ERR_INPUT, "'%s' has kernels only because of their launches: steps cannot be measured in it",
                     path);
    if (rc)
        return rc;
    rc = trace_steps_read(&s->steps, s->stream, o->range, e);
    if (rc)
        trace_note_caveats(s->stream); /* a damaged trace may have had them */
    return rc;
}

static void release(struct comparing *c)
{
    step_comparison_release(&c->comparison);
    for (size_t i = 0; i < TRACE_SIDES; i++) {
        trace_steps_release(&c->sides[i].steps);
        event_stream_free(c->sides[i].stream);
        input_release(&c->sides[i].in);
    }
}

static struct step_input input_of(const struct side *s)
{
    return (struct step_input){&s->steps, event_stream_caveats(s->stream),
                               s->in.kind == INPUT_CAPTURE ? s->in.begun.manifest : NULL};
}

static int write_verdicts(const struct steps_report *r, enum exit_status status, const struct compare_traces_options *o,
                          struct err *e)
{
    struct verdict_rows rows;
    int rc = verdict_rows_of_steps(&rows, r, e);
    if (!rc)
        rc = compared_write_verdicts(&rows, status, o->format, o->output, o->force, e);
    verdict_rows_release(&rows);
    return rc;
}

static int write_report(const struct steps_report *r, enum exit_status status, const struct compare_traces_options *o,
                        struct err *e)
{
    if (compared_is_verdicts(o->format))
        return write_verdicts(r, status, o, e);
    if (!strcmp(o->format, "json"))
        return output_json(json_steps(r), o->output, o->force, e);
    struct document d;
    document_init(&d);
    int rc = report_steps(r, &d, e);
    if (!rc)
        rc = output_everything(&d, o->format, o->output, o->force, e);
    document_release(&d);
    return rc;
}

static enum exit_status status_of(const struct comparing *c)
{
    enum exit_status status = verdict_status(c->comparison.verdict);
    for (size_t i = 0; i < TRACE_SIDES; i++)
        status = exit_status_worse(status, trace_note_caveats(c->sides[i].stream));
    return status;
}

static int compare(struct comparing *c, const struct compare_traces_options *o, enum exit_status *status, struct err *e)
{
    int rc = open_side(&c->sides[0], o->before, o, e);
    if (!rc)
        rc = open_side(&c->sides[1], o->after, o, e);
    if (rc)
        return rc;
    const struct step_input before = input_of(&c->sides[0]), after = input_of(&c->sides[1]);
    rc = step_comparison_make(&c->comparison, &before, &after, o->margin, o->across, e);
    const struct steps_report report = {
        .sides = {{.source = o->before, .caveats = before.caveats}, {.source = o->after, .caveats = after.caveats}},
        .comparison = &c->comparison};
    if (rc)
        return rc;
    *status = status_of(c);
    return write_report(&report, *status, o, e);
}

int compare_traces(const struct compare_traces_options *o, enum exit_status *status, struct err *e)
{
    struct comparing c = {0};
    if (!strcmp(o->format, "csv"))
        return err_set(e, ERR_USAGE, "--format csv is for runs: two traces take each of the others");
    const int rc = compare(&c, o, status, e);
    release(&c);
    return rc;
}
