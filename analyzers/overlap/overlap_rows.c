/* What ran beside what on a device? */
#include "analyzers/overlap/overlap_rows.h"

struct overlap_class overlap_class_of(const struct overlap_context *c, const struct timeline_device *device, size_t set)
{
    const struct timeline_set *s = &device->sets[set];
    return (struct overlap_class){.name = event_class_name(c->classes[set]),
                                  .count = s->count,
                                  .busy_ns = s->busy_ns,
                                  .sum_ns = s->sum_ns,
                                  .concurrency_max = s->concurrency_max,
                                  .together_ns = s->together_ns,
                                  .size_bytes = s->size_bytes};
}

bool overlap_pair_has_classes(const struct overlap_context *c, size_t pair)
{
    return c->query->pairs[pair].a < c->class_count && c->query->pairs[pair].b < c->class_count;
}

struct overlap_pair overlap_pair_of(const struct overlap_context *c, const struct timeline_device *device, size_t pair)
{
    const size_t a = c->query->pairs[pair].a, b = c->query->pairs[pair].b;
    return (struct overlap_pair){.a = event_class_name(c->classes[a]),
                                 .b = event_class_name(c->classes[b]),
                                 .a_busy_ns = device->sets[a].busy_ns,
                                 .b_busy_ns = device->sets[b].busy_ns,
                                 .overlap_ns = device->pairs[pair].overlap_ns};
}

struct overlap_level overlap_level_of(const struct timeline_device *device, size_t level)
{
    return (struct overlap_level){.operations = (int64_t)level,
                                  .or_more = level == TIMELINE_LEVELS - 1,
                                  .time_ns = device->level_ns[level],
                                  .span_ns = overlap_span_ns(device)};
}

int64_t overlap_span_ns(const struct timeline_device *device)
{
    return device->last_end_ns - device->first_start_ns - device->unrecorded_ns;
}
