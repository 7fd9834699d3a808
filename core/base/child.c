/* How is a process started, and how did it end? */
#define _GNU_SOURCE
#include "core/base/child.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "core/base/clock.h"
#include "core/base/count_of.h"

enum { ABOVE_FILES = 64, MOMENT_MS = 10, GIVE_UP_MS = 5000, NOT_STARTED = 127 };

/* Why a new process did not get to its program or function. */
struct failure {
    int why;          /* errno */
    const char *step; /* a text of this program; NULL: errno says it all */
};

struct start {
    const struct child_request *request;
    int heard[2], report[2]; /* pipes: of the caller; for a failure */
    sigset_t mask;           /* of us */
    pid_t parent;
};

/* ---- in the new process ---- */

/* A copy that no file of the request is placed upon. */
static int copy_file(int from, int pipe_end)
{
    if (from != CHILD_NULL)
        return fcntl(from == CHILD_PIPE ? pipe_end : from, F_DUPFD_CLOEXEC, ABOVE_FILES);
    const int null = open("/dev/null", O_RDWR | O_CLOEXEC);
    const int copy = fcntl(null, F_DUPFD_CLOEXEC, ABOVE_FILES);
    close(null);
    return copy;
}

static bool place_files(const struct child_file *files, int pipe_end)
{
    int copies[CHILD_FILES_MAX];
    bool ok = true;
    for (size_t i = 0; i < CHILD_FILES_MAX; i++)
        copies[i] = files[i].from || files[i].at ? copy_file(files[i].from, pipe_end) : -1;
    for (size_t i = 0; i < CHILD_FILES_MAX; i++)
        if (files[i].from || files[i].at)
            ok &= copies[i] >= 0 && dup2(copies[i], files[i].at) >= 0 && !close(copies[i]);
    return ok;
}

/* Closes all descriptors beyond the files but the one that reports a failure. */
static bool close_rest(const struct child_file *files, int *report)
{
    int last = STDERR_FILENO;
    for (size_t i = 0; i < CHILD_FILES_MAX; i++)
        last = files[i].at > last ? files[i].at : last;
    if (dup3(*report, last + 1, O_CLOEXEC) < 0)
        return false;
    *report = last + 1;
    return !close_range((unsigned)last + 2, ~0U, 0);
}

static const char *become_user(uid_t user)
{
    if (setgroups(0, NULL))
        return "setgroups";
    if (setresgid(user, user, user))
        return "setresgid";
    if (setresuid(user, user, user))
        return "setresuid";
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ? "PR_SET_NO_NEW_PRIVS" : NULL;
}

static bool enter_group(enum child_group group)
{
    return group == CHILD_IN_OUR_GROUP || (group == CHILD_LEADS_GROUP ? !setpgid(0, 0) : setsid() > 0);
}

/* A change of user undoes PR_SET_PDEATHSIG, so this comes after it. */
static bool end_with(pid_t parent)
{
    if (prctl(PR_SET_PDEATHSIG, SIGKILL))
        return false;
    if (getppid() != parent) /* it has ended before that */
        _exit(NOT_STARTED);
    return true;
}

/* Returns what failed, with errno; "" for what errno explains. */
static const char *set_up(const struct start *s, int *report)
{
    const struct child_request *c = s->request;
    if (!place_files(c->files, s->heard[1]) || (c->closes_rest && !close_rest(c->files, report)))
        return "its files";
    if (!enter_group(c->group))
        return "its group";
    if (c->folder && chdir(c->folder))
        return "";
    const char *failed = c->user ? become_user(c->user) : NULL;
    if (failed)
        return failed;
    if (c->ends_with_us && !end_with(s->parent))
        return "PR_SET_PDEATHSIG";
    for (size_t i = 0; c->environment && c->environment[i]; i++)
        if (strchr(c->environment[i], '=') ? putenv((char *)c->environment[i]) : unsetenv(c->environment[i]))
            return "its environment";
    if (c->on_child)
        sigaction(SIGCHLD, c->on_child, NULL);
    sigprocmask(SIG_SETMASK, c->mask ? c->mask : &s->mask, NULL);
    return NULL;
}

static _Noreturn void begin(const struct start *s)
{
    const struct child_request *c = s->request;
    int report = fcntl(s->report[1], F_DUPFD_CLOEXEC, ABOVE_FILES);
    close(s->report[0]);
    if (report < 0)
        report = s->report[1]; /* so few descriptors are allowed that no file can be placed: that is told */
    else
        close(s->report[1]);
    if (s->heard[0] >= 0)
        close(s->heard[0]);
    const char *step = set_up(s, &report);
    if (!step && c->run) {
        close(report);
        _exit(c->run(c->context));
    }
    if (!step)
        execvp(c->program ? c->program : c->argv[0], (char *const *)c->argv);
    const struct failure failure = {errno, step && *step ? step : NULL};
    (void)!write(report, &failure, sizeof failure);
    _exit(NOT_STARTED);
}

