/* Is the first call kept apart, a graph one launch, a wait a wait? */
#include <math.h>
#include <string.h>

#include "analyzers/capture/kernel_launch_costs.h"
#include "tests/test.h"
#include "tests/unit/hand_trace.h"

static const struct host_event events[] = {
    /* The call with the larger id came first: 90 long, apart. The others take 4, 8. */
    {LAUNCH_CALL, 0, 90, 9, 1, "launch", 0, 0},
    {KERNEL, 100, 110, 9, 7, "_Z1kv", 0, 0},
    {LAUNCH_CALL, 100, 104, 1, 1, "launch", 0, 0},
    {KERNEL, 110, 120, 1, 7, "_Z1kv", 0, 0},
    {LAUNCH_CALL, 110, 118, 2, 2, "launch", 0, 0},
    {KERNEL, 130, 133, 2, 7, "_Z1kv", 0, 0},
    /* A graph: call 20, kernels [200,210) and [215,230): 30 from first to last. */
    {LAUNCH_CALL, 180, 200, 3, 1, "graph_v1", 0, 0},
    {KERNEL, 215, 230, 3, 7, "_Z1kv", 0, 0},
    {KERNEL, 200, 210, 3, 7, "_Z1gv", 0, 0},
    {LAUNCH_CALL, 240, 243, 4, 1, "launch", 0, 0}, /* nothing was recorded */
    {COPY_CALL, 250, 260, 5, 1, "memcpy", 0, 0},
    {H2D, 255, 259, 5, 7, "copy", 0, 0}, /* the host waits */
    {SYNC_CALL, 300, 320, 6, 1, "wait_v2", 0, 0},
    {SYNC_CALL, 330, 331, 7, 1, "wait", 0, 0},
    {SYNC_CALL, 340, 350, 8, 1, "other wait", 0, 0},
    {KERNEL, 360, 370, 77, 7, "_Z6orphanv", 0, 0},
};

TEST(rows_and_total)
{
    struct event_stream *stream = host_stream(events, COUNT_OF(events));
    struct short_names names;
    struct kernel_launch_costs t;
    short_names_init(&names);
    assert_int_equal(kernel_launch_costs_measure(stream, NAMES_SHORT, &names, &t, NULL), 0);
    assert_int_equal(t.calls, 9);
    assert_int_equal(t.kernels, 6);
    assert_int_equal(t.kernels_unmatched, 1);
    assert_int_equal(t.count, 3);

    const struct launch_row *k = &t.items[0]; /* 102 ns in calls */
    assert_string_equal(short_names_full(&names, k->name), "k()");
    assert_int_equal(k->launches, 3);
    assert_int_equal(k->first_ns, 90);
    assert_int_equal(k->api_ns, 102);
    assert_true(k->api.p50_ns == 6 && k->api.mean_ns == 6 && k->api.max_ns == 8); /* 4, 8 */
    assert_true(k->queue.p50_ns == 20);                                           /* 100, 10, 20 */
    assert_true(k->kernel.p50_ns == 10);                                          /* 10, 10, 3 */
    assert_int_equal(k->longer, 2);                                               /* 90 > 10, 8 > 3 */

    const struct launch_row *graph = &t.items[1];
    assert_string_equal(short_names_full(&names, graph->name), "graph");
    assert_true(graph->is_call && !graph->no_kernel);
    assert_int_equal(graph->launches, 1);
    assert_int_equal(graph->first_ns, 20);
    assert_int_equal(graph->api.count, 0);
    assert_true(graph->queue.p50_ns == 20 && graph->kernel.p50_ns == 30);
    assert_int_equal(graph->longer, 0);

    const struct launch_row *lost = &t.items[2];
    assert_string_equal(short_names_full(&names, lost->name), "launch");
    assert_true(lost->no_kernel);
    assert_int_equal(lost->kernels, 0);

    assert_int_equal(t.total.launches, 5);
    assert_int_equal(t.total.first_ns, 90 + 20 + 3);
    assert_int_equal(t.total.api.count, 2);
    assert_int_equal(t.total.kernels, 4);

    assert_int_equal(t.waits.count, 3);
    assert_string_equal(short_names_full(&names, t.waits.items[0].name), "wait");
    assert_int_equal(t.waits.items[0].waits.total_ns, 21);
    assert_int_equal(t.all_waits.total_ns, 41); /* 20 + 1, 10, and 10 of the copy */
    kernel_launch_costs_release(&t);
    short_names_release(&names);
    event_stream_free(stream);
}

