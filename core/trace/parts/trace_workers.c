/* How are several traces read at once? */
#define _GNU_SOURCE
#include "core/trace/parts/trace_workers.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/base/pump.h"
#include "core/io/scratch_file.h"

struct worker {
    pid_t pid; /* 0: it does not run */
    int life;  /* read end of a pipe that it holds until it ends; -1: none */
    FILE *output;
    struct err failed;
};

struct trace_workers {
    size_t jobs, ahead, count;
    size_t begun, taken; /* traces */
    size_t running;
    trace_work work;
    void *context;
    void (*end)(int status);
    struct worker *items; /* of trace i: items[i % slots]; one is taken while others work or have ended */
    size_t slots;
    struct pollfd *polled; /* room for all slots */
};

/* Nobody takes what a worker writes after its parent was killed, and the launcher of that one would wait for it. */
static void run(const struct trace_workers *w, size_t index, FILE *to)
{
    struct err e = {0};
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    pump_share_processors(w->jobs < w->count ? w->jobs : w->count);
    const int rc = w->work(w->context, index, to, &e);
    w->end(!rc && !fflush(to) ? 0 : 1);
}

/* The read end; the worker's end is *held. */
static int open_life(int *held, struct err *e)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC))
        return err_set(e, ERR_ENVIRONMENT, "cannot make a pipe: %s", strerror(errno));
    *held = ends[1];
    return ends[0];
}

static int begin(struct trace_workers *w, struct err *e)
{
    struct worker *worker = &w->items[w->begun % w->slots];
    const int fd = scratch_file_open(e);
    int held;
    *worker = (struct worker){.life = -1};
    worker->output = fd < 0 ? NULL : fdopen(fd, "w+b");
    if (!worker->output) {
        if (fd >= 0)
            close(fd);
        return fd < 0 ? e->code : err_memory(e);
    }
    worker->life = open_life(&held, e);
    if (worker->life < 0)
        return e->code;
    worker->pid = fork();
    if (worker->pid)
        close(held);
    if (worker->pid < 0) {
        worker->pid = 0;
        return err_set(e, ERR_ENVIRONMENT, "cannot start a process that reads a trace: %s", strerror(errno));
    }
    if (!worker->pid)
        run(w, w->begun, worker->output);
    w->begun++;
    w->running++;
    return 0;
}

int trace_workers_new(struct trace_workers **out, size_t jobs, size_t ahead, size_t count, trace_work work,
                      void *context, void (*end)(int status), struct err *e)
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
    w->end = end;
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
        if (w->items[i].pid) {
            kill(w->items[i].pid, SIGKILL);
            while (waitpid(w->items[i].pid, NULL, 0) < 0 && errno == EINTR)
                ;
        }
        forget(&w->items[i]);
    }
    free(w->items);
    free(w->polled);
    free(w);
}

static void wait_for(struct trace_workers *w, struct worker *worker)
{
    int status = 0;
    pid_t ended;
    while ((ended = waitpid(worker->pid, &status, 0)) < 0 && errno == EINTR)
        ;
    worker->pid = 0;
    w->running--;
    if (ended > 0 && WIFSIGNALED(status))
        err_set(&worker->failed, ERR_INPUT, "the process that read it was ended by signal %d", WTERMSIG(status));
    else if (ended <= 0 || !WIFEXITED(status) || WEXITSTATUS(status))
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
