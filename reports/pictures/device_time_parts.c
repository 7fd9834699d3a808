/* Into which parts does the time of each device fall? */
#include <stdio.h>
#include <stdlib.h>

#include "reports/pictures/device_time_picture.h"

static int class_place(const struct class_sets *sets, enum event_class c)
{
    for (int i = 0; i < CLASS_SETS; i++)
        if (sets->selectors[i] && sets->classes[i] == c)
            return i;
    return -1;
}

static const struct timeline_device *same_device(const struct timeline *t, const struct gaps_device *g)
{
    for (size_t i = 0; i < t->device_count; i++)
        if (t->devices[i].rank == g->rank && t->devices[i].device == g->device)
            return &t->devices[i];
    return NULL;
}

/* Time in which only kernels run that communicate. 0 where that was not measured. */
static int64_t exposed_communication_ns(const struct trace_measures *m, const struct gaps_device *g)
{
    if (!m->sets || !m->query || !m->timeline)
        return 0;
    const int comm = class_place(m->sets, CLASS_COMM), compute = class_place(m->sets, CLASS_COMPUTE);
    const struct timeline_device *device = same_device(m->timeline, g);
    if (comm < 0 || compute < 0 || !device)
        return 0;
    for (size_t i = 0; i < m->query->pair_count; i++)
        if (m->query->pairs[i].a == comm && m->query->pairs[i].b == compute) {
            const int64_t ns = device->sets[comm].busy_ns - device->pairs[i].overlap_ns;
            return ns < 0 ? 0 : ns > g->kernel_ns ? g->kernel_ns : ns;
        }
    return 0;
}

static void name_device(struct device_row *row, const struct gaps_device *g)
{
    char rank[DEVICE_LABEL_BYTES / 2] = "";
    if (g->rank >= 0)
        snprintf(rank, sizeof rank, "rank %d, ", (int)g->rank);
    if (g->device >= 0)
        snprintf(row->label, sizeof row->label, "%sdevice %d", rank, (int)g->device);
    else
        snprintf(row->label, sizeof row->label, "%sunknown device", rank);
}

static void fill_row(struct device_row *row, const struct trace_measures *m, const struct gaps_device *g)
{
    const int64_t communication_ns = exposed_communication_ns(m, g);
    row->span_ns = gaps_span_ns(g);
    row->part_ns[DEVICE_COMPUTE] = g->kernel_ns - communication_ns;
    row->part_ns[DEVICE_COMMUNICATION] = communication_ns;
    row->part_ns[DEVICE_COPY] = g->cause_ns[GAP_COPY];
    row->part_ns[DEVICE_HOST_LATE] = g->cause_ns[GAP_HOST_LATE];
    row->part_ns[DEVICE_SYNC] = g->cause_ns[GAP_SYNC];
    row->part_ns[DEVICE_DEPENDENCY] = g->cause_ns[GAP_DEPENDENCY];
    row->part_ns[DEVICE_UNKNOWN] = g->cause_ns[GAP_UNKNOWN];
    name_device(row, g);
}

/* How many devices have more time without a kernel, or as much and an earlier place? */
static size_t devices_before(const struct idle_gaps *gaps, size_t at)
{
    const int64_t own_ns = gaps_no_kernel_ns(&gaps->items[at]);
    size_t before = 0;
    for (size_t i = 0; i < gaps->count; i++) {
        const int64_t ns = gaps_no_kernel_ns(&gaps->items[i]);
        before += gaps_span_ns(&gaps->items[i]) > 0 && (ns > own_ns || (ns == own_ns && i < at));
    }
    return before;
}

bool device_time_picture_of(struct device_time_picture *out, const struct trace_measures *m)
{
    *out = (struct device_time_picture){0};
    for (size_t i = 0; i < m->gaps->count; i++) {
        if (gaps_span_ns(&m->gaps->items[i]) <= 0)
            continue;
        if (devices_before(m->gaps, i) >= DEVICE_ROWS_MAX)
            out->left_out++;
        else
            fill_row(&out->rows[out->count++], m, &m->gaps->items[i]);
    }
    return out->count > 0;
}
