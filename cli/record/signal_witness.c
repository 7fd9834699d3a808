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
#include <unistd.h>

#include "core/base/child.h"
#include "core/base/clock.h"

enum { MOMENT_MS = 50 };

/* ---- the witness ---- */

enum { TELL = STDERR_FILENO + 1 };

/* No other descriptor is open here: an end of somebody's pipe would keep its reader waiting. */
static int bear_witness(void *context)
{
    sigset_t all;
    (void)context;
    sigfillset(&all);
    close_range(0, STDERR_FILENO, 0);
    prctl(PR_SET_NAME, "cpprof-signals");
    fcntl(TELL, F_SETFL, O_NONBLOCK);
    for (;;) {
        const int signal = sigwaitinfo(&all, NULL);
        const unsigned char heard = (unsigned char)signal;
        if (signal > 0 && write(TELL, &heard, 1) != 1 && errno != EAGAIN)
            return 0;
    }
}

/* ---- who asks it ---- */

void signal_witness_begin(struct signal_witness *w)
{
    sigset_t all;
    *w = (struct signal_witness){.heard = -1};
    sigfillset(&all);
    const struct child_request request = {.run = bear_witness,
                                          .title = "a witness of signals",
                                          .files = {{CHILD_PIPE, TELL}},
                                          .closes_rest = true,
                                          .heard = &w->heard,
                                          .ends_with_us = true,
                                          .mask = &all};
    const pid_t child = child_start(&request, NULL);
    if (child < 0)
        return;
    w->pid = child;
    fcntl(w->heard, F_SETFL, O_NONBLOCK);
}

void signal_witness_end(struct signal_witness *w)
{
    if (!w->pid)
        return;
    child_kill(w->pid);
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
