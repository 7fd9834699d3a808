/* Where do CUPTI's records wait, and how much memory may that take? */
#define _GNU_SOURCE
#include "collector/activity/activity_buffers.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { IDLE_BYTES_MAX = 4 * BUFFER_BYTES_MAX };

static int64_t read_clock(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int64_t buffer_now_ns(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

int64_t buffer_cpu_ns(void)
{
    return read_clock(CLOCK_THREAD_CPUTIME_ID);
}

int buffer_pool_init(struct buffer_pool *p, int64_t fill_ns, size_t waiting_max_bytes)
{
    *p = (struct buffer_pool){.next_bytes = BUFFER_BYTES_FIRST, .fill_ns = fill_ns, .waiting_max = waiting_max_bytes};
    p->last = &p->first;
    pthread_condattr_t monotonic;
    if (pthread_mutex_init(&p->lock, NULL))
        return -1;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    int failed = pthread_cond_init(&p->arrived, &monotonic);
    pthread_condattr_destroy(&monotonic);
    return failed ? -1 : 0;
}

static void free_list(struct buffer *first)
{
    for (struct buffer *next; first; first = next) {
        next = first->next;
        free(first->bytes);
    }
}

void buffer_pool_release(struct buffer_pool *p)
{
    free_list(p->first);
    for (size_t i = 0; i < BUFFER_SIZES; i++)
        free_list(p->idle[i]);
    pthread_mutex_destroy(&p->lock);
    pthread_cond_destroy(&p->arrived);
}

static size_t size_index(size_t bytes)
{
    size_t index = 0;
    while ((size_t)BUFFER_BYTES_MIN << index < bytes)
        index++;
    return index;
}

static struct buffer *footer(uint8_t *bytes, size_t size_bytes)
{
    return (struct buffer *)(void *)(bytes + size_bytes); /* aligned: sizes are powers of two */
}

static struct buffer *make(size_t size_bytes)
{
    uint8_t *bytes = calloc(1, size_bytes + sizeof(struct buffer));
    if (!bytes)
        return NULL;
    struct buffer *buffer = footer(bytes, size_bytes);
    *buffer = (struct buffer){.bytes = bytes, .size_bytes = size_bytes};
    return buffer;
}

/* The caller holds the lock. */
static struct buffer *pop_idle(struct buffer_pool *p)
{
    struct buffer **list = &p->idle[size_index(p->next_bytes)];
    struct buffer *buffer = *list;
    if (!buffer)
        return NULL;
    *list = buffer->next;
    buffer->next = NULL;
    p->idle_bytes -= buffer->size_bytes;
    return buffer;
}

static void count_total(struct buffer_pool *p, size_t bytes)
{
    p->total_bytes += bytes;
    if (p->total_bytes > p->peak_bytes)
        p->peak_bytes = p->total_bytes;
}

struct buffer *buffer_pool_open(struct buffer_pool *p)
{
    pthread_mutex_lock(&p->lock);
    struct buffer *buffer = pop_idle(p);
    const size_t size_bytes = p->next_bytes;
    pthread_mutex_unlock(&p->lock);
    const bool fresh = !buffer;
    if (fresh)
        buffer = make(size_bytes);
    if (!buffer)
        return NULL;
    buffer->opened_ns = buffer_now_ns();
    pthread_mutex_lock(&p->lock);
    if (fresh)
        count_total(p, size_bytes);
    if (!p->opened++) { /* wakes the draining thread */
        p->woken = true;
        pthread_cond_signal(&p->arrived);
    }
    p->lent++;
    pthread_mutex_unlock(&p->lock);
    return buffer;
}

/* Chooses the size of the next buffer from how long this one took to fill. The caller holds the lock. */
static void learn_size(struct buffer_pool *p, const struct buffer *buffer)
{
    const int64_t age_ns = buffer_now_ns() - buffer->opened_ns;
    const bool full = buffer->valid_bytes > buffer->size_bytes / 4 * 3;
    size_t next = p->next_bytes;
    if (full && age_ns < p->fill_ns / 8 && buffer->size_bytes * 2 > next)
        next = buffer->size_bytes * 2;
    else if (age_ns > p->fill_ns / 2)
        next = buffer->size_bytes / 2;
    p->next_bytes = next < BUFFER_BYTES_MIN ? BUFFER_BYTES_MIN : next > BUFFER_BYTES_MAX ? BUFFER_BYTES_MAX : next;
}

struct buffer *buffer_pool_returned(struct buffer_pool *p, uint8_t *bytes, size_t size_bytes, size_t valid_bytes)
{
    struct buffer *buffer = footer(bytes, size_bytes);
    buffer->valid_bytes = valid_bytes;
    pthread_mutex_lock(&p->lock);
    p->lent--;
    learn_size(p, buffer);
    pthread_mutex_unlock(&p->lock);
    return buffer;
}

bool buffer_pool_queue(struct buffer_pool *p, struct buffer *buffer)
{
    pthread_mutex_lock(&p->lock);
    const bool room = !p->waiting_max || p->waiting_bytes + buffer->size_bytes <= p->waiting_max;
    if (room) {
        buffer->next = NULL;
        buffer->waits = true;
        *p->last = buffer;
        p->last = &buffer->next;
        p->waiting_bytes += buffer->size_bytes;
        pthread_cond_signal(&p->arrived);
    }
    pthread_mutex_unlock(&p->lock);
    return room;
}

struct buffer *buffer_pool_take(struct buffer_pool *p)
{
    pthread_mutex_lock(&p->lock);
    struct buffer *first = p->first;
    p->first = NULL;
    p->last = &p->first;
    pthread_mutex_unlock(&p->lock);
    return first;
}

void buffer_pool_recycle(struct buffer_pool *p, struct buffer *buffer)
{
    memset(buffer->bytes, 0, buffer->valid_bytes);
    buffer->valid_bytes = 0;
    pthread_mutex_lock(&p->lock);
    p->waiting_bytes -= buffer->waits ? buffer->size_bytes : 0;
    buffer->waits = false;
    const bool keep = p->idle_bytes + buffer->size_bytes <= IDLE_BYTES_MAX;
    if (keep) {
        struct buffer **list = &p->idle[size_index(buffer->size_bytes)];
        buffer->next = *list;
        *list = buffer;
        p->idle_bytes += buffer->size_bytes;
    } else {
        p->total_bytes -= buffer->size_bytes;
    }
    pthread_mutex_unlock(&p->lock);
    if (!keep)
        free(buffer->bytes);
}

void buffer_pool_prepare(struct buffer_pool *p)
{
    pthread_mutex_lock(&p->lock);
    const size_t size_bytes = p->next_bytes;
    const bool needed = !p->idle[size_index(size_bytes)];
    pthread_mutex_unlock(&p->lock);
    struct buffer *buffer = needed ? make(size_bytes) : NULL;
    if (!buffer)
        return;
    pthread_mutex_lock(&p->lock);
    count_total(p, size_bytes);
    pthread_mutex_unlock(&p->lock);
    buffer->valid_bytes = size_bytes; /* zeroing all of it makes its pages present */
    buffer_pool_recycle(p, buffer);
}

void buffer_pool_wait(struct buffer_pool *p, int64_t until_ns)
{
    const struct timespec until = {.tv_sec = until_ns / 1000000000, .tv_nsec = until_ns % 1000000000};
    pthread_mutex_lock(&p->lock);
    while (!p->first && !p->woken)
        if (pthread_cond_timedwait(&p->arrived, &p->lock, &until))
            break;
    p->woken = false;
    pthread_mutex_unlock(&p->lock);
}

void buffer_pool_wake(struct buffer_pool *p)
{
    pthread_mutex_lock(&p->lock);
    p->woken = true;
    pthread_cond_signal(&p->arrived);
    pthread_mutex_unlock(&p->lock);
}

void buffer_pool_cost(struct buffer_pool *p, uint64_t *opened, uint64_t *lent, size_t *peak_bytes)
{
    pthread_mutex_lock(&p->lock);
    *opened = p->opened;
    *lent = p->lent;
    *peak_bytes = p->peak_bytes;
    pthread_mutex_unlock(&p->lock);
}
