/* What did the units of a GPU do, sample by sample? */
#include "core/trace/gpu_samples.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "cpprof/shard.h"

enum { TIMES_BYTES = 2 * sizeof(uint32_t), UNITS_MAX = 64 };

/* Room for rounding: a unit cannot do more than its peak. */
static const double share_max = 1.25;

void gpu_samples_release(struct gpu_samples *s)
{
    for (size_t i = 0; i < s->count; i++)
        free(s->items[i].payload);
    free(s->items);
    *s = (struct gpu_samples){0};
}

static size_t row_bytes_of(const struct cpprof_samples *head)
{
    return TIMES_BYTES + head->units * sizeof(uint16_t);
}

static void times_of(const unsigned char *row, int64_t begin_ns, int64_t *from_ns, int64_t *to_ns)
{
    uint32_t times[2];
    memcpy(times, row, sizeof times);
    *from_ns = begin_ns + times[0];
    *to_ns = *from_ns + times[1];
}

const char *gpu_samples_fault(const void *payload, size_t bytes)
{
    struct cpprof_samples head;
    if (bytes < sizeof head)
        return "a chunk of samples is shorter than its head";
    memcpy(&head, payload, sizeof head);
    const size_t names = (size_t)head.units * CPPROF_UNIT_BYTES;
    if (!head.count || !head.units || head.units > UNITS_MAX || head.device < 0 || head.begin_ns < 0 ||
        head.begin_ns > INT64_MAX / 2 ||
        (uint64_t)(bytes - sizeof head) != names + (uint64_t)head.count * row_bytes_of(&head))
        return "a chunk of samples is not as long as its head says";
    const unsigned char *row = (const unsigned char *)payload + sizeof head + names;
    int64_t begin_ns, end_ns, last_ns = head.begin_ns;
    for (uint32_t i = 0; i < head.count; i++, row += row_bytes_of(&head)) {
        times_of(row, head.begin_ns, &begin_ns, &end_ns);
        if (begin_ns < last_ns || end_ns == begin_ns)
            return "samples are not in order";
        last_ns = end_ns;
    }
    return NULL;
}

int gpu_samples_device(const void *payload)
{
    struct cpprof_samples head;
    memcpy(&head, payload, sizeof head);
    return head.device;
}

/* Units that this cpprof does not know are left out. */
static void find_columns(struct gpu_sample_block *b, const char *names, int units)
{
    for (int unit = 0; unit < SAMPLED_UNIT_COUNT; unit++) {
        b->column[unit] = -1;
        for (int i = 0; i < units && b->column[unit] < 0; i++)
            if (!strncmp(names + i * CPPROF_UNIT_BYTES, sampled_unit((enum sampled_unit_id)unit)->id,
                         CPPROF_UNIT_BYTES))
                b->column[unit] = i;
    }
}

int gpu_samples_add(struct gpu_samples *s, const void *payload, size_t bytes, int device, struct err *e)
{
    struct cpprof_samples head;
    int64_t begin_ns;
    if (bytes > GPU_SAMPLES_BYTES_MAX - s->bytes) {
        s->left_out++;
        return 0;
    }
    unsigned char *copy = malloc(bytes);
    struct gpu_sample_block *b = copy ? ARRAY_PUSH(s) : NULL;
    if (!b) {
        free(copy);
        return err_memory(e);
    }
    memcpy(copy, payload, bytes);
    memcpy(&head, payload, sizeof head);
    s->bytes += bytes;
    *b = (struct gpu_sample_block){.device = device,
                                   .begin_ns = head.begin_ns,
                                   .count = head.count,
                                   .row_bytes = row_bytes_of(&head),
                                   .payload = copy,
                                   .rows = copy + sizeof head + (size_t)head.units * CPPROF_UNIT_BYTES};
    times_of(b->rows + (b->count - 1) * b->row_bytes, head.begin_ns, &begin_ns, &b->end_ns);
    find_columns(b, (const char *)copy + sizeof head, head.units);
    return 0;
}

bool gpu_samples_have(const struct gpu_samples *s, enum sampled_unit_id unit)
{
    for (size_t i = 0; i < s->count; i++)
        if (s->items[i].column[unit] >= 0)
            return true;
    return false;
}

static int by_device_and_time(const void *left, const void *right)
{
    const struct gpu_sample_block *a = left, *b = right;
    if (a->device != b->device)
        return a->device < b->device ? -1 : 1;
    return (a->begin_ns > b->begin_ns) - (a->begin_ns < b->begin_ns);
}

void gpu_samples_sort(struct gpu_samples *s)
{
    if (s->count)
        qsort(s->items, s->count, sizeof *s->items, by_device_and_time);
}

static double share_of(const unsigned char *row, int column)
{
    uint16_t share = CPPROF_SHARE_UNKNOWN;
    if (column >= 0)
        memcpy(&share, row + TIMES_BYTES + (size_t)column * sizeof share, sizeof share);
    const double ratio = (double)share / CPPROF_SHARE_UNIT;
    return share == CPPROF_SHARE_UNKNOWN || ratio > share_max ? (double)NAN : ratio;
}

bool gpu_samples_next(struct gpu_sample_cursor *c, struct gpu_sample *out)
{
    const struct gpu_samples *s = c->samples;
    while (c->block < s->count && (s->items[c->block].device != c->device || c->row == s->items[c->block].count)) {
        c->block++;
        c->row = 0;
    }
    if (c->block == s->count)
        return false;
    const struct gpu_sample_block *b = &s->items[c->block];
    const unsigned char *row = b->rows + c->row++ * b->row_bytes;
    times_of(row, b->begin_ns, &out->begin_ns, &out->end_ns);
    for (int unit = 0; unit < SAMPLED_UNIT_COUNT; unit++)
        out->shares[unit] = share_of(row, b->column[unit]);
    return true;
}
