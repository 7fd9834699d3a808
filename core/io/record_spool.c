/* How are more records sorted than fit in memory?
 *
 * Records gather in one buffer. A full buffer is sorted and appended to a scratch file: as a new run, or as more of the
 * last run when it continues that in order. Reading back is a k-way merge with a binary heap of runs. The same buffer
 * is then cut to one read window for each run. */
#define _GNU_SOURCE
#include "core/io/record_spool.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/base/array.h"
#include "core/base/files.h"
#include "core/base/write_all.h"
#include "core/io/scratch_file.h"

enum {
    WINDOW_RECORDS_MAX = 256,
    WINDOW_RECORDS_MIN = 32,
    WINDOWS_BYTES = 2 << 20, /* all of them, unless that would be less than the least */
    EARLY_RECORDS = 8192,    /* that continue the last run are written while they are in the processor's cache */
    FEW_RECORDS = 1024,
    LARGE_PAGE_BYTES = 2 << 20
};

/* A sorted stretch of the scratch file, and the window through which it is read. */
struct run {
    int64_t first; /* its first record in the file */
    int64_t count;
    int64_t loaded; /* how many of count are in the window, or were before */
    char *window;
    size_t window_count;
    size_t window_next;
};

struct record_spool {
    record_order *order;
    size_t record_bytes;
    size_t run_records;
    char *items;
    size_t count, capacity; /* in records */
    size_t mapped_bytes;    /* of items, as the system gave them; 0: malloc did */
    bool sorted;            /* all items so far are in order */
    int64_t total;

    int fd; /* -1 while everything is in memory */
    int64_t spilled;
    char *last_spilled;
    struct {
        struct run *items;
        size_t count, capacity;
    } runs;

    size_t next;       /* index of the next item when reading from memory */
    struct run **heap; /* when reading from the file: the run with the smallest record comes first */
    size_t heap_count;
    size_t window_records;
};

int record_spool_new(struct record_spool **out, size_t record_bytes, size_t run_records, record_order *order,
                     struct err *e)
{
    struct record_spool *s = calloc(1, sizeof *s);
    *out = s;
    if (!s)
        return err_memory(e);
    s->fd = -1;
    s->sorted = true;
    s->order = order;
    s->record_bytes = record_bytes;
    s->run_records = run_records;
    return 0;
}

static void release_items(struct record_spool *s)
{
    if (s->mapped_bytes)
        munmap(s->items, s->mapped_bytes);
    else
        free(s->items);
    s->items = NULL;
    s->capacity = s->mapped_bytes = 0;
}

void record_spool_free(struct record_spool *s)
{
    if (!s)
        return;
    if (s->fd >= 0)
        close(s->fd);
    release_items(s);
    free(s->last_spilled);
    free(s->runs.items);
    free(s->heap);
    free(s);
}

static char *item(const struct record_spool *s, size_t index)
{
    return s->items + index * s->record_bytes;
}

int64_t record_spool_count(const struct record_spool *s)
{
    return s->total;
}

static void sort_buffer(struct record_spool *s)
{
    if (!s->sorted)
        qsort(s->items, s->count, s->record_bytes, s->order);
    s->sorted = true;
}

static int write_records(const struct record_spool *s, struct err *e)
{
    if (write_all(s->fd, s->items, s->count * s->record_bytes))
        return err_set(e, ERR_ENVIRONMENT,
                       "cannot spill events to a temporary file: %s; set TMPDIR to a folder with room",
                       strerror(errno));
    return 0;
}

/* Does the sorted buffer continue the last run? */
static bool continues_run(const struct record_spool *s)
{
    return s->runs.count && s->order(s->last_spilled, s->items) <= 0;
}

static struct run *run_for_buffer(struct record_spool *s)
{
    if (continues_run(s))
        return &s->runs.items[s->runs.count - 1];
    struct run *run = ARRAY_PUSH(&s->runs);
    if (run)
        run->first = s->spilled;
    return run;
}

static int open_file(struct record_spool *s, struct err *e)
{
    s->last_spilled = malloc(s->record_bytes);
    if (!s->last_spilled)
        return err_memory(e);
    int fd = scratch_file_open(e);
    if (fd < 0)
        return fd;
    s->fd = fd;
    return 0;
}

static int spill(struct record_spool *s, struct err *e)
{
    if (!s->count)
        return 0;
    int rc = s->fd < 0 ? open_file(s, e) : 0;
    if (rc)
        return rc;
    sort_buffer(s);
    struct run *run = run_for_buffer(s);
    if (!run)
        return err_memory(e);
    rc = write_records(s, e);
    if (rc)
        return rc;
    run->count += (int64_t)s->count;
    s->spilled += (int64_t)s->count;
    memcpy(s->last_spilled, item(s, s->count - 1), s->record_bytes);
    s->count = 0;
    return 0;
}

static bool is_time_to_spill(const struct record_spool *s)
{
    return s->count == s->run_records || (s->count == EARLY_RECORDS && s->sorted && continues_run(s));
}

/* Large pages, where the system has some: else the first touch of each page takes longer than the records that are put
 * there. */
static void *map_room(size_t bytes)
{
    void *room = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (room == MAP_FAILED)
        return NULL;
    const uintptr_t page = LARGE_PAGE_BYTES, begin = (uintptr_t)room;
    const uintptr_t first = (begin + page - 1) / page * page, end = (begin + bytes) / page * page;
    if (first < end)
        madvise((void *)first, end - first, MADV_HUGEPAGE);
    return room;
}

