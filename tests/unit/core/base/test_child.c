/* Does a process start as it was asked to, and is its end known? */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/child.h"
#include "tests/test.h"

/* What a shell says when it runs this, by request `c`. */
static void ask_shell(char said[256], struct child_request c, const char *words)
{
    const char *const argv[] = {"sh", "-c", words, NULL};
    struct err e = {0};
    int heard;
    size_t length = 0;
    c.argv = argv;
    c.heard = &heard;
    c.files[CHILD_FILES_MAX - 1] = (struct child_file){CHILD_PIPE, STDOUT_FILENO};
    const pid_t child = child_start(&c, &e);
    if (child < 0)
        fail_msg("%s", e.text);
    for (ssize_t got; (got = read(heard, said + length, 255 - length)) > 0; length += (size_t)got)
        ;
    said[length] = '\0';
    said[strcspn(said, "\n")] = '\0';
    close(heard);
    assert_int_equal(child_wait(child).exit_status, 0);
}

static struct child_end run(const struct child_request *c)
{
    struct err e = {0};
    const pid_t child = child_start(c, &e);
    if (child < 0)
        fail_msg("%s", e.text);
    return child_wait(child);
}

static int give(void *context)
{
    return *(const int *)context;
}

static int die(void *context)
{
    return raise(*(const int *)context);
}

TEST(its_end_is_known)
{
    const int status = 77, signal = SIGTERM;
    struct child_end end = run(&(struct child_request){.run = give, .context = (void *)&status});
    assert_true(end.exit_status == 77 && !end.signal);
    end = run(&(struct child_request){.run = die, .context = (void *)&signal});
    assert_true(end.exit_status == -1 && end.signal == SIGTERM);
    end = run(&(struct child_request){.argv = (const char *const[]){"sh", "-c", "exit 5", NULL}});
    assert_true(end.exit_status == 5 && !end.signal);
    end = child_wait(1); /* none of ours */
    assert_true(end.exit_status == -1 && !end.signal);
}

TEST(an_ignored_end_is_known)
{
    const int status = 3;
    signal(SIGCHLD, SIG_IGN);
    assert_int_equal(run(&(struct child_request){.run = give, .context = (void *)&status}).exit_status, 3);
}

