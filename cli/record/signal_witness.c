/* Did everybody in our process group get this signal? */
#define _GNU_SOURCE
#include "cli/record/signal_witness.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/clock.h"

enum { MOMENT_MS = 50 };

/* ---- the witness ---- */

/* An end of somebody's pipe that stays open here would keep its reader waiting. */
static void close_all_but(int kept)
{
    if (kept > 0)
        close_range(0, (unsigned)kept - 1, 0);
    close_range((unsigned)kept + 1, ~0U, 0);
}

static _Noreturn void bear_witness(int tell, pid_t parent)
{
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
    close_all_but(tell);
    prctl(PR_SET_NAME, "cpprof-signals");
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    while (getppid() == parent) { /* who died before that line is seen here */
        const int signal = sigwaitinfo(&all, NULL);
        const unsigned char heard = (unsigned char)signal;
        if (signal > 0 && write(tell, &heard, 1) != 1 && errno != EAGAIN)
            break;
    }
    _exit(0);
}

/* ---- who asks it ---- */

void signal_witness_begin(struct signal_witness *w)
{
    int ends[2];
    const pid_t self = getpid();
    sigset_t all, mask;
    *w = (struct signal_witness){.heard = -1};
    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK))
        return;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &mask); /* none is to meet it before it listens */
    w->pid = fork();
    if (w->pid == 0)
        bear_witness(ends[1], self);
    sigprocmask(SIG_SETMASK, &mask, NULL);
    close(ends[1]);
    if (w->pid > 0) {
        w->heard = ends[0];
        return;
    }
    close(ends[0]);
    w->pid = 0;
}

void signal_witness_end(struct signal_witness *w)
{
    if (!w->pid)
        return;
    kill(w->pid, SIGKILL);
    while (waitpid(w->pid, NULL, 0) < 0 && errno == EINTR)
        ;
    close(w->heard);
    *w = (struct signal_witness){.heard = -1};
}

static int64_t now_ms(void)
{
    return clock_now_ns() / 1000000;
}

/* Reads what it has told, of other signals, too, that were sent together. -1 when it is gone. */
static int read_heard(struct signal_witness *w)
{
    unsigned char heard[64];
    for (;;) {
        const ssize_t got = read(w->heard, heard, sizeof heard);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return got < 0 && errno == EAGAIN ? 0 : -1;
        for (ssize_t i = 0; i < got; i++)
            if (heard[i] < WITNESS_SIGNALS)
                w->told[heard[i]] = true;
    }
}

enum witness_answer signal_witness_ask(struct signal_witness *w, int signal)
{
    const int64_t until_ms = now_ms() + MOMENT_MS;
    if (!w->pid || signal < 1 || signal >= WITNESS_SIGNALS)
        return WITNESS_UNKNOWN;
    for (int64_t left_ms = MOMENT_MS;; left_ms = until_ms - now_ms()) {
        if (read_heard(w))
            return WITNESS_UNKNOWN;
        if (w->told[signal] || left_ms <= 0)
            break;
        struct pollfd wait = {.fd = w->heard, .events = POLLIN};
        poll(&wait, 1, (int)left_ms);
    }
    const bool is_told = w->told[signal];
    w->told[signal] = false;
    return is_told ? WITNESS_GROUP : WITNESS_US_ALONE;
}
