/* Does a scope let through what it says, and does work find its call and its ranges? */
#include <stdio.h>
#include <string.h>

#include "core/base/stream_edge.h"
#include "core/trace/event_stream.h"
#include "core/trace/launch_index.h"
#include "core/trace/rank_starts.h"
#include "core/trace/stream_scope.h"
#include "tests/test.h"

/* Thread 1:  step1 [0,100)  outer [0,300)  step2 [200,300)     thread 2: step1 [0,50)
 * Names by id: 1 step1, 2 step2, 3 outer, 4 tile, 5 fill, 6 launch. */
enum { STEP1 = 1, STEP2, OUTER, TILE, FILL, LAUNCH, NAMES };
static const char *const names[NAMES] = {"", "step1", "step2", "outer", "tile", "fill", "launch"};

#define RANGE(of, on, from, to)                                                                                        \
    {                                                                                                                  \
        .kind = CPPROF_EVENT_RANGE, .name = of, .thread = on, .start_ns = from, .end_ns = to, .device = -1, .rank = -1 \
    }
#define CALL(id, on, from, to)                                                                                         \
    {                                                                                                                  \
        .kind = CPPROF_EVENT_API, .detail = CPPROF_API_LAUNCH, .name = LAUNCH, .thread = on, .start_ns = from,         \
        .end_ns = to, .correlation = id, .device = -1, .rank = -1                                                      \
    }
#define KERNEL(of, id, on, at, from, to)                                                                               \
    {                                                                                                                  \
        .kind = CPPROF_EVENT_KERNEL, .name = of, .correlation = id, .stream = on, .device = at, .start_ns = from,      \
        .end_ns = to, .rank = -1                                                                                       \
    }

static const struct cpprof_event trace[] = {
    CALL(10, 1, 0, 5), /* begins with the ranges: inside, whatever the order in the stream */
    RANGE(STEP1, 1, 0, 100),
    RANGE(STEP1, 2, 0, 50),
    RANGE(OUTER, 1, 0, 300),
    CALL(11, 2, 60, 64),              /* thread 2 has left step1 */
    CALL(12, 1, 99, 120),             /* begins in step1, ends behind it */
    CALL(13, 1, 100, 101),            /* half-open: no longer in step1 */
    KERNEL(TILE, 10, 7, 0, 110, 150), /* runs behind step1, launched in it */
    KERNEL(TILE, 11, 7, 0, 150, 160),
    RANGE(STEP2, 1, 200, 300),
    CALL(14, 1, 250, 251),
    KERNEL(FILL, 12, 8, 0, 260, 270),
    KERNEL(TILE, 13, 7, 1, 270, 280),
    KERNEL(TILE, 14, 7, 0, 280, 290),
    KERNEL(TILE, 99, 7, 0, 290, 295), /* its call is not in the trace */
};

static struct event_stream *open_trace(void)
{
    struct strtab strings;
    strtab_init(&strings);
    for (uint32_t id = 1; id < NAMES; id++)
        assert_int_equal(strtab_add(&strings, names[id]), id);
    struct event_stream *stream = NULL;
    struct err e = {0};
    assert_int_equal(event_stream_from_events(&stream, trace, COUNT_OF(trace), &strings, &e), 0);
    strtab_release(&strings);
    return stream;
}

/* The correlation ids of the kernels in the stream, in order, as text. */
static void kernels_of(struct event_stream *stream, char *out, size_t size)
{
    struct cpprof_event event;
    struct err e = {0};
    int code;
    out[0] = '\0';
    while ((code = event_stream_next(stream, &event, &e)) == 1)
        if (event.kind == CPPROF_EVENT_KERNEL)
            snprintf(out + strlen(out), size - strlen(out), "%s%u", *out ? " " : "", event.correlation);
    assert_int_equal(code, 0);
}

