/* How do processes of MPI share traces?
 *
 * Trace i belongs to process i % size. A reader of its own (share_reader.h) does the work of each process, so that one
 * that dies is a trace that cannot be read, and nobody stands still because this process waits for another one. What
 * they read goes up a tree (part_tree.h), in the order of the traces; what comes from below is passed on, piece by
 * piece. Whoever waits sleeps: MPI itself would spin, and take the processor from a reader. */
#define _GNU_SOURCE
#include "cli/mpi/mpi_parts.h"

#include <errno.h>
#include <mpi.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/base/str.h"
#include "core/io/scratch_file.h"
#include "core/trace/parts/part_tree.h"

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
    struct share_reader *early; /* was started before MPI; NULL: it was not, or is used up */
    struct share_reader *own;
    FILE *from; /* what was taken last from another process */
    struct piece pieces[PIECES];
    size_t piece;
} mpi;

static size_t owner_of(size_t trace)
{
    return trace % (size_t)mpi.size;
}

/* ---- waiting without spinning ---- */

enum { PAUSE_NS = 50000, DOUBLINGS = 5 };

/* Longer each time: up to 1.6 ms. */
static void pause_again(unsigned *pauses)
{
    nanosleep(&(struct timespec){.tv_nsec = PAUSE_NS << *pauses}, NULL);
    *pauses += *pauses < DOUBLINGS;
}

static void wait_for_message(int from, int tag)
{
    unsigned pauses = 0;
    int there = 0;
    while (MPI_Iprobe(from, tag, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE), !there)
        pause_again(&pauses);
}

