/* Is the judge there, and what does it answer? */
#define _GNU_SOURCE
#include "collector/runner/judge/judge_client.h"

#include <cuda_runtime.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collector/runner/judge/judge_answer.h"
#include "collector/runner/judge/task_library.h"
#include "collector/runner/python/python_solution.h"
#include "core/base/files.h"
#include "core/base/preloads.h"

enum { END_MS = 3000, LOOK_MS = 2, READY_MS = 60000, SOCKET_IN_JUDGE = 3 };

extern char **environ;

enum client_state { NONE, STARTED, FAILED, GONE };

static struct {
    enum client_state state;
    pid_t process;
    int socket;
    ino_t inode;     /* of the socket: another one in its place is not the judge's */
    uint32_t number; /* of the last request */
    uint64_t nonce;
    char why[JUDGE_TROUBLE_BYTES]; /* it could not be started, or how it ended */
    bool is_inside;
    struct judge inside;
} client;

/* A solution can put another socket in the place of ours, with dup2, and answer itself. */
static bool is_our_socket(void)
{
    struct stat now;
    return !fstat(client.socket, &now) && S_ISSOCK(now.st_mode) && now.st_ino == client.inode;
}

/* ---- the end ---- */

static void tell_end(int status)
{
    if (WIFSIGNALED(status))
        snprintf(client.why, sizeof client.why, "it was ended by signal %d (%s)", WTERMSIG(status),
                 strsignal(WTERMSIG(status)));
    else
        snprintf(client.why, sizeof client.why, "it ended with status %d", WEXITSTATUS(status));
}

/* One that does not end by itself is killed. cpprof looks after its own. */
static void wait_for_end(int patience_ms)
{
    if (!client.process) {
        snprintf(client.why, sizeof client.why, "it ended; cpprof had started it");
        return;
    }
    int status = 0;
    pid_t ended = 0;
    for (int waited_ms = 0; waited_ms < patience_ms && !ended; waited_ms += LOOK_MS) {
        ended = waitpid(client.process, &status, WNOHANG);
        if (!ended)
            usleep(LOOK_MS * 1000);
    }
    if (!ended) {
        kill(client.process, SIGKILL);
        ended = waitpid(client.process, &status, 0);
    }
    if (ended == client.process)
        tell_end(status);
    else
        snprintf(client.why, sizeof client.why, "how it ended is not known (%s)", strerror(errno));
}

void judge_client_stop(void)
{
    if (client.state == STARTED) {
        close(client.socket);
        wait_for_end(END_MS);
    }
    if (client.is_inside)
        judge_release(&client.inside);
    memset(&client, 0, sizeof client);
}

/* The last request was made: the judge ends while CUDA does in this process, and not behind it. */
static void hang_up(void)
{
    if (client.state == STARTED && is_our_socket())
        shutdown(client.socket, SHUT_RDWR);
}

/* Says so at once: what a variant returns is a number of CUDA. */
static void lose(void)
{
    close(client.socket);
    wait_for_end(END_MS);
    client.state = GONE;
    fprintf(stderr, "the process that judges the solutions is gone: %s\n", client.why);
}

const char *judge_client_end(void)
{
    return client.why;
}

/* ---- the start ---- */

static void fail(const char *what, const char *why)
{
    snprintf(client.why, sizeof client.why, "%.100s: %.120s", what, why);
    client.state = FAILED;
}

/* What would load code into the judge: a profiler is for the runner. */
static bool loads_code(const char *variable)
{
    static const char *const names[] = PRELOADS;
    const size_t length = strcspn(variable, "=");
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strlen(names[i]) == length && !strncmp(variable, names[i], length))
            return true;
    return false;
}

/* free() gives the list back; its words are those of environ. NULL: no memory. */
static char **environment_of_judge(void)
{
    size_t count = 0, kept = 0;
    while (environ[count])
        count++;
    char **list = calloc(count + 1, sizeof *list);
    for (size_t i = 0; list && i < count; i++)
        if (!loads_code(environ[i]))
            list[kept++] = environ[i];
    return list;
}

