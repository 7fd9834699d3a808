/* How long is each phase of a tile, and how long do warps wait for tiles? */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzers/inside/inside_parts.h"
#include "analyzers/inside/tile_copies.h"
#include "core/stats/ratio_of_sums.h"
#include "core/stats/statistics.h"

size_t inside_next_block(const struct inside_records *r, size_t first)
{
    const struct inside_warp *w = r->warps.items;
    size_t next = first + 1;
    while (next < r->warps.count && inside_on_same_sm(&w[next], &w[first]) && w[next].block == w[first].block)
        next++;
    return next;
}

size_t inside_next_sm(const struct inside_records *r, size_t first)
{
    const struct inside_warp *w = r->warps.items;
    size_t next = first + 1;
    while (next < r->warps.count && inside_on_same_sm(&w[next], &w[first]))
        next++;
    return next;
}

bool inside_role_works(const struct inside_records *r, int64_t role)
{
    for (size_t i = 0; i < r->phases.count; i++) {
        const struct inside_phase *p = &r->phases.items[i];
        if (p->role == role && (p->kind == CPPROF_PHASE_COMPUTE || p->kind == CPPROF_PHASE_TRANSFORM))
            return true;
    }
    return false;
}

struct bounded inside_share(const double *above, const double *below, size_t count, double least, double most)
{
    const struct ratio_of_sums r = ratio_of_sums(above, below, count);
    if (isnan(r.value))
        return (struct bounded){NAN, NAN, NAN};
    return (struct bounded){r.value, fmax(r.value - r.half_width, least), fmin(r.value + r.half_width, most)};
}

/* A sum over the blocks of each SM in a launch, and how much it is of. */
struct sums {
    double *above, *below;
    size_t count;
};

static int sums_make(struct sums *s, const struct inside_records *r, struct err *e)
{
    s->count = 0;
    s->above = calloc(2 * r->warps.count + 1, sizeof *s->above);
    s->below = s->above + r->warps.count;
    return s->above ? 0 : err_memory(e);
}

/* ---- phases ---- */

static void add_phase_of_warp(struct sums *s, const struct inside_warp *w, const struct inside_phase *phase)
{
    for (size_t t = 0; t < w->recorded; t++) {
        const int64_t end = inside_phase_end(w, t, phase);
        if (end == INSIDE_NOT_PASSED)
            continue;
        s->above[s->count] += (double)(end - w->tiles[t].marks[phase->mark]);
        s->below[s->count]++;
    }
}

static struct inside_phase_row phase_row(struct sums *s, const struct inside_records *r,
                                         const struct inside_phase *phase, struct arena *arena)
{
    struct inside_phase_row row = {.role_name = arena_copy(arena, phase->role_name),
                                   .name = arena_copy(arena, phase->name),
                                   .kind = inside_kinds[phase->kind],
                                   .role = phase->role,
                                   .mark = phase->mark};
    s->count = 0;
    for (size_t i = 0, next; i < r->warps.count; i = next) {
        next = inside_next_sm(r, i);
        s->above[s->count] = s->below[s->count] = 0;
        for (size_t k = i; k < next; k++)
            if (r->warps.items[k].role == phase->role)
                add_phase_of_warp(s, &r->warps.items[k], phase);
        row.tiles += (int64_t)s->below[s->count];
        s->count += s->below[s->count] > 0;
    }
    row.cycles = inside_share(s->above, s->below, s->count, 0, INFINITY);
    return row;
}

/* ---- waits ---- */

/* From the first mark to the last one of tiles in a row, of those that are recorded. */
static double time_of_warp(const struct inside_warp *w)
{
    double sum = 0;
    for (size_t i = 0, next; i < w->recorded; i = next) {
        int64_t first = INSIDE_NOT_PASSED, last = INSIDE_NOT_PASSED;
        for (next = i; next < w->recorded && w->tiles[next].tile - w->tiles[i].tile == (int64_t)(next - i); next++) {
            if (first == INSIDE_NOT_PASSED)
                first = inside_tile_first(&w->tiles[next]);
            if (inside_tile_last(&w->tiles[next]) != INSIDE_NOT_PASSED)
                last = inside_tile_last(&w->tiles[next]);
        }
        sum += (double)(last - first);
    }
    return sum;
}

struct waiting {
    double cycles, late_cycles, tiles, waits, short_waits; /* late: for tiles that were not there */
};

static void add_waits(struct waiting *sum, const struct inside_records *r, const struct wait_lengths *lengths,
                      const struct inside_warp *w)
{
    for (size_t t = 0; t < w->recorded; t++) {
        bool has_waited = false;
        for (size_t k = 0; k < r->phases.count; k++) {
            const struct inside_phase *phase = &r->phases.items[k];
            const int64_t end = phase->role == w->role && phase->kind == CPPROF_PHASE_WAIT
                                    ? inside_phase_end(w, t, phase)
                                    : INSIDE_NOT_PASSED;
            if (end == INSIDE_NOT_PASSED)
                continue;
            const int64_t cycles = end - w->tiles[t].marks[phase->mark];
            const bool is_short = wait_is_short(lengths, k, cycles);
            sum->cycles += (double)cycles;
            sum->late_cycles += is_short ? 0 : (double)cycles;
            sum->waits++;
            sum->short_waits += is_short;
            has_waited = true;
        }
        sum->tiles += has_waited;
    }
}

static bool role_waits(const struct inside_records *r, int64_t role)
{
    for (size_t i = 0; i < r->phases.count; i++)
        if (r->phases.items[i].role == role && r->phases.items[i].kind == CPPROF_PHASE_WAIT)
            return true;
    return false;
}

