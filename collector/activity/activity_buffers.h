/* activity_buffers.h - memory for CUPTI's records: it is lent out, queued when full, and used again.
 *
 * Thread-safe: CUPTI opens and completes buffers on any thread, and one thread takes them. The lock is never held while
 * code of another module runs.
 *
 * Each buffer is one block from calloc with its bookkeeping after its bytes, so completing one needs no memory. A
 * buffer is always zeroed when it is lent out, so CUPTI need not clear it on the program's thread. A flush returns only
 * buffers in which every record has ended. So that this happens soon in a slow program, too, the size follows the rate:
 * a buffer should fill within an eighth to a half of the flush period. */
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
    struct buffer *idle[BUFFER_SIZES]; /* zeroed, ready to be lent out again */
    size_t idle_bytes;
    size_t next_bytes;    /* size of the next buffer to lend out */
    int64_t fill_ns;      /* filling a buffer should take less time than this */
    size_t waiting_bytes; /* queued, or taken and not yet recycled */
    size_t waiting_max;
    size_t total_bytes, peak_bytes; /* lent, waiting and idle ones */
    uint64_t opened, lent;          /* all that were lent so far; those that CUPTI has now */
    bool woken;
};

/* `waiting_max_bytes` limits the bytes that wait to be taken; 0: no limit. Returns 0 or -1. */
int buffer_pool_init(struct buffer_pool *p, int64_t fill_ns, size_t waiting_max_bytes);

/* Frees all buffers except those that are lent out, which CUPTI keeps for ever. */
void buffer_pool_release(struct buffer_pool *p);

/* Returns a zeroed buffer; NULL when memory is out. */
struct buffer *buffer_pool_open(struct buffer_pool *p);

/* Returns the buffer with these bytes, which CUPTI has given back, filled up to `valid_bytes`. */
struct buffer *buffer_pool_returned(struct buffer_pool *p, uint8_t *bytes, size_t size_bytes, size_t valid_bytes);

/* Queues a buffer. Returns false when too many bytes wait already: then the caller keeps it and recycles it. */
bool buffer_pool_queue(struct buffer_pool *p, struct buffer *buffer);

/* Returns all queued buffers, linked by `next`, the oldest first; NULL when there are none. */
struct buffer *buffer_pool_take(struct buffer_pool *p);

/* Zeroes a buffer for another use, or frees it when enough are idle. */
void buffer_pool_recycle(struct buffer_pool *p, struct buffer *buffer);

/* Makes sure that a buffer is idle, so that a program's thread need not wait for its pages. */
void buffer_pool_prepare(struct buffer_pool *p);

/* Sleeps until a buffer is queued, buffer_pool_wake is called, or the time `until_ns` (of buffer_now_ns). */
void buffer_pool_wait(struct buffer_pool *p, int64_t until_ns);
void buffer_pool_wake(struct buffer_pool *p);

/* Gives the number of buffers lent so far, how many of them CUPTI still has, and the most bytes at one time. */
void buffer_pool_cost(struct buffer_pool *p, uint64_t *opened, uint64_t *lent, size_t *peak_bytes);

int64_t buffer_now_ns(void); /* CLOCK_MONOTONIC */
int64_t buffer_cpu_ns(void); /* CPU time of the calling thread, used to measure costs */

#endif
