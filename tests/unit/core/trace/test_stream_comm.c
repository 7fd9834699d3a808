/* Which copies between GPUs communicate because --comm names a range, and what is said of the others? */
#include <string.h>

#include "core/trace/communication/stream_comm.h"
#include "core/trace/event_spool.h"
#include "core/trace/event_stream.h"
#include "tests/test.h"

enum { EVENTS_MAX = 6, RANGE_NAME = 1, CALL_NAME, COPY_NAME, KERNEL_NAME };

#define RANGE(of_rank, on, from, to)                                                                                   \
    {                                                                                                                  \
        .kind = CPPROF_EVENT_RANGE, .name = RANGE_NAME, .thread = on, .start_ns = from, .end_ns = to, .device = -1,    \
        .rank = of_rank                                                                                                \
    }
#define CALL(of_rank, on, id, at)                                                                                      \
    {                                                                                                                  \
        .kind = CPPROF_EVENT_API, .detail = CPPROF_API_COPY, .name = CALL_NAME, .thread = on, .start_ns = at,          \
        .end_ns = (at) + 1, .correlation = id, .device = -1, .rank = of_rank                                           \
    }
#define COPY(of_rank, direction, id, at)                                                                               \
    {                                                                                                                  \
        .kind = CPPROF_EVENT_COPY, .detail = direction, .name = COPY_NAME, .correlation = id, .start_ns = at,          \
        .end_ns = (at) + 100, .rank = of_rank                                                                          \
    }
#define KERNEL(of_rank, at)                                                                                            \
    {                                                                                                                  \
        .kind = CPPROF_EVENT_KERNEL, .name = KERNEL_NAME, .start_ns = at, .end_ns = (at) + 100, .rank = of_rank        \
    }
#define P2P CPPROF_COPY_P2P

static const struct {
    const char *why, *regex;
    struct cpprof_event events[EVENTS_MAX];
    int64_t time_error_ns;
    int communicating;
    struct comm_counts counts;
} cases[] = {
    {"in the range", "exchange", {RANGE(0, 1, 100, 200), CALL(0, 1, 5, 150), COPY(0, P2P, 5, 300)}, 0, 1, {.named = 1}},
    {"as the range begins",
     "exchange",
     {CALL(0, 1, 5, 100), RANGE(0, 1, 100, 200), COPY(0, P2P, 5, 300)},
     0,
     1,
     {.named = 1}},
    {"behind it", "exchange", {RANGE(0, 1, 100, 200), CALL(0, 1, 5, 200), COPY(0, P2P, 5, 300)}, 0, 0, {.named = 1}},
    {"another name", "gather", {RANGE(0, 1, 100, 200), CALL(0, 1, 5, 150), COPY(0, P2P, 5, 300)}, 0, 0, {0}},
    {"a name of another thing", "Peer", {RANGE(0, 1, 100, 200), CALL(0, 1, 5, 150), COPY(0, P2P, 5, 300)}, 0, 0, {0}},
    {"a kernel", "gather", {KERNEL(0, 100)}, 0, 0, {.named = 1}},
    {"another thread",
     "exchange",
     {RANGE(0, 1, 100, 200), CALL(0, 2, 5, 150), COPY(0, P2P, 5, 300)},
     0,
     0,
     {.named = 1, .of_other_threads = 1}},
    {"another rank",
     "exchange",
     {RANGE(0, 1, 100, 200), CALL(0, 1, 5, 150), CALL(1, 1, 5, 150), COPY(0, P2P, 5, 300), COPY(1, P2P, 5, 300)},
     0,
     1,
     {.named = 1}},
    {"within a GPU",
     "exchange",
     {RANGE(0, 1, 100, 200), CALL(0, 1, 5, 150), COPY(0, CPPROF_COPY_D2D, 5, 300)},
     0,
     0,
     {.named = 1}},
    {"from the host",
     "exchange",
     {RANGE(0, 1, 100, 200), CALL(0, 1, 5, 150), COPY(0, CPPROF_COPY_H2D, 5, 300)},
     0,
     0,
     {.named = 1}},
    {"no calls", "exchange", {RANGE(0, 1, 100, 200), COPY(0, P2P, 5, 300)}, 0, 0, {.named = 1, .unlaunched = 1}},
    {"no id",
     "exchange",
     {RANGE(0, 1, 100, 200), CALL(0, 1, 5, 150), COPY(0, P2P, 0, 300)},
     0,
     0,
     {.named = 1, .unlaunched = 1}},
    {"before its call",
     "exchange",
     {COPY(0, P2P, 5, 90), RANGE(0, 1, 100, 200), CALL(0, 1, 5, 150)},
     0,
     1,
     {.named = 1, .doubtful = 1}},
    {"at the edge of what is rounded",
     "exchange",
     {RANGE(0, 1, 100, 200), CALL(0, 1, 5, 199), COPY(0, P2P, 5, 300)},
     1,
     1,
     {.named = 1, .doubtful = 1}},
    {"one of two calls of an id is outside",
     "exchange",
     {CALL(0, 1, 5, 50), RANGE(0, 1, 100, 200), CALL(0, 1, 5, 150), COPY(0, P2P, 5, 300), COPY(0, P2P, 5, 310)},
     0,
     2,
     {.named = 1, .doubtful = 2}},
    {"each of two calls of an id has its copy",
     "exchange",
     {CALL(0, 1, 5, 50), COPY(0, P2P, 5, 60), RANGE(0, 1, 100, 200), CALL(0, 1, 5, 150), COPY(0, P2P, 5, 310)},
     0,
     1,
     {.named = 1}},
    {"another copy has a call",
     "exchange",
     {RANGE(0, 1, 100, 200), CALL(0, 1, 6, 150), COPY(0, P2P, 5, 300)},
     0,
     0,
     {.named = 1, .unlaunched = 1}},
    {"far from the edge",
     "exchange",
     {RANGE(0, 1, 100, 200), CALL(0, 1, 5, 150), COPY(0, P2P, 5, 300)},
     1,
     1,
     {.named = 1}},
};

