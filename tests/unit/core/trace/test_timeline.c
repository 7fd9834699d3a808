/* Is the sweep the same as set algebra, on traces small enough to draw and on random ones? */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <string.h>

#include "core/trace/interval_set.h"
#include "core/trace/timeline.h"
#include "tests/test.h"
#include "tests/unit/hand_trace.h"

enum { SET_KERNEL, SET_COPY, SET_ANY, SETS };

struct measured {
    struct event_stream *stream;
    struct timeline_query query;
    struct timeline timeline;
};

/* Sets kernel, copy, any; pairs (copy, kernel) and (kernel, copy). */
static struct measured measure(struct event_stream *stream)
{
    static const enum event_class classes[SETS] = {CLASS_KERNEL, CLASS_COPY, CLASS_ANY};
    struct measured m = {.stream = stream};
    struct err e = {0};
    for (size_t i = 0; i < SETS; i++)
        assert_int_equal(selector_new(&m.query.sets[m.query.set_count++], classes[i], &e), 0);
    m.query.wants_durations[SET_KERNEL] = true;
    m.query.pair_count = 2;
    m.query.pairs[0].a = m.query.pairs[1].b = SET_COPY;
    m.query.pairs[0].b = m.query.pairs[1].a = SET_KERNEL;
    assert_int_equal(timeline_measure(stream, &m.query, &m.timeline, &e), 0);
    return m;
}

static struct measured measure_events(const struct tiny_event *events, size_t count)
{
    return measure(tiny_stream(events, count));
}

static void release(struct measured *m)
{
    timeline_release(&m->timeline);
    for (size_t i = 0; i < m->query.set_count; i++)
        selector_free(m->query.sets[i]);
    event_stream_free(m->stream);
}

static void check_example(const struct measured *m, const struct timeline_example *x, int64_t start_ns, int64_t end_ns,
                          const char *name)
{
    assert_int_equal(x->start_ns, start_ns);
    assert_int_equal(x->end_ns, end_ns);
    assert_string_equal(strtab_text(event_stream_strings(m->stream), x->name), name);
}

/*         0    10   20   30   40   50   60   70
 * copy    [c1-------)              [c2-)          stream 1
 * copy         [c3--)                             stream 2
 * kernel       [k1-------)              [k2-)     stream 3 */
TEST(a_drawing_is_measured)
{
    static const struct tiny_event events[] = {{H2D, 0, 20, 1, "c1", 0, 5},
                                               {H2D, 10, 20, 2, "c3", 0, 7},
                                               {KERNEL, 10, 30, 3, "k1", 0, 0},
                                               {D2H, 50, 60, 1, "c2", 0, 1},
                                               {KERNEL, 60, 70, 3, "k2", 0, 0}};
    struct measured m = measure_events(events, 5);
    assert_int_equal(m.timeline.device_count, 1);
    const struct timeline_device *d = &m.timeline.devices[0];
    assert_int_equal(d->events, 5);
    assert_int_equal(d->busy_ns, 30 + 20); /* [0,30) and [50,70) */
    assert_int_equal(d->first_start_ns, 0);
    assert_int_equal(d->last_end_ns, 70);

    /* one at once: [0,10) [20,30) [50,60) [60,70); three (c1 c3 k1): [10,20); nothing: [30,50) */
    assert_int_equal(d->level_ns[0], 20);
    assert_int_equal(d->level_ns[1], 40);
    assert_int_equal(d->level_ns[2], 0);
    assert_int_equal(d->level_ns[3], 10);
    assert_int_equal(d->level_ns[4], 0);

    const struct timeline_set *copy = &d->sets[SET_COPY], *kernel = &d->sets[SET_KERNEL], *any = &d->sets[SET_ANY];
    assert_int_equal(copy->count, 3);
    assert_int_equal(copy->busy_ns, 20 + 10);
    assert_int_equal(copy->sum_ns, 20 + 10 + 10);
    assert_int_equal(copy->size_bytes, 5 + 7 + 1);
    assert_int_equal(copy->concurrency_max, 2);
    assert_int_equal(copy->together_ns, 10);
    assert_int_equal(copy->gap_max_ns, 50 - 20);
    assert_int_equal(copy->serial_violations, 0);
    assert_int_equal(kernel->gap_max_ns, 60 - 30);
    assert_int_equal(kernel->concurrency_max, 1);
    assert_int_equal(kernel->dur_p50_ns, (20 + 10) / 2); /* type 7 of {10, 20} */
    assert_true(copy->dur_p50_ns != copy->dur_p50_ns);   /* not asked for: NAN */
    assert_int_equal(any->concurrency_max, 3);
    assert_int_equal(any->gap_max_ns, 50 - 30);
    check_example(&m, &any->gaps.items[0], 30, 50, "c2");

    const struct timeline_pair *pair = &d->pairs[0];
    assert_int_equal(pair->overlap_ns, 10);  /* [10,20) */
    assert_int_equal(pair->alternations, 3); /* c1 c3 | k1 | c2 | k2 */
    assert_int_equal(pair->exposed.count, 2);
    check_example(&m, &pair->exposed.items[0], 0, 10, "c1"); /* equal lengths: the earlier first */
    check_example(&m, &pair->exposed.items[1], 50, 60, "c2");
    assert_int_equal(pair->common.count, 1);
    check_example(&m, &pair->common.items[0], 10, 20, "c1");
    assert_int_equal(d->pairs[1].overlap_ns, 10);
    assert_int_equal(d->pairs[1].exposed.count, 2); /* kernels alone: [20,30) and [60,70) */
    check_example(&m, &d->pairs[1].exposed.items[0], 20, 30, "k1");
    release(&m);
}

