/* How does the gap that matters most get into a document? */
#include "reports/pictures/gap_picture.h"

#include "analyzers/capture/gap_words.h"
#include "core/base/units.h"
#include "core/trace/duration_groups.h"
#include "reports/pictures/drawing.h"
#include "reports/pictures/window_picture.h"
#include "reports/trace_words.h"

enum { NAME_COLUMNS = 48 };

static void say(const struct trace_measures *m, const struct gaps_device *device, const struct idle_gap *gap,
                struct document *d, struct str *says)
{
    const struct strtab *strings = event_stream_strings(m->stream);
    char length[UNITS_TEXT_BYTES];
    str_addf(says,
             "On %s the cause of the largest part of the time without a kernel is %s; the longest such gap is %s: %s",
             words_place(d, device->rank, device->device, false), gap_cause_name(gap->cause),
             unit_format(length, UNIT_NS, (double)duration_ns(gap->start_ns, gap->end_ns)),
             gap_evidence(&d->arena, strings, gap));
}

static void write_side(const struct trace_measures *m, const char *lead, const struct gap_neighbour *n,
                       struct document *d)
{
    if (!n->is_there)
        return;
    const char *name = gap_neighbour_name(&d->arena, event_stream_strings(m->stream), n, NAMES_SHORT);
    document_span(d, SPAN_PLAIN, "%s", lead);
    document_span(d, SPAN_CODE, "%s", words_fitted(d, name, NAME_COLUMNS));
}

static void write_caption(const struct trace_measures *m, const struct trace_window *w, const struct idle_gap *gap,
                          struct document *d)
{
    document_span(d, SPAN_PLAIN, "The device around its gap");
    write_side(m, ", after ", &gap->before, d);
    write_side(m, ", before ", &gap->after, d);
    document_span(d, SPAN_PLAIN, ".");
    window_picture_caption(w, d);
}

/* What the host did: the calls that the cause goes by. */
static void add_host(struct lanes_picture *p, const struct strtab *strings, const struct idle_gap *gap,
                     struct arena *arena)
{
    if (gap->cause == GAP_SYNC) {
        struct lane_box *wait = lanes_picture_box(p, 0, gap->wait.start_ns, gap->wait.end_ns, LANE_WAIT);
        if (wait)
            wait->text = gap_call_name(arena, strings, gap->wait.name);
    }
    struct lane_box *call = lanes_picture_box(p, 0, gap->call.start_ns, gap->call.end_ns, LANE_HOST);
    if (call)
        call->text = gap_call_name(arena, strings, gap->call.name);
}

static void add_bracket(struct lanes_picture *p, const struct idle_gap *gap, struct arena *arena)
{
    char length[UNITS_TEXT_BYTES];
    p->bracket = (struct lane_bracket){
        .is_there = true,
        .begin_ns = gap->start_ns,
        .end_ns = gap->end_ns,
        .text =
            arena_printf(arena, "%s, %s", unit_format(length, UNIT_NS, (double)duration_ns(gap->start_ns, gap->end_ns)),
                         gap_cause_only(gap->cause))};
}

bool gap_picture_of(struct lanes_picture *out, const struct trace_measures *m, const struct trace_window *w,
                    const struct idle_gap *gap, struct arena *arena)
{
    if (!window_picture_of(out, m, w, gap->has_call, arena))
        return false;
    if (gap->has_call)
        add_host(out, event_stream_strings(m->stream), gap, arena);
    add_bracket(out, gap, arena);
    out->look_names[LANE_HOST] = "call that starts the next work";
    out->look_names[LANE_WAIT] = "call that waits";
    return !out->failed;
}

int gap_picture_add(const struct trace_measures *m, struct document *d, struct err *e)
{
    const struct gaps_device *device;
    const struct idle_gap *gap = trace_window_gap(m->gaps, &device);
    struct trace_window window;
    struct lanes_picture p = {0};
    int64_t begin_ns, end_ns;
    if (!gap)
        return 0;
    trace_window_around(gap->start_ns, gap->end_ns, device, &begin_ns, &end_ns);
    int rc = trace_window_read(m->stream, device->rank, device->device, begin_ns, end_ns, &window, e);
    if (!rc && gap_picture_of(&p, m, &window, gap, &d->arena)) {
        struct drawing w;
        drawing_init(&w);
        lanes_picture_draw(&p, &w.canvas);
        lanes_picture_write(&p, false, &w.characters);
        say(m, device, gap, d, &w.says);
        drawing_add(&w, "largest-gap", d);
        write_caption(m, &window, gap, d);
    }
    d->failed |= p.failed;
    lanes_picture_release(&p);
    trace_window_release(&window);
    return rc;
}