static struct event_stream *open_case(size_t i)
{
    struct event_stream *s;
    struct strtab strings;
    size_t count = 0;
    strtab_init(&strings);
    assert_int_equal(strtab_add(&strings, "tp exchange"), RANGE_NAME);
    assert_int_equal(strtab_add(&strings, "cudaMemcpyPeerAsync"), CALL_NAME);
    assert_int_equal(strtab_add(&strings, "[CUDA memcpy Peer-to-Peer]"), COPY_NAME);
    assert_int_equal(strtab_add(&strings, "my_gather"), KERNEL_NAME);
    while (count < EVENTS_MAX && cases[i].events[count].kind)
        count++;
    assert_int_equal(event_stream_from_events(&s, cases[i].events, count, &strings, NULL), 0);
    event_stream_set_time_error_ns(s, cases[i].time_error_ns);
    strtab_release(&strings);
    return s;
}

TEST(copies_in_named_ranges_communicate)
{
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct event_stream *s = open_case(i);
        struct comm_counts counts;
        struct cpprof_event event;
        int communicating = 0;
        assert_int_equal(event_stream_name_comm(s, cases[i].regex, &counts, NULL), 0);
        assert_string_equal(event_stream_comm(s), cases[i].regex);
        while (event_stream_next(s, &event, NULL) == 1)
            communicating += (event.flags & EVENT_COMMUNICATES) != 0;
        if (communicating != cases[i].communicating || memcmp(&counts, &cases[i].counts, sizeof counts) != 0)
            fail_msg("%s: %d communicate", cases[i].why, communicating);
        event_stream_free(s);
    }
}

/* A copy that may count, or may not, takes evidence away; the copies of another thread are only told. */
TEST(doubts_weaken)
{
    static const struct {
        struct comm_counts counts;
        bool weakens;
        const char *text;
    } notes[] = {{{.named = 1, .of_other_threads = 1}, false, "another thread"},
                 {{.named = 1, .unlaunched = 2}, true, "no recorded call"},
                 {{.named = 1, .doubtful = 3}, true, "launched or not"},
                 {{0}, false, "'exchange' matches no kernel or range"}};
    for (size_t i = 0; i < COUNT_OF(notes); i++) {
        struct caveat_list caveats;
        caveat_list_init(&caveats);
        assert_int_equal(comm_counts_note(&notes[i].counts, "exchange", &caveats, NULL), 0);
        assert_int_equal(caveats.count, 1);
        assert_int_equal(caveat_has(&caveats, CAVEAT_WEAKENS), notes[i].weakens);
        assert_non_null(strstr(caveats.items[0].text, notes[i].text));
        caveat_list_release(&caveats);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_in_named_ranges_communicate),
        cmocka_unit_test(doubts_weaken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
