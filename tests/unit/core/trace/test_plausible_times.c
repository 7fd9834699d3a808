/* Which rows are false or doubtful, and what is said of them? */
#include <string.h>

#include "core/trace/plausible/plausible_times.h"
#include "core/trace/plausible/serial_lanes.h"
#include "tests/test.h"

#define HOUR  (INT64_C(3600) * 1000000000)
#define YEARS (INT64_C(50) * 365 * 24 * HOUR)

enum { ROWS_MAX = 12 };

struct row {
    int64_t start_ns, end_ns;
    uint16_t kind;
    uint32_t stream, correlation;
    char what; /* '.' good, 'x' false, '?' doubtful */
};

struct table {
    const char *name;
    struct row rows[ROWS_MAX]; /* in the order of the starts, up to one of kind 0 */
    const char *said;          /* part of the first caveat; NULL: there is none */
    const char *then_said;     /* the same of the second one */
    int64_t origin_ns, time_error_ns;
    bool lacks_streams, is_said_once;
};

#define KERNEL CPPROF_EVENT_KERNEL
#define COPY   CPPROF_EVENT_COPY
#define CALL   CPPROF_EVENT_API

static const struct table tables[] = {
    {.name = "one after the other",
     .rows = {{10, 20, KERNEL, 7, 0, '.'}, {20, 30, KERNEL, 7, 0, '.'}, {25, 40, KERNEL, 8, 0, '.'}}},
    {.name = "never filled in, among times of now",
     .rows = {{0, 0, KERNEL, 7, 0, 'x'}, {0, 5, KERNEL, 7, 0, 'x'}, {YEARS, YEARS + 5, KERNEL, 7, 0, '?'}},
     .said = "never filled in (0, or years from all others), which are left out: 2; the first is kernel '' at 0 ns"},
    {.name = "most are not filled in",
     .rows = {{0, 0, KERNEL, 7, 0, 'x'}, {0, 0, KERNEL, 8, 0, 'x'}, {YEARS, YEARS + 5, KERNEL, 7, 0, '?'}},
     .said = "which are left out: 2"},
    {.name = "never filled in, since the machine started",
     .rows = {{0, 0, KERNEL, 7, 0, 'x'}, {2 * HOUR, 2 * HOUR + 5, KERNEL, 7, 0, '?'}},
     .said = "which are left out: 1"},
    {.name = "empty at 0, and the next one soon", .rows = {{0, 0, KERNEL, 7, 0, '.'}, {500, 505, KERNEL, 7, 0, '.'}}},
    {.name = "empty at 0, and the next one after 2 ms",
     .rows = {{0, 0, KERNEL, 7, 0, 'x'}, {2000000, 2000005, KERNEL, 7, 0, '?'}},
     .said = "which are left out: 1"},
    {.name = "the same with rounded times",
     .rows = {{0, 0, KERNEL, 7, 0, '.'}, {2000000, 2000005, KERNEL, 7, 0, '.'}},
     .time_error_ns = 500},
    {.name = "a 0 of the file, which counts from elsewhere",
     .rows = {{YEARS, YEARS, KERNEL, 7, 0, 'x'}, {YEARS + 3 * HOUR, YEARS + 3 * HOUR + 5, KERNEL, 7, 0, '?'}},
     .said = "at 0 ns",
     .origin_ns = YEARS},
    {.name = "one far behind the others",
     .rows = {{5, 6, KERNEL, 7, 0, '?'}, {8, 9, KERNEL, 7, 0, '?'}, {YEARS, YEARS + 5, KERNEL, 7, 0, 'x'}},
     .said = "years from all others"},
    {.name = "an end before the begin",
     .rows = {{10, 4, KERNEL, 7, 0, 'x'}, {20, 30, KERNEL, 7, 0, '?'}},
     .said =
         "end before they begin, which are left out: 1; the first is kernel '' at 10 ns, which ends 6 ns before that"},
    {.name = "ends before it begins and far from others, which is told once",
     .rows = {{1, 0, KERNEL, 7, 0, 'x'},
              {YEARS, YEARS - 3, KERNEL, 7, 0, 'x'},
              {YEARS + 1, YEARS + 5, KERNEL, 7, 0, '?'}},
     .said = "left out: 1; the first is kernel '' at 1 ns",
     .then_said = "before they begin, which are left out: 1; the first"},
    {.name = "one row of both kinds",
     .rows = {{0, -5, KERNEL, 7, 0, 'x'}, {2 * HOUR, 2 * HOUR + 5, KERNEL, 7, 0, '?'}},
     .said = "never filled in",
     .is_said_once = true},
    {.name = "across two later kernels; the rest of such a stream is doubtful",
     .rows = {{10, 50, KERNEL, 7, 0, 'x'},
              {20, 30, KERNEL, 7, 0, '?'},
              {30, 40, KERNEL, 7, 0, '?'},
              {32, 34, KERNEL, 8, 0, '.'}},
     .said = "left out: 1; the first is kernel '' at 10 ns, which lasts 40 ns, across 2 kernels"},
    {.name = "a copy across two later kernels",
     .rows = {{10, 50, COPY, 7, 0, 'x'}, {20, 30, KERNEL, 7, 0, '?'}, {30, 40, KERNEL, 7, 0, '?'}},
     .said = "the first is copy '' at 10 ns"},
    {.name = "one kernel within another may be programmatic dependent launch",
     .rows = {{10, 50, KERNEL, 7, 0, '.'}, {20, 30, KERNEL, 7, 0, '.'}, {45, 60, KERNEL, 7, 0, '.'}}},
    {.name = "kernels of one graph run side by side",
     .rows = {{10, 50, KERNEL, 7, 3, '.'}, {20, 30, KERNEL, 7, 3, '.'}, {30, 40, KERNEL, 7, 3, '.'}}},
    {.name = "streams are not said",
     .rows = {{10, 50, KERNEL, 0, 0, '.'}, {20, 30, KERNEL, 0, 0, '.'}, {30, 40, KERNEL, 0, 0, '.'}},
     .lacks_streams = true},
    {.name = "by no more than the rounding",
     .rows = {{10, 50, KERNEL, 7, 0, '.'}, {20, 30, KERNEL, 7, 0, '.'}, {30, 48, KERNEL, 7, 0, '.'}},
     .time_error_ns = 2},
    {.name = "so many that it is no stream",
     .rows = {{10, 90, KERNEL, 7, 0, '?'},
              {11, 80, KERNEL, 7, 0, '?'},
              {20, 30, KERNEL, 7, 0, '?'},
              {30, 40, KERNEL, 7, 0, '?'}},
     .said = "so many that it is no stream or its times are false: 2"},
    {.name = "work before its call",
     .rows = {{10, 20, KERNEL, 7, 5, '?'}, {30, 32, CALL, 0, 5, '.'}, {40, 50, KERNEL, 7, 6, '?'}},
     .said = "clocks differ or times are false: 1; the first is kernel '' at 10 ns, 20 ns before its call"},
    {.name = "before its call by no more than the rounding",
     .rows = {{10, 20, KERNEL, 7, 5, '.'}, {12, 32, CALL, 0, 5, '.'}},
     .time_error_ns = 1},
    {.name = "behind its call, and another one with its number",
     .rows = {{5, 6, CALL, 0, 5, '.'}, {10, 20, KERNEL, 7, 5, '.'}, {30, 32, CALL, 0, 5, '.'}}},
};

