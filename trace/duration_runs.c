/* Which duration is the n-th of many sorted runs? */
#define _GNU_SOURCE
#include "trace/duration_runs.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "io/scratch_file.h"

void duration_runs_release(struct duration_runs *r)
{
    if (r->mapped)
        munmap((void *)(uintptr_t)r->mapped, r->written * sizeof *r->mapped);
    if (r->file)
        fclose(r->file);
    free(r->runs.items);
    *r = (struct duration_runs){0};
}

int duration_runs_begin(struct duration_runs *r, uint32_t group, struct err *e)
{
    int rc = r->file ? 0 : scratch_file_stream(&r->file, e);
    struct duration_run *run = rc ? NULL : ARRAY_PUSH(&r->runs);
    if (!run)
        return rc ? rc : err_memory(e);
    *run = (struct duration_run){.first = r->written, .group = group};
    return 0;
}

int duration_runs_add(struct duration_runs *r, const int64_t *durations, size_t count, struct err *e)
{
    if (fwrite(durations, sizeof *durations, count, r->file) != count)
        return scratch_file_full(e);
    r->written += count;
    r->runs.items[r->runs.count - 1].count += count;
    return 0;
}

static int by_group(const void *left, const void *right)
{
    const struct duration_run *a = left, *b = right;
    if (a->group != b->group)
        return a->group < b->group ? -1 : 1;
    return (a->first > b->first) - (a->first < b->first);
}

/* The file is nobody else's, so nobody makes it shorter. */
int duration_runs_finish(struct duration_runs *r, struct err *e)
{
    if (!r->written)
        return 0;
    if (fflush(r->file))
        return scratch_file_full(e);
    void *mapped = mmap(NULL, r->written * sizeof *r->mapped, PROT_READ, MAP_PRIVATE, fileno(r->file), 0);
    if (mapped == MAP_FAILED)
        return err_set(e, ERR_ENVIRONMENT, "cannot map a temporary file: %s", strerror(errno));
    r->mapped = mapped;
    madvise(mapped, r->written * sizeof *r->mapped, MADV_RANDOM); /* neighbours of a page are of no use */
    qsort(r->runs.items, r->runs.count, sizeof *r->runs.items, by_group);
    return 0;
}

/* How many durations of the run are at most `value`? */
static size_t count_up_to(const struct duration_runs *r, const struct duration_run *run, int64_t value)
{
    const int64_t *durations = r->mapped + run->first;
    size_t low = run->begin, high = run->end;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (durations[middle] <= value)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Leaves only what may still be looked for in each run. */
static void narrow(const struct duration_runs *r, struct duration_run *runs, size_t count, int64_t value, bool is_above)
{
    for (size_t i = 0; i < count; i++) {
        const size_t place = count_up_to(r, &runs[i], value);
        *(is_above ? &runs[i].begin : &runs[i].end) = place;
    }
}

static int64_t middle_of(int64_t low, int64_t high)
{
    return low + (int64_t)(((uint64_t)high - (uint64_t)low) / 2);
}

/* The least value that more than `position` durations do not exceed. */
static int64_t find(struct duration_runs *r, struct duration_run *runs, size_t count, int64_t position, int64_t low,
                    int64_t high)
{
    while (low < high) {
        const int64_t value = middle_of(low, high);
        int64_t up_to = 0;
        for (size_t i = 0; i < count; i++)
            up_to += (int64_t)count_up_to(r, &runs[i], value);
        const bool is_above = up_to <= position;
        narrow(r, runs, count, value, is_above);
        *(is_above ? &low : &high) = is_above ? value + 1 : value;
    }
    return low;
}

void duration_runs_select(struct duration_runs *r, size_t first, size_t count, int64_t position, int64_t min,
                          int64_t max, int64_t out[2])
{
    struct duration_run *runs = r->runs.items + first;
    for (size_t i = 0; i < count; i++) {
        runs[i].begin = 0;
        runs[i].end = runs[i].count;
    }
    out[0] = find(r, runs, count, position, min, max);
    int64_t up_to = 0, next = INT64_MAX;
    bool has_next = false;
    for (size_t i = 0; i < count; i++) {
        runs[i].end = runs[i].count;
        const size_t place = count_up_to(r, &runs[i], out[0]);
        up_to += (int64_t)place;
        if (place == runs[i].count)
            continue;
        has_next = true;
        if (r->mapped[runs[i].first + place] < next)
            next = r->mapped[runs[i].first + place];
    }
    out[1] = up_to == position + 1 && has_next ? next : out[0];
    madvise((void *)(uintptr_t)r->mapped, r->written * sizeof *r->mapped, MADV_DONTNEED); /* the file still has all */
}
