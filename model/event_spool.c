/* How are more events than fit in memory put in order?
 *
 * Events gather in one buffer; a full buffer is sorted and appended to a
 * scratch file, as a new run or, when it continues the last one in order, as
 * more of it. Reading back is a k-way merge over a binary heap of runs, with
 * the same buffer cut into one read window a run. */
#define _GNU_SOURCE
#include "model/event_spool.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "model/scratch_file.h"

enum { WINDOW_EVENTS_MAX = 4096 };

/* A sorted stretch of the scratch file, and the window through which it is read. */
struct run {
    int64_t first; /* in the file, in events */
    int64_t count;
    int64_t loaded; /* of count, in the window now or before */
    struct cpprof_event *window;
    size_t window_count;
    size_t window_next;
};

struct event_spool {
    struct cpprof_event *items;
    size_t count, capacity;
    bool sorted; /* items, so far */
    int64_t total;

    int fd; /* -1 while everything is in memory */
    int64_t spilled;
    struct cpprof_event last_spilled;
    struct {
        struct run *items;
        size_t count, capacity;
    } runs;

    size_t next;       /* reading from memory: index into items */
    struct run **heap; /* reading from the file: the run with the least event first */
    size_t heap_count;
    size_t window_events;
};

#define COMPARE(field)                                                                                                 \
    if (a->field != b->field)                                                                                          \
        return a->field < b->field ? -1 : 1;

int event_order(const struct cpprof_event *a, const struct cpprof_event *b)
{
    COMPARE(start_ns)
    COMPARE(end_ns)
    COMPARE(rank)
    COMPARE(device)
    COMPARE(stream)
    return 0;
}

/* Ties are broken by content: whatever still compares equal is the same record,
 * so the order does not depend on the C library's sort. */
static int total_order(const void *a, const void *b)
{
    int order = event_order(a, b);
    return order ? order : memcmp(a, b, sizeof(struct cpprof_event));
}

int event_spool_new(struct event_spool **out, struct err *e)
{
    struct event_spool *s = calloc(1, sizeof *s);
    *out = s;
    if (!s)
        return err_memory(e);
    s->fd = -1;
    s->sorted = true;
    return 0;
}

void event_spool_free(struct event_spool *s)
{
    if (!s)
        return;
    if (s->fd >= 0)
        close(s->fd);
    free(s->items);
    free(s->runs.items);
    free(s->heap);
    free(s);
}

int64_t event_spool_count(const struct event_spool *s)
{
    return s->total;
}

static void sort_buffer(struct event_spool *s)
{
    if (!s->sorted)
        qsort(s->items, s->count, sizeof *s->items, total_order);
    s->sorted = true;
}

static int write_events(int fd, const struct cpprof_event *events, size_t count, struct err *e)
{
    const char *from = (const char *)events;
    size_t left = count * sizeof *events;
    while (left) {
        ssize_t wrote = write(fd, from, left);
        if (wrote < 0 && errno == EINTR)
            continue;
        if (wrote < 0)
            return err_set(e, ERR_ENVIRONMENT,
                           "cannot spill events to a temporary file: %s; set TMPDIR to a folder with room",
                           strerror(errno));
        from += wrote;
        left -= (size_t)wrote;
    }
    return 0;
}

/* The run that the sorted buffer belongs to: the last one when it goes on there. */
static struct run *run_for_buffer(struct event_spool *s)
{
    if (s->runs.count && total_order(&s->last_spilled, &s->items[0]) <= 0)
        return &s->runs.items[s->runs.count - 1];
    struct run *run = ARRAY_PUSH(&s->runs);
    if (run)
        run->first = s->spilled;
    return run;
}

static int spill(struct event_spool *s, struct err *e)
{
    if (!s->count)
        return 0;
    if (s->fd < 0) {
        int fd = scratch_file_open(e);
        if (fd < 0)
            return fd;
        s->fd = fd;
    }
    sort_buffer(s);
    struct run *run = run_for_buffer(s);
    if (!run)
        return err_memory(e);
    int rc = write_events(s->fd, s->items, s->count, e);
    if (rc)
        return rc;
    run->count += (int64_t)s->count;
    s->spilled += (int64_t)s->count;
    s->last_spilled = s->items[s->count - 1];
    s->count = 0;
    return 0;
}