TEST(an_error_names_it)
{
    const struct {
        struct child_request request;
        const char *text;
    } cases[] = {
        {{.argv = (const char *const[]){"/is/not/there", NULL}},
         "cannot start '/is/not/there': No such file or directory"},
        {{.argv = (const char *const[]){"word", NULL}, .program = "/dev/null"},
         "cannot start '/dev/null': Permission denied"},
        {{.argv = (const char *const[]){"sh", NULL}, .folder = "/is/not/there"},
         "cannot start 'sh': No such file or directory"},
        {{.argv = (const char *const[]){"sh", NULL}, .title = "the judge", .files = {{999, 0}}},
         "cannot start the judge: its files: Bad file descriptor"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct err e = {0};
        int heard = 0;
        struct child_request c = cases[i].request;
        c.heard = &heard;
        assert_int_equal(child_start(&c, &e), ERR_ENVIRONMENT);
        assert_string_equal(e.text, cases[i].text);
        assert_int_equal(heard, -1);
        assert_true(waitpid(-1, NULL, 0) < 0 && errno == ECHILD);
    }
}

TEST(its_environment_and_folder)
{
    char said[256];
    setenv("CHILD_STAYS", "1", 1);
    setenv("CHILD_GOES", "2", 1);
    setenv("CHILD_CHANGES", "3", 1);
    const char *const changes[] = {"CHILD_GOES", "CHILD_CHANGES=a=b", "CHILD_COMES=", NULL};
    ask_shell(said, (struct child_request){.environment = changes, .folder = "/"},
              "echo $CHILD_STAYS:${CHILD_GOES-none}:$CHILD_CHANGES:${CHILD_COMES-none}:$PWD");
    assert_string_equal(said, "1:none:a=b::/");
    assert_string_equal(getenv("CHILD_GOES"), "2");
}

static int last_file(void *context)
{
    int last = -1;
    (void)context;
    for (int i = 0; i < 200; i++)
        last = fcntl(i, F_GETFD) >= 0 ? i : last;
    return last;
}

/* Each of two descriptors gets the number of the other, and none comes with them. */
TEST(its_files)
{
    const int first = open("/proc/self/status", O_RDONLY), second = open("/proc/self/stat", O_RDONLY);
    const int inherited = fcntl(first, F_DUPFD, 100);
    char said[256], words[256];
    struct child_request c = {.files = {{CHILD_NULL, STDIN_FILENO}, {first, second}, {second, first}}};
    snprintf(words, sizeof words, "cd /proc/$$/fd; echo $(readlink 0 %d %d | sed 's|.*/||')", first, second);
    ask_shell(said, c, words);
    assert_string_equal(said, "null stat status");
    c.run = last_file;
    assert_int_equal(run(&c).exit_status, inherited);
    c.closes_rest = true;
    assert_int_equal(run(&c).exit_status, first > second ? first : second);
    close(first);
    close(second);
    close(inherited);
}

TEST(its_group)
{
    static const char words[] = "set -- $(cat /proc/$$/stat); echo $(($5 == $1)) $(($6 == $1))";
    char said[256];
    ask_shell(said, (struct child_request){0}, words);
    assert_string_equal(said, "0 0");
    ask_shell(said, (struct child_request){.group = CHILD_LEADS_GROUP}, words);
    assert_string_equal(said, "1 0");
    ask_shell(said, (struct child_request){.group = CHILD_LEADS_SESSION}, words);
    assert_string_equal(said, "1 1");
}

static int count_signals(void *context)
{
    sigset_t blocked;
    struct sigaction on_child;
    int count = 0;
    (void)context;
    sigprocmask(SIG_SETMASK, NULL, &blocked);
    sigaction(SIGCHLD, NULL, &on_child);
    for (int i = 1; i < NSIG; i++)
        count += sigismember(&blocked, i) == 1;
    return count + 10 * sigismember(&blocked, SIGUSR1) + 100 * (on_child.sa_handler == SIG_IGN);
}

TEST(its_signals)
{
    const struct sigaction ignores = {.sa_handler = SIG_IGN};
    sigset_t mask, before;
    sigemptyset(&mask);
    sigaddset(&mask, SIGUSR1);
    const struct child_request c = {.run = count_signals, .mask = &mask, .on_child = &ignores};
    assert_int_equal(run(&c).exit_status, 111);
    assert_int_equal(run(&(struct child_request){.run = count_signals}).exit_status, 0);
    sigprocmask(SIG_BLOCK, &mask, &before);
    assert_int_equal(run(&(struct child_request){.run = count_signals}).exit_status, 11);
    sigprocmask(SIG_SETMASK, &before, &mask);
    assert_true(sigismember(&mask, SIGUSR1));
}

static int says_when_it_dies(void *context)
{
    int signal;
    (void)context;
    prctl(PR_GET_PDEATHSIG, &signal);
    return signal;
}

TEST(it_ends_with_us)
{
    const uid_t user = geteuid() ? 0 : 61184;
    assert_int_equal(run(&(struct child_request){.run = says_when_it_dies}).exit_status, 0);
    assert_int_equal(run(&(struct child_request){.run = says_when_it_dies, .ends_with_us = true}).exit_status, SIGKILL);
    assert_int_equal(
        run(&(struct child_request){.run = says_when_it_dies, .ends_with_us = true, .user = user}).exit_status,
        SIGKILL);
}

static int is_another_user(void *context)
{
    return getuid() == *(uid_t *)context && geteuid() == getuid() && setuid(0);
}

TEST(another_user)
{
    uid_t user = 61184;
    struct err e = {0};
    const struct child_request c = {.run = is_another_user, .context = &user, .title = "a test", .user = user};
    const pid_t child = child_start(&c, &e);
    if (geteuid())
        assert_string_equal(e.text, "cannot start a test: setgroups: Operation not permitted");
    else
        assert_int_equal(child_wait(child).exit_status, 1);
}

static int ask_at_once(void *context)
{
    return *(int *)context;
}

/* The shell that starts `sleep` ends with its group, or leaves it. */
TEST(it_takes_too_long)
{
    const char *const argv[] = {"sleep", "60", NULL};
    const struct child_request c = {.argv = argv, .group = CHILD_LEADS_GROUP};
    int asked = SIGINT;
    struct child_end end = child_wait_within(
        child_start(&c, NULL), &(struct child_limit){.seconds = 60, .asked = ask_at_once, .context = &asked});
    assert_true(end.signal == SIGKILL && end.exit_status == -1 && end.asked_to_end == SIGINT && !end.timed_out);
    end = child_wait_within(child_start(&c, NULL), &(struct child_limit){.has_group = true});
    assert_true(end.signal == SIGKILL && !end.asked_to_end && end.timed_out);
    const int status = 9;
    asked = 0;
    end = child_wait_within(child_start(&(struct child_request){.run = give, .context = (void *)&status}, NULL),
                            &(struct child_limit){.seconds = 60, .asked = ask_at_once, .context = &asked});
    assert_true(end.exit_status == 9 && !end.signal && !end.asked_to_end && !end.timed_out);
    child_kill(child_start(&c, NULL));
    assert_true(waitpid(-1, NULL, 0) < 0 && errno == ECHILD);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(its_end_is_known),  cmocka_unit_test(an_ignored_end_is_known),
        cmocka_unit_test(an_error_names_it), cmocka_unit_test(its_environment_and_folder),
        cmocka_unit_test(its_files),         cmocka_unit_test(its_group),
        cmocka_unit_test(its_signals),       cmocka_unit_test(it_ends_with_us),
        cmocka_unit_test(another_user),      cmocka_unit_test(it_takes_too_long),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
