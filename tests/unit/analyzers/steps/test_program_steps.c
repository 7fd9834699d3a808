/* Which ranges are the steps of a program, and how long do they take? */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>

#include "analyzers/steps/step_rows.h"
#include "core/trace/event_stream.h"
#include "tests/test.h"
#include "tests/unit/hand_trace.h"

#define US INT64_C(1000)

enum { STEPS_MOST = 9, EVENTS_MOST = 64 };

/* Ranges of a host that launches a kernel of 100 us, 10 us behind the begin of each. */
static struct {
    struct host_event events[EVENTS_MOST];
    char names[STEPS_MOST][32];
    size_t count;
    int64_t now_ns;
} game;

static void begin(void)
{
    memset(&game, 0, sizeof game);
    game.now_ns = US;
}

static void add_step(const char *stem, int number, int64_t us)
{
    const int64_t start_ns = game.now_ns;
    snprintf(game.names[number], sizeof game.names[number], "%s%d", stem, number);
    game.events[game.count++] =
        (struct host_event){RANGE, start_ns, start_ns + us * US, 0, 7, game.names[number], 0, 1};
    game.events[game.count++] = (struct host_event){RANGE, start_ns, start_ns + 50 * US, 0, 7, "forward", 0, 1};
    game.events[game.count++] = (struct host_event){
        LAUNCH_CALL, start_ns + US, start_ns + 2 * US, (unsigned)number + 1, 7, "cudaLaunchKernel", 0, 1};
    game.events[game.count++] =
        (struct host_event){KERNEL, start_ns + 10 * US, start_ns + 110 * US, (unsigned)number + 1, 1, "flash", 0, 1};
    game.now_ns += us * US;
}

static void measure(struct program_steps *s)
{
    struct event_stream *stream = host_stream(game.events, game.count);
    struct err e = {0};
    *s = (struct program_steps){0};
    if (program_steps_measure(s, stream, &e))
        fail_msg("%s", e.text);
    event_stream_free(stream);
}

static void expect_row(const struct program_step *row, const char *which, int64_t us)
{
    assert_string_equal(row->which, which);
    assert_int_equal(row->time_ns, us * US);
    assert_int_equal(row->part_ns[STEP_COMPUTE], 100 * US);
    assert_int_equal(row->part_ns[STEP_IDLE], (us - 100) * US);
}

/* The first of eight steps is longer, and so is one of the others: 300 200 200 200 250 200 200 210. The range that is
 * open for longest comes once, and "forward" is open for less. */
TEST(first_median_and_slowest)
{
    static const int64_t lengths_us[] = {300, 200, 200, 200, 250, 200, 200, 210};
    struct program_steps s;
    begin();
    for (int i = 0; i < 8; i++)
        add_step("train step ", i, lengths_us[i]);
    game.events[game.count++] = (struct host_event){RANGE, US, game.now_ns, 0, 7, "epoch", 0, 1};
    measure(&s);
    assert_string_equal(str_text(&s.range), "train step");
    assert_int_equal(s.steps, 8);
    assert_int_equal(s.processes, 1);
    assert_int_equal(s.row_count, 3);
    expect_row(&s.rows[0], "first", 300);
    expect_row(&s.rows[1], "median", 200);
    expect_row(&s.rows[2], "slowest", 250);
    program_steps_release(&s);
}

/* PyTorch's steps are steps, also where there are two. */
TEST(steps_of_the_profiler)
{
    struct program_steps s;
    begin();
    add_step("ProfilerStep#", 1, 200);
    add_step("ProfilerStep#", 2, 400);
    measure(&s);
    assert_string_equal(str_text(&s.range), "ProfilerStep#");
    expect_row(&s.rows[0], "first", 200);
    expect_row(&s.rows[1], "median", 200);
    expect_row(&s.rows[2], "slowest", 400);
    program_steps_release(&s);
}

TEST(programs_without_steps)
{
    struct program_steps s;
    begin();
    for (int i = 0; i < 4; i++)
        add_step("step", i, 200);
    measure(&s);
    assert_int_equal(s.row_count, 0);
    assert_string_equal(str_text(&s.range), "");
    program_steps_release(&s);
    begin(); /* what a library opens now and then */
    for (int i = 0; i < 6; i++) {
        add_step("sort", i, 200);
        game.now_ns += 300 * US;
    }
    measure(&s);
    assert_string_equal(str_text(&s.range), "");
    program_steps_release(&s);
    begin(); /* a name that an expression would take for something else, open on two threads at once */
    for (int i = 0; i < 6; i++)
        add_step("step(*", i, 200);
    game.events[game.count] = game.events[0];
    game.events[game.count++].place = 8;
    measure(&s);
    assert_int_equal(s.row_count, 0);
    program_steps_release(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(first_median_and_slowest),
                                       cmocka_unit_test(steps_of_the_profiler),
                                       cmocka_unit_test(programs_without_steps)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
