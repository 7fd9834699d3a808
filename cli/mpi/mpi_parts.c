/* How do processes of MPI share traces?
 *
 * Trace i belongs to process i % size. Each process has a child that reads, so that one that dies is a trace that
 * cannot be read. The first process takes what the others send, in the order of the traces. Whoever waits sleeps: MPI
 * itself would spin, and take the processor from a child. */
#define _GNU_SOURCE
#include "cli/mpi/mpi_parts.h"

#include <errno.h>
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/str.h"
#include "io/scratch_file.h"
#include "trace/parts/trace_workers.h"

enum { TAG_ORDER = 1, TAG_PART, PIECE_BYTES = 1 << 20, PIECES = 16, LIST_BYTES_MAX = 1 << 30 };

enum order_kind { ORDER_READ, ORDER_END };

/* What the first process tells the others. The paths of the traces follow, each with its '\0'. */
struct order {
    int32_t kind, status, wants_all;
    int32_t bytes;
};

/* What precedes the bytes of a part. An error has its text in it, and no bytes. */
struct sent_head {
    int64_t bytes;
    int64_t key; /* part_source.h */
    struct err why;
};

struct piece {
    char *bytes;
    MPI_Request request;
};

static struct {
    struct part_source base;
    int rank, size;
    size_t next, count; /* the trace that is taken next, and how many there are */
    trace_work work;
    void *context;
    struct trace_workers *own;
    FILE *from; /* what was taken last from another process */
    struct piece pieces[PIECES];
    size_t piece;
} mpi;

/* ---- waiting without spinning ---- */

static void pause_a_little(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 100000}, NULL);
}

static void wait_for_message(int from, int tag)
{
    int there = 0;
    while (MPI_Iprobe(from, tag, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE), !there)
        pause_a_little();
}