/* Half-open: [0,10) and [10,20) touch; they neither overlap nor leave a gap. */
TEST(touching_intervals_join)
{
    static const struct tiny_event events[] = {
        {H2D, 0, 10, 1, "c1", 0, 0}, {H2D, 10, 40, 1, "c2", 0, 0}, {KERNEL, 40, 50, 1, "k", 0, 0}};
    struct measured m = measure_events(events, 3);
    const struct timeline_device *d = &m.timeline.devices[0];
    assert_int_equal(d->sets[SET_COPY].concurrency_max, 1);
    assert_int_equal(d->sets[SET_COPY].together_ns, 0);
    assert_int_equal(d->sets[SET_COPY].gaps.count, 0);
    assert_int_equal(d->sets[SET_COPY].serial_violations, 0);
    assert_int_equal(d->pairs[0].overlap_ns, 0);
    assert_int_equal(d->pairs[0].exposed.count, 1);
    check_example(&m, &d->pairs[0].exposed.items[0], 0, 40, "c2"); /* c2 fills more of it than c1 */
    assert_int_equal(d->busy_ns, 50);
    release(&m);
}

/* A zero-length event counts and takes part in order and spans, not in time. */
TEST(empty_and_unfinished_events)
{
    static const struct tiny_event events[] = {{KERNEL, 0, 100, 1, "long", 0, 0},
                                               {KERNEL, 50, 50, 1, "empty", 0, 0},
                                               {KERNEL, 120, -1, 1, "unfinished", 0, 0},
                                               {H2D, 130, 130, 2, "last", 0, 0}};
    struct measured m = measure_events(events, 4);
    const struct timeline_device *d = &m.timeline.devices[0];
    const struct timeline_set *kernel = &d->sets[SET_KERNEL];
    assert_int_equal(m.timeline.unfinished, 1);
    assert_int_equal(m.timeline.gpu_events, 4);
    assert_int_equal(kernel->count, 3);
    assert_int_equal(kernel->unfinished, 1);
    assert_int_equal(kernel->busy_ns, 100);
    assert_int_equal(kernel->sum_ns, 100);
    assert_int_equal(kernel->concurrency_max, 1);
    assert_int_equal(kernel->last_end_ns, 100);
    assert_int_equal(kernel->serial_violations, 1);
    check_example(&m, &kernel->violations.items[0], 50, 50, "empty");
    assert_int_equal(d->sets[SET_COPY].busy_ns, 0);
    assert_int_equal(d->last_end_ns, 130);
    assert_int_equal(d->pairs[0].alternations, 1);
    release(&m);
}

