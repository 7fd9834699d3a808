/* How busy was each device, and how fast were its copies, over time? */
#include "reports/export/perfetto_counters.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/array.h"
#include "reports/export/export_text.h"
#include "reports/export/perfetto_tracks.h"

/* Shorter bins show single operations, which have slices. */
enum { BIN_NS_MIN = 1000, PERCENT = 100, RATE_BITS = 64 };

static const char *const copy_names[COUNTER_COPIES] = {
    [CPPROF_COPY_H2D] = "copies H2D",
    [CPPROF_COPY_D2H] = "copies D2H",
    [CPPROF_COPY_D2D] = "copies D2D",
    [CPPROF_COPY_P2P] = "copies P2P",
};

/* 1, 2 or 5 times a power of ten. */
static int64_t next_round(int64_t ns)
{
    int64_t power = 1;
    while (ns / power >= 10)
        power *= 10;
    return ns / power == 2 ? 5 * power : 2 * ns;
}

void perfetto_counters_init(struct perfetto_counters *c, int64_t first_ns, int64_t last_ns)
{
    *c = (struct perfetto_counters){.first_ns = first_ns, .last_ns = last_ns, .bin_ns = BIN_NS_MIN};
    const int64_t span_ns = last_ns > first_ns ? last_ns - first_ns : 0;
    while ((span_ns - 1) / c->bin_ns >= COUNTER_BINS_MAX)
        c->bin_ns = next_round(c->bin_ns);
    c->bins = span_ns ? (size_t)((span_ns - 1) / c->bin_ns) + 1 : 0;
}

void perfetto_counters_release(struct perfetto_counters *c)
{
    for (size_t i = 0; i < c->count; i++) {
        free(c->items[i].busy_ns);
        for (size_t k = 0; k < COUNTER_COPIES; k++)
            free(c->items[i].copies[k]);
    }
    free(c->items);
    key_table_release(&c->keys);
    *c = (struct perfetto_counters){0};
}

static struct counted_device *new_device(struct perfetto_counters *c, uint64_t process)
{
    struct counted_device *device = ARRAY_PUSH(c);
    if (!device)
        return NULL;
    device->process = process;
    device->busy_until_ns = c->first_ns;
    device->busy_ns = calloc(c->bins, sizeof *device->busy_ns);
    return device->busy_ns ? device : NULL;
}

static size_t bin_of(const struct perfetto_counters *c, int64_t ns)
{
    const size_t bin = (size_t)((ns - c->first_ns) / c->bin_ns);
    return bin < c->bins ? bin : c->bins - 1;
}

static int64_t bin_start_ns(const struct perfetto_counters *c, size_t bin)
{
    return c->first_ns + (int64_t)bin * c->bin_ns;
}

/* The last bin ends with the trace. */
static int64_t bin_end_ns(const struct perfetto_counters *c, size_t bin)
{
    return bin + 1 < c->bins ? bin_start_ns(c, bin + 1) : c->last_ns;
}

static int64_t part_in_bin(const struct perfetto_counters *c, size_t bin, int64_t start_ns, int64_t end_ns)
{
    const int64_t from = bin_start_ns(c, bin), to = bin_end_ns(c, bin);
    return (end_ns < to ? end_ns : to) - (start_ns > from ? start_ns : from);
}

static void add_busy(const struct perfetto_counters *c, struct counted_device *device, int64_t start_ns, int64_t end_ns)
{
    if (start_ns < device->busy_until_ns)
        start_ns = device->busy_until_ns;
    if (end_ns <= start_ns)
        return;
    for (size_t bin = bin_of(c, start_ns); bin <= bin_of(c, end_ns - 1); bin++)
        device->busy_ns[bin] += part_in_bin(c, bin, start_ns, end_ns);
    device->busy_until_ns = end_ns;
}

/* The bytes of a copy are spread evenly over its time. */
static void spread(const struct perfetto_counters *c, struct counted_bytes *bins, uint64_t bytes, int64_t start_ns,
                   int64_t end_ns)
{
    const int64_t length_ns = end_ns - start_ns;
    const size_t first = bin_of(c, start_ns), last = bin_of(c, length_ns ? end_ns - 1 : end_ns);
    if (first == last || length_ns <= 0) {
        bins[first].bytes += (double)bytes;
        return;
    }
    const double per_ns = (double)bytes / (double)length_ns;
    bins[first].bytes += per_ns * (double)part_in_bin(c, first, start_ns, end_ns);
    bins[last].bytes += per_ns * (double)part_in_bin(c, last, start_ns, end_ns);
    const counter_rate rate = ((counter_rate)bytes << RATE_BITS) / (counter_rate)length_ns;
    bins[first + 1].rise += rate;
    bins[last].rise -= rate;
}