/* Its standard error is ours, so that what it or CUDA says there is seen. */
static int spawn(const char *program, const char *library, int device, int socket)
{
    char descriptor[16], ordinal[16];
    posix_spawn_file_actions_t actions;
    snprintf(descriptor, sizeof descriptor, "%d", SOCKET_IN_JUDGE);
    snprintf(ordinal, sizeof ordinal, "%d", device);
    char *arguments[] = {"cpprof-judge", descriptor, (char *)library, ordinal, NULL};
    char **environment = environment_of_judge();
    if (!environment)
        return ENOMEM;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, socket, SOCKET_IN_JUDGE);
    const int failed = posix_spawn(&client.process, program, &actions, NULL, arguments, environment);
    posix_spawn_file_actions_destroy(&actions);
    free(environment);
    return failed;
}

static bool hear(struct judge_reply *reply)
{
    ssize_t got;
    do
        got = recv(client.socket, reply, sizeof *reply, 0);
    while (got < 0 && errno == EINTR);
    return got == (ssize_t)sizeof *reply;
}

static void wait_until_ready(const char *program)
{
    static struct judge_reply ready;
    struct pollfd wait = {.fd = client.socket, .events = POLLIN};
    const bool is_heard = poll(&wait, 1, READY_MS) == 1 && hear(&ready);
    if (is_heard && !ready.status)
        return;
    close(client.socket);
    wait_for_end(END_MS);
    char why[sizeof client.why];
    memcpy(why, client.why, sizeof why);
    fail(is_heard ? "the process of the judge cannot load the task" : program, is_heard ? ready.trouble : why);
}

/* cpprof has started the judge as another user than this process, which shall not be able to harm it. */
static void take_socket(int socket)
{
    struct stat now;
    if (fstat(socket, &now) || !S_ISSOCK(now.st_mode)) {
        fail("CPPROF_JUDGE", "cpprof handed over no socket");
        return;
    }
    fcntl(socket, F_SETFD, FD_CLOEXEC);
    client.socket = socket;
    client.inode = now.st_ino;
    client.state = STARTED;
    wait_until_ready("cpprof-judge");
    atexit(judge_client_stop);
}

void judge_client_start_program(const char *program, const char *library, int device)
{
    int ends[2];
    if (client.state)
        return;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends)) {
        fail("socketpair", strerror(errno));
        return;
    }
    /* dup2 of a descriptor to itself would keep it closed on exec. */
    const int theirs = fcntl(ends[1], F_DUPFD_CLOEXEC, SOCKET_IN_JUDGE + 1);
    close(ends[1]);
    client.socket = fcntl(ends[0], F_DUPFD_CLOEXEC, SOCKET_IN_JUDGE + 1);
    close(ends[0]);
    const int failed = theirs < 0 || client.socket < 0 ? errno : spawn(program, library, device, theirs);
    close(theirs);
    if (failed) {
        close(client.socket);
        fail(program, strerror(failed));
        return;
    }
    struct stat now;
    client.state = STARTED;
    client.inode = fstat(client.socket, &now) ? 0 : now.st_ino;
    wait_until_ready(program);
    atexit(judge_client_stop);
}

/* The runner's command line has the device, and roles that only list need none. */
static int device_to_come(void)
{
    static char words[65536];
    static const char option[] = "--device=", *const idle[] = {"list", "plan"};
    int device = 0;
    FILE *file = fopen("/proc/self/cmdline", "r");
    const size_t bytes = file ? fread(words, 1, sizeof words - 1, file) : 0;
    if (file)
        fclose(file);
    words[bytes] = '\0';
    for (size_t at = 0; at < bytes; at += strlen(words + at) + 1) {
        for (size_t i = 0; i < sizeof idle / sizeof idle[0]; i++)
            if (!strcmp(words + at, idle[i]))
                return -1;
        if (!strncmp(words + at, option, sizeof option - 1))
            device = atoi(words + at + sizeof option - 1);
    }
    return device;
}