/* The one before is the one that ends last: k3 starts after k2's end but inside k1. */
TEST(serial_order_is_per_stream)
{
    static const struct tiny_event events[] = {{KERNEL, 0, 100, 1, "k1", 0, 0},
                                               {KERNEL, 10, 20, 1, "k2", 0, 0},
                                               {KERNEL, 30, 90, 1, "k3", 0, 0},
                                               {KERNEL, 40, 50, 2, "other", 0, 0},
                                               {KERNEL, 100, 110, 1, "k4", 0, 0}};
    struct measured m = measure_events(events, 5);
    const struct timeline_set *kernel = &m.timeline.devices[0].sets[SET_KERNEL];
    assert_int_equal(kernel->serial_violations, 2);
    assert_int_equal(kernel->violation_ns, 10 + 60);
    check_example(&m, &kernel->violations.items[0], 30, 90, "k3"); /* the longest intrusion first */
    check_example(&m, &kernel->violations.items[1], 10, 20, "k2");
    assert_string_equal(strtab_text(event_stream_strings(m.stream), kernel->violations.items[0].other_name), "k1");
    assert_int_equal(kernel->concurrency_max, 3);
    assert_int_equal(kernel->together_ns, 10 + 60); /* [10,20) and [30,90) */
    release(&m);
}

/* Ten exposed copies of 1..10 ns: the five longest stay, the longest first. */
TEST(the_longest_examples_stay)
{
    struct tiny_event events[10];
    for (int i = 0; i < 10; i++)
        events[i] = (struct tiny_event){H2D, 100 * i, 100 * i + 1 + (i * 7) % 10, 1, "c", 0, 0};
    struct measured m = measure_events(events, 10);
    const struct timeline_examples *exposed = &m.timeline.devices[0].pairs[0].exposed;
    assert_int_equal(exposed->count, TIMELINE_EXAMPLES);
    for (size_t i = 0; i < exposed->count; i++)
        assert_int_equal(timeline_example_ns(&exposed->items[i]), 10 - i);
    release(&m);
}

TEST(devices_and_host_are_apart)
{
    static const struct tiny_event events[] = {
        {OTHER_CALL, 0, 100, 1, "cudaMemcpy", 0, 0}, {H2D, 10, 20, 1, "c", 1, 0}, {KERNEL, 10, 20, 1, "k", 0, 0}};
    struct measured m = measure_events(events, 3);
    assert_int_equal(m.timeline.device_count, 3);
    assert_int_equal(m.timeline.devices[0].device, -1);
    assert_int_equal(m.timeline.devices[0].events, 0);
    assert_int_equal(m.timeline.devices[1].sets[SET_KERNEL].count, 1);
    assert_int_equal(m.timeline.devices[2].sets[SET_COPY].count, 1);
    assert_int_equal(m.timeline.devices[2].pairs[0].overlap_ns, 0);
    release(&m);
}

/* What has begun and not ended stays where it is when all that is measured begins 30 ns earlier: [-20, 80) and [10,
 * 90). */
TEST(wider_events_may_begin_before_an_unfinished_one)
{
    static const struct tiny_event events[] = {
        {KERNEL, 0, -1, 1, "hangs", 0, 0}, {KERNEL, 10, 50, 2, "k", 0, 0}, {H2D, 40, 60, 3, "c", 0, 0}};
    struct measured m = measure_events(events, 3);
    struct err e = {0};
    timeline_release(&m.timeline);
    assert_int_equal(event_stream_rewind(m.stream, &e), 0);
    m.query.widen_ns = 30;
    assert_int_equal(timeline_measure(m.stream, &m.query, &m.timeline, &e), 0);
    const struct timeline_device *d = &m.timeline.devices[0];
    assert_int_equal(d->first_start_ns, -20);
    assert_int_equal(d->busy_ns, 90 + 20);
    assert_int_equal(d->sets[SET_KERNEL].busy_ns, 100);
    assert_int_equal(d->pairs[0].overlap_ns, 80 - 10); /* of [10, 90) and [-20, 80) */
    release(&m);
}

TEST(impossible_times_are_refused)
{
    static const struct tiny_event events[] = {{KERNEL, 0, INT64_MAX, 1, "k", 0, 0}};
    struct event_stream *stream = tiny_stream(events, 1);
    struct timeline_query query = {0};
    struct timeline timeline;
    struct err e = {0};
    assert_int_equal(timeline_measure(stream, &query, &timeline, &e), ERR_INPUT);
    assert_string_equal(e.text, "an event at 0 ns is more than 73 years from time zero");
    timeline_release(&timeline);
    event_stream_free(stream);
}

