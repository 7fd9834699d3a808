/* However the runner ends, do we learn of it in time and with its words? */
#define _GNU_SOURCE
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/record/runner_process.h"
#include "tests/test.h"

static int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Runs misbehave with these words; returns how many ms it took. */
static int64_t run(struct runner_end *end, int seconds, const char *how, const char *argument)
{
    struct runner_arguments arguments = {0};
    struct err e = {0};
    int rc = runner_argument(&arguments, &e, "misbehave");
    if (!rc)
        rc = runner_argument(&arguments, &e, "%s", how);
    if (!rc && argument)
        rc = runner_argument(&arguments, &e, "%s", argument);
    const int64_t start_ms = now_ms();
    if (rc || runner_run(MISBEHAVE, &arguments, seconds, end, &e))
        fail_msg("%s", e.text);
    runner_arguments_release(&arguments);
    return now_ms() - start_ms;
}

TEST(the_exit_status_is_kept)
{
    static const char *const statuses[] = {"0", "2", "4", "255"};
    for (size_t i = 0; i < 4; i++) {
        struct runner_end end;
        run(&end, 20, "exit", statuses[i]);
        assert_int_equal(end.exit_status, atoi(statuses[i]));
        assert_true(end.signal == 0 && !end.timed_out && end.said.length == 0);
        str_release(&end.said);
    }
}

TEST(what_it_says_is_kept_without_the_last_newlines)
{
    struct runner_end end;
    run(&end, 20, "say", "no GPU; 'do' \"this\" $HOME * %s");
    assert_int_equal(end.exit_status, 3);
    assert_string_equal(str_text(&end.said), "no GPU; 'do' \"this\" $HOME * %s"); /* no shell, no format */
    str_release(&end.said);
}

TEST(a_crash_is_a_signal)
{
    struct runner_end end;
    run(&end, 20, "crash", NULL);
    assert_true(end.signal == SIGSEGV && end.exit_status == -1 && !end.timed_out);
    str_release(&end.said);
}

TEST(much_is_read_and_the_first_64_KiB_are_kept)
{
    struct runner_end end;
    run(&end, 20, "much", NULL);
    assert_int_equal(end.exit_status, 0);             /* it could write all of it */
    assert_int_equal(end.said.length, 64 * 1024 - 1); /* the last of them is a newline */
    str_release(&end.said);
}

TEST(who_hangs_is_ended)
{
    static const char *const ways[] = {"hang", "hang-silently"};
    for (size_t i = 0; i < 2; i++) {
        struct runner_end end;
        const int64_t took_ms = run(&end, 1, ways[i], NULL);
        if (!end.timed_out || end.signal != SIGKILL || end.exit_status != -1)
            fail_msg("%s: timed out %d, signal %d, exit status %d", ways[i], end.timed_out, end.signal,
                     end.exit_status);
        assert_in_range(took_ms, 900, 10000);
        str_release(&end.said);
    }
}

/* The runner is done when its process is, whoever else holds its standard error. */
TEST(a_child_left_behind_ends_with_it)
{
    static const char *const ways[] = {"leave-a-child", "leave-a-session", "leave-and-crash"};
    for (size_t i = 0; i < 3; i++) {
        struct runner_end end;
        const int64_t took_ms = run(&end, 20, ways[i], NULL);
        const pid_t child = (pid_t)atoi(str_text(&end.said));
        assert_false(end.timed_out);
        assert_in_range(took_ms, 0, 5000);
        assert_true(child > 1);
        if (!kill(child, 0))
            fail_msg("%s: the child lives", ways[i]);
        str_release(&end.said);
    }
}

/* A shell that had started it may have become us. */
static void children_from_before_go_on(void **state)
{
    const pid_t child = *(pid_t *)*state;
    assert_int_equal(waitpid(child, NULL, WNOHANG), 0);
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, NULL, 0), child);
}

TEST(who_started_us_may_ignore_ended_children)
{
    struct runner_end end;
    signal(SIGCHLD, SIG_IGN);
    run(&end, 20, "exit", "4");
    assert_int_equal(end.exit_status, 4);
    str_release(&end.said);
}

TEST(standard_input_is_empty)
{
    struct runner_end end;
    run(&end, 20, "read", NULL);
    assert_int_equal(end.exit_status, 0);
    str_release(&end.said);
}

TEST(a_program_that_is_not_there_is_an_error)
{
    struct runner_arguments arguments = {0};
    struct runner_end end;
    struct err e = {0};
    assert_int_equal(runner_argument(&arguments, &e, "runner"), 0);
    assert_int_equal(runner_run("/is/not/there", &arguments, 1, &end, &e), ERR_ENVIRONMENT);
    assert_string_equal(e.text, "cannot start '/is/not/there': No such file or directory");
    assert_int_equal(runner_run("/dev/null", &arguments, 1, &end, &e), ERR_ENVIRONMENT);
    runner_arguments_release(&arguments);

    struct str path;
    str_init(&path);
    setenv("CPPROF_RUNNER", "/is/not/there", 1);
    assert_int_equal(runner_find(&path, &e), ERR_ENVIRONMENT);
    assert_non_null(strstr(e.text, "CPPROF_RUNNER names '/is/not/there', which cannot be run"));
    setenv("CPPROF_RUNNER", MISBEHAVE, 1);
    assert_int_equal(runner_find(&path, &e), 0);
    assert_string_equal(str_text(&path), MISBEHAVE);
    unsetenv("CPPROF_RUNNER");
    str_release(&path);
}

int main(void)
{
    pid_t child = fork();
    if (!child) {
        sleep(60);
        _exit(0);
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_exit_status_is_kept),
        cmocka_unit_test(what_it_says_is_kept_without_the_last_newlines),
        cmocka_unit_test(a_crash_is_a_signal),
        cmocka_unit_test(much_is_read_and_the_first_64_KiB_are_kept),
        cmocka_unit_test(who_hangs_is_ended),
        cmocka_unit_test(a_child_left_behind_ends_with_it),
        cmocka_unit_test(who_started_us_may_ignore_ended_children),
        cmocka_unit_test(standard_input_is_empty),
        cmocka_unit_test(a_program_that_is_not_there_is_an_error),
        cmocka_unit_test_prestate(children_from_before_go_on, &child),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