static int read_waits(struct inside *out, const struct inside_records *r, struct sums *s,
                      const struct wait_lengths *lengths, struct err *e)
{
    struct waiting all = {0};
    int64_t most_tiles = 0;
    struct sums tiles, late;
    if (sums_make(&tiles, r, e))
        return err_memory(e);
    if (sums_make(&late, r, e)) {
        free(tiles.above);
        return err_memory(e);
    }
    s->count = 0;
    for (size_t i = 0, next; i < r->warps.count; i = next) {
        struct waiting sm = {0};
        double time = 0;
        next = inside_next_sm(r, i);
        for (size_t k = i; k < next; k++) {
            const struct inside_warp *w = &r->warps.items[k];
            if (!inside_role_works(r, w->role) || !role_waits(r, w->role))
                continue;
            add_waits(&sm, r, lengths, w);
            time += time_of_warp(w);
            most_tiles = w->tile_count > most_tiles ? w->tile_count : most_tiles;
        }
        s->above[s->count] = tiles.above[s->count] = sm.cycles;
        late.above[s->count] = sm.late_cycles;
        s->below[s->count] = late.below[s->count] = time;
        tiles.below[s->count] = sm.tiles;
        s->count += sm.tiles > 0 && time > 0;
        all.waits += sm.waits;
        all.short_waits += sm.short_waits;
    }
    out->exposed_wait = inside_share(s->above, s->below, s->count, 0, 1);
    out->savable = most_tiles > 1 ? inside_share(late.above, late.below, s->count, 0, 1)
                                  : (struct bounded){NAN, NAN, NAN}; /* no tile comes behind another */
    out->wait_cycles = inside_share(tiles.above, tiles.below, s->count, 0, INFINITY);
    out->arrived = all.waits > 0 ? all.short_waits / all.waits : NAN;
    free(tiles.above);
    free(late.above);
    return 0;
}

/* ---- time of warps and blocks ---- */

/* One slope a launch; the nanosecond timer is coarse, so long warps count for more. */
static void read_clock(struct inside *out, const struct inside_records *r)
{
    double cycles = 0, ns = 0, low = INFINITY, high = 0;
    for (size_t i = 0; i < r->warps.count; i++) {
        const struct inside_warp *w = &r->warps.items[i];
        if (w->end_ns <= w->begin_ns || w->end_cycle <= w->begin_cycle)
            continue;
        const double slope = (double)(w->end_cycle - w->begin_cycle) / (double)(w->end_ns - w->begin_ns);
        cycles += (double)(w->end_cycle - w->begin_cycle);
        ns += (double)(w->end_ns - w->begin_ns);
        low = fmin(low, slope);
        high = fmax(high, slope);
    }
    out->cycles_per_ns = ns > 0 ? (struct bounded){cycles / ns, low, high} : (struct bounded){NAN, NAN, NAN};
}

/* Warps are in the order of launches and their devices. */
static int64_t count_devices(const struct inside_records *r)
{
    const struct inside_warp *w = r->warps.items;
    int64_t count = r->warps.count > 0;
    for (size_t i = 1; i < r->warps.count && w[i].launch == w[0].launch; i++)
        count += w[i].device != w[i - 1].device;
    return count;
}

/* How much longer does the slowest block of a launch take than their mean? The mean over launches. */
static void read_blocks(struct inside *out, const struct inside_records *r)
{
    double sum = 0, slowest = 0, ratios = 0;
    int64_t count = 0;
    for (size_t i = 0, next; i < r->warps.count; i = next) {
        const struct inside_warp *w = r->warps.items;
        int64_t begin = w[i].begin_cycle, end = w[i].end_cycle;
        next = inside_next_block(r, i);
        for (size_t k = i; k < next; k++) {
            begin = w[k].begin_cycle < begin ? w[k].begin_cycle : begin;
            end = w[k].end_cycle > end ? w[k].end_cycle : end;
        }
        sum += (double)(end - begin);
        slowest = fmax(slowest, (double)(end - begin));
        count++;
        out->blocks++;
        if (next < r->warps.count && w[next].launch == w[i].launch)
            continue;
        out->launches++;
        ratios += sum > 0 ? slowest / (sum / (double)count) : NAN;
        sum = slowest = 0;
        count = 0;
    }
    out->imbalance = out->launches ? ratios / (double)out->launches : NAN;
}

static struct bounded in_ns(struct bounded cycles, double cycles_per_ns)
{
    return (struct bounded){cycles.value / cycles_per_ns, cycles.low / cycles_per_ns, cycles.high / cycles_per_ns};
}

int inside_read_phases(struct inside *out, const struct inside_records *r, struct arena *arena, struct err *e)
{
    struct sums sums = {0};
    struct wait_lengths lengths = {0};
    int rc = sums_make(&sums, r, e);
    if (!rc)
        rc = wait_lengths_read(&lengths, r, e);
    read_clock(out, r);
    read_blocks(out, r);
    out->devices = count_devices(r);
    out->phases = arena_alloc(arena, (r->phases.count + 1) * sizeof *out->phases);
    if (!rc && !out->phases)
        rc = err_memory(e);
    for (size_t i = 0; i < r->phases.count && !rc; i++) {
        struct inside_phase_row *row = &out->phases[out->phase_count++];
        *row = phase_row(&sums, r, &r->phases.items[i], arena);
        row->ns = in_ns(row->cycles, out->cycles_per_ns.value);
    }
    if (!rc)
        rc = read_waits(out, r, &sums, &lengths, e);
    free(sums.above);
    wait_lengths_release(&lengths);
    return rc;
}