/* A small deterministic generator: the same traces on every machine. */
static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 16;
}

enum { RANDOM_EVENTS = 60, RANDOM_TRACES = 300 };

static int by_start(const void *a, const void *b)
{
    const struct tiny_event *x = a, *y = b;
    return (x->start_ns > y->start_ns) - (x->start_ns < y->start_ns);
}

static void union_of(const struct tiny_event *events, bool kernels, bool copies, struct interval_set *out)
{
    struct err e = {0};
    interval_set_init(out);
    for (size_t i = 0; i < RANDOM_EVENTS; i++)
        if (events[i].kind == KERNEL ? kernels : copies)
            assert_int_equal(interval_set_add(out, events[i].start_ns, events[i].end_ns, &e), 0);
}

/* A without B, nanosecond by nanosecond. */
static void difference_of(const struct interval_set *a, const struct interval_set *b, struct interval_set *out)
{
    interval_set_init(out);
    for (size_t i = 0, k = 0; i < a->count; i++)
        for (int64_t t = a->items[i].start_ns; t < a->items[i].end_ns; t++) {
            while (k < b->count && b->items[k].end_ns <= t)
                k++;
            if (k == b->count || t < b->items[k].start_ns)
                assert_int_equal(interval_set_add(out, t, t + 1, NULL), 0);
        }
}

static int64_t longest_gap(const struct interval_set *s)
{
    int64_t longest = 0;
    for (size_t i = 1; i < s->count; i++)
        if (s->items[i].start_ns - s->items[i - 1].end_ns > longest)
            longest = s->items[i].start_ns - s->items[i - 1].end_ns;
    return longest;
}

static int64_t longest_interval(const struct interval_set *s)
{
    int64_t longest = 0;
    for (size_t i = 0; i < s->count; i++)
        if (s->items[i].end_ns - s->items[i].start_ns > longest)
            longest = s->items[i].end_ns - s->items[i].start_ns;
    return longest;
}

/* Most kernels at any start: concurrency can only rise there. */
static int64_t brute_concurrency(const struct tiny_event *events)
{
    int64_t most = 0;
    for (size_t i = 0; i < RANDOM_EVENTS; i++) {
        int64_t active = 0;
        for (size_t k = 0; k < RANDOM_EVENTS; k++)
            active += events[k].kind == KERNEL && events[k].start_ns <= events[i].start_ns &&
                      events[i].start_ns < events[k].end_ns;
        most = active > most ? active : most;
    }
    return most;
}

static void compare_with_algebra(const struct tiny_event *events)
{
    struct interval_set kernels, copies, all, both, exposed;
    struct err e = {0};
    union_of(events, true, false, &kernels);
    union_of(events, false, true, &copies);
    union_of(events, true, true, &all);
    interval_set_init(&both);
    difference_of(&copies, &kernels, &exposed);
    assert_int_equal(interval_set_intersect(&copies, &kernels, &both, &e), 0);

    struct measured m = measure_events(events, RANDOM_EVENTS);
    const struct timeline_device *d = &m.timeline.devices[0];
    assert_int_equal(d->busy_ns, interval_set_total_ns(&all));
    int64_t levels_ns = 0;
    for (size_t i = 0; i < TIMELINE_LEVELS; i++)
        levels_ns += d->level_ns[i];
    assert_int_equal(levels_ns, d->last_end_ns - d->first_start_ns);
    assert_int_equal(levels_ns - d->level_ns[0], d->busy_ns);
    const int64_t work_ns = d->level_ns[1] + 2 * d->level_ns[2] + 3 * d->level_ns[3];
    assert_true(work_ns + 4 * d->level_ns[4] <= d->sets[SET_ANY].sum_ns);
    assert_true(d->level_ns[4] || work_ns == d->sets[SET_ANY].sum_ns);
    assert_int_equal(d->sets[SET_ANY].busy_ns, d->busy_ns);
    assert_int_equal(d->sets[SET_KERNEL].busy_ns, interval_set_total_ns(&kernels));
    assert_int_equal(d->sets[SET_COPY].busy_ns, interval_set_total_ns(&copies));
    assert_int_equal(d->sets[SET_ANY].gap_max_ns, longest_gap(&all));
    assert_int_equal(d->sets[SET_COPY].gap_max_ns, longest_gap(&copies));
    assert_int_equal(d->sets[SET_KERNEL].concurrency_max, brute_concurrency(events));
    assert_int_equal(d->pairs[0].overlap_ns, interval_set_total_ns(&both));
    assert_int_equal(d->pairs[1].overlap_ns, interval_set_total_ns(&both));
    /* |A| + |B| = |A u B| + |A n B| */
    assert_int_equal(d->sets[SET_KERNEL].busy_ns + d->sets[SET_COPY].busy_ns, d->busy_ns + d->pairs[0].overlap_ns);
    assert_int_equal(d->sets[SET_COPY].busy_ns - d->pairs[0].overlap_ns, interval_set_total_ns(&exposed));
    const struct timeline_pair *pair = &d->pairs[0];
    assert_int_equal(pair->exposed.count ? timeline_example_ns(&pair->exposed.items[0]) : 0,
                     longest_interval(&exposed));
    assert_int_equal(pair->common.count ? timeline_example_ns(&pair->common.items[0]) : 0, longest_interval(&both));
    release(&m);

    interval_set_release(&kernels);
    interval_set_release(&copies);
    interval_set_release(&all);
    interval_set_release(&both);
    interval_set_release(&exposed);
}