static void receive(int from, int tag, void *bytes, size_t count)
{
    wait_for_message(from, tag);
    MPI_Recv(bytes, (int)count, MPI_BYTE, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void wait_for_piece(struct piece *p)
{
    int sent = !p->bytes;
    while (!sent && (MPI_Test(&p->request, &sent, MPI_STATUS_IGNORE), !sent))
        pause_a_little();
}

/* Sends what the caller may then change: some pieces are on their way at a time. */
static int send_bytes(const void *bytes, size_t count, struct err *e)
{
    struct piece *p = &mpi.pieces[mpi.piece++ % PIECES];
    wait_for_piece(p);
    if (!p->bytes && !(p->bytes = malloc(PIECE_BYTES)))
        return err_memory(e);
    memcpy(p->bytes, bytes, count);
    MPI_Isend(p->bytes, (int)count, MPI_BYTE, 0, TAG_PART, MPI_COMM_WORLD, &p->request);
    return 0;
}

static void finish_sending(void)
{
    for (size_t i = 0; i < PIECES; i++) {
        wait_for_piece(&mpi.pieces[i]);
        free(mpi.pieces[i].bytes);
        mpi.pieces[i].bytes = NULL;
    }
}

/* ---- processes that only work ---- */

/* Work on trace number `index` of those that belong to this process. */
static int work_on_own(void *context, size_t index, FILE *to, struct err *e)
{
    (void)context;
    return mpi.work(mpi.context, index * (size_t)mpi.size + (size_t)mpi.rank, to, e);
}

static size_t own_count(size_t count)
{
    return (count + (size_t)(mpi.size - 1 - mpi.rank)) / (size_t)mpi.size;
}

/* A file that is shorter than it was leaves the first process waiting, and so is filled up; what was read is no part
 * then. */
static int send_part(FILE *from, struct err *e)
{
    static char piece[PIECE_BYTES];
    struct sent_head head = {.key = mpi.base.key};
    if (fseeko(from, 0, SEEK_END) || (head.bytes = ftello(from)) < 0 || fseeko(from, 0, SEEK_SET))
        return err_set(e, ERR_ENVIRONMENT, "cannot read a temporary file: %s", strerror(errno));
    int rc = send_bytes(&head, sizeof head, e);
    for (int64_t left = head.bytes; !rc && left > 0;) {
        const size_t count = left < PIECE_BYTES ? (size_t)left : PIECE_BYTES;
        const size_t got = fread(piece, 1, count, from);
        memset(piece + got, 0xff, count - got);
        rc = send_bytes(piece, count, e);
        left -= (int64_t)count;
    }
    return rc;
}

static int send_error(const struct err *why, struct err *e)
{
    const struct sent_head head = {.why = *why};
    return send_bytes(&head, sizeof head, e);
}

static int send_own(size_t count, struct err *e)
{
    int rc = trace_workers_new(&mpi.own, mpi.base.jobs, mpi.base.jobs, own_count(count), work_on_own, NULL, _exit, e);
    for (size_t i = 0; !rc && i < own_count(count); i++) {
        struct err why = {0};
        FILE *from;
        rc = trace_workers_take(mpi.own, &from, &why) ? send_error(&why, e) : send_part(from, e);
    }
    trace_workers_free(mpi.own);
    mpi.own = NULL;
    return rc;
}

/* This process has failed before it came to the traces. */
static int send_errors(size_t count, struct err *e)
{
    struct err why = {0};
    err_set(&why, ERR_INPUT, "process %d of MPI could not begin", mpi.rank);
    int rc = 0;
    for (size_t i = 0; !rc && i < own_count(count); i++)
        rc = send_error(&why, e);
    return rc;
}

static int take_list(struct trace_operand_list *operands, const char *bytes, size_t count, struct err *e)
{
    trace_operands_release(operands);
    for (const char *at = bytes; at < bytes + count; at += strlen(at) + 1) {
        const bool listed = *at++ == 'L';
        const int rc = trace_operands_add_trace(operands, at, listed, e);
        if (rc)
            return rc;
    }
    return 0;
}

static int read_order(struct order *order, struct trace_operand_list *operands, struct err *e)
{
    receive(0, TAG_ORDER, order, sizeof *order);
    if (order->kind == ORDER_END)
        return 0;
    char *list = malloc((size_t)order->bytes + 1);
    if (!list)
        return err_memory(e);
    receive(0, TAG_ORDER, list, (size_t)order->bytes);
    const int rc = take_list(operands, list, (size_t)order->bytes, e);
    free(list);
    return rc;
}

/* Does what the first process says until that ends, and returns its status. What goes wrong here and is no trace's own
 * fault ends all. */
static int serve(struct trace_operand_list *operands)
{
    struct order order = {0};
    struct err e = {0};
    int rc = 0;
    while (!rc && !(rc = read_order(&order, operands, &e)) && order.kind != ORDER_END) {
        mpi.base.wants_all = order.wants_all;
        rc = mpi.work ? send_own(operands->count, &e) : send_errors(operands->count, &e);
    }
    if (rc)
        MPI_Abort(MPI_COMM_WORLD, (int)err_exit_status(rc));
    finish_sending();
    return order.status;
}

/* ---- the first process ---- */

static void give_order(const struct order *order, const struct str *list)
{
    for (int to = 1; to < mpi.size; to++) {
        MPI_Send(order, (int)sizeof *order, MPI_BYTE, to, TAG_ORDER, MPI_COMM_WORLD);
        if (list)
            MPI_Send(str_text(list), (int)list->length, MPI_BYTE, to, TAG_ORDER, MPI_COMM_WORLD);
    }
}

static int order_reading(const struct trace_operand_list *operands, struct err *e)
{
    struct str list;
    str_init(&list);
    for (size_t i = 0; i < operands->count; i++) {
        str_add(&list, operands->items[i].listed ? "L" : "N");
        str_add_bytes(&list, operands->items[i].path, strlen(operands->items[i].path) + 1);
    }
    const struct order order = {ORDER_READ, 0, mpi.base.wants_all, (int32_t)list.length};
    int rc = list.failed ? err_memory(e) : 0;
    if (!rc && list.length > LIST_BYTES_MAX)
        rc = err_set(e, ERR_INPUT, "the paths of all traces are too long");
    if (!rc)
        give_order(&order, &list);
    str_release(&list);
    return rc;
}

/* All of them, also when they cannot be kept; `to` NULL: they are not wanted. */
static int receive_into(FILE *to, int from, int64_t bytes, struct err *e)
{
    static char piece[PIECE_BYTES];
    int rc = 0;
    for (int64_t left = bytes; left > 0;) {
        const size_t count = left < PIECE_BYTES ? (size_t)left : PIECE_BYTES;
        receive(from, TAG_PART, piece, count);
        if (to && !rc && fwrite(piece, 1, count, to) != count)
            rc = scratch_file_full(e);
        left -= (int64_t)count;
    }
    return rc;
}

static int take_sent(int from, struct err *e)
{
    struct sent_head head;
    if (mpi.from)
        fclose(mpi.from);
    mpi.from = NULL;
    receive(from, TAG_PART, &head, sizeof head);
    if (head.why.code)
        return err_set(e, head.why.code, "%s", head.why.text);
    const bool same = head.key == (int64_t)mpi.base.key;
    int rc = scratch_file_stream(&mpi.from, e);
    const int got = receive_into(rc ? NULL : mpi.from, from, head.bytes, e);
    rc = rc ? rc : got;
    if (!rc && fseeko(mpi.from, 0, SEEK_SET))
        rc = err_set(e, ERR_ENVIRONMENT, "cannot read a temporary file: %s", strerror(errno));
    return rc || same ? rc : err_set(e, ERR_INPUT, "process %d of MPI has other rules than the first one", from);
}

/* ---- the source ---- */

/* The first process alone looks for traces. The others get its list when they begin. */
static int list(struct part_source *s, const char *const *paths, size_t count, struct trace_operand_list *operands,
                struct err *e)
{
    (void)s;
    if (!mpi.rank)
        return trace_operands_add_all(operands, paths, count, e);
    int rc = 0;
    for (int i = 0; !rc && i < 2; i++)
        rc = trace_operands_add_trace(operands, "-", false, e);
    return rc;
}

static int begin(struct part_source *s, struct trace_operand_list *operands, trace_work work, void *context,
                 struct err *e)
{
    (void)s;
    mpi.work = work;
    mpi.context = context;
    mpi.next = mpi.count = 0;
    if (mpi.rank) {
        const int status = serve(operands);
        MPI_Finalize();
        _exit(status);
    }
    int rc = order_reading(operands, e);
    mpi.count = rc ? 0 : operands->count;
    return rc ? rc
              : trace_workers_new(&mpi.own, mpi.base.jobs, mpi.base.jobs, own_count(operands->count), work_on_own, NULL,
                                  _exit, e);
}

static int take(struct part_source *s, FILE **from, struct err *e)
{
    (void)s;
    const int owner = (int)(mpi.next++ % (size_t)mpi.size);
    if (!owner)
        return trace_workers_take(mpi.own, from, e);
    const int rc = take_sent(owner, e);
    *from = mpi.from;
    return rc;
}

/* The others wait until what they have read is received, also when nobody wants it any more. */
static void end(struct part_source *s)
{
    (void)s;
    for (; mpi.next < mpi.count; mpi.next++)
        if (mpi.next % (size_t)mpi.size)
            take_sent((int)(mpi.next % (size_t)mpi.size), NULL);
    trace_workers_free(mpi.own);
    mpi.own = NULL;
    if (mpi.from)
        fclose(mpi.from);
    mpi.from = NULL;
}

struct part_source *mpi_parts(void)
{
    MPI_Comm_rank(MPI_COMM_WORLD, &mpi.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &mpi.size);
    mpi.base = (struct part_source){.list = list, .begin = begin, .take = take, .end = end};
    return &mpi.base;
}

int mpi_parts_end(int status)
{
    if (mpi.rank) {
        struct trace_operand_list operands = {0};
        mpi.work = NULL;
        status = serve(&operands);
        trace_operands_release(&operands);
        return status;
    }
    give_order(&(struct order){.kind = ORDER_END, .status = status}, NULL);
    return status;
}
