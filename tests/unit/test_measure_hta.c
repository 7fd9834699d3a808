/* Are HTA's numbers computed by HTA's definitions? The real trace with the numbers
 * that HTA itself gave is in tests/cli/overlap_real.sh. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "analyzers/measure_hta.h"

enum { STEP1 = 1, STEP2, NCCL, GEMM, COPY };

#define US 1000
#define STEP(name_id, from, to)                                                                                        \
    {                                                                                                                  \
        .kind = CPPROF_EVENT_RANGE, .name = name_id, .thread = 1, .start_ns = from, .end_ns = to, .device = -1,        \
        .rank = 3                                                                                                      \
    }
#define CALL(id, at)                                                                                                   \
    {                                                                                                                  \
        .kind = CPPROF_EVENT_API, .detail = CPPROF_API_LAUNCH, .thread = 1, .correlation = id, .start_ns = at,         \
        .end_ns = (at) + 1, .device = -1, .rank = 3                                                                    \
    }
#define WORK(of, name_id, id, from, to)                                                                                \
    {                                                                                                                  \
        .kind = of, .name = name_id, .correlation = id, .start_ns = from, .end_ns = to, .rank = 3                      \
    }

/* In us, rounded inward: comm [10,30) (from 9.5 to 30.9), compute [20,40), copy [50,54) (from 49.2 to 54.9);
 * what begins after the second step began at 60 is dropped. A kernel of 0.9 us vanishes. */
static const struct cpprof_event trace[] = {
    STEP(STEP1, 0, 60 * US),
    CALL(1, 1 * US),
    CALL(2, 2 * US),
    CALL(3, 3 * US),
    CALL(4, 4 * US),
    WORK(CPPROF_EVENT_KERNEL, NCCL, 1, 9500, 30900),
    WORK(CPPROF_EVENT_KERNEL, GEMM, 2, 20 * US, 40 * US),
    WORK(CPPROF_EVENT_KERNEL, GEMM, 4, 45100, 46000 - 1),
    WORK(CPPROF_EVENT_COPY, COPY, 3, 49200, 54900),
    STEP(STEP2, 60 * US, 100 * US),
    CALL(5, 61 * US),
    WORK(CPPROF_EVENT_KERNEL, GEMM, 5, 70 * US, 90 * US),
    WORK(CPPROF_EVENT_KERNEL, GEMM, 99, 95 * US, 96 * US), /* its call is not known */
};

static struct event_stream *stream_of(const struct cpprof_event *events, size_t count)
{
    static const char *const names[] = {"ProfilerStep#1", "ProfilerStep#2", "ncclDevKernel_AllReduce", "gemm",
                                        "Memcpy"};
    struct strtab strings;
    struct event_stream *stream = NULL;
    struct err e = {0};
    strtab_init(&strings);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        assert_int_equal(strtab_add(&strings, names[i]), i + 1);
    assert_int_equal(event_stream_from_events(&stream, events, count, &strings, &e), 0);
    strtab_release(&strings);
    return stream;
}

static void the_definitions_are_htas(void **state)
{
    (void)state;
    struct event_stream *stream = stream_of(trace, sizeof trace / sizeof trace[0]);
    struct hta_list list = {0};
    struct err e = {0};
    assert_int_equal(hta_measure(stream, &list, &e), 0);
    assert_int_equal(list.count, 1);
    const struct hta_rank *h = &list.items[0];
    assert_int_equal(h->rank, 3);
    assert_int_equal(h->counted, 4);
    assert_int_equal(h->dropped, 2);
    assert_int_equal(h->span_ns, (54 - 10) * US);
    assert_int_equal(h->idle_ns, (54 - 10 - 30 - 4) * US);
    assert_int_equal(h->compute_ns, 20 * US);
    assert_int_equal(h->non_compute_ns, (10 + 4) * US);
    assert_int_equal(h->comm_ns, 20 * US);
    assert_int_equal(h->overlap_ns, 10 * US);
    hta_release(&list);
    event_stream_free(stream);
}

/* Without profiler steps nothing is dropped, calls or not. */
static void without_steps_all_counts(void **state)
{
    (void)state;
    struct event_stream *stream = stream_of(&trace[11], 2);
    struct hta_list list = {0};
    struct err e = {0};
    assert_int_equal(hta_measure(stream, &list, &e), 0);
    assert_int_equal(list.items[0].counted, 2);
    assert_int_equal(list.items[0].span_ns, 26 * US);
    assert_int_equal(list.items[0].compute_ns, 21 * US);
    assert_int_equal(list.items[0].comm_ns, 0);
    hta_release(&list);
    event_stream_free(stream);
}

/* Two ranks, a step each: all of rank 3 was launched after its step began, rank 4 has no step.
 * Both stand in the list. */
static void a_rank_of_which_nothing_is_left_stands(void **state)
{
    (void)state;
    const struct cpprof_event events[] = {
        STEP(STEP1, 0, 60 * US),
        CALL(1, 1 * US),
        WORK(CPPROF_EVENT_KERNEL, GEMM, 1, 10 * US, 30 * US),
        {.kind = CPPROF_EVENT_KERNEL, .name = GEMM, .start_ns = 40 * US, .end_ns = 45 * US, .rank = 4},
    };
    struct event_stream *stream = stream_of(events, sizeof events / sizeof events[0]);
    struct hta_list list = {0};
    struct err e = {0};
    assert_int_equal(hta_measure(stream, &list, &e), 0);
    assert_int_equal(list.count, 2);
    assert_int_equal(list.items[0].rank, 3);
    assert_int_equal(list.items[0].counted, 0);
    assert_int_equal(list.items[0].dropped, 1);
    assert_int_equal(list.items[0].span_ns, 0);
    assert_int_equal(list.items[0].compute_ns, 0);
    assert_int_equal(list.items[1].rank, 4);
    assert_int_equal(list.items[1].counted, 1);
    assert_int_equal(list.items[1].span_ns, 5 * US);
    hta_release(&list);
    event_stream_free(stream);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_definitions_are_htas),
        cmocka_unit_test(without_steps_all_counts),
        cmocka_unit_test(a_rank_of_which_nothing_is_left_stands),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
