/* Where did the time of each device go, all of it? */
#include "analyzers/capture/device_time.h"
#include "core/trace/duration_groups.h"

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

/* Time in which only communication runs: without other kernels, and whatever else is copied. 0 where that was not
 * measured. */
static int64_t exposed_communication_ns(const struct gaps_device *g, const struct class_sets *sets,
                                        const struct timeline_query *query, const struct timeline *timeline)
{
    if (!sets || !query || !timeline)
        return g->communication_ns;
    const int comm = class_place(sets, CLASS_COMM), compute = class_place(sets, CLASS_COMPUTE);
    const struct timeline_device *device = same_device(timeline, g);
    if (comm < 0 || compute < 0 || !device)
        return g->communication_ns;
    for (size_t i = 0; i < query->pair_count; i++)
        if (query->pairs[i].a == comm && query->pairs[i].b == compute) {
            const int64_t ns = device->sets[comm].busy_ns - device->pairs[i].overlap_ns,
                          most_ns = g->kernel_ns + g->communication_ns;
            return ns < g->communication_ns ? g->communication_ns : ns > most_ns ? most_ns : ns;
        }
    return g->communication_ns;
}

static const enum device_part part_of_cause[GAP_CAUSES] = {
    [GAP_HOST_LATE] = DEVICE_HOST_LATE, [GAP_SYNC] = DEVICE_SYNC,     [GAP_DEPENDENCY] = DEVICE_DEPENDENCY,
    [GAP_COPY] = DEVICE_COPY,           [GAP_MEMSET] = DEVICE_MEMSET, [GAP_MIGRATION] = DEVICE_MIGRATION,
    [GAP_UNKNOWN] = DEVICE_UNKNOWN,
};

struct device_time device_time_of(const struct gaps_device *g, const struct class_sets *sets,
                                  const struct timeline_query *query, const struct timeline *timeline)
{
    struct device_time t = {
        .rank = g->rank, .device = g->device, .span_ns = gaps_span_ns(g), .pageable_ns = g->pageable_ns};
    t.part_ns[DEVICE_COMMUNICATION] = exposed_communication_ns(g, sets, query, timeline);
    t.part_ns[DEVICE_COMPUTE] = g->kernel_ns + g->communication_ns - t.part_ns[DEVICE_COMMUNICATION];
    for (int cause = 0; cause < GAP_CAUSES; cause++)
        t.part_ns[part_of_cause[cause]] = g->cause_ns[cause];
    t.part_ns[DEVICE_COPY] -= g->communication_ns;
    return t;
}

/* ---- rows ---- */

static const struct {
    enum device_part part;
    bool is_pageable;
    const char *key, *name, *title;
} rows[TIME_PARTS] = {
    {DEVICE_COMPUTE, false, "compute", "kernels", "kernels"},
    {DEVICE_COMMUNICATION, false, "communication", "only communication", "communication"},
    {DEVICE_COPY, true, "copy_pageable", "only copies, pageable", "pageable copies"},
    {DEVICE_COPY, false, "copy", "only copies", "copies"},
    {DEVICE_MEMSET, false, "memset", "only memsets", "memsets"},
    {DEVICE_MIGRATION, false, "migration", "only migrations", "migrations"},
    {DEVICE_HOST_LATE, false, "host_late", "idle: host late", "host late"},
    {DEVICE_SYNC, false, "synchronisation", "idle: synchronisation", "synchronisation"},
    {DEVICE_DEPENDENCY, false, "dependency", "idle: dependency", "dependency"},
    {DEVICE_UNKNOWN, false, "unknown", "idle: cause not known", "cause not known"},
};

void time_parts_of(const struct device_time *t, struct time_part out[TIME_PARTS])
{
    for (int i = 0; i < TIME_PARTS; i++) {
        const int64_t ns = t->part_ns[rows[i].part];
        out[i] = (struct time_part){rows[i].key, rows[i].name, rows[i].title, ns, t->span_ns};
        if (rows[i].part == DEVICE_COPY)
            out[i].ns = rows[i].is_pageable ? t->pageable_ns : ns - t->pageable_ns;
        if (rows[i].part == DEVICE_COMPUTE && t->part_ns[DEVICE_COMMUNICATION])
            out[i].name = out[i].title = "compute";
    }
}

/* ---- the first step ---- */

static int64_t gaps_in(const struct gaps_device *g, enum device_part part)
{
    for (int cause = 0; cause < GAP_CAUSES; cause++)
        if (part_of_cause[cause] == part)
            return g->cause_count[cause];
    return 0;
}

/* By what the device with the most to tell is chosen: its longest gap, of what is no gap its time. */
static int64_t weight_of(const struct gaps_device *g, const struct device_time *t, enum device_part part)
{
    for (int cause = 0; cause < GAP_CAUSES; cause++)
        if (part_of_cause[cause] == part)
            return duration_ns(g->longest[cause].start_ns, g->longest[cause].end_ns);
    return t->part_ns[part];
}

static struct first_step sum_part(const struct idle_gaps *gaps, const struct device_time *times, enum device_part part)
{
    struct first_step s = {.part = part};
    int64_t most_ns = 0;
    for (size_t i = 0; i < gaps->count; i++) {
        s.ns += times[i].part_ns[part];
        s.span_ns += times[i].span_ns;
        s.pageable_ns += part == DEVICE_COPY ? times[i].pageable_ns : 0;
        s.paging_ns += part == DEVICE_UNKNOWN ? gaps->items[i].paging_ns : 0;
        s.gaps += gaps_in(&gaps->items[i], part);
        const int64_t weight = times[i].part_ns[part] ? weight_of(&gaps->items[i], &times[i], part) : 0;
        if (weight > most_ns) {
            most_ns = weight;
            s.device = &gaps->items[i];
        }
    }
    return s;
}

struct first_step first_step_of(const struct idle_gaps *gaps, const struct device_time *times, bool is_whole)
{
    struct first_step worst = sum_part(gaps, times, DEVICE_COMMUNICATION);
    for (int part = DEVICE_COPY; part < DEVICE_PARTS; part++) {
        const struct first_step s = sum_part(gaps, times, (enum device_part)part);
        if (s.ns > worst.ns)
            worst = s;
    }
    if (!is_whole || worst.span_ns <= 0)
        return worst;
    if ((double)worst.ns < FIRST_STEP_SHARE * (double)worst.span_ns) {
        worst = sum_part(gaps, times, DEVICE_COMPUTE);
        worst.kind = STEP_KERNELS;
    } else
        worst.kind = worst.part == DEVICE_UNKNOWN ? STEP_UNKNOWN_CAUSE : STEP_PART;
    return worst;
}
