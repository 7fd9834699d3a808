/* How does a timeline of many traces come together from those of each?
 *
 * Devices of different ranks have nothing in common but sums, so devices and ranks are put side by side. */
#include "core/trace/parts/timeline_part.h"

#include <stdlib.h>
#include <string.h>

/* Sums and facts of a timeline, and how many rows follow. */
struct totals {
    int64_t gpu_events, false_times, doubtful_times, unfinished, unlaunched, doubtful, early, of_other_threads,
        time_error_ns;
    int64_t ranks, devices, sets, pairs;
    bool lacks_migrations, may_lack_waits, hides_anywhere, joined, is_mixed, has_false_alone;
    struct call_doubt call_doubt;
};

/* ---- writing ---- */

static int write_examples(const struct timeline_examples *list, FILE *to, struct err *e)
{
    return list->count ? part_write(to, list->items, list->count * sizeof *list->items, e) : 0;
}

static int write_set(const struct timeline_set *set, FILE *to, struct err *e)
{
    int rc = part_write(to, set, sizeof *set, e);
    if (!rc)
        rc = write_examples(&set->violations, to, e);
    if (!rc)
        rc = write_examples(&set->gaps, to, e);
    return rc ? rc : write_examples(&set->together, to, e);
}

static int write_pair(const struct timeline_pair *pair, FILE *to, struct err *e)
{
    int rc = part_write(to, pair, sizeof *pair, e);
    if (!rc)
        rc = write_examples(&pair->exposed, to, e);
    return rc ? rc : write_examples(&pair->common, to, e);
}

static int write_device(const struct timeline_device *d, const struct timeline_query *query, FILE *to, struct err *e)
{
    int rc = part_write(to, d, sizeof *d, e);
    for (size_t i = 0; !rc && i < query->set_count; i++)
        rc = write_set(&d->sets[i], to, e);
    for (size_t i = 0; !rc && i < query->pair_count; i++)
        rc = write_pair(&d->pairs[i], to, e);
    return rc;
}

int timeline_part_write(const struct timeline *t, const struct timeline_query *query, FILE *to, struct err *e)
{
    const struct totals totals = {.gpu_events = t->gpu_events,
                                  .false_times = t->false_times,
                                  .doubtful_times = t->doubtful_times,
                                  .unfinished = t->unfinished,
                                  .unlaunched = t->unlaunched,
                                  .doubtful = t->doubtful,
                                  .early = t->early,
                                  .of_other_threads = t->of_other_threads,
                                  .time_error_ns = t->time_error_ns,
                                  .ranks = (int64_t)t->rank_count,
                                  .devices = (int64_t)t->device_count,
                                  .sets = (int64_t)query->set_count,
                                  .pairs = (int64_t)query->pair_count,
                                  .lacks_migrations = t->lacks_migrations,
                                  .may_lack_waits = t->may_lack_waits,
                                  .hides_anywhere = t->hides_anywhere,
                                  .joined = t->joined,
                                  .is_mixed = t->is_mixed,
                                  .call_doubt = t->call_doubt,
                                  .has_false_alone = t->has_false_alone};
    int rc = part_write(to, &totals, sizeof totals, e);
    if (!rc)
        rc = part_write(to, t->ranks, t->rank_count * sizeof *t->ranks, e);
    for (size_t i = 0; !rc && i < t->device_count; i++)
        rc = write_device(&t->devices[i], query, to, e);
    return rc;
}

/* ---- reading ---- */

static int map_example(struct timeline_example *x, const struct part_reader *from, struct err *e)
{
    x->name = part_string(from, x->name);
    x->other_name = part_string(from, x->other_name);
    return part_flags_are_good(e, 3, &x->is_gap, &x->is_pageable, &x->other_is_pageable);
}

