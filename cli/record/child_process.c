/* How does somebody else's program run under us, unharmed, to its end?
 *
 * Nothing here runs in a signal handler: the signals are blocked and taken one
 * by one, together with who sent them. */
#define _GNU_SOURCE
#include "cli/record/child_process.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/record/messages.h"
#include "cli/record/signal_witness.h"
#include "core/base/clock.h"
#include "core/base/count_of.h"

enum {
    AGAIN_MS = 10000,    /* a second request within this time kills */
    STOPPED_LOOK_MS = 50 /* so long a stop lasts before it is one */
};

struct held_signals {
    sigset_t held;
    sigset_t mask;             /* as it was before: the program's */
    struct sigaction on_child; /* SIGCHLD, as it was before: the program's */
};

static const int ending_signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
static const int passed_signals[] = {SIGUSR1, SIGUSR2}; /* batch systems warn with them */

bool held_signal_ends(int signal)
{
    for (size_t i = 0; i < COUNT_OF(ending_signals); i++)
        if (ending_signals[i] == signal)
            return true;
    return false;
}

/* A blocked signal is queued even when it is ignored, and a background job of a
 * script ignores SIGINT for a reason. */
static void hold_unless_ignored(sigset_t *held, const int *signals, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct sigaction action;
        if (!sigaction(signals[i], NULL, &action) && action.sa_handler != SIG_IGN)
            sigaddset(held, signals[i]);
    }
}

int held_signals_new(struct held_signals **out, struct err *e)
{
    const struct sigaction normal = {.sa_handler = SIG_DFL}; /* else nobody tells how a child ended */
    struct held_signals *h = calloc(1, sizeof *h);
    *out = h;
    if (!h)
        return err_memory(e);
    sigemptyset(&h->held);
    hold_unless_ignored(&h->held, ending_signals, COUNT_OF(ending_signals));
    hold_unless_ignored(&h->held, passed_signals, COUNT_OF(passed_signals));
    sigaddset(&h->held, SIGCHLD);
    sigaction(SIGCHLD, &normal, &h->on_child);
    sigprocmask(SIG_BLOCK, &h->held, &h->mask);
    return 0;
}

int held_signals_next(const struct held_signals *h)
{
    const struct timespec no_time = {0};
    int signal;
    while ((signal = sigtimedwait(&h->held, NULL, &no_time)) > 0)
        if (held_signal_ends(signal))
            return signal;
    return 0;
}

int held_signals_wait(const struct held_signals *h)
{
    const int signal = sigwaitinfo(&h->held, NULL);
    return signal > 0 ? signal : 0;
}

void held_signals_free(struct held_signals *h)
{
    if (!h)
        return;
    while (held_signals_next(h))
        ;
    sigaction(SIGCHLD, &h->on_child, NULL);
    sigprocmask(SIG_SETMASK, &h->mask, NULL);
    free(h);
}

/* ---- while it runs ---- */

struct watch {
    const struct held_signals *signals;
    struct signal_witness witness;
    struct capture_end *end;
    int64_t started_ns, deadline_ns; /* 0: none */
    int64_t asked_ns;                /* when it was last asked to end */
};

static void kill_it(struct watch *w)
{
    kill(w->end->pid, SIGKILL);
    w->end->killed = true;
}

/* What everybody in the process group got, the program got as well: from the
 * terminal (Ctrl-C), from `timeout`, by `kill -- -GROUP`. It must not get it
 * twice, and what was sent to us alone is for it. A program that has left the
 * group got nothing but what is sent to it. */
static bool program_has_it(struct watch *w, const siginfo_t *heard)
{
    const bool in_group = signal_witness_ask(&w->witness, heard->si_signo) == WITNESS_GROUP;
    if (heard->si_code == SI_KERNEL)
        return true;
    return in_group && getpgid(w->end->pid) == getpgrp();
}

