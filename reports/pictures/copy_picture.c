/* How does the copy that is exposed most get into a document? */
#include "reports/pictures/copy_picture.h"

#include "analyzers/capture/gap_words.h"
#include "core/base/units.h"
#include "core/trace/duration_groups.h"
#include "reports/pictures/drawing.h"
#include "reports/pictures/window_picture.h"
#include "reports/trace_words.h"

/* "copy h2d of 1.00 MiB" */
static const char *copy_name(const struct trace_measures *m, const struct exposed_copy *copy, struct arena *arena)
{
    char size[UNITS_TEXT_BYTES];
    const char *name = gap_neighbour_name(arena, event_stream_strings(m->stream), &copy->what, NAMES_SHORT);
    if (!copy->size_bytes)
        return name;
    return arena_printf(arena, "%s of %s", name, unit_format(size, UNIT_BYTES, (double)copy->size_bytes));
}

static const char *exposed_text(const struct exposed_copy *copy, struct arena *arena)
{
    char all[UNITS_TEXT_BYTES], exposed[UNITS_TEXT_BYTES];
    const int64_t length_ns = duration_ns(copy->start_ns, copy->end_ns);
    unit_format(all, UNIT_NS, (double)length_ns);
    if (copy->exposed_ns == length_ns)
        return arena_printf(arena, "%s, no kernel", all);
    return arena_printf(arena, "%s, %s of it without a kernel", all,
                        unit_format(exposed, UNIT_NS, (double)copy->exposed_ns));
}

bool copy_picture_of(struct lanes_picture *out, const struct trace_measures *m, const struct trace_window *w,
                     const struct exposed_copy *copy, struct arena *arena)
{
    if (!window_picture_of(out, m, w, false, arena))
        return false;
    out->bracket = (struct lane_bracket){
        .is_there = true,
        .begin_ns = copy->start_ns,
        .end_ns = copy->end_ns,
        .text = arena_printf(arena, "%s: %s", copy_name(m, copy, arena), exposed_text(copy, arena))};
    return !out->failed;
}

static void write_words(const struct trace_measures *m, const struct trace_window *w, const struct exposed_copy *copy,
                        struct document *d)
{
    document_span(d, SPAN_PLAIN, "The copy with most time in which its device runs no kernel: ");
    document_span(d, SPAN_CODE, "%s", copy_name(m, copy, &d->arena));
    document_span(d, SPAN_PLAIN, " on %s.", words_place(d, copy->device->rank, copy->device->device, false));
    window_picture_caption(w, d);
}

static void add_drawing(const struct trace_measures *m, const struct trace_window *window,
                        const struct exposed_copy *copy, struct document *d)
{
    struct lanes_picture p = {0};
    if (copy_picture_of(&p, m, window, copy, &d->arena)) {
        struct drawing w;
        drawing_init(&w);
        lanes_picture_draw(&p, &w.canvas);
        lanes_picture_write(&p, false, &w.characters);
        str_addf(&w.says, "On %s the copy with most time in which no kernel runs: %s, %s",
                 words_place(d, copy->device->rank, copy->device->device, false), copy_name(m, copy, &d->arena),
                 exposed_text(copy, &d->arena));
        drawing_add(&w, "exposed-copy", d);
        write_words(m, window, copy, d);
    }
    d->failed |= p.failed;
    lanes_picture_release(&p);
}

int copy_picture_add(const struct trace_measures *m, struct document *d, struct err *e)
{
    struct exposed_copy copy;
    struct trace_window window;
    int64_t begin_ns, end_ns;
    int rc = exposed_copy_find(m->stream, m->gaps, &copy, e);
    if (rc || !copy.device)
        return rc;
    trace_window_around(copy.start_ns, copy.end_ns, copy.device, &begin_ns, &end_ns);
    rc = trace_window_read(m->stream, copy.device->rank, copy.device->device, begin_ns, end_ns, &window, e);
    if (!rc)
        add_drawing(m, &window, &copy, d);
    trace_window_release(&window);
    return rc;
}
