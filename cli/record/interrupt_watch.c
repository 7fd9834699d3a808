/* Who interrupts the end of a capture? */
#define _GNU_SOURCE
#include "cli/record/interrupt_watch.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/record/child_process.h"
#include "core/base/clock.h"

struct interrupt_watch {
    const struct held_signals *signals;
    void (*heard)(void *context, bool again);
    void *context;
    bool asked_before;
    atomic_bool is_over;
    pthread_t thread;
};

static int64_t now_ms(void)
{
    return clock_now_ns() / 1000000;
}

static void *watch(void *argument)
{
    struct interrupt_watch *w = argument;
    bool again = w->asked_before;
    int64_t asked_ms = again ? now_ms() : 0; /* what ended the program may still come once more */
    for (;;) {
        const int signal = held_signals_wait(w->signals);
        if (atomic_load(&w->is_over))
            return NULL;
        if (!held_signal_ends(signal) || (again && now_ms() - asked_ms < HELD_ECHO_MS))
            continue;
        w->heard(w->context, again);
        again = true;
        asked_ms = now_ms();
    }
}

int interrupt_watch_new(struct interrupt_watch **out, const struct capture_session *session, bool asked_before,
                        void (*heard)(void *context, bool again), void *context, struct err *e)
{
    struct interrupt_watch *w = *out = calloc(1, sizeof *w);
    if (!w)
        return err_memory(e);
    w->signals = session->signals;
    w->asked_before = asked_before;
    w->heard = heard;
    w->context = context;
    const int failed = pthread_create(&w->thread, NULL, watch, w);
    if (!failed)
        return 0;
    free(w);
    *out = NULL;
    return err_set(e, ERR_ENVIRONMENT, "cannot start a thread: %s", strerror(failed));
}

void interrupt_watch_free(struct interrupt_watch *w)
{
    if (!w)
        return;
    atomic_store(&w->is_over, true);
    pthread_kill(w->thread, SIGCHLD); /* one of those it waits for */
    pthread_join(w->thread, NULL);
    free(w);
}