int event_spool_add(struct event_spool *s, const struct cpprof_event *event, struct err *e)
{
    if (s->count == SPOOL_RUN_EVENTS) {
        int rc = spill(s, e);
        if (rc)
            return rc;
    }
    struct cpprof_event *slot = ARRAY_PUSH(s);
    if (!slot)
        return err_memory(e);
    *slot = *event;
    if (s->count > 1 && s->sorted)
        s->sorted = total_order(slot - 1, slot) <= 0;
    s->total++;
    return 0;
}

/* Fills the window of a run with what follows in the file. */
static int load_window(struct event_spool *s, struct run *run, struct err *e)
{
    size_t want = s->window_events;
    if ((int64_t)want > run->count - run->loaded)
        want = (size_t)(run->count - run->loaded);
    char *to = (char *)run->window;
    off_t at = (off_t)(run->first + run->loaded) * (off_t)sizeof *run->window;
    for (size_t left = want * sizeof *run->window; left;) {
        ssize_t got = pread(s->fd, to, left, at);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return err_set(e, ERR_ENVIRONMENT, "cannot read events back from the temporary file: %s",
                           got ? strerror(errno) : "it has become shorter");
        to += got;
        at += got;
        left -= (size_t)got;
    }
    run->loaded += (int64_t)want;
    run->window_count = want;
    run->window_next = 0;
    return 0;
}

static bool run_before(const struct run *a, const struct run *b)
{
    return total_order(&a->window[a->window_next], &b->window[b->window_next]) < 0;
}

static void sift_down(struct event_spool *s, size_t at)
{
    for (;;) {
        size_t least = at;
        for (size_t child = 2 * at + 1; child <= 2 * at + 2 && child < s->heap_count; child++)
            if (run_before(s->heap[child], s->heap[least]))
                least = child;
        if (least == at)
            return;
        struct run *swapped = s->heap[at];
        s->heap[at] = s->heap[least];
        s->heap[least] = swapped;
        at = least;
    }
}

/* Every run gets an equal part of the buffer, which is empty after the last spill. */
static int start_merge(struct event_spool *s, struct err *e)
{
    size_t runs = s->runs.count;
    s->window_events = s->capacity / runs < WINDOW_EVENTS_MAX ? s->capacity / runs : WINDOW_EVENTS_MAX;
    if (!s->window_events)
        return err_set(e, ERR_INPUT, "the trace is too long and too far out of order: %zu sorted runs", runs);
    struct run **heap = realloc(s->heap, runs * sizeof *heap);
    if (!heap)
        return err_memory(e);
    s->heap = heap;
    s->heap_count = runs;
    for (size_t i = 0; i < runs; i++) {
        struct run *run = &s->runs.items[i];
        run->window = s->items + i * s->window_events;
        run->loaded = 0;
        int rc = load_window(s, run, e);
        if (rc)
            return rc;
        heap[i] = run;
    }
    for (size_t i = runs / 2; i-- > 0;)
        sift_down(s, i);
    return 0;
}

int event_spool_rewind(struct event_spool *s, struct err *e)
{
    s->next = 0;
    if (s->fd < 0) {
        sort_buffer(s);
        return 0;
    }
    int rc = spill(s, e);
    return rc ? rc : start_merge(s, e);
}

static int next_merged(struct event_spool *s, struct cpprof_event *out, struct err *e)
{
    if (!s->heap_count)
        return 0;
    struct run *run = s->heap[0];
    *out = run->window[run->window_next++];
    if (run->window_next == run->window_count) {
        if (run->loaded < run->count) {
            int rc = load_window(s, run, e);
            if (rc)
                return rc;
        } else {
            s->heap[0] = s->heap[--s->heap_count];
        }
    }
    sift_down(s, 0);
    return 1;
}

int event_spool_next(struct event_spool *s, struct cpprof_event *out, struct err *e)
{
    if (s->fd >= 0)
        return next_merged(s, out, e);
    if (s->next == s->count)
        return 0;
    *out = s->items[s->next++];
    return 1;
}