/* Takes no more room than there are. */
static int read_examples(struct timeline *t, struct timeline_examples *list, struct part_reader *from, struct err *e)
{
    list->items = NULL;
    if (!list->count)
        return 0;
    if (list->count > TIMELINE_EXAMPLES)
        return part_makes_no_sense(e);
    list->items = arena_alloc(&t->arena, list->count * sizeof *list->items);
    if (!list->items)
        return err_memory(e);
    int rc = part_read(from, list->items, list->count * sizeof *list->items, e);
    for (size_t i = 0; !rc && i < list->count; i++)
        rc = map_example(&list->items[i], from, e);
    return rc;
}

static int read_set(struct timeline *t, struct timeline_set *set, struct part_reader *from, struct err *e)
{
    int rc = part_read(from, set, sizeof *set, e);
    if (!rc)
        rc = map_example(&set->first, from, e);
    if (!rc)
        rc = map_example(&set->last, from, e);
    if (!rc)
        rc = read_examples(t, &set->violations, from, e);
    if (!rc)
        rc = read_examples(t, &set->gaps, from, e);
    return rc ? rc : read_examples(t, &set->together, from, e);
}

static int read_pair(struct timeline *t, struct timeline_pair *pair, struct part_reader *from, struct err *e)
{
    int rc = part_read(from, pair, sizeof *pair, e);
    if (!rc)
        rc = read_examples(t, &pair->exposed, from, e);
    return rc ? rc : read_examples(t, &pair->common, from, e);
}

static int read_sets(struct timeline *t, struct timeline_device *d, const struct timeline_query *query,
                     struct part_reader *from, struct err *e)
{
    d->sets = arena_alloc(&t->arena, (query->set_count + 1) * sizeof *d->sets);
    d->pairs = arena_alloc(&t->arena, (query->pair_count + 1) * sizeof *d->pairs);
    if (!d->sets || !d->pairs)
        return err_memory(e);
    int rc = 0;
    for (size_t i = 0; !rc && i < query->set_count; i++)
        rc = read_set(t, &d->sets[i], from, e);
    for (size_t i = 0; !rc && i < query->pair_count; i++)
        rc = read_pair(t, &d->pairs[i], from, e);
    return rc;
}

/* Room for so many more; the rows so far are copied. */
static void *extend(struct timeline *t, const void *rows, size_t count, size_t more, size_t bytes)
{
    void *grown = arena_alloc(&t->arena, (count + more + 1) * bytes);
    if (grown && count)
        memcpy(grown, rows, count * bytes);
    return grown;
}

static bool is_full(size_t count)
{
    return !(count & (count - 1)); /* a power of two, or none */
}

static int read_ranks(struct timeline *t, int64_t count, struct part_reader *from, struct err *e)
{
    int rc = 0;
    for (int64_t i = 0; !rc && i < count; i++) {
        if (is_full(t->rank_count) && !(t->ranks = extend(t, t->ranks, t->rank_count, t->rank_count, sizeof *t->ranks)))
            return err_memory(e);
        struct timeline_rank *rank = &t->ranks[t->rank_count];
        rc = part_read(from, rank, sizeof *rank, e);
        if (!rc)
            rc = part_flags_are_good(e, 5, &rank->has_calls, &rank->has_ranges, &rank->has_waits,
                                     &rank->has_other_calls, &rank->hides_kernels);
        if (!rc)
            rc = part_rank_of(from, &rank->rank, e);
        t->rank_count += !rc;
    }
    return rc;
}

static int read_devices(struct timeline *t, int64_t count, const struct timeline_query *query, struct part_reader *from,
                        struct err *e)
{
    int rc = 0;
    for (int64_t i = 0; !rc && i < count; i++) {
        if (t->device_count == TIMELINE_DEVICES_MAX)
            return err_set(e, ERR_INPUT, "more than %d pairs of rank and device", TIMELINE_DEVICES_MAX);
        if (is_full(t->device_count) &&
            !(t->devices = extend(t, t->devices, t->device_count, t->device_count, sizeof *t->devices)))
            return err_memory(e);
        struct timeline_device *d = &t->devices[t->device_count];
        rc = part_read(from, d, sizeof *d, e);
        if (!rc)
            rc = part_flags_are_good(e, 1, &d->hides_kernels);
        if (!rc)
            rc = part_rank_of(from, &d->rank, e);
        if (!rc)
            rc = read_sets(t, d, query, from, e);
        t->device_count += !rc;
    }
    return rc;
}

