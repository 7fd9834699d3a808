/* Which iterations does the trace of a program hold, and how long did each take? */
#include <stdlib.h>
#include <string.h>

#include "analyzers/capture/program_samples.h"
#include "tests/test.h"
#include "tests/unit/hand_trace.h"

/* Kernels alone, one every 100 ns, named by the letters of a text; a digit is its rank. */
static struct event_stream *kernels_of(const char *letters)
{
    static const char *const names[] = {"alpha", "beta", "gamma"};
    struct host_event events[32];
    size_t count = 0;
    int rank = 0;
    for (const char *c = letters; *c; c++) {
        if (*c >= '0' && *c <= '9') {
            rank = *c - '0';
            continue;
        }
        const int64_t start_ns = 1000 + 100 * (int64_t)count;
        events[count++] =
            (struct host_event){KERNEL, start_ns, start_ns + 10 * (*c - 'a' + 1), 0, 7, names[*c - 'a'], 0, rank};
    }
    return host_stream(events, count);
}

TEST(kernels_repeat)
{
    static const struct {
        const char *letters, *pattern;
        size_t samples;
        int64_t busy_ns; /* of each */
        int64_t cut_off;
        const char *problem;
    } cases[] = {
        {"aaaa", "alpha", 4, 10, 0, ""},
        {"abab", "alpha|beta", 2, 30, 0, ""}, /* 10 + 20 */
        {"abab", "beta", 2, 20, 0, ""},
        {"aabcaabc", ".", 2, 70, 0, ""}, /* 10 + 10 + 20 + 30 */
        {"abcabca", ".", 2, 60, 1, ""},  /* the last one begins a third */
        {"a", ".", 1, 10, 0, ""},
        {"abc", "alpha|beta|gamma", 0, 0, 0, "the 3 launches of 3 kernels that match do not repeat"},
        {"abac", ".", 0, 0, 0, "the 4 launches of 3 kernels that match do not repeat"},
        {"abab", "delta", 0, 0, 0, ""},
        {"1aa2aa", "alpha", 4, 10, 0, ""}, /* two processes */
        {"1ab2b1ab2b", ".", 4, -1, 0, ""}, /* ab twice in one, b twice in the other */
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct event_stream *stream = kernels_of(cases[i].letters);
        struct program_samples s;
        struct err e = {0};
        const struct work_choice choice = {.kernels = cases[i].pattern};
        program_samples_init(&s);
        if (program_samples_read(&s, stream, &choice, &e))
            fail_msg("%s", e.text);
        assert_int_equal(s.count, cases[i].samples);
        for (size_t k = 0; k < s.count && cases[i].busy_ns >= 0; k++)
            assert_int_equal(s.items[k].busy_ns, cases[i].busy_ns);
        assert_int_equal(s.cut_off, cases[i].cut_off);
        assert_int_equal(strncmp(s.problem, cases[i].problem, strlen(cases[i].problem)), 0);
        assert_int_equal(*s.problem != '\0', *cases[i].problem != '\0');
        program_samples_release(&s);
        event_stream_free(stream);
    }
}

/* Two occurrences on thread 1; in the first one two kernels that overlap, a
 * copy and a kernel that thread 2 launches, in the second one a kernel. A kernel
 * before, a third occurrence without work. */
static const struct host_event trace[] = {
    {LAUNCH_CALL, 10, 20, 1, 1, "launch", 0, 0},   {KERNEL, 30, 60, 1, 7, "_Z4warmv", 0, 0},
    {RANGE, 100, 200, 0, 1, "step", 0, 0},         {LAUNCH_CALL, 110, 120, 2, 1, "launch", 0, 0},
    {RANGE, 115, 150, 0, 1, "step", 0, 0}, /* within: a part of it */
    {LAUNCH_CALL, 130, 140, 3, 1, "launch", 0, 0}, {COPY_CALL, 150, 160, 4, 1, "copy", 0, 0},
    {LAUNCH_CALL, 155, 160, 5, 2, "launch", 0, 0}, {KERNEL, 300, 340, 2, 7, "_Z4tilev", 0, 0},
    {KERNEL, 320, 370, 3, 8, "_Z4tilev", 0, 0},    {H2D, 400, 410, 4, 7, "", 0, 0},
    {KERNEL, 420, 430, 5, 9, "_Z5otherv", 0, 0},   {RANGE, 600, 700, 0, 1, "step", 0, 0},
    {LAUNCH_CALL, 610, 620, 6, 1, "launch", 0, 0}, {KERNEL, 630, 660, 6, 7, "_Z4tilev", 0, 0},
    {RANGE, 800, 900, 0, 1, "step", 0, 0},         {RANGE, 150, 160, 0, 2, "else", 0, 0},
};

/* Time is what a range selects by: the kernel of thread 2 runs from 420 to 430. */
TEST(ranges_are_samples_of_all_threads)
{
    static const char *const ranges[] = {"step", "step@"};
    for (size_t i = 0; i < COUNT_OF(ranges); i++) {
        struct event_stream *stream = host_stream(trace, COUNT_OF(trace));
        struct program_samples s;
        struct err e = {0};
        const struct work_choice choice = {.range = ranges[i]};
        program_samples_init(&s);
        if (program_samples_read(&s, stream, &choice, &e))
            fail_msg("%s", e.text);
        assert_int_equal(s.count, 2);
        assert_int_equal(s.items[0].busy_ns, 90);  /* 300 to 370, 400 to 410, 420 to 430 */
        assert_int_equal(s.items[0].span_ns, 130); /* 300 to 430 */
        assert_int_equal(s.items[0].idle_ns, 240); /* 330 - 90 */
        assert_int_equal(s.items[0].kernels, 3);
        assert_int_equal(s.items[1].busy_ns, 30);
        assert_int_equal(s.of_other_threads, 0);
        program_samples_release(&s);
        event_stream_free(stream);
    }
}

