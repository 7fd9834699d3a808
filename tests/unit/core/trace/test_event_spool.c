/* Do events come out sorted and complete, in memory and through the disk? */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "core/base/caveat.h"
#include "core/trace/event_spool.h"
#include "core/trace/event_stream.h"
#include "tests/test.h"

static uint64_t next_random(uint64_t *seed)
{
    uint64_t z = (*seed += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* Reads everything back: sorted, `count` events, each value of `stream` once. */
static void assert_sorted_permutation(struct event_spool *s, size_t count)
{
    unsigned char *seen = calloc(count, 1);
    assert_non_null(seen);
    struct cpprof_event before = {0}, event;
    size_t got = 0;
    for (; event_spool_next(s, &event, NULL) == 1; got++) {
        assert_true(got == 0 || event_order(&before, &event) <= 0);
        assert_true(event.stream < count && !seen[event.stream]);
        seen[event.stream] = 1;
        before = event;
    }
    assert_int_equal(got, count);
    free(seen);
}

enum order { RANDOM, ASCENDING, DESCENDING, NEARLY };

static int64_t start_in_order(enum order order, size_t i, size_t count, uint64_t *seed)
{
    switch (order) {
    case RANDOM: return (int64_t)(next_random(seed) % 1000000);
    case ASCENDING: return (int64_t)i;
    case DESCENDING: return (int64_t)(count - i);
    case NEARLY: return (int64_t)(i * 10 + next_random(seed) % 1000);
    }
    return 0;
}

TEST(comes_out_sorted)
{
    static const struct {
        enum order order;
        size_t count;
    } cases[] = {
        {RANDOM, 0},
        {RANDOM, 1},
        {RANDOM, 1000},
        {RANDOM, SPOOL_RUN_EVENTS},             /* just fits in memory */
        {RANDOM, SPOOL_RUN_EVENTS + 1},         /* two runs, the second of one event */
        {RANDOM, 3 * SPOOL_RUN_EVENTS + 12345}, /* four runs */
        {ASCENDING, 2 * SPOOL_RUN_EVENTS + 7},  /* one run, extended twice */
        {DESCENDING, 2 * SPOOL_RUN_EVENTS + 7},
        {NEARLY, 2 * SPOOL_RUN_EVENTS},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        uint64_t seed = 7 + i;
        struct event_spool *s;
        assert_int_equal(event_spool_new(&s, NULL), 0);
        for (size_t k = 0; k < cases[i].count; k++) {
            int64_t start = start_in_order(cases[i].order, k, cases[i].count, &seed);
            struct cpprof_event event = {.start_ns = start, .end_ns = start + 5, .stream = (uint32_t)k};
            assert_int_equal(event_spool_add(s, &event, NULL), 0);
        }
        assert_int_equal(event_spool_count(s), cases[i].count);
        for (int pass = 0; pass < 2; pass++) {
            assert_int_equal(event_spool_rewind(s, NULL), 0);
            assert_sorted_permutation(s, cases[i].count);
        }
        event_spool_free(s);
    }
}

TEST(rewinds_from_the_middle)
{
    struct event_spool *s;
    assert_int_equal(event_spool_new(&s, NULL), 0);
    size_t count = 2 * SPOOL_RUN_EVENTS;
    for (size_t k = 0; k < count; k++) {
        struct cpprof_event event = {.start_ns = (int64_t)(k * 7919 % count), .stream = (uint32_t)k};
        assert_int_equal(event_spool_add(s, &event, NULL), 0);
    }
    struct cpprof_event event;
    assert_int_equal(event_spool_rewind(s, NULL), 0);
    for (int i = 0; i < 5000; i++)
        assert_int_equal(event_spool_next(s, &event, NULL), 1);
    assert_int_equal(event_spool_rewind(s, NULL), 0);
    assert_sorted_permutation(s, count);
    assert_int_equal(event_spool_next(s, &event, NULL), 0); /* stays at the end */
    event_spool_free(s);
}

TEST(says_where_the_disk_is_missing)
{
    char *before = getenv("TMPDIR") ? strdup(getenv("TMPDIR")) : NULL;
    setenv("TMPDIR", "/nonexistent/folder", 1);
    struct event_spool *s;
    struct err e = {0};
    assert_int_equal(event_spool_new(&s, NULL), 0);
    int rc = 0;
    struct cpprof_event event = {0};
    for (size_t k = 0; !rc && k <= SPOOL_RUN_EVENTS; k++)
        rc = event_spool_add(s, &event, &e);
    assert_int_equal(rc, ERR_ENVIRONMENT);
    assert_non_null(strstr(e.text, "'/nonexistent/folder'"));
    assert_non_null(strstr(e.text, "TMPDIR"));
    event_spool_free(s);
    if (before)
        setenv("TMPDIR", before, 1);
    else
        unsetenv("TMPDIR");
    free(before);
}

TEST(orders_by_start_end_rank_device_stream)
{
    static const struct cpprof_event ascending[] = {
        {.start_ns = -1, .end_ns = 9, .rank = 3},
        {.start_ns = 1, .end_ns = 2, .rank = 3, .device = 3, .stream = 3},
        {.start_ns = 1, .end_ns = 3, .rank = -1, .device = 3, .stream = 3},
        {.start_ns = 1, .end_ns = 3, .rank = 0, .device = -1, .stream = 3},
        {.start_ns = 1, .end_ns = 3, .rank = 0, .device = 1, .stream = 0},
        {.start_ns = 1, .end_ns = 3, .rank = 0, .device = 1, .stream = 1},
    };
    enum { COUNT = COUNT_OF(ascending) };
    for (size_t i = 0; i < COUNT; i++)
        for (size_t j = 0; j < COUNT; j++) {
            int order = event_order(&ascending[i], &ascending[j]);
            assert_int_equal(order, i < j ? -1 : i > j);
        }
}

TEST(streams_events_from_memory)
{
    struct strtab names;
    strtab_init(&names);
    uint32_t id = strtab_add(&names, "gemm");
    const struct cpprof_event events[] = {{.start_ns = 20, .end_ns = 30, .name = id}, {.start_ns = 10, .end_ns = 15}};
    struct event_stream *s;
    assert_int_equal(event_stream_from_events(&s, events, 2, &names, NULL), 0);
    strtab_release(&names);
    assert_int_equal(event_stream_count(s), 2);
    assert_int_equal(event_stream_caveats(s)->count, 0);
    struct cpprof_event event;
    for (int pass = 0; pass < 2; pass++) {
        assert_int_equal(event_stream_next(s, &event, NULL), 1);
        assert_int_equal(event.start_ns, 10);
        assert_int_equal(event_stream_next(s, &event, NULL), 1);
        assert_int_equal(event.start_ns, 20);
        assert_string_equal(strtab_text(event_stream_strings(s), event.name), "gemm");
        assert_int_equal(event_stream_next(s, &event, NULL), 0);
        assert_int_equal(event_stream_rewind(s, NULL), 0);
    }
    event_stream_free(s);
}

TEST(caveats_are_bounded_and_inert)
{
    struct caveat_list list;
    caveat_list_init(&list);
    for (int i = 0; i < 100; i++)
        assert_int_equal(caveat_add(&list, CAVEAT_NOTE, NULL, "note %d \x1b[31m\n", i), 0);
    assert_int_equal(list.count, 64);
    assert_string_equal(list.items[63].text, "note 63 \\x1b[31m\\x0a");
    assert_false(caveat_has(&list, CAVEAT_TRUNCATED));
    assert_int_equal(caveat_add(&list, CAVEAT_TRUNCATED, NULL, "cut"), 0);
    assert_int_equal(caveat_add(&list, CAVEAT_TRUNCATED, NULL, "cut again"), 0);
    assert_int_equal(list.count, 65); /* the first of a new kind is kept beyond the limit */
    assert_true(caveat_has(&list, CAVEAT_TRUNCATED));
    caveat_list_release(&list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(comes_out_sorted),
        cmocka_unit_test(rewinds_from_the_middle),
        cmocka_unit_test(says_where_the_disk_is_missing),
        cmocka_unit_test(orders_by_start_end_rank_device_stream),
        cmocka_unit_test(streams_events_from_memory),
        cmocka_unit_test(caveats_are_bounded_and_inert),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