static size_t fill(struct event_spool *s, const struct table *t)
{
    size_t rows = 0;
    for (; rows < ROWS_MAX && t->rows[rows].kind; rows++) {
        const struct row *row = &t->rows[rows];
        const struct cpprof_event event = {.start_ns = row->start_ns,
                                           .end_ns = row->end_ns,
                                           .kind = row->kind,
                                           .stream = row->stream,
                                           .correlation = row->correlation,
                                           .detail = row->kind == CALL ? CPPROF_API_LAUNCH : 0,
                                           .device = (int16_t)(row->kind == CALL ? -1 : 0),
                                           .rank = -1};
        assert_int_equal(event_spool_add(s, &event, NULL), 0);
    }
    return rows;
}

static char what_is(const struct cpprof_event *event)
{
    return event->flags & EVENT_IS_FALSE ? 'x' : event->flags & EVENT_IS_DOUBTFUL ? '?' : '.';
}

static void compare(const struct table *t)
{
    const struct plausible_facts facts = {"t", t->origin_ns, t->time_error_ns, !t->lacks_streams};
    struct event_spool *s;
    struct caveat_list caveats;
    struct strtab strings;
    struct cpprof_event event;
    caveat_list_init(&caveats);
    strtab_init(&strings);
    assert_int_equal(event_spool_new(&s, NULL), 0);
    const size_t rows = fill(s, t);
    assert_int_equal(plausible_times_judge(s, &facts, &strings, &caveats, NULL), 0);
    assert_int_equal(event_spool_rewind(s, NULL), 0);
    for (size_t i = 0; i < rows; i++) {
        assert_int_equal(event_spool_next(s, &event, NULL), 1);
        if (what_is(&event) != t->rows[i].what)
            fail_msg("%s: row %zu is '%c' instead of '%c'", t->name, i, what_is(&event), t->rows[i].what);
    }
    const char *said = caveat_first(&caveats, CAVEAT_TIMES);
    if (!said != !t->said || (said && !strstr(said, t->said)))
        fail_msg("%s: said '%s' instead of '%s'", t->name, said ? said : "", t->said ? t->said : "");
    if (t->then_said && (caveats.count != 2 || !strstr(caveats.items[1].text, t->then_said)))
        fail_msg("%s: not said: '%s'", t->name, t->then_said);
    if (t->is_said_once)
        assert_int_equal(caveats.count, 1);
    event_spool_free(s);
    strtab_release(&strings);
    caveat_list_release(&caveats);
}

