/* How are several traces read at once? */
#define _GNU_SOURCE
#include "trace/parts/trace_workers.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "io/scratch_file.h"

struct worker {
    pid_t pid; /* 0: none */
    FILE *output;
};

struct trace_workers {
    size_t jobs, count;
    size_t begun, taken; /* traces */
    trace_work work;
    void *context;
    void (*end)(int status);
    struct worker *items; /* of trace i: items[i % slots]; one is taken while others work */
    size_t slots;
};

static void run(const struct trace_workers *w, size_t index, FILE *to)
{
    struct err e = {0};
    const int rc = w->work(w->context, index, to, &e);
    w->end(!rc && !fflush(to) ? 0 : 1);
}

static int begin(struct trace_workers *w, struct err *e)
{
    struct worker *worker = &w->items[w->begun % w->slots];
    const int fd = scratch_file_open(e);
    worker->output = fd < 0 ? NULL : fdopen(fd, "w+b");
    if (!worker->output) {
        if (fd >= 0)
            close(fd);
        return fd < 0 ? e->code : err_memory(e);
    }
    worker->pid = fork();
    if (worker->pid < 0) {
        worker->pid = 0;
        return err_set(e, ERR_ENVIRONMENT, "cannot start a process that reads a trace: %s", strerror(errno));
    }
    if (!worker->pid)
        run(w, w->begun, worker->output);
    w->begun++;
    return 0;
}

int trace_workers_new(struct trace_workers **out, size_t jobs, size_t count, trace_work work, void *context,
                      void (*end)(int status), struct err *e)
{
    struct trace_workers *w = calloc(1, sizeof *w);
    *out = w;
    if (!w)
        return err_memory(e);
    w->jobs = jobs;
    w->count = count;
    w->work = work;
    w->context = context;
    w->end = end;
    w->slots = jobs + 1;
    w->items = calloc(w->slots, sizeof *w->items);
    return w->items ? 0 : err_memory(e);
}

static void forget(struct worker *worker)
{
    if (worker->output)
        fclose(worker->output);
    *worker = (struct worker){0};
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
    free(w);
}

static int end_of(struct worker *worker, struct err *e)
{
    int status = 0;
    pid_t ended;
    while ((ended = waitpid(worker->pid, &status, 0)) < 0 && errno == EINTR)
        ;
    worker->pid = 0;
    if (ended > 0 && WIFEXITED(status) && !WEXITSTATUS(status))
        return 0;
    if (ended > 0 && WIFSIGNALED(status))
        return err_set(e, ERR_INPUT, "the process that read it was ended by signal %d", WTERMSIG(status));
    return err_set(e, ERR_INPUT, "the process that read it did not end well");
}

static int begin_some(struct trace_workers *w, struct err *e)
{
    int rc = 0;
    while (!rc && w->begun < w->count && w->begun < w->taken + w->jobs)
        rc = begin(w, e);
    return rc;
}

/* A single worker stands still while its caller takes: one processor is asked for. Several do not. */
int trace_workers_take(struct trace_workers *w, FILE **from, struct err *e)
{
    if (w->taken)
        forget(&w->items[(w->taken - 1) % w->slots]);
    int rc = begin_some(w, e);
    if (rc)
        return rc;
    struct worker *worker = &w->items[w->taken++ % w->slots];
    rc = end_of(worker, e);
    if (!rc && fseeko(worker->output, 0, SEEK_SET))
        rc = err_set(e, ERR_ENVIRONMENT, "cannot read a temporary file: %s", strerror(errno));
    *from = worker->output;
    return rc || w->jobs == 1 ? rc : begin_some(w, e);
}