/* Short spans on a short axis: many equal times, touching ends, empty events. */
TEST(random_traces_equal_set_algebra)
{
    uint32_t seed = 1;
    for (int trace = 0; trace < RANDOM_TRACES; trace++) {
        const uint32_t axis = trace % 3 == 0 ? 40 : trace % 3 == 1 ? 200 : 2000;
        struct tiny_event events[RANDOM_EVENTS];
        for (size_t i = 0; i < RANDOM_EVENTS; i++) {
            const int64_t start_ns = next_random(&seed) % axis;
            events[i] = (struct tiny_event){next_random(&seed) % 2 ? KERNEL : H2D,
                                            start_ns,
                                            start_ns + next_random(&seed) % 12,
                                            next_random(&seed) % 3,
                                            "x",
                                            0,
                                            0};
        }
        qsort(events, RANDOM_EVENTS, sizeof events[0], by_start);
        compare_with_algebra(events);
    }
}

/* More durations than are kept in memory: 1, 2, ..., COUNT ns, so that p50 = (1 + COUNT) / 2 and
 * p99 = 1 + 0.99 * (COUNT - 1). Where there is no room on disk for the rest, that is an error: it is not in memory. */
TEST(quantiles_of_many_events_are_exact_and_bounded)
{
    enum { COUNT = 300001 };
    struct tiny_event *many = calloc(COUNT, sizeof *many);
    assert_non_null(many);
    for (int i = 0; i < COUNT; i++) /* 7 has no factor in common with COUNT: each length once, in no order */
        many[i] = (struct tiny_event){KERNEL, i, i + 1 + (int64_t)i * 7 % COUNT, 1, "k", 0, 0};
    struct measured m = measure_events(many, COUNT);
    const struct timeline_set *kernel = &m.timeline.devices[0].sets[SET_KERNEL];
    assert_true(kernel->dur_p50_ns == 150001);
    assert_true(kernel->dur_p99_ns == 297001);
    timeline_release(&m.timeline);
    const char *folder = getenv("TMPDIR");
    char *before = folder ? strdup(folder) : NULL;
    struct err e = {0};
    assert_int_equal(event_stream_rewind(m.stream, &e), 0);
    setenv("TMPDIR", "/dev/null", 1);
    assert_int_equal(timeline_measure(m.stream, &m.query, &m.timeline, &e), ERR_ENVIRONMENT);
    if (before)
        setenv("TMPDIR", before, 1);
    else
        unsetenv("TMPDIR");
    free(before);
    free(many);
    release(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_drawing_is_measured),
        cmocka_unit_test(touching_intervals_join),
        cmocka_unit_test(empty_and_unfinished_events),
        cmocka_unit_test(serial_order_is_per_stream),
        cmocka_unit_test(the_longest_examples_stay),
        cmocka_unit_test(devices_and_host_are_apart),
        cmocka_unit_test(wider_events_may_begin_before_an_unfinished_one),
        cmocka_unit_test(impossible_times_are_refused),
        cmocka_unit_test(random_traces_equal_set_algebra),
        cmocka_unit_test(quantiles_of_many_events_are_exact_and_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
