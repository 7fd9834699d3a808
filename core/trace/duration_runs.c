/* Which duration is the n-th of many sorted runs? */
#define _GNU_SOURCE
#include "core/trace/duration_runs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/files.h"
#include "core/io/scratch_file.h"

enum { BLOCK = 128, BLOCK_BYTES = BLOCK * sizeof(int64_t) };

void duration_runs_release(struct duration_runs *r)
{
    if (r->file)
        fclose(r->file);
    free(r->runs.items);
    free(r->marks.items);
    free(r->blocks);
    *r = (struct duration_runs){0};
}

int duration_runs_begin(struct duration_runs *r, uint32_t group, struct err *e)
{
    int rc = r->file ? 0 : scratch_file_stream(&r->file, e);
    struct duration_run *run = rc ? NULL : ARRAY_PUSH(&r->runs);
    if (!run)
        return rc ? rc : err_memory(e);
    *run = (struct duration_run){.first = r->written, .first_mark = r->marks.count, .group = group};
    return 0;
}

int duration_runs_add(struct duration_runs *r, const int64_t *durations, size_t count, struct err *e)
{
    struct duration_run *run = &r->runs.items[r->runs.count - 1];
    for (size_t i = (BLOCK - run->count % BLOCK) % BLOCK; i < count; i += BLOCK) {
        int64_t *mark = ARRAY_PUSH(&r->marks);
        if (!mark)
            return err_memory(e);
        *mark = durations[i];
    }
    if (fwrite(durations, sizeof *durations, count, r->file) != count)
        return scratch_file_full(e);
    r->written += count;
    run->count += count;
    return 0;
}

static int by_group(const void *left, const void *right)
{
    const struct duration_run *a = left, *b = right;
    if (a->group != b->group)
        return a->group < b->group ? -1 : 1;
    return (a->first > b->first) - (a->first < b->first);
}

int duration_runs_finish(struct duration_runs *r, struct err *e)
{
    if (!r->written)
        return 0;
    if (fflush(r->file))
        return scratch_file_full(e);
    qsort(r->runs.items, r->runs.count, sizeof *r->runs.items, by_group);
    return 0;
}

/* ---- runs of one group ---- */

struct selection {
    struct duration_runs *all;
    struct duration_run *runs;
    size_t count;
};

/* Blocks that were read for the same group before are still there. */
static int select_group(struct selection *s, struct duration_runs *r, size_t first, size_t count, struct err *e)
{
    *s = (struct selection){r, r->runs.items + first, count};
    if (r->blocks && r->blocks_of == first)
        return 0;
    int64_t *blocks = realloc(r->blocks, count * BLOCK_BYTES);
    if (!blocks)
        return err_memory(e);
    r->blocks = blocks;
    r->blocks_of = first;
    for (size_t i = 0; i < count; i++)
        s->runs[i].block = 0;
    return 0;
}

/* How many of these durations, in ascending order, are at most `value`? */
static size_t count_up_to(const int64_t *durations, size_t count, int64_t value)
{
    size_t low = 0, high = count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (durations[middle] <= value)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static size_t least_of(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* How many marks of a run are at most `value`? The block of the last of them holds the first larger duration, unless
 * that is the next mark. */
static size_t blocks_up_to(const struct duration_runs *r, const struct duration_run *run, int64_t value)
{
    return count_up_to(r->marks.items + run->first_mark, (run->count + BLOCK - 1) / BLOCK, value);
}

/* Finds how many durations are at most `value`, as far as marks tell: from *least to *most. */
static void estimate(const struct selection *s, int64_t value, int64_t *least, int64_t *most)
{
    *least = *most = 0;
    for (size_t i = 0; i < s->count; i++) {
        const size_t blocks = blocks_up_to(s->all, &s->runs[i], value);
        *least += blocks ? (int64_t)((blocks - 1) * BLOCK + 1) : 0;
        *most += (int64_t)least_of(blocks * BLOCK, s->runs[i].count);
    }
}

/* Reads block `number`, from 1, of a run of the selection. */
static int read_block(const struct selection *s, size_t i, size_t number, struct err *e)
{
    struct duration_run *run = &s->runs[i];
    const size_t first = (number - 1) * BLOCK, bytes = least_of(run->count - first, BLOCK) * sizeof(int64_t);
    if (run->block == number)
        return 0;
    const ssize_t got = files_read_at(fileno(s->all->file), s->all->blocks + i * BLOCK, bytes,
                                      (uint64_t)(run->first + first) * sizeof(int64_t));
    run->block = got == (ssize_t)bytes ? number : 0;
    return run->block ? 0
                      : err_set(e, ERR_ENVIRONMENT, "cannot read durations back from a temporary file: %s",
                                got < 0 ? strerror(errno) : "it has become shorter");
}

/* Counts durations up to `value`; *next is the first one behind them, if it is less than it was. */
static int count_all(const struct selection *s, int64_t value, int64_t *up_to, int64_t *next, struct err *e)
{
    int rc = 0;
    *up_to = 0;
    for (size_t i = 0; !rc && i < s->count; i++) {
        const struct duration_run *run = &s->runs[i];
        const int64_t *block = s->all->blocks + i * BLOCK, *marks = s->all->marks.items + run->first_mark;
        const size_t number = blocks_up_to(s->all, run, value), first = number ? (number - 1) * BLOCK : 0;
        rc = number ? read_block(s, i, number, e) : 0;
        if (rc)
            return rc;
        const size_t count = number ? first + count_up_to(block, least_of(run->count - first, BLOCK), value) : 0;
        *up_to += (int64_t)count;
        if (count == run->count)
            continue;
        const int64_t behind = count % BLOCK ? block[count - first] : marks[count / BLOCK];
        *next = behind < *next ? behind : *next;
    }
    return rc;
}

static int64_t middle_of(int64_t low, int64_t high)
{
    return low + (int64_t)(((uint64_t)high - (uint64_t)low) / 2);
}

/* Finds the least value that more than `position` durations do not exceed. The file is read where marks do not tell. */
static int find(const struct selection *s, int64_t position, int64_t low, int64_t high, int64_t *out, struct err *e)
{
    int rc = 0;
    while (!rc && low < high) {
        const int64_t value = middle_of(low, high);
        int64_t least, most, unused = 0;
        estimate(s, value, &least, &most);
        if (least <= position && position < most) {
            rc = count_all(s, value, &most, &unused, e);
            least = most;
        }
        if (least > position)
            high = value;
        else
            low = value + 1;
    }
    *out = low;
    return rc;
}

int duration_runs_select(struct duration_runs *r, size_t first, size_t count, int64_t position, int64_t min,
                         int64_t max, int64_t out[2], struct err *e)
{
    struct selection s;
    int64_t up_to = 0, next = INT64_MAX;
    int rc = select_group(&s, r, first, count, e);
    if (!rc)
        rc = find(&s, position, min, max, &out[0], e);
    if (!rc)
        rc = count_all(&s, out[0], &up_to, &next, e);
    out[1] = up_to == position + 1 && out[0] < max ? next : out[0];
    return rc;
}
