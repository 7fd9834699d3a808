/* Does the time of a device add up, and does the advice need its evidence? */

#include "analyzers/capture/device_time.h"
#include "tests/test.h"
#include "tests/unit/hand_trace.h"

/* Copies from pageable memory in [0,30) and [55,70), another in [20,50), a kernel in [40,60): kernels 20, pageable
 * 30 + 10, others [30,40). Then nothing for 30 and a kernel of 20, whose call is not there. */
TEST(pageable_copies_are_a_part_of_their_own)
{
    static const struct tiny_event rows[] = {
        {H2D, 0, 30, 7, "c", 0, 0},  {H2D, 20, 50, 8, "c", 0, 0},      {KERNEL, 40, 60, 9, "k", 0, 0},
        {D2H, 55, 70, 7, "c", 0, 0}, {KERNEL, 100, 120, 9, "k", 0, 0},
    };
    struct strtab strings;
    struct cpprof_event events[COUNT_OF(rows)];
    strtab_init(&strings);
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        events[i] = hand_event(&rows[i], &strings);
    events[0].flags |= CPPROF_EVENT_SRC_PAGEABLE;
    events[3].flags |= CPPROF_EVENT_DST_PAGEABLE;
    struct event_stream *stream = NULL;
    struct idle_gaps g;
    assert_int_equal(event_stream_from_events(&stream, events, COUNT_OF(events), &strings, NULL), 0);
    assert_int_equal(idle_gaps_measure(stream, &g, NULL), 0);
    const struct device_time t = device_time_of(&g.items[0], NULL, NULL, NULL);
    assert_int_equal(t.span_ns, 120);
    assert_int_equal(t.part_ns[DEVICE_COMPUTE], 40);
    assert_int_equal(t.part_ns[DEVICE_COPY], 50);
    assert_int_equal(t.pageable_ns, 40);
    assert_int_equal(t.part_ns[DEVICE_UNKNOWN], 30);
    struct time_part parts[TIME_PARTS];
    time_parts_of(&t, parts);
    int64_t sum_ns = 0;
    for (int i = 0; i < TIME_PARTS; i++)
        sum_ns += parts[i].ns;
    assert_int_equal(sum_ns, 120);
    assert_string_equal(parts[2].key, "copy_pageable");
    assert_int_equal(parts[2].ns, 40);
    assert_int_equal(parts[3].ns, 10);
    idle_gaps_release(&g);
    event_stream_free(stream);
    strtab_release(&strings);
}

/* Two devices of 1000 ns each: what one loses counts against the time of both. */
static const struct {
    const char *what;
    int64_t communication_ns; /* of the first device, as are all others */
    int64_t cause_ns[GAP_CAUSES];
    bool is_whole;
    enum first_step_kind kind;
    enum device_part part;
} steps[] = {
    {"host late for 10%", 0, {[GAP_HOST_LATE] = 200, [GAP_COPY] = 199}, true, STEP_PART, DEVICE_HOST_LATE},
    {"exactly 5%", 0, {[GAP_SYNC] = 100}, true, STEP_PART, DEVICE_SYNC},
    {"less than 5%", 0, {[GAP_SYNC] = 99, [GAP_COPY] = 99}, true, STEP_KERNELS, DEVICE_COMPUTE},
    {"nothing is lost", 0, {0}, true, STEP_KERNELS, DEVICE_COMPUTE},
    {"communication", 300, {[GAP_DEPENDENCY] = 299}, true, STEP_PART, DEVICE_COMMUNICATION},
    {"copies", 0, {[GAP_COPY] = 300, [GAP_UNKNOWN] = 299}, true, STEP_PART, DEVICE_COPY},
    {"memsets are no copies", 0, {[GAP_COPY] = 200, [GAP_MEMSET] = 300}, true, STEP_PART, DEVICE_MEMSET},
    {"migrations are no copies", 0, {[GAP_COPY] = 200, [GAP_MIGRATION] = 300}, true, STEP_PART, DEVICE_MIGRATION},
    {"no calls", 0, {[GAP_UNKNOWN] = 300, [GAP_COPY] = 299}, true, STEP_UNKNOWN_CAUSE, DEVICE_UNKNOWN},
    {"dropped records", 0, {[GAP_HOST_LATE] = 900}, false, STEP_INCONCLUSIVE, DEVICE_HOST_LATE},
};

TEST(a_step_needs_its_evidence)
{
    for (size_t i = 0; i < COUNT_OF(steps); i++) {
        struct gaps_device devices[2] = {{.last_end_ns = 1000, .kernel_ns = 1000},
                                         {.device = 1, .last_end_ns = 1000, .kernel_ns = 1000}};
        for (int cause = 0; cause < GAP_CAUSES; cause++) {
            devices[0].cause_ns[cause] = steps[i].cause_ns[cause];
            devices[0].cause_count[cause] = 3;
            devices[0].kernel_ns -= steps[i].cause_ns[cause];
        }
        const struct idle_gaps gaps = {.items = devices, .count = 2};
        struct device_time times[2];
        for (size_t k = 0; k < 2; k++)
            times[k] = device_time_of(&devices[k], NULL, NULL, NULL);
        times[0].part_ns[DEVICE_COMMUNICATION] += steps[i].communication_ns;
        times[0].part_ns[DEVICE_COMPUTE] -= steps[i].communication_ns;
        const struct first_step s = first_step_of(&gaps, times, steps[i].is_whole);
        if (s.kind != steps[i].kind || s.part != steps[i].part)
            fail_msg("%s: step %d, part %d", steps[i].what, (int)s.kind, (int)s.part);
        assert_int_equal(s.span_ns, 2000);
        assert_int_equal(s.gaps, s.part >= DEVICE_COPY ? 3 : 0);
    }
    const struct idle_gaps none = {0};
    assert_int_equal(first_step_of(&none, NULL, true).kind, STEP_INCONCLUSIVE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(pageable_copies_are_a_part_of_their_own),
                                       cmocka_unit_test(a_step_needs_its_evidence)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
