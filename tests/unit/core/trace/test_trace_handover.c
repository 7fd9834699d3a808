/* Is what a forged part says of times refused, and all that a reader may say taken? */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>

#include "core/trace/event_spool.h"
#include "core/trace/parts/trace_handover.h"
#include "core/trace/readers/event_member.h"
#include "tests/test.h"

/* What is read, and what it becomes. */
struct side {
    struct strtab strings;
    struct caveat_list caveats;
    struct reader_sink sink;
};

static void begin(struct side *s)
{
    struct err e = {0};
    strtab_init(&s->strings);
    caveat_list_init(&s->caveats);
    s->sink = (struct reader_sink){.strings = &s->strings, .caveats = &s->caveats, .rank = -1};
    assert_int_equal(event_spool_new(&s->sink.events, &e), 0);
}

static void release(struct side *s)
{
    event_spool_free(s->sink.events);
    caveat_list_release(&s->caveats);
    strtab_release(&s->strings);
}

/* Hands an event over; returns how reading it ends. */
static int hand_over(const struct cpprof_event *event, int64_t time_error_ns)
{
    struct side from, to;
    struct err e = {0};
    struct handover about = {0};
    struct rank_facts *ranks = NULL;
    struct part_reader reader = {.from = tmpfile()};
    begin(&from);
    begin(&to);
    assert_non_null(reader.from);
    from.sink.time_error_ns = time_error_ns;
    assert_int_equal(event_spool_add(from.sink.events, event, &e), 0);
    assert_int_equal(trace_handover_write(&from.sink, &about, NULL, reader.from, &e), 0);
    rewind(reader.from);
    const int rc = trace_handover_read(&reader, &to.sink, &about, &ranks, &e);
    assert_int_equal(event_spool_count(to.sink.events), rc ? 0 : 1);
    assert_true(rc || to.sink.time_error_ns == time_error_ns);
    fclose(reader.from);
    free(ranks);
    part_reader_release(&reader);
    release(&from);
    release(&to);
    return rc;
}

TEST(times_are_those_that_readers_give)
{
    static const struct {
        int64_t start_ns, end_ns, error_ns;
        uint16_t flags;
        int rc;
    } cases[] = {
        {0, 10, 0, 0, 0},
        {-EVENT_TIME_NS_MAX, EVENT_TIME_NS_MAX, 0, 0, 0},
        {EVENT_TIME_NS_MAX, EVENT_TIME_NS_MAX + 10, 0, 0, 0},
        {0, 10, 1000000000, 0, 0}, /* rounded to seconds */
        {5, 0, 0, CPPROF_EVENT_UNFINISHED, 0},
        {-EVENT_TIME_NS_MAX - 1, 10, 0, 0, ERR_INPUT},
        {EVENT_TIME_NS_MAX + 1, EVENT_TIME_NS_MAX + 10, 0, 0, ERR_INPUT},
        {INT64_MIN, 0, 0, CPPROF_EVENT_UNFINISHED, ERR_INPUT},
        {0, INT64_MAX, 0, 0, ERR_INPUT},
        {10, 9, 0, 0, ERR_INPUT},
        {0, 10, -1, 0, ERR_INPUT},
        {0, 10, INT64_MAX / 2, 0, ERR_INPUT},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const struct cpprof_event event = {.kind = CPPROF_EVENT_KERNEL,
                                           .start_ns = cases[i].start_ns,
                                           .end_ns = cases[i].end_ns,
                                           .flags = cases[i].flags,
                                           .rank = -1};
        if (hand_over(&event, cases[i].error_ns) != cases[i].rc)
            fail_msg("case %zu is %s", i, cases[i].rc ? "taken" : "refused");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(times_are_those_that_readers_give)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