static void hear(struct watch *w, const siginfo_t *heard)
{
    const int64_t now = clock_now_ns(), since_ms = (now - w->asked_ns) / 1000000;
    const bool program_got_it = program_has_it(w, heard);
    if (!held_signal_ends(heard->si_signo)) {
        if (!program_got_it)
            kill(w->end->pid, heard->si_signo);
        return;
    }
    const bool again = w->end->asked_to_end && since_ms < AGAIN_MS;
    if (again && heard->si_code != SI_KERNEL && since_ms < HELD_ECHO_MS)
        return;
    if (!w->end->asked_to_end)
        w->end->asked_to_end = heard->si_signo;
    w->asked_ns = now;
    if (again)
        kill_it(w);
    else if (!program_got_it)
        kill(w->end->pid, heard->si_signo);
    else if (isatty(STDERR_FILENO))
        message_note("waiting for the program to end; once more within %d s kills it", AGAIN_MS / 1000);
}

/* Job control: a program that stops itself would leave the shell waiting for us.
 * One that was stopped together with us and is going on again is not stopped. */
static void stop_with_it(const struct watch *w)
{
    const struct timespec moment = {.tv_nsec = STOPPED_LOOK_MS * 1000000L};
    siginfo_t seen = {0};
    nanosleep(&moment, NULL);
    if (waitid(P_PID, (id_t)w->end->pid, &seen, WSTOPPED | WNOHANG) || !seen.si_pid)
        return;
    raise(SIGTSTP);
    kill(w->end->pid, SIGCONT); /* and we go on again */
}

/* Looks what became of the program; true when it has ended. */
static bool has_ended(struct watch *w)
{
    siginfo_t seen = {0};
    const id_t pid = (id_t)w->end->pid;
    if (waitid(P_PID, pid, &seen, WEXITED | WSTOPPED | WNOHANG | WNOWAIT))
        return errno != EINTR;
    if (!seen.si_pid)
        return false;
    if (seen.si_code == CLD_STOPPED) {
        if (seen.si_status == SIGTSTP || seen.si_status == SIGTTIN || seen.si_status == SIGTTOU)
            stop_with_it(w);
        else /* somebody has stopped it on purpose */
            waitid(P_PID, pid, &seen, WSTOPPED | WNOHANG);
        return false;
    }
    waitid(P_PID, pid, &seen, WEXITED | WNOHANG);
    w->end->exit_status = seen.si_code == CLD_EXITED ? seen.si_status : -1;
    w->end->signal = seen.si_code == CLD_EXITED ? 0 : seen.si_status;
    return true;
}

static struct timespec time_left(const struct watch *w)
{
    static const int64_t second_ns = 1000000000;
    const int64_t left = w->deadline_ns - clock_now_ns();
    return left > 0 ? (struct timespec){left / second_ns, left % second_ns} : (struct timespec){0};
}

static void wait_for_end(struct watch *w)
{
    while (!has_ended(w)) {
        siginfo_t heard = {0};
        const struct timespec left = time_left(w);
        const bool has_limit = w->deadline_ns && !w->end->timed_out;
        const int signal = sigtimedwait(&w->signals->held, &heard, has_limit ? &left : NULL);
        if (signal > 0 && signal != SIGCHLD)
            hear(w, &heard);
        if (signal < 0 && errno == EAGAIN) {
            w->end->timed_out = true;
            kill_it(w);
        }
    }
}

int child_process_run(const struct held_signals *h, const struct child_request *c, int seconds, struct capture_end *end,
                      struct err *e)
{
    struct child_request request = *c;
    request.mask = &h->mask;
    request.on_child = &h->on_child;
    *end = (struct capture_end){.exit_status = -1};
    struct watch w = {.signals = h, .end = end};
    const int early = held_signals_next(h);
    if (early) {
        end->asked_to_end = early;
        return err_set(e, ERR_ENVIRONMENT, "'%s' was not started: %s came first", c->argv[0], strsignal(early));
    }
    signal_witness_begin(&w.witness);
    w.started_ns = clock_now_ns();
    end->pid = child_start(&request, e);
    if (seconds > 0)
        w.deadline_ns = w.started_ns + seconds * INT64_C(1000000000);
    if (end->pid > 0) {
        wait_for_end(&w);
        end->wall_ns = clock_now_ns() - w.started_ns;
    }
    signal_witness_end(&w.witness);
    return end->pid > 0 ? 0 : end->pid;
}
