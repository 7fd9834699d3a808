/* activity_buffers.h - memory for CUPTI's records: lent out, queued when full, used again.
 *
 * Thread-safe: CUPTI opens and completes buffers on any thread, one thread takes
 * them. The lock is never held while another module's code runs.
 *
 * Each buffer is one block from calloc whose bookkeeping stands behind its
 * bytes, so completing one needs no memory; and it is always zero when lent out,
 * so CUPTI need not clear it on the program's thread. A flush returns only
 * buffers in which every record has ended. So that this is soon the case in a
 * slow program too, the size follows the rate: a buffer should fill within an
 * eighth to a half of the flush period. */
#ifndef CPPROF_ACTIVITY_BUFFERS_H
#define CPPROF_ACTIVITY_BUFFERS_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    BUFFER_BYTES_MIN = 64 * 1024,
    BUFFER_BYTES_FIRST = 1024 * 1024,
    BUFFER_BYTES_MAX = 8 * 1024 * 1024,
    BUFFER_SIZES = 8, /* powers of two from MIN to MAX */
};

struct buffer {
    struct buffer *next;
    uint8_t *bytes;
    size_t size_bytes;
    size_t valid_bytes;
    int64_t opened_ns;
    bool waits; /* counts as waiting until it is recycled */
};

struct buffer_pool {
    pthread_mutex_t lock;
    pthread_cond_t arrived;
    struct buffer *first, **last;      /* completed, in order of completion */
    struct buffer *idle[BUFFER_SIZES]; /* zeroed, to lend out again */
    size_t idle_bytes;
    size_t next_bytes;    /* size of the next one to lend out */
    int64_t fill_ns;      /* what should be longer than filling a buffer takes */
    size_t waiting_bytes; /* queued, or taken and not yet recycled */
    size_t waiting_max;
    size_t total_bytes, peak_bytes; /* lent, waiting and idle */
    uint64_t opened, lent;          /* so far; at CUPTI now */
    bool woken;
};

/* `waiting_max_bytes`: more than that never waits to be taken; 0 for no limit. */
int buffer_pool_init(struct buffer_pool *p, int64_t fill_ns, size_t waiting_max_bytes);

/* Frees what is not lent out; what CUPTI has is its own for ever. */
void buffer_pool_release(struct buffer_pool *p);

/* A zeroed buffer; NULL when memory is out. */
struct buffer *buffer_pool_open(struct buffer_pool *p);

/* The buffer with these bytes, full so far, given back by CUPTI. */
struct buffer *buffer_pool_returned(struct buffer_pool *p, uint8_t *bytes, size_t size_bytes, size_t valid_bytes);

/* Queues it; false when too much waits already: it stays the caller's, who recycles it. */
bool buffer_pool_queue(struct buffer_pool *p, struct buffer *buffer);

/* All that are queued, linked by `next`, the oldest first; NULL for none. */
struct buffer *buffer_pool_take(struct buffer_pool *p);

/* Zeroes it for another use, or frees it when enough are idle. */
void buffer_pool_recycle(struct buffer_pool *p, struct buffer *buffer);

/* Makes sure that one is idle, so that a program's thread need not wait for its pages. */
void buffer_pool_prepare(struct buffer_pool *p);

/* Sleeps until a buffer is queued, somebody wakes the pool, or the time (of buffer_now_ns) is there. */
void buffer_pool_wait(struct buffer_pool *p, int64_t until_ns);
void buffer_pool_wake(struct buffer_pool *p);

/* Buffers lent so far, those that CUPTI still has, and the most bytes at a time. */
void buffer_pool_cost(struct buffer_pool *p, uint64_t *opened, uint64_t *lent, size_t *peak_bytes);

int64_t buffer_now_ns(void); /* CLOCK_MONOTONIC */
int64_t buffer_cpu_ns(void); /* CPU time of the calling thread: what a cost is counted in */

#endif