/* ---- here ---- */

static void close_both(const int *ends)
{
    for (int i = 0; i < 2; i++)
        if (ends[i] >= 0)
            close(ends[i]);
}

static int cannot_start(const struct child_request *c, const struct failure *f, struct err *e)
{
    const char *quote = c->title ? "" : "'";
    return err_set(e, ERR_ENVIRONMENT, "cannot start %s%s%s: %s%s%s", quote,
                   c->title     ? c->title
                   : c->program ? c->program
                                : c->argv[0],
                   quote, f->step ? f->step : "", f->step ? ": " : "", strerror(f->why));
}

static int open_pipes(struct start *s, struct err *e)
{
    const bool is_heard = s->request->heard;
    if (!(is_heard && pipe2(s->heard, O_CLOEXEC)) && !pipe2(s->report, O_CLOEXEC))
        return 0;
    const struct failure failure = {.why = errno};
    close_both(s->heard);
    return cannot_start(s->request, &failure, e);
}

/* Else nobody tells how a child ended. */
static void hear_of_ends(void)
{
    struct sigaction action;
    if (!sigaction(SIGCHLD, NULL, &action) && action.sa_handler == SIG_IGN)
        signal(SIGCHLD, SIG_DFL);
}

/* Signals are blocked until the new process is set up. */
static pid_t fork_quietly(struct start *s, struct failure *f)
{
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &s->mask);
    const pid_t child = fork();
    if (!child)
        begin(s);
    *f = (struct failure){.why = child < 0 ? errno : 0};
    sigprocmask(SIG_SETMASK, &s->mask, NULL);
    return child;
}

/* Waits until it is under way, or has told why it is not. */
static void read_failure(int report, struct failure *f)
{
    struct failure told;
    ssize_t got;
    while ((got = read(report, &told, sizeof told)) < 0 && errno == EINTR)
        ;
    if (got == sizeof told)
        *f = told;
}

pid_t child_start(const struct child_request *c, struct err *e)
{
    struct start s = {.request = c, .heard = {-1, -1}, .report = {-1, -1}, .parent = getpid()};
    struct failure failure;
    if (c->heard)
        *c->heard = -1;
    const int rc = open_pipes(&s, e);
    if (rc)
        return rc;
    hear_of_ends();
    const pid_t child = fork_quietly(&s, &failure);
    close(s.report[1]);
    if (child > 0)
        read_failure(s.report[0], &failure);
    close(s.report[0]);
    if (failure.why) {
        close_both(s.heard);
        if (child > 0)
            child_wait(child);
        return cannot_start(c, &failure, e);
    }
    if (c->heard) {
        close(s.heard[1]);
        *c->heard = s.heard[0];
    }
    return child;
}

/* ---- its end ---- */

static struct child_end end_of(int status)
{
    return (struct child_end){.exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : -1,
                              .signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0};
}

struct child_end child_wait(pid_t child)
{
    int status;
    pid_t ended;
    while ((ended = waitpid(child, &status, 0)) < 0 && errno == EINTR)
        ;
    return ended < 0 ? (struct child_end){.exit_status = -1} : end_of(status);
}

void child_kill(pid_t child)
{
    kill(child, SIGKILL);
    child_wait(child);
}

static int64_t now_ms(void)
{
    return clock_now_ns() / 1000000;
}

static void pass_moment(const struct child_limit *limit)
{
    const struct timespec moment = {.tv_nsec = MOMENT_MS * 1000000L};
    if (limit->listen)
        limit->listen(limit->context);
    else
        nanosleep(&moment, NULL);
}

struct child_end child_wait_within(pid_t child, const struct child_limit *limit)
{
    const int64_t deadline_ms = now_ms() + limit->seconds * INT64_C(1000);
    int64_t killed_ms = 0;
    int status = SIGKILL, asked = 0;
    bool timed_out = false;
    while (!waitpid(child, &status, WNOHANG)) {
        asked = asked || !limit->asked ? asked : limit->asked(limit->context);
        if (!killed_ms && (asked || now_ms() >= deadline_ms)) {
            timed_out = !asked;
            killed_ms = now_ms();
            kill(limit->has_group ? -child : child, SIGKILL);
        }
        if (killed_ms && now_ms() - killed_ms > GIVE_UP_MS)
            break;
        pass_moment(limit);
    }
    struct child_end end = end_of(status);
    end.asked_to_end = asked;
    end.timed_out = timed_out;
    return end;
}