static void add_totals(struct timeline *t, const struct totals *totals)
{
    t->gpu_events += totals->gpu_events;
    t->false_times += totals->false_times;
    t->doubtful_times += totals->doubtful_times;
    t->unfinished += totals->unfinished;
    t->unlaunched += totals->unlaunched;
    t->doubtful += totals->doubtful;
    t->early += totals->early;
    t->of_other_threads += totals->of_other_threads;
    t->lacks_migrations |= totals->lacks_migrations;
    t->may_lack_waits |= totals->may_lack_waits;
    t->hides_anywhere |= totals->hides_anywhere;
    t->joined |= totals->joined;
    t->is_mixed |= totals->is_mixed;
    t->call_doubt.of_scope |= totals->call_doubt.of_scope;
    t->call_doubt.of_comm |= totals->call_doubt.of_comm;
    t->has_false_alone |= totals->has_false_alone;
    if (totals->time_error_ns > t->time_error_ns)
        t->time_error_ns = totals->time_error_ns;
}

/* From these rows on. */
static bool devices_have_ranks(const struct timeline *t, size_t first_rank, size_t first_device)
{
    bool all = true;
    for (size_t i = first_device; i < t->device_count; i++) {
        bool found = false;
        for (size_t k = first_rank; k < t->rank_count; k++)
            found |= t->ranks[k].rank == t->devices[i].rank;
        all &= found;
    }
    return all;
}

int timeline_part_take(struct timeline *t, const struct timeline_query *query, struct part_reader *from, struct err *e)
{
    struct totals totals;
    int rc = part_read(from, &totals, sizeof totals, e);
    if (!rc)
        rc = part_flags_are_good(e, 8, &totals.lacks_migrations, &totals.may_lack_waits, &totals.hides_anywhere,
                                 &totals.joined, &totals.is_mixed, &totals.has_false_alone, &totals.call_doubt.of_scope,
                                 &totals.call_doubt.of_comm);
    if (!rc && (totals.sets != (int64_t)query->set_count || totals.pairs != (int64_t)query->pair_count))
        rc = part_makes_no_sense(e);
    if (rc)
        return rc;
    add_totals(t, &totals);
    const size_t ranks = t->rank_count, devices = t->device_count;
    rc = read_ranks(t, totals.ranks, from, e);
    if (!rc)
        rc = read_devices(t, totals.devices, query, from, e);
    return rc || devices_have_ranks(t, ranks, devices) ? rc : part_makes_no_sense(e);
}

void timeline_parts_begin(struct timeline *t)
{
    *t = (struct timeline){0};
    arena_init(&t->arena);
}

static int rank_order(const void *left, const void *right)
{
    const struct timeline_rank *a = left, *b = right;
    return a->rank < b->rank ? -1 : a->rank > b->rank;
}

static int device_order(const void *left, const void *right)
{
    const struct timeline_device *a = left, *b = right;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    return a->device < b->device ? -1 : a->device > b->device;
}

void timeline_parts_finish(struct timeline *t)
{
    if (t->rank_count)
        qsort(t->ranks, t->rank_count, sizeof *t->ranks, rank_order);
    if (t->device_count)
        qsort(t->devices, t->device_count, sizeof *t->devices, device_order);
    for (size_t i = 0, rank = 0; i < t->device_count; i++) {
        while (t->ranks[rank].rank != t->devices[i].rank)
            rank++;
        t->devices[i].of_rank = &t->ranks[rank];
    }
}