TEST(ranges_are_samples_of_their_thread)
{
    struct event_stream *stream = host_stream(trace, COUNT_OF(trace));
    struct program_samples s;
    struct err e = {0};
    const struct work_choice choice = {.range = "step@thread"};
    program_samples_init(&s);
    if (program_samples_read(&s, stream, &choice, &e))
        fail_msg("%s", e.text);
    assert_int_equal(s.count, 2);
    assert_int_equal(s.items[0].busy_ns, 80);      /* 300 to 370, 400 to 410 */
    assert_int_equal(s.items[0].span_ns, 110);     /* 300 to 410 */
    assert_int_equal(s.items[0].interval_ns, 330); /* 300 to 630 */
    assert_int_equal(s.items[0].idle_ns, 240);     /* 330 - 80 - 10 of the kernel beside */
    assert_int_equal(s.items[0].kernels, 2);
    assert_int_equal(s.items[0].copies, 1);
    assert_int_equal(s.items[1].busy_ns, 30);
    assert_int_equal(s.items[1].idle_ns, -1);
    assert_int_equal(s.empty, 1);
    assert_int_equal(s.of_other_threads, 1);
    assert_int_equal(s.work.count, 4);
    assert_string_equal(s.work.items[0].name, "_Z4tilev");
    assert_int_equal(s.work.items[0].chosen_count, 3);
    assert_int_equal(s.work.items[0].chosen_ns, 120); /* 40 + 50 + 30 */
    assert_string_equal(s.work.items[1].name, "copy h2d");
    assert_int_equal(s.work.items[1].chosen_ns, 10);
    assert_string_equal(s.work.items[2].name, "_Z4warmv"); /* not chosen, longer than the other */
    assert_int_equal(s.work.items[2].chosen_count, 0);
    assert_int_equal(s.work.items[3].count, 1);
    program_samples_release(&s);
    event_stream_free(stream);
}

TEST(ranges_that_tell_nothing)
{
    static const struct {
        const char *range, *problem;
    } cases[] = {{"step@", ""}, {"step@somewhere", ""}, {"none", ""}, {"step@@thread", ""}, {"@thread", ""}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct event_stream *stream = host_stream(trace, COUNT_OF(trace));
        struct program_samples s;
        struct err e = {0};
        const struct work_choice choice = {.range = cases[i].range};
        program_samples_init(&s);
        assert_int_equal(program_samples_read(&s, stream, &choice, &e), 0);
        assert_int_equal(s.count, i == 0 || i == 3 ? 2 : 0); /* the default domain has no name */
        assert_string_equal(s.problem, cases[i].problem);
        assert_int_equal(s.work.count, 4);
        program_samples_release(&s);
        event_stream_free(stream);
    }
    static const struct host_event shared[] = {{RANGE, 100, 200, 0, 1, "step", 0, 0},
                                               {RANGE, 150, 250, 0, 2, "step", 0, 0}};
    struct event_stream *stream = host_stream(shared, COUNT_OF(shared));
    struct program_samples s;
    const struct work_choice choice = {.range = "step"};
    program_samples_init(&s);
    assert_int_equal(program_samples_read(&s, stream, &choice, NULL), 0);
    assert_non_null(strstr(s.problem, "several threads at once"));
    program_samples_release(&s);
    event_stream_free(stream);
}

/* The call outside the range has the id of the one inside. Work behind each tells them apart; two behind the last
 * do not. */
TEST(calls_that_share_an_id)
{
    static const struct host_event events[] = {
        {LAUNCH_CALL, 50, 60, 5, 1, "call", 0, 0}, {KERNEL, 70, 90, 5, 7, "k", 0, 0},
        {RANGE, 100, 200, 0, 1, "step", 0, 0},     {LAUNCH_CALL, 110, 120, 5, 1, "call", 0, 0},
        {KERNEL, 130, 180, 5, 7, "k", 0, 0},       {KERNEL, 210, 240, 5, 7, "k", 0, 0}};
    for (size_t doubtful = 0; doubtful < 2; doubtful++) {
        struct event_stream *stream = host_stream(events, COUNT_OF(events) - !doubtful);
        struct program_samples s;
        const struct work_choice choice = {.range = "step"};
        program_samples_init(&s);
        assert_int_equal(program_samples_read(&s, stream, &choice, NULL), 0);
        assert_int_equal(s.count, !doubtful);
        if (doubtful)
            assert_string_equal(
                s.problem,
                "several calls have the id of some work: whether it belongs to the range 'step' is not known");
        else
            assert_int_equal(s.items[0].busy_ns, 50);
        program_samples_release(&s);
        event_stream_free(stream);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kernels_repeat), cmocka_unit_test(ranges_are_samples_of_all_threads),
        cmocka_unit_test(ranges_are_samples_of_their_thread), cmocka_unit_test(ranges_that_tell_nothing),
        cmocka_unit_test(calls_that_share_an_id)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
