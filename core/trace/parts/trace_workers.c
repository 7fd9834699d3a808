/* How are several traces read at once? */
#define _GNU_SOURCE
#include "core/trace/parts/trace_workers.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/child.h"
#include "core/base/pump.h"
#include "core/io/scratch_file.h"

struct worker {
    pid_t pid; /* 0: it does not run */
    int life;  /* a pipe that it holds until it ends; -1: none */
    FILE *output;
    struct err failed;
};

struct trace_workers {
    size_t jobs, ahead, count;
    size_t begun, taken; /* traces */
    size_t running;
    trace_work work;
    void *context;
    struct worker *items; /* of trace i: items[i % slots]; one is taken while others work or have ended */
    size_t slots;
    struct pollfd *polled; /* room for all slots */
};

static int run(void *context)
{
    const struct trace_workers *w = context;
    FILE *to = w->items[w->begun % w->slots].output;
    struct err e = {0};
    pump_share_processors(w->jobs < w->count ? w->jobs : w->count);
    return !w->work(w->context, w->begun, to, &e) && !fflush(to) ? 0 : 1;
}

/* Nobody takes what a worker writes after its parent was killed, and the launcher of that one would wait for it. */
static int begin(struct trace_workers *w, struct err *e)
{
    struct worker *worker = &w->items[w->begun % w->slots];
    const struct child_request request = {.run = run,
                                          .context = w,
                                          .title = "a process that reads a trace",
                                          .heard = &worker->life,
                                          .ends_with_us = true};
    const int fd = scratch_file_open(e);
    *worker = (struct worker){.life = -1};
    worker->output = fd < 0 ? NULL : fdopen(fd, "w+b");
    if (!worker->output) {
        if (fd >= 0)
            close(fd);
        return fd < 0 ? e->code : err_memory(e);
    }
    const pid_t child = child_start(&request, e);
    if (child < 0)
        return child;
    worker->pid = child;
    w->begun++;
    w->running++;
    return 0;
}

int trace_workers_new(struct trace_workers **out, size_t jobs, size_t ahead, size_t count, trace_work work,
                      void *context, struct err *e)
{
    struct trace_workers *w = calloc(1, sizeof *w);
    *out = w;
    if (!w)
        return err_memory(e);
    w->jobs = jobs;
    w->ahead = ahead;
    w->count = count;
    w->work = work;
    w->context = context;
    w->slots = jobs + ahead + 1;
    w->items = calloc(w->slots, sizeof *w->items);
    w->polled = calloc(w->slots, sizeof *w->polled);
    for (size_t i = 0; w->items && i < w->slots; i++)
        w->items[i].life = -1;
    return w->items && w->polled ? 0 : err_memory(e);
}

static void forget(struct worker *worker)
{
    if (worker->output)
        fclose(worker->output);
    if (worker->life >= 0)
        close(worker->life);
    *worker = (struct worker){.life = -1};
}

void trace_workers_free(struct trace_workers *w)
{
    if (!w)
        return;
    for (size_t i = 0; i < w->slots && w->items; i++) {
        if (w->items[i].pid)
            child_kill(w->items[i].pid);
        forget(&w->items[i]);
    }
    free(w->items);
    free(w->polled);
    free(w);
}

static void wait_for(struct trace_workers *w, struct worker *worker)
{
    const struct child_end end = child_wait(worker->pid);
    worker->pid = 0;
    w->running--;
    if (end.signal)
        err_set(&worker->failed, ERR_INPUT, "the process that read it was ended by signal %d", end.signal);
    else if (end.exit_status)
        err_set(&worker->failed, ERR_INPUT, "the process that read it did not end well");
}

/* Waits until one of those that run has ended: it has let go of its pipe. */
static void wait_for_any(struct trace_workers *w)
{
    for (size_t i = 0; i < w->slots; i++)
        w->polled[i] = (struct pollfd){.fd = w->items[i].pid ? w->items[i].life : -1, .events = POLLIN};
    while (poll(w->polled, w->slots, -1) < 0 && errno == EINTR)
        ;
    for (size_t i = 0; i < w->slots; i++)
        if (w->polled[i].fd >= 0 && w->polled[i].revents)
            wait_for(w, &w->items[i]);
}

static int begin_some(struct trace_workers *w, struct err *e)
{
    int rc = 0;
    while (!rc && w->running < w->jobs && w->begun < w->count && w->begun < w->taken + w->jobs + w->ahead)
        rc = begin(w, e);
    return rc;
}

/* Nobody stands still because another one takes longer. */
static int wait_for_next(struct trace_workers *w, const struct worker *next, struct err *e)
{
    int rc = begin_some(w, e);
    while (!rc && next->pid) {
        wait_for_any(w);
        rc = begin_some(w, e);
    }
    return rc;
}

int trace_workers_take(struct trace_workers *w, FILE **from, struct err *e)
{
    if (w->taken)
        forget(&w->items[(w->taken - 1) % w->slots]);
    struct worker *worker = &w->items[w->taken % w->slots];
    int rc = wait_for_next(w, worker, e);
    if (rc)
        return rc;
    w->taken++;
    if (worker->failed.code)
        rc = err_set(e, worker->failed.code, "%s", worker->failed.text);
    else if (fseeko(worker->output, 0, SEEK_SET))
        rc = err_set(e, ERR_ENVIRONMENT, "cannot read a temporary file: %s", strerror(errno));
    *from = worker->output;
    return rc || !w->ahead ? rc : begin_some(w, e);
}
