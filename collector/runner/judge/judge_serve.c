/* What does the process of the judge do? */
#define _GNU_SOURCE
#include "collector/runner/judge/judge_serve.h"

#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "collector/runner/judge/judge_answer.h"
#include "collector/runner/judge/judge_report.h"
#include "collector/runner/judge/task_library.h"

/* Nobody of the same user may read its memory or trace it. It ends when the runner does, and on nothing else that a
 * terminal sends. */
static void withdraw(void)
{
    prctl(PR_SET_DUMPABLE, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    signal(SIGPIPE, SIG_IGN);
}

static int load_task(const char *path, struct cpprof_task *out, struct err *e)
{
    const struct cpprof_task *(*entry)(void) = NULL;
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL), *symbol = handle ? dlsym(handle, TASK_SYMBOL) : NULL;
    if (!symbol)
        return err_set(e, ERR_USAGE, "%s", dlerror());
    memcpy(&entry, &symbol, sizeof entry); /* ISO C has no cast from one to the other */
    return task_copy(out, entry(), e);
}

static bool say(int socket, const struct judge_reply *reply)
{
    return send(socket, reply, sizeof *reply, MSG_NOSIGNAL) == (ssize_t)sizeof *reply;
}

static bool hear(int socket, struct judge_request *request)
{
    ssize_t got;
    do
        got = recv(socket, request, sizeof *request, 0);
    while (got < 0 && errno == EINTR);
    return got == (ssize_t)sizeof *request;
}

#define WORKSPACE_BYTES_MAX ((uint64_t)1 << 40)

/* Whoever asks may have been taken over: no size is computed from what the task does not allow. */
static bool is_of_task(const struct judge_request *request, const struct cpprof_task *task)
{
    const bool has_shape = request->wish == JUDGE_RESERVE || request->wish == JUDGE_TRY;
    for (size_t i = 0; has_shape && i < CPPROF_AXES_MAX; i++) {
        const int64_t value = request->config.value[i];
        if (i < task->axis_count ? value < task->axes[i].min || value > task->axes[i].max : value != 0)
            return false;
    }
    return request->wish != JUDGE_MAKE || request->workspace_bytes <= WORKSPACE_BYTES_MAX;
}

/* Returns false where the request, or what cannot be written down of it, ends the judge. */
static bool answer(struct judge *j, struct judge_report *report, const struct judge_request *request,
                   struct judge_reply *reply)
{
    if (!is_of_task(request, j->task))
        return false;
    judge_answer(j, request, reply);
    return !judge_report_add(report, request, reply);
}

int judge_serve(int argc, char **argv)
{
    static struct cpprof_task task;
    static struct judge_reply reply;
    struct judge_report report = {.task = &task, .descriptor = -1};
    struct judge_request request;
    struct judge j;
    struct err e = {0};
    withdraw();
    if (argc != 4 && argc != 7) {
        fputs("cpprof-judge is started by cpprof-runner or cpprof, and is of no use alone\n", stderr);
        return EXIT_USAGE;
    }
    if (argc == 7) {
        report.descriptor = atoi(argv[4]);
        report.role = argv[5];
        report.process = argv[6];
    }
    const int socket = atoi(argv[1]), device = atoi(argv[3]);
    const int rc = load_task(argv[2], &task, &e);
    reply.status = rc;
    snprintf(reply.trouble, sizeof reply.trouble, "%.*s", JUDGE_TROUBLE_BYTES - 1, rc ? e.text : "");
    if (!say(socket, &reply) || rc)
        return err_exit_status(rc);
    judge_init(&j, &task, true);
    if (device >= 0)
        judge_warm_up(&j, device);
    for (uint32_t number = 1; hear(socket, &request) && request.number == number; number++) {
        if (!answer(&j, &report, &request, &reply))
            break;
        reply.number = number;
        reply.nonce = request.nonce;
        if (!say(socket, &reply))
            break;
    }
    judge_report_release(&report);
    return 0; /* what is on the device goes with the process */
}
