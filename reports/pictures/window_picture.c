/* Which work of a device stands in which lanes? */
#include <stdlib.h>
#include <string.h>

#include "analyzers/capture/gap_words.h"
#include "core/base/count_sum.h"
#include "core/base/units.h"
#include "core/trace/duration_groups.h"
#include "reports/pictures/window_picture.h"

/* A lane is left for the host. Of more streams than are looked at, those that come first. */
enum { STREAMS_SHOWN = LANE_ROWS_MAX - 1, STREAMS_SEEN = 256 };

struct stream_lane {
    uint32_t context, stream;
    int64_t busy_ns;
};

struct streams {
    struct stream_lane items[STREAMS_SEEN];
    size_t count;
};

/* ---- streams ---- */

static struct stream_lane *find(struct streams *s, const struct window_slice *slice)
{
    for (size_t i = 0; i < s->count; i++)
        if (s->items[i].stream == slice->stream && s->items[i].context == slice->context)
            return &s->items[i];
    return NULL;
}

static int busiest_first(const void *left, const void *right)
{
    const struct stream_lane *a = left, *b = right;
    return (a->busy_ns < b->busy_ns) - (a->busy_ns > b->busy_ns);
}

static int by_number(const void *left, const void *right)
{
    const struct stream_lane *a = left, *b = right;
    if (a->context != b->context)
        return a->context < b->context ? -1 : 1;
    return (a->stream > b->stream) - (a->stream < b->stream);
}

/* Those with most work in the window, by number. */
static void choose_streams(struct streams *s, const struct trace_window *w)
{
    for (size_t i = 0; i < w->slices.count; i++) {
        const struct window_slice *slice = &w->slices.items[i];
        struct stream_lane *lane = find(s, slice);
        if (!lane && s->count == STREAMS_SEEN)
            continue;
        if (!lane) {
            lane = &s->items[s->count++];
            *lane = (struct stream_lane){slice->context, slice->stream, 0};
        }
        count_add(&lane->busy_ns, duration_ns(slice->start_ns < w->begin_ns ? w->begin_ns : slice->start_ns,
                                              slice->end_ns > w->end_ns ? w->end_ns : slice->end_ns));
    }
    qsort(s->items, s->count, sizeof *s->items, busiest_first);
    if (s->count > STREAMS_SHOWN)
        s->count = STREAMS_SHOWN;
    qsort(s->items, s->count, sizeof *s->items, by_number);
}

static bool has_contexts(const struct streams *s)
{
    for (size_t i = 1; i < s->count; i++)
        if (s->items[i].context != s->items[0].context)
            return true;
    return false;
}

/* ---- boxes ---- */

static bool communicates(const struct trace_measures *m, const struct gap_neighbour *what)
{
    if (what->kind != CPPROF_EVENT_KERNEL)
        return what->communicates;
    for (size_t i = 0; m->sets && i < CLASS_SETS; i++)
        if (m->sets->selectors[i] && m->sets->classes[i] == CLASS_COMM)
            return selector_match(m->sets->selectors[i],
                                  &(struct cpprof_event){.kind = CPPROF_EVENT_KERNEL, .name = what->name});
    return false;
}

static enum lane_look look_of(const struct trace_measures *m, const struct gap_neighbour *what)
{
    if (communicates(m, what))
        return LANE_COMMUNICATION;
    if (what->kind == CPPROF_EVENT_KERNEL)
        return LANE_COMPUTE;
    return what->kind == CPPROF_EVENT_COPY ? LANE_COPY : LANE_OTHER;
}

static void add_work(struct lanes_picture *p, const struct trace_measures *m, const struct trace_window *w,
                     struct streams *streams, size_t first_lane, struct arena *arena)
{
    for (size_t i = 0; i < w->slices.count; i++) {
        const struct window_slice *slice = &w->slices.items[i];
        const struct stream_lane *lane = find(streams, slice);
        struct lane_box *box = lane ? lanes_picture_box(p, first_lane + (size_t)(lane - streams->items),
                                                        slice->start_ns, slice->end_ns, look_of(m, &slice->what))
                                    : NULL;
        if (box)
            box->text = gap_neighbour_name(arena, event_stream_strings(m->stream), &slice->what, NAMES_SHORT);
    }
}

static const char *axis_text(const struct trace_measures *m, const struct trace_window *w, struct arena *arena)
{
    char moment[UNITS_TEXT_BYTES];
    int64_t first_ns;
    if (!rank_starts_get(event_stream_starts(m->stream), w->rank, &first_ns))
        first_ns = w->begin_ns;
    return arena_printf(arena, "from %s after the first event",
                        unit_format(moment, UNIT_NS, (double)duration_ns(first_ns, w->begin_ns)));
}

static void name_streams(struct lanes_picture *p, const struct streams *streams, size_t first_lane, struct arena *arena)
{
    for (size_t i = 0; i < streams->count; i++)
        p->labels[first_lane + i] = has_contexts(streams)
                                        ? arena_printf(arena, "stream %u, ctx %u", (unsigned)streams->items[i].stream,
                                                       (unsigned)streams->items[i].context)
                                        : arena_printf(arena, "stream %u", (unsigned)streams->items[i].stream);
}

bool window_picture_of(struct lanes_picture *out, const struct trace_measures *m, const struct trace_window *w,
                       bool has_host, struct arena *arena)
{
    struct streams *streams = arena_alloc(arena, sizeof *streams);
    *out = (struct lanes_picture){.begin_ns = w->begin_ns, .end_ns = w->end_ns, .zero_ns = w->begin_ns};
    if (!streams || duration_ns(w->begin_ns, w->end_ns) <= 0)
        return false;
    choose_streams(streams, w);
    out->axis = axis_text(m, w, arena);
    out->lane_count = has_host + streams->count;
    if (has_host)
        out->labels[0] = "host thread";
    name_streams(out, streams, has_host, arena);
    add_work(out, m, w, streams, has_host, arena);
    out->look_names[LANE_COMPUTE] = "kernel";
    out->look_names[LANE_COMMUNICATION] = "communication";
    out->look_names[LANE_COPY] = "copy";
    out->look_names[LANE_OTHER] = "memset, migration";
    return !out->failed;
}

void window_picture_caption(const struct trace_window *w, struct document *d)
{
    if (w->left_out)
        document_span(d, SPAN_PLAIN, " %lld operations behind the first %d are left out.", (long long)w->left_out,
                      WINDOW_SLICES_MAX);
}