/* Those that are not few get room for all at once: nothing is moved again, and the system gives pages as they are
 * used. */
static int make_room(struct record_spool *s)
{
    if (s->count < FEW_RECORDS)
        return array_reserve((void **)&s->items, &s->capacity, s->count + 1, s->record_bytes);
    const size_t bytes = s->run_records * s->record_bytes;
    char *room = map_room(bytes);
    if (!room)
        return -1;
    memcpy(room, s->items, s->count * s->record_bytes);
    release_items(s);
    s->items = room;
    s->capacity = s->run_records;
    s->mapped_bytes = bytes;
    return 0;
}

void record_spool_swap(struct record_spool *a, struct record_spool *b)
{
    const struct record_spool held = *a;
    *a = *b;
    *b = held;
}

int record_spool_add(struct record_spool *s, const void *record, struct err *e)
{
    if (is_time_to_spill(s)) {
        int rc = spill(s, e);
        if (rc)
            return rc;
    }
    if (s->count == s->capacity && make_room(s))
        return err_memory(e);
    memcpy(item(s, s->count), record, s->record_bytes);
    if (s->count && s->sorted)
        s->sorted = s->order(item(s, s->count - 1), item(s, s->count)) <= 0;
    s->count++;
    s->total++;
    return 0;
}

/* Fills the window of a run with its next records. */
static int load_window(struct record_spool *s, struct run *run, struct err *e)
{
    size_t want = s->window_records;
    if ((int64_t)want > run->count - run->loaded)
        want = (size_t)(run->count - run->loaded);
    const size_t bytes = want * s->record_bytes;
    ssize_t got = files_read_at(s->fd, run->window, bytes, (uint64_t)(run->first + run->loaded) * s->record_bytes);
    if (got != (ssize_t)bytes)
        return err_set(e, ERR_ENVIRONMENT, "cannot read events back from the temporary file: %s",
                       got < 0 ? strerror(errno) : "it has become shorter");
    run->loaded += (int64_t)want;
    run->window_count = want;
    run->window_next = 0;
    return 0;
}

static const char *next_of(const struct record_spool *s, const struct run *run)
{
    return run->window + run->window_next * s->record_bytes;
}

static bool run_before(const struct record_spool *s, const struct run *a, const struct run *b)
{
    return s->order(next_of(s, a), next_of(s, b)) < 0;
}

static void sift_down(struct record_spool *s, size_t at)
{
    for (;;) {
        size_t least = at;
        for (size_t child = 2 * at + 1; child <= 2 * at + 2 && child < s->heap_count; child++)
            if (run_before(s, s->heap[child], s->heap[least]))
                least = child;
        if (least == at)
            return;
        struct run *swapped = s->heap[at];
        s->heap[at] = s->heap[least];
        s->heap[least] = swapped;
        at = least;
    }
}

/* What is read of a run at once: as much as pays for a read, and less where there are many runs. */
static size_t window_records(const struct record_spool *s)
{
    const size_t runs = s->runs.count, most = s->run_records / runs;
    size_t window = WINDOWS_BYTES / runs / s->record_bytes;
    window = window > WINDOW_RECORDS_MIN ? window : WINDOW_RECORDS_MIN;
    window = window < WINDOW_RECORDS_MAX ? window : WINDOW_RECORDS_MAX;
    return window < most ? window : most;
}

/* Gives every run an equal part of the buffer, which is empty after the last spill, and the rest back to the system. */
static int make_windows(struct record_spool *s, struct err *e)
{
    const size_t runs = s->runs.count;
    s->window_records = window_records(s);
    if (!s->window_records)
        return err_set(e, ERR_INPUT, "the trace is too long and too far out of order: %zu sorted runs", runs);
    release_items(s);
    s->items = malloc(runs * s->window_records * s->record_bytes);
    if (!s->items)
        return err_memory(e);
    s->capacity = runs * s->window_records;
    return 0;
}

static int start_merge(struct record_spool *s, struct err *e)
{
    const size_t runs = s->runs.count;
    int rc = make_windows(s, e);
    if (rc)
        return rc;
    struct run **heap = realloc(s->heap, runs * sizeof *heap);
    if (!heap)
        return err_memory(e);
    s->heap = heap;
    s->heap_count = runs;
    for (size_t i = 0; i < runs; i++) {
        struct run *run = &s->runs.items[i];
        run->window = item(s, i * s->window_records);
        run->loaded = 0;
        rc = load_window(s, run, e);
        if (rc)
            return rc;
        heap[i] = run;
    }
    for (size_t i = runs / 2; i-- > 0;)
        sift_down(s, i);
    return 0;
}

int record_spool_rewind(struct record_spool *s, struct err *e)
{
    s->next = 0;
    if (s->fd < 0) {
        sort_buffer(s);
        return 0;
    }
    int rc = spill(s, e);
    return rc ? rc : start_merge(s, e);
}

void record_spool_rest(struct record_spool *s)
{
    if (s->fd < 0 || s->count)
        return;
    release_items(s);
    s->heap_count = 0;
}

static int next_merged(struct record_spool *s, void *out, struct err *e)
{
    if (!s->heap_count)
        return 0;
    struct run *run = s->heap[0];
    memcpy(out, next_of(s, run), s->record_bytes);
    run->window_next++;
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

int record_spool_next(struct record_spool *s, void *out, struct err *e)
{
    if (s->fd >= 0)
        return next_merged(s, out, e);
    if (s->next == s->count)
        return 0;
    memcpy(out, item(s, s->next++), s->record_bytes);
    return 1;
}
