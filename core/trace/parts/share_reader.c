/* How does a share of the traces get read while this process waits for something else? */
#define _GNU_SOURCE
#include "core/trace/parts/share_reader.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/base/checksum.h"
#include "core/base/child.h"
#include "core/trace/parts/trace_workers.h"

enum { AHEAD = 16 /* traces that are read and not taken, beside those of the workers */ };

struct share_reader {
    pid_t pid;
    int socket;
    FILE *from; /* what was taken last */
};

/* What precedes or accompanies a file. An error has its text in it, and no file. */
struct answer {
    struct err why;
};

uint32_t share_list_sum(const struct trace_operand_list *operands)
{
    uint32_t sum = checksum_crc32(0, &operands->count, sizeof operands->count);
    for (size_t i = 0; i < operands->count; i++) {
        sum = checksum_crc32(sum, operands->items[i].path, strlen(operands->items[i].path) + 1);
        sum = checksum_crc32(sum, &operands->items[i].listed, sizeof operands->items[i].listed);
    }
    return sum;
}

/* ---- the reader ---- */

/* Which traces, in the order in which its workers count them. */
struct share {
    size_t place, of;
    trace_work work;
    void *context;
};

static int work_on_share(void *context, size_t index, FILE *to, struct err *e)
{
    const struct share *s = context;
    return s->work(s->context, s->place + index * s->of, to, e);
}

static bool send_answer(int socket, const struct answer *answer, int file)
{
    union {
        struct cmsghdr head;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control = {.bytes = {0}};
    struct iovec data = {(void *)answer, sizeof *answer};
    struct msghdr message = {.msg_iov = &data, .msg_iovlen = 1};
    if (file >= 0) {
        message.msg_control = control.bytes;
        message.msg_controllen = sizeof control.bytes;
        control.head = (struct cmsghdr){CMSG_LEN(sizeof file), SOL_SOCKET, SCM_RIGHTS};
        memcpy(CMSG_DATA(&control.head), &file, sizeof file);
    }
    ssize_t sent;
    while ((sent = sendmsg(socket, &message, MSG_NOSIGNAL)) < 0 && errno == EINTR)
        ;
    return sent == sizeof *answer;
}

/* One byte for each trace that was taken. */
static bool wait_until_taken(int socket)
{
    char byte;
    ssize_t got;
    while ((got = recv(socket, &byte, 1, 0)) < 0 && errno == EINTR)
        ;
    return got == 1;
}

static int hand_over(const struct share_reader *r, struct trace_workers *workers, size_t count)
{
    bool ok = true;
    for (size_t i = 0; i < count && ok; i++) {
        struct answer answer = {.why = {0}};
        FILE *from = NULL;
        const bool has = !trace_workers_take(workers, &from, &answer.why);
        ok = (i < AHEAD || wait_until_taken(r->socket)) && send_answer(r->socket, &answer, has ? fileno(from) : -1);
    }
    while (ok && wait_until_taken(r->socket)) /* until the other end is closed */
        ;
    return ok ? 0 : 1;
}

int share_reader_serve(struct share_reader *r, const struct share_task *task, size_t count, trace_work work,
                       void *context)
{
    struct share share = {task->place, task->of, work, context};
    struct trace_workers *workers = NULL;
    const size_t own = (count + task->of - 1 - task->place) / task->of;
    ssize_t sent;
    while ((sent = send(r->socket, task, sizeof *task, MSG_NOSIGNAL)) < 0 && errno == EINTR)
        ;
    int status = 1;
    if (sent == sizeof *task && !trace_workers_new(&workers, task->jobs, task->jobs, own, work_on_share, &share, NULL))
        status = hand_over(r, workers, own);
    trace_workers_free(workers);
    return status;
}

/* ---- who needs them ---- */

struct reading {
    struct share_reader *reader;
    const int *ends;
    int (*serve)(struct share_reader *r, void *context);
    void *context;
};

static int run(void *context)
{
    const struct reading *reading = context;
    close(reading->ends[0]);
    reading->reader->socket = reading->ends[1];
    return reading->serve(reading->reader, reading->context);
}

int share_reader_new(struct share_reader **out, int (*serve)(struct share_reader *r, void *context), void *context,
                     struct err *e)
{
    int ends[2];
    struct share_reader *r = calloc(1, sizeof *r);
    struct reading reading = {r, ends, serve, context};
    const struct child_request request = {
        .run = run, .context = &reading, .title = "a process that reads traces", .ends_with_us = true};
    *out = NULL;
    if (!r)
        return err_memory(e);
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends)) {
        free(r);
        return err_set(e, ERR_ENVIRONMENT, "cannot make a socket: %s", strerror(errno));
    }
    r->pid = child_start(&request, e);
    r->socket = ends[0];
    close(ends[1]);
    if (r->pid > 0) {
        *out = r;
        return 0;
    }
    const int rc = r->pid;
    close(r->socket);
    free(r);
    return rc;
}

bool share_reader_does(struct share_reader *r, const struct share_task *task)
{
    struct share_task does;
    ssize_t got;
    while ((got = recv(r->socket, &does, sizeof does, 0)) < 0 && errno == EINTR)
        ;
    return got == sizeof does && !memcmp(&does, task, sizeof does);
}

int share_reader_descriptor(const struct share_reader *r)
{
    return r->socket;
}

/* Returns the descriptor of the file; -1: none. */
static int receive_answer(int socket, struct answer *answer)
{
    union {
        struct cmsghdr head;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control = {.bytes = {0}};
    struct iovec data = {answer, sizeof *answer};
    struct msghdr message = {
        .msg_iov = &data, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
    ssize_t got;
    int file = -1;
    while ((got = recvmsg(socket, &message, MSG_CMSG_CLOEXEC)) < 0 && errno == EINTR)
        ;
    const struct cmsghdr *head = got > 0 ? CMSG_FIRSTHDR(&message) : NULL;
    if (head && head->cmsg_type == SCM_RIGHTS && head->cmsg_len == CMSG_LEN(sizeof file))
        memcpy(&file, CMSG_DATA(head), sizeof file);
    if (got != sizeof *answer)
        err_set(&answer->why, ERR_INPUT, "the process that reads traces for this one has ended");
    return file;
}

/* The same file at a place of its own: the reader may still move in it when it closes it. */
static FILE *open_again(int file)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    return fopen(path, "rbe");
}

int share_reader_take(struct share_reader *r, FILE **from, struct err *e)
{
    struct answer answer = {.why = {0}};
    if (r->from)
        fclose(r->from);
    r->from = NULL;
    const int file = receive_answer(r->socket, &answer);
    (void)!send(r->socket, "", 1, MSG_NOSIGNAL); /* a reader that has ended is noticed at the next trace */
    if (!answer.why.code && !(r->from = open_again(file)))
        err_set(&answer.why, ERR_ENVIRONMENT, "cannot read a temporary file: %s", strerror(errno));
    if (file >= 0)
        close(file);
    *from = r->from;
    return answer.why.code ? err_set(e, answer.why.code, "%s", answer.why.text) : 0;
}

void share_reader_free(struct share_reader *r)
{
    if (!r)
        return;
    if (r->from)
        fclose(r->from);
    close(r->socket);
    child_kill(r->pid);
    free(r);
}