TEST(scopes_let_through_what_they_say)
{
    static const struct {
        struct stream_scope scope;
        const char *kernels;
    } cases[] = {
        {{0}, "10 11 12 13 14 99"},
        {{.range = "step1"}, "10 11 12"}, /* 11 is launched by thread 2 while thread 1 is in step1 */
        {{.range = "step1@thread"}, "10 12"},
        {{.range = "step[12]"}, "10 11 12 14"},
        {{.range = "step[12]@thread"}, "10 12 14"},
        {{.range = "^outer$"}, "10 11 12 13 14"},
        {{.range = "^outer$@thread"}, "10 12 13 14"},
        {{.range = "step1@threads"}, ""}, /* a name */
        {{.range = "absent"}, ""},
        {{.streams = {{8}, 1}}, "12"},
        {{.streams = {{8, 7}, 2}}, "10 11 12 13 14 99"},
        {{.devices = {{1}, 1}}, "13"},
        {{.ranks = {{0}, 1}}, ""}, /* the events have no rank */
        {{.has_window = true, .window_start_ns = 150, .window_end_ns = 280}, "11 12 13"},
        {{.has_window = true, .window_start_ns = 280, .window_end_ns = INT64_MAX}, "14 99"},
        {{.skip_first = 1}, "11 14 99"}, /* one fill, one tile on device 1, the first tile on device 0 */
        {{.skip_first = 1, .range = "outer"}, "11 14"},
        {{.skip_first = 1, .range = "outer@thread"}, "14"},
        {{.range = "step", .devices = {{0}, 1}, .has_window = true, .window_end_ns = 265}, "10 11 12"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct event_stream *stream = open_trace();
        struct err e = {0};
        assert_int_equal(event_stream_scope(stream, &cases[i].scope, &e), 0);
        char found[128];
        kernels_of(stream, found, sizeof found);
        assert_string_equal(found, cases[i].kernels);
        assert_int_equal(event_stream_rewind(stream, &e), 0); /* counts start again */
        kernels_of(stream, found, sizeof found);
        assert_string_equal(found, cases[i].kernels);
        event_stream_free(stream);
    }
}

TEST(a_range_that_is_not_there_is_said)
{
    struct event_stream *stream = open_trace();
    struct err e = {0};
    assert_int_equal(event_stream_scope(stream, &(struct stream_scope){.range = "absent"}, &e), 0);
    assert_int_equal(event_stream_caveats(stream)->count, 1);
    assert_string_equal(event_stream_caveats(stream)->items[0].text, "no NVTX range matches 'absent'");
    event_stream_free(stream);

    stream = open_trace();
    assert_int_equal(event_stream_scope(stream, &(struct stream_scope){.range = "("}, &e), ERR_USAGE);
    assert_non_null(strstr(e.text, "range pattern '(' is no extended regular expression"));
    event_stream_free(stream);
}

/* Call 11 begins on thread 2 at 60, behind its own step1 and within that of thread 1; its kernel runs on device 0.
 * Nothing is launched on thread 2 while step2 is open. The call of kernel 99, on device 0 at 290, is not in the trace.
 */
TEST(work_that_a_range_leaves_out_is_said)
{
    static const struct {
        struct stream_scope scope;
        const char *note, *weakness;
    } cases[] = {
        {{.range = "step1@thread"},
         "GPU operations left out that other threads launched while a range of 'step1@thread' was open: 1",
         "GPU operations left out that have no recorded call, so that a range of 'step1@thread' may have launched them: 1"},
        {{.range = "step1"},
         NULL,
         "GPU operations left out that have no recorded call, so that a range of 'step1' may have launched them: 1"},
        {{.range = "step1@thread", .devices = {{1}, 1}}, NULL, NULL},
        {{.range = "step2"},
         NULL,
         "GPU operations left out that have no recorded call, so that a range of 'step2' may have launched them: 1"},
        {{.range = "step2", .has_window = true, .window_end_ns = 290}, NULL, NULL}, /* it is outside in any case */
        {{.range = "absent"}, "no NVTX range matches 'absent'", NULL},
        {{.devices = {{0}, 1}}, NULL, NULL},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct event_stream *stream = open_trace();
        struct err e = {0};
        assert_int_equal(event_stream_scope(stream, &cases[i].scope, &e), 0);
        const struct caveat_list *caveats = event_stream_caveats(stream);
        size_t said = 0;
        if (cases[i].note) {
            assert_string_equal(caveats->items[said].text, cases[i].note);
            assert_int_equal(caveats->items[said++].kind, CAVEAT_NOTE);
        }
        if (cases[i].weakness) {
            assert_string_equal(caveats->items[said].text, cases[i].weakness);
            assert_int_equal(caveats->items[said++].kind, CAVEAT_WEAKENS);
        }
        assert_int_equal(caveats->count, said);
        event_stream_free(stream);
    }
}

/* Rank 0 begins with a call at 1000, rank 1 with a kernel at 5000: both have a kernel 100 after that, and one 900
 * after. What a stream waits for is no begin. */
TEST(a_window_counts_from_the_first_event_of_each_rank)
{
    static const struct cpprof_event two_ranks[] = {
        {.kind = CPPROF_EVENT_SYNC, .detail = STREAM_EDGE, .rank = 1, .device = -1, .start_ns = 10, .end_ns = 10},
        {.kind = CPPROF_EVENT_API, .rank = 0, .device = -1, .start_ns = 1000, .end_ns = 1001},
        {.kind = CPPROF_EVENT_KERNEL, .rank = 0, .correlation = 1, .start_ns = 1100, .end_ns = 1200},
        {.kind = CPPROF_EVENT_KERNEL, .rank = 0, .correlation = 2, .start_ns = 1900, .end_ns = 2000},
        {.kind = CPPROF_EVENT_KERNEL, .rank = 1, .correlation = 3, .start_ns = 5000, .end_ns = 5001},
        {.kind = CPPROF_EVENT_KERNEL, .rank = 1, .correlation = 4, .start_ns = 5100, .end_ns = 5200},
        {.kind = CPPROF_EVENT_KERNEL, .rank = 1, .correlation = 5, .start_ns = 5900, .end_ns = 6000},
    };
    static const struct {
        struct stream_scope scope;
        const char *kernels;
    } cases[] = {
        {{.has_window = true, .window_start_ns = 50, .window_end_ns = 500}, "1 4"},
        {{.has_window = true, .window_start_ns = 900, .window_end_ns = INT64_MAX}, "2 5"},
        {{.has_window = true, .window_end_ns = 500, .ranks = {{1}, 1}}, "3 4"},
        {{.has_window = true, .window_start_ns = 4000, .window_end_ns = INT64_MAX}, ""},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct event_stream *stream = NULL;
        struct err e = {0};
        assert_int_equal(event_stream_from_events(&stream, two_ranks, COUNT_OF(two_ranks), NULL, &e), 0);
        assert_int_equal(event_stream_scope(stream, &cases[i].scope, &e), 0);
        char found[128];
        kernels_of(stream, found, sizeof found);
        assert_string_equal(found, cases[i].kernels);
        int64_t from_ns;
        assert_true(rank_starts_get(event_stream_starts(stream), 0, &from_ns) && from_ns == 1000);
        assert_true(rank_starts_get(event_stream_starts(stream), 1, &from_ns) && from_ns == 5000);
        assert_false(rank_starts_get(event_stream_starts(stream), -1, &from_ns));
        assert_false(rank_starts_get_only(event_stream_starts(stream), &from_ns));
        event_stream_free(stream);
    }
}

TEST(work_finds_its_call)
{
    struct event_stream *stream = open_trace();
    static const bool first[NAMES] = {[STEP1] = true}, second[NAMES] = {[STEP2] = true, [OUTER] = true};
    const struct range_pattern patterns[] = {
        {first, NAMES, true}, {.takes = NULL}, {second, NAMES, true}, {first, NAMES, false}, {second, NAMES, false}};
    struct launch_index *index;
    struct err e = {0};
    assert_int_equal(launch_index_build(&index, stream, patterns, COUNT_OF(patterns), &e), 0);
    assert_int_equal(launch_index_found(index), 1 | 4 | 8 | 16);
    static const struct {
        size_t event;
        int64_t start_ns, end_ns;          /* of its call */
        uint64_t ranges, of_other_threads; /* 8: on thread 2, while step1 and outer are open on thread 1 */
    } cases[] = {{7, 0, 5, 1 | 4 | 8 | 16, 0},
                 {8, 60, 64, 8 | 16, 1 | 4},
                 {11, 99, 120, 1 | 4 | 8 | 16, 0},
                 {12, 100, 101, 4 | 16, 0},
                 {13, 250, 251, 4 | 16, 0}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const struct launch_call *call = launch_index_call(index, &trace[cases[i].event]);
        assert_non_null(call);
        assert_int_equal(call->start_ns, cases[i].start_ns);
        assert_int_equal(call->end_ns, cases[i].end_ns);
        assert_int_equal(call->of_other_threads, cases[i].of_other_threads);
        assert_int_equal(launch_index_ranges(index, &trace[cases[i].event]), cases[i].ranges);
    }
    assert_null(launch_index_call(index, &trace[14]));
    assert_int_equal(launch_index_ranges(index, &trace[14]), 0);
    assert_int_equal(launch_index_ranges(index, &trace[4]), 8 | 16); /* the call on thread 2 at 60 */
    assert_int_equal(launch_index_ranges(index, &trace[5]), 1 | 4 | 8 | 16);
    launch_index_free(index);
    event_stream_free(stream);
}

static int take_none(void *state, const struct cpprof_event *event, struct err *e)
{
    (void)state;
    (void)event;
    (void)e;
    return 0;
}

static void count_free(void *state)
{
    ++*(int *)state;
}

TEST(a_filter_that_is_replaced_is_freed)
{
    struct event_stream *stream = open_trace();
    int freed[2] = {0, 0};
    event_stream_set_filter(stream, (struct event_filter){.takes = take_none, .free = count_free, .state = &freed[0]});
    event_stream_set_filter(stream, (struct event_filter){.takes = take_none, .free = count_free, .state = &freed[1]});
    assert_int_equal(freed[0], 1);
    assert_int_equal(freed[1], 0);
    event_stream_free(stream);
    assert_int_equal(freed[0], 1);
    assert_int_equal(freed[1], 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scopes_let_through_what_they_say),
        cmocka_unit_test(a_range_that_is_not_there_is_said),
        cmocka_unit_test(work_that_a_range_leaves_out_is_said),
        cmocka_unit_test(a_window_counts_from_the_first_event_of_each_rank),
        cmocka_unit_test(work_finds_its_call),
        cmocka_unit_test(a_filter_that_is_replaced_is_freed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
