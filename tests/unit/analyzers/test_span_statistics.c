/* How long were ranges open? Names are told apart by domain, and overhead is no range. */
#define _GNU_SOURCE

#include "core/trace/span_statistics.h"
#include "tests/test.h"

TEST(rows_are_by_kind_name_and_domain)
{
    struct strtab strings;
    strtab_init(&strings);
    const uint32_t step = strtab_add(&strings, "step"), domain = strtab_add(&strings, "nccl"),
                   flush = strtab_add(&strings, "flush");
    const struct cpprof_event events[] = {
        {.kind = CPPROF_EVENT_RANGE, .name = step, .start_ns = 0, .end_ns = 10},
        {.kind = CPPROF_EVENT_RANGE, .name = step, .detail = domain, .start_ns = 0, .end_ns = 50},
        {.kind = CPPROF_EVENT_KERNEL, .name = step, .start_ns = 5, .end_ns = 500},
        {.kind = CPPROF_EVENT_RANGE, .name = step, .start_ns = 20, .end_ns = 50},
        {.kind = CPPROF_EVENT_OVERHEAD, .name = flush, .start_ns = 30, .end_ns = 1030},
        {.kind = CPPROF_EVENT_RANGE, .name = step, .start_ns = 60, .flags = CPPROF_EVENT_UNFINISHED},
    };
    /* step@nccl 50; step 10 + 30 = 40, median 20; then overhead, though it is longer */
    static const struct {
        uint16_t kind;
        bool has_domain;
        int64_t count, total_ns;
        double p50_ns;
    } expected[] = {{CPPROF_EVENT_RANGE, true, 1, 50, 50},
                    {CPPROF_EVENT_RANGE, false, 2, 40, 20},
                    {CPPROF_EVENT_OVERHEAD, false, 1, 1000, 1000}};
    struct event_stream *stream;
    struct span_statistics s;
    assert_int_equal(event_stream_from_events(&stream, events, COUNT_OF(events), &strings, NULL), 0);
    assert_int_equal(span_statistics_measure(stream, &s, NULL), 0);
    assert_int_equal(s.count, 3);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(s.items[i].kind, expected[i].kind);
        assert_int_equal(s.items[i].domain, expected[i].has_domain ? domain : 0);
        assert_int_equal(s.items[i].durations.count, expected[i].count);
        assert_int_equal(s.items[i].durations.total_ns, expected[i].total_ns);
        assert_true(s.items[i].durations.p50_ns == expected[i].p50_ns);
    }
    span_statistics_release(&s);
    event_stream_free(stream);
    strtab_release(&strings);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rows_are_by_kind_name_and_domain)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