/* Each process loads the kernel itself, wherever its clock stands among the others, and on each of its devices. Of two
 * launches in either place the first is apart. */
TEST(each_rank_and_device_has_a_first_call)
{
    enum { EVENTS = 8 };
    static const struct {
        struct host_event events[EVENTS];
        int64_t first_ns;
    } cases[] = {
        {{{LAUNCH_CALL, 0, 90, 1, 1, "launch", 0, 1},
          {KERNEL, 100, 110, 1, 7, "_Z1kv", 0, 1},
          {LAUNCH_CALL, 95, 99, 2, 1, "launch", 0, 1},
          {KERNEL, 110, 120, 2, 7, "_Z1kv", 0, 1},
          {LAUNCH_CALL, 100, 180, 1, 1, "launch", 0, 2},
          {KERNEL, 190, 200, 1, 7, "_Z1kv", 0, 2},
          {LAUNCH_CALL, 200, 206, 2, 1, "launch", 0, 2},
          {KERNEL, 210, 220, 2, 7, "_Z1kv", 0, 2}},
         90 + 80},
        {{{LAUNCH_CALL, 0, 90, 1, 1, "launch", 0, 1},
          {KERNEL, 100, 110, 1, 7, "_Z1kv", 0, 1},
          {LAUNCH_CALL, 95, 165, 2, 1, "launch", 0, 1},
          {KERNEL, 170, 180, 2, 7, "_Z1kv", 1, 1},
          {LAUNCH_CALL, 170, 174, 3, 1, "launch", 0, 1},
          {KERNEL, 190, 200, 3, 7, "_Z1kv", 0, 1},
          {LAUNCH_CALL, 200, 206, 4, 1, "launch", 0, 1},
          {KERNEL, 210, 220, 4, 7, "_Z1kv", 1, 1}},
         90 + 70},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct event_stream *stream = host_stream(cases[i].events, EVENTS);
        struct short_names names;
        struct kernel_launch_costs t;
        short_names_init(&names);
        assert_int_equal(kernel_launch_costs_measure(stream, NAMES_SHORT, &names, &t, NULL), 0);
        assert_int_equal(t.count, 1);
        assert_int_equal(t.items[0].first_ns, cases[i].first_ns);
        assert_int_equal(t.items[0].api.count, 2);
        assert_true(t.items[0].api.mean_ns == 5 && t.items[0].api.max_ns == 6); /* 4, 6 */
        assert_int_equal(t.total.first_ns, cases[i].first_ns);
        assert_int_equal(t.total.api.max_ns, 6);
        kernel_launch_costs_release(&t);
        short_names_release(&names);
        event_stream_free(stream);
    }
}

TEST(two_traces)
{
    static const struct host_event other[] = {
        {LAUNCH_CALL, 0, 9, 1, 1, "launch", 0, 0},
        {KERNEL, 20, 30, 1, 7, "_Z1kv", 0, 0},
        {LAUNCH_CALL, 40, 45, 2, 1, "launch", 0, 0},
        {KERNEL, 50, 60, 2, 7, "_Z3newv", 0, 0},
    };
    struct event_stream *streams[] = {host_stream(events, COUNT_OF(events)), host_stream(other, COUNT_OF(other))};
    struct short_names names;
    struct kernel_launch_costs t[2];
    struct launch_pairs pairs;
    short_names_init(&names);
    for (size_t i = 0; i < 2; i++)
        assert_int_equal(kernel_launch_costs_measure(streams[i], NAMES_SHORT, &names, &t[i], NULL), 0);
    assert_int_equal(launch_pairs_make(&pairs, &t[0], &t[1], &names, NULL), 0);
    assert_int_equal(pairs.count, 4); /* k in both; graph and the lost launch in A, new in B */
    assert_true(pairs.items[0].a && pairs.items[0].b);
    assert_int_equal(pairs.items[0].a->name, pairs.items[0].b->name);
    assert_true(pairs.items[1].a && !pairs.items[1].b); /* graph, 20 */
    assert_true(!pairs.items[2].a && pairs.items[2].b); /* new, 5 */
    assert_true(pairs.items[3].a && !pairs.items[3].b); /* lost, 3 */
    launch_pairs_release(&pairs);
    for (size_t i = 0; i < 2; i++) {
        kernel_launch_costs_release(&t[i]);
        event_stream_free(streams[i]);
    }
    short_names_release(&names);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rows_and_total),
                                       cmocka_unit_test(each_rank_and_device_has_a_first_call),
                                       cmocka_unit_test(two_traces)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