static void receive(int from, int tag, void *bytes, size_t count)
{
    wait_for_message(from, tag);
    MPI_Recv(bytes, (int)count, MPI_BYTE, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static bool is_sent(struct piece *p)
{
    int sent = !p->bytes;
    if (!sent)
        MPI_Test(&p->request, &sent, MPI_STATUS_IGNORE);
    return sent;
}

static void wait_for_piece(struct piece *p)
{
    unsigned pauses = 0;
    while (!is_sent(p))
        pause_again(&pauses);
}

/* Pieces get on while this process looks after them. */
static void wait_for_own(void)
{
    struct pollfd own = {.fd = share_reader_descriptor(mpi.own), .events = POLLIN};
    for (size_t i = 0; i < PIECES; i++)
        while (!is_sent(&mpi.pieces[i]))
            if (poll(&own, 1, 1) > 0)
                return;
}

/* The next piece, with room for its bytes: some are on their way at a time. NULL when memory is out. */
static struct piece *next_piece(struct err *e)
{
    struct piece *p = &mpi.pieces[mpi.piece++ % PIECES];
    wait_for_piece(p);
    if (!p->bytes && !(p->bytes = malloc(PIECE_BYTES)))
        err_memory(e);
    return p->bytes ? p : NULL;
}

static void send_piece(struct piece *p, size_t count)
{
    MPI_Isend(p->bytes, (int)count, MPI_BYTE, (int)part_tree_parent((size_t)mpi.rank), TAG_PART, MPI_COMM_WORLD,
              &p->request);
}

static int send_head(const struct sent_head *head, struct err *e)
{
    struct piece *p = next_piece(e);
    if (!p)
        return ERR_MEMORY;
    memcpy(p->bytes, head, sizeof *head);
    send_piece(p, sizeof *head);
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

/* ---- what this process reads ---- */

struct share {
    const struct share_task *task;
    size_t count;
};

static int read_share(struct share_reader *r, void *context)
{
    const struct share *s = context;
    return share_reader_serve(r, s->task, s->count, mpi.work, mpi.context);
}

/* Leaves the reader that does it in mpi.own: the one that was started before MPI, if it does just that. */
static int start_reader(const struct trace_operand_list *operands, struct err *e)
{
    const struct share_task task = mpi_parts_task(&mpi.base, operands, mpi.rank, mpi.size);
    struct share share = {&task, operands->count};
    share_reader_free(mpi.own);
    mpi.own = mpi.early;
    mpi.early = NULL;
    if (mpi.own && share_reader_does(mpi.own, &task))
        return 0;
    share_reader_free(mpi.own);
    const int rc = share_reader_new(&mpi.own, read_share, &share, e);
    return rc || share_reader_does(mpi.own, &task) ? rc : err_set(e, ERR_ENVIRONMENT, "the reader has ended");
}

static void end_reader(void)
{
    share_reader_free(mpi.own);
    mpi.own = NULL;
}

/* ---- processes that only work ---- */

static void read_piece(void *from, char *bytes, size_t count)
{
    const size_t got = fread(bytes, 1, count, from);
    memset(bytes + got, 0xff, count - got);
}

static void receive_piece_of(void *from, char *bytes, size_t count)
{
    receive(*(const int *)from, TAG_PART, bytes, count);
}

/* A head and its bytes, as `take` gives them. */
static int send_taken(const struct sent_head *head, void (*take)(void *from, char *bytes, size_t count), void *from,
                      struct err *e)
{
    const int rc = send_head(head, e);
    if (rc)
        return rc;
    for (int64_t left = head->bytes; left > 0;) {
        const size_t count = left < PIECE_BYTES ? (size_t)left : PIECE_BYTES;
        struct piece *p = next_piece(e);
        if (!p)
            return ERR_MEMORY;
        take(from, p->bytes, count);
        send_piece(p, count);
        left -= (int64_t)count;
    }
    return 0;
}

/* A file that is shorter than it was leaves the first process waiting, and so is filled up; what was read is no part
 * then. */
static int send_part(FILE *from, struct err *e)
{
    struct sent_head head = {.key = mpi.base.key};
    if (fseeko(from, 0, SEEK_END) || (head.bytes = ftello(from)) < 0 || fseeko(from, 0, SEEK_SET))
        return err_set(e, ERR_ENVIRONMENT, "cannot read a temporary file: %s", strerror(errno));
    return send_taken(&head, read_piece, from, e);
}

/* Without a reader, this process has failed before it came to the traces. */
static int send_own(struct err *e)
{
    struct sent_head failed = {.bytes = 0};
    FILE *from = NULL;
    if (!mpi.own) {
        err_set(&failed.why, ERR_INPUT, "process %d of MPI could not begin", mpi.rank);
        return send_head(&failed, e);
    }
    wait_for_own();
    return share_reader_take(mpi.own, &from, &failed.why) ? send_head(&failed, e) : send_part(from, e);
}

/* What another process has read goes on as it comes. */
static int pass_on(int from, struct err *e)
{
    struct sent_head head;
    receive(from, TAG_PART, &head, sizeof head);
    return send_taken(&head, receive_piece_of, &from, e);
}

/* Traces of this process and of all that hand over to it, in their order. */
static int send_all(size_t count, struct err *e)
{
    const size_t rank = (size_t)mpi.rank, end = part_tree_end(rank, (size_t)mpi.size);
    int rc = 0;
    for (size_t i = 0; i < count && !rc; i++) {
        const size_t owner = owner_of(i);
        if (owner == rank)
            rc = send_own(e);
        else if (owner > rank && owner < end)
            rc = pass_on((int)part_tree_child(rank, owner), e);
    }
    end_reader();
    return rc;
}

/* ---- what all are to do ---- */

/* To those that hand over to this process, and from there on. */
static void give_order(const struct order *order, const char *list)
{
    const size_t rank = (size_t)mpi.rank, end = part_tree_end(rank, (size_t)mpi.size);
    for (size_t step = 1; rank + step < end; step *= 2) {
        MPI_Send(order, (int)sizeof *order, MPI_BYTE, (int)(rank + step), TAG_ORDER, MPI_COMM_WORLD);
        if (order->bytes)
            MPI_Send(list, order->bytes, MPI_BYTE, (int)(rank + step), TAG_ORDER, MPI_COMM_WORLD);
    }
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
    const int from = (int)part_tree_parent((size_t)mpi.rank);
    receive(from, TAG_ORDER, order, sizeof *order);
    char *list = malloc((size_t)order->bytes + 1);
    if (!list)
        return err_memory(e);
    if (order->bytes)
        receive(from, TAG_ORDER, list, (size_t)order->bytes);
    give_order(order, list);
    const int rc = order->kind == ORDER_END ? 0 : take_list(operands, list, (size_t)order->bytes, e);
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
        if (mpi.work)
            rc = start_reader(operands, &e);
        if (!rc)
            rc = send_all(operands->count, &e);
    }
    if (rc)
        MPI_Abort(MPI_COMM_WORLD, (int)err_exit_status(rc));
    finish_sending();
    return order.status;
}

/* ---- the first process ---- */

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
        give_order(&order, str_text(&list));
    str_release(&list);
    return rc;
}

static char received[PIECE_BYTES];

/* All of them, also when they cannot be kept; `to` NULL: they are not wanted. */
static int receive_into(FILE *to, int from, int64_t bytes, struct err *e)
{
    int rc = 0;
    for (int64_t left = bytes; left > 0;) {
        const size_t count = left < PIECE_BYTES ? (size_t)left : PIECE_BYTES;
        receive(from, TAG_PART, received, count);
        if (to && !rc && fwrite(received, 1, count, to) != count)
            rc = scratch_file_full(e);
        left -= (int64_t)count;
    }
    return rc;
}

static int receive_file(int from, int64_t bytes, struct err *e)
{
    int rc = scratch_file_stream(&mpi.from, e);
    const int got = receive_into(rc ? NULL : mpi.from, from, bytes, e);
    rc = rc ? rc : got;
    if (!rc && fseeko(mpi.from, 0, SEEK_SET))
        rc = err_set(e, ERR_ENVIRONMENT, "cannot read a temporary file: %s", strerror(errno));
    return rc;
}

/* A single piece stays in memory until the next one comes. */
static int receive_piece(int from, size_t bytes, struct err *e)
{
    receive(from, TAG_PART, received, bytes);
    mpi.from = fmemopen(received, bytes, "rb");
    return mpi.from ? 0 : err_memory(e);
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
    const bool same = head.key == (int64_t)mpi.base.key, is_piece = head.bytes > 0 && head.bytes <= PIECE_BYTES;
    const int rc = is_piece ? receive_piece(from, (size_t)head.bytes, e) : receive_file(from, head.bytes, e);
    return rc || same ? rc : err_set(e, ERR_INPUT, "a process of MPI has other rules than the first one");
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
    return rc ? rc : start_reader(operands, e);
}

static int take(struct part_source *s, FILE **from, struct err *e)
{
    (void)s;
    const size_t owner = owner_of(mpi.next++);
    if (!owner)
        return share_reader_take(mpi.own, from, e);
    const int rc = take_sent((int)part_tree_child(0, owner), e);
    *from = mpi.from;
    return rc;
}

/* The others wait until what they have read is received, also when nobody wants it any more. */
static void end(struct part_source *s)
{
    (void)s;
    for (; mpi.next < mpi.count; mpi.next++)
        if (owner_of(mpi.next))
            take_sent((int)part_tree_child(0, owner_of(mpi.next)), NULL);
    end_reader();
    if (mpi.from)
        fclose(mpi.from);
    mpi.from = NULL;
}

struct share_task mpi_parts_task(const struct part_source *s, const struct trace_operand_list *operands, int rank,
                                 int size)
{
    return (struct share_task){.list = share_list_sum(operands),
                               .key = s->key,
                               .place = (uint32_t)rank,
                               .of = (uint32_t)size,
                               .wants_all = s->wants_all,
                               .jobs = (uint32_t)s->jobs};
}

struct part_source *mpi_parts(struct share_reader *early)
{
    mpi.early = early;
    MPI_Comm_rank(MPI_COMM_WORLD, &mpi.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &mpi.size);
    mpi.base = (struct part_source){.list = list, .begin = begin, .take = take, .end = end};
    return &mpi.base;
}

int mpi_parts_end(int status)
{
    share_reader_free(mpi.early);
    mpi.early = NULL;
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
