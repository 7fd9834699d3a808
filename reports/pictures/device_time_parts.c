/* Which devices does the picture of their time show? */
#include <stdio.h>
#include <string.h>

#include "reports/pictures/device_time_picture.h"

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
    const struct device_time time = device_time_of(g, m->sets, m->query, m->timeline);
    row->span_ns = time.span_ns;
    memcpy(row->part_ns, time.part_ns, sizeof row->part_ns);
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