static int add_bytes(const struct perfetto_counters *c, struct counted_device *device, const struct cpprof_event *event,
                     int64_t end_ns, struct err *e)
{
    struct counted_bytes **bins = &device->copies[event->detail];
    if (!*bins && !(*bins = calloc(c->bins, sizeof **bins)))
        return err_memory(e);
    spread(c, *bins, event->size_bytes, event->start_ns, end_ns);
    return 0;
}

double *perfetto_counters_bytes(const struct perfetto_counters *c, const struct counted_bytes *bins)
{
    double *bytes = calloc(c->bins, sizeof *bytes);
    counter_rate rate = 0;
    for (size_t bin = 0; bin < c->bins && bytes; bin++) {
        rate += bins[bin].rise;
        bytes[bin] = bins[bin].bytes + ldexp((double)rate, -RATE_BITS) * (double)c->bin_ns;
    }
    return bytes;
}

int perfetto_counters_add(struct perfetto_counters *c, const struct cpprof_event *event, uint64_t process,
                          struct err *e)
{
    if (!c->bins)
        return 0;
    const uint32_t id = key_table_add(&c->keys, event->rank, (uint32_t)event->device);
    if (!id)
        return err_memory(e);
    if (id > COUNTER_DEVICES_MAX)
        return 0;
    struct counted_device *device = id <= c->count ? &c->items[id - 1] : new_device(c, process);
    if (!device)
        return err_memory(e);
    const int64_t end_ns = export_end_ns(event);
    add_busy(c, device, event->start_ns, end_ns);
    const bool has_direction = event->detail > CPPROF_COPY_UNKNOWN && event->detail < COUNTER_COPIES;
    if (event->kind != CPPROF_EVENT_COPY || !has_direction || !event->size_bytes)
        return 0;
    return add_bytes(c, device, event, end_ns, e);
}

size_t perfetto_counters_left_out(const struct perfetto_counters *c)
{
    return c->keys.count > COUNTER_DEVICES_MAX ? c->keys.count - COUNTER_DEVICES_MAX : 0;
}

/* A value stands where it changes, and 0 where the trace ends. */
static int write_values(const struct perfetto_counters *c, struct perfetto_packets *packets, uint64_t track,
                        const int64_t *busy_ns, const double *bytes, struct err *e)
{
    double before = -1;
    int rc = 0;
    for (size_t bin = 0; bin < c->bins && !rc; bin++) {
        const int64_t from = bin_start_ns(c, bin);
        const double ns = (double)(bin_end_ns(c, bin) - from);
        const double value = (busy_ns ? PERCENT * (double)busy_ns[bin] : bytes ? bytes[bin] : 0) / ns;
        if (value != before)
            rc = perfetto_count(packets, track, from - c->first_ns, value, e);
        before = value;
    }
    return rc || before == 0 ? rc : perfetto_count(packets, track, c->last_ns - c->first_ns, 0, e);
}

static int write_counter(const struct perfetto_counters *c, struct perfetto_packets *packets,
                         const struct perfetto_track *descriptor, const int64_t *busy_ns, const double *bytes,
                         struct err *e)
{
    uint64_t track;
    int rc = perfetto_add_track(packets, descriptor, &track, e);
    return rc ? rc : write_values(c, packets, track, busy_ns, bytes, e);
}

static int write_copies(const struct perfetto_counters *c, struct perfetto_packets *packets,
                        const struct counted_device *device, enum cpprof_copy_kind kind, struct err *e)
{
    const struct perfetto_track track = {.parent = device->process,
                                         .name = copy_names[kind],
                                         .rank = PERFETTO_RANK_COPIES + (int32_t)kind,
                                         .unit = "GB/s",
                                         .description =
                                             "Bytes that are copied, spread evenly over the time of each copy."};
    if (!device->copies[kind])
        return 0;
    double *bytes = perfetto_counters_bytes(c, device->copies[kind]);
    const int rc = bytes ? write_counter(c, packets, &track, NULL, bytes, e) : err_memory(e);
    free(bytes);
    return rc;
}

static int write_device(const struct perfetto_counters *c, struct perfetto_packets *packets,
                        const struct counted_device *device, struct err *e)
{
    const struct perfetto_track track = {.parent = device->process,
                                         .name = "busy",
                                         .rank = PERFETTO_RANK_BUSY,
                                         .unit = "%",
                                         .description = "Share of the time in which at least one operation runs."};
    int rc = write_counter(c, packets, &track, device->busy_ns, NULL, e);
    for (int kind = 0; kind < COUNTER_COPIES && !rc; kind++)
        rc = write_copies(c, packets, device, (enum cpprof_copy_kind)kind, e);
    return rc;
}

int perfetto_counters_write(const struct perfetto_counters *c, struct perfetto_packets *packets, struct err *e)
{
    int rc = 0;
    for (size_t i = 0; i < c->count && !rc; i++)
        rc = write_device(c, packets, &c->items[i], e);
    return rc;
}