/* The runner is the program of the process, or a library that Python has loaded by its full path. */
static bool beside_us(char path[PATH_MAX])
{
    static const char name[] = "cpprof-judge";
    Dl_info us;
    const bool is_library = dladdr(&client, &us) && us.dli_fname && strstr(us.dli_fname, "/" PYTHON_RUNNER);
    const ssize_t length = is_library ? snprintf(path, PATH_MAX - sizeof name, "%s", us.dli_fname)
                                      : readlink("/proc/self/exe", path, PATH_MAX - sizeof name - 1);
    if (length <= 0 || length >= (ssize_t)(PATH_MAX - sizeof name))
        return false;
    path[length] = '\0';
    strcpy(strrchr(path, '/') + 1, name);
    return true;
}

void judge_client_start(const char *library)
{
    const char *given = getenv("CPPROF_JUDGE");
    char path[PATH_MAX];
    if (client.state || (given && !strcmp(given, "inside")))
        return;
    if (given && !strncmp(given, JUDGE_SOCKET, strlen(JUDGE_SOCKET)))
        take_socket(atoi(given + strlen(JUDGE_SOCKET)));
    else if (given && *given)
        judge_client_start_program(given, library, device_to_come());
    else if (beside_us(path))
        judge_client_start_program(path, library, device_to_come());
    else
        fail("/proc/self/exe", "it does not say where cpprof-judge is");
}

/* ---- questions ---- */

static void answer_inside(const struct cpprof_task *task, struct CUstream_st *stream,
                          const struct judge_request *request, struct judge_reply *reply)
{
    if (!client.is_inside || client.inside.task != task) {
        if (client.is_inside)
            judge_release(&client.inside);
        judge_init(&client.inside, task, false);
        client.is_inside = true;
    }
    client.inside.stream = stream;
    judge_answer(&client.inside, request, reply);
}

static bool send_question(const struct judge_request *request)
{
    struct judge_request sent = *request;
    if (!client.number)
        atexit(hang_up); /* which runs before what was registered earlier, as that of CUDA */
    if (!is_our_socket() || getrandom(&client.nonce, sizeof client.nonce, 0) != sizeof client.nonce)
        return false;
    sent.number = ++client.number;
    sent.nonce = client.nonce;
    return send(client.socket, &sent, sizeof sent, MSG_NOSIGNAL) == (ssize_t)sizeof sent;
}

/* A reply to a request that was sent in our name has our number at best. */
static bool hear_answer(struct judge_reply *reply)
{
    return is_our_socket() && hear(reply) && reply->number == client.number && reply->nonce == client.nonce;
}

enum judge_said judge_client_begin(const struct judge_request *request)
{
    if (client.state != STARTED)
        return client.state == GONE ? JUDGE_GONE : JUDGE_NO_START;
    if (send_question(request))
        return JUDGE_SAID;
    lose();
    return JUDGE_GONE;
}

enum judge_said judge_client_end_question(struct judge_reply *reply)
{
    *reply = (struct judge_reply){0};
    if (hear_answer(reply))
        return JUDGE_SAID;
    *reply = (struct judge_reply){0};
    lose();
    return JUDGE_GONE;
}

enum judge_said judge_client_ask(const struct cpprof_task *task, struct CUstream_st *stream,
                                 const struct judge_request *request, struct judge_reply *reply)
{
    *reply = (struct judge_reply){0};
    switch (client.state) {
    case NONE: answer_inside(task, stream, request, reply); return JUDGE_SAID;
    case FAILED:
        reply->status = cudaErrorUnknown;
        snprintf(reply->trouble, sizeof reply->trouble, "%s", client.why);
        return JUDGE_NO_START;
    case GONE: return JUDGE_GONE;
    case STARTED: break;
    }
    const enum judge_said said = judge_client_begin(request);
    return said == JUDGE_SAID ? judge_client_end_question(reply) : said;
}

char *judge_client_memory(uint32_t arm, int rank)
{
    return client.state == NONE && client.is_inside ? judge_memory(&client.inside, arm, rank) : NULL;
}

/* ---- a task is taken ---- */

/* This is where a run learns of its task, and no solution is loaded yet. The process of the judge loads the same file.
 */
int task_take(struct cpprof_task *out, const struct cpprof_task *from, struct err *e)
{
    Dl_info where;
    const int rc = task_copy(out, from, e);
    if (!rc && dladdr(from, &where) && where.dli_fname)
        judge_client_start(where.dli_fname);
    return rc;
}