TEST(each_table_is_judged)
{
    for (size_t i = 0; i < COUNT_OF(tables); i++)
        compare(&tables[i]);
}

/* Where events are read once, whatever is marked otherwise is at least suspicious. */
TEST(a_single_pass_suspects_as_much)
{
    for (size_t i = 0; i < COUNT_OF(tables); i++) {
        const struct table *t = &tables[i];
        const struct plausible_facts facts = {"t", t->origin_ns, t->time_error_ns, !t->lacks_streams};
        struct plausible_times *p;
        struct event_spool *s;
        struct cpprof_event event;
        assert_int_equal(event_spool_new(&s, NULL), 0);
        fill(s, t);
        assert_int_equal(plausible_times_new(&p, &facts, NULL), 0);
        assert_int_equal(event_spool_rewind(s, NULL), 0);
        while (event_spool_next(s, &event, NULL) == 1)
            assert_int_equal(plausible_times_take(p, &event, NULL), 0);
        assert_int_equal(plausible_times_finish(p, NULL), 0);
        if (t->said && !plausible_times_is_suspicious(p))
            fail_msg("%s: not suspicious", t->name);
        plausible_times_free(p);
        event_spool_free(s);
    }
}

/* Streams are not left out silently. */
TEST(more_streams_than_are_kept_are_told)
{
    struct serial_lanes lanes = {0};
    for (uint32_t i = 0; i <= LANES_MAX; i++) {
        const struct cpprof_event event = {.kind = KERNEL, .stream = i, .rank = -1};
        assert_false(lanes.is_full);
        assert_int_equal(serial_lanes_add(&lanes, &event, i, NULL), 0);
    }
    assert_true(lanes.is_full);
    serial_lanes_release(&lanes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(each_table_is_judged),
                                       cmocka_unit_test(a_single_pass_suspects_as_much),
                                       cmocka_unit_test(more_streams_than_are_kept_are_told)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
