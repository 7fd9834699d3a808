/* Which part of the copies runs under work, of the same block and of all blocks of an SM? */
#include <math.h>
#include <stdlib.h>

#include "analyzers/inside/inside_parts.h"
#include "analyzers/inside/tile_copies.h"

/* Cycles of an SM in one launch, its blocks each by itself or all together. */
struct amounts {
    double copy[ARRIVALS], hidden[ARRIVALS], work;
    double known; /* from the first work on */
};

struct units {
    ARRAY_OF(struct amounts) list;
};

/* ---- E and H of units ---- */

static void gather(const struct units *u, int arrival, double *copy, double *hidden, double *work)
{
    for (size_t i = 0; i < u->list.count; i++) {
        copy[i] = u->list.items[i].copy[arrival];
        hidden[i] = u->list.items[i].hidden[arrival];
        work[i] = u->list.items[i].work;
    }
}

static double total(const double *values, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += values[i];
    return sum;
}

/* Share of what is known in which nothing works. */
static int summarise_idle(struct bounded *out, const struct units *u, struct err *e)
{
    const size_t count = u->list.count;
    double *idle = calloc(2 * count + 1, sizeof *idle), *known = idle + count;
    if (!idle)
        return err_memory(e);
    for (size_t i = 0; i < count; i++) {
        idle[i] = u->list.items[i].known - u->list.items[i].work;
        known[i] = u->list.items[i].known;
    }
    *out = inside_share(idle, known, count, 0, 1);
    free(idle);
    return 0;
}

/* The interval takes in another reading of the same value; one that is not known may be anything. */
static void widen(struct bounded *b, struct bounded reading)
{
    b->low = fmin(b->low, isnan(reading.value) ? 0 : reading.low);
    b->high = fmax(b->high, isnan(reading.value) ? 1 : reading.high);
}

static int summarise(struct inside_overlap *out, const char *scope, const struct units *u, struct err *e)
{
    const size_t count = u->list.count;
    struct bounded h[ARRIVALS], e_[ARRIVALS];
    double *copy = calloc(3 * count + 1, sizeof *copy), *hidden = copy + count, *work = hidden + count;
    if (!copy)
        return err_memory(e);
    for (int i = 0; i < ARRIVALS; i++) {
        gather(u, i, copy, hidden, work);
        const double copies = total(copy, count), worked = total(work, count);
        h[i] = inside_share(hidden, copy, count, 0, 1);
        e_[i] = inside_share(hidden, copies < worked ? copy : work, count, 0, 1);
        if (i == ARRIVED_MIDDLE)
            *out = (struct inside_overlap){scope, copies, worked, total(hidden, count), h[i], e_[i], {NAN, NAN, NAN}};
    }
    for (int i = 0; i < ARRIVALS && !isnan(out->e.value); i++)
        widen(&out->e, e_[i]);
    for (int i = 0; i < ARRIVALS && !isnan(out->h.value); i++)
        widen(&out->h, h[i]);
    free(copy);
    return summarise_idle(&out->idle, u, e);
}

/* ---- the block by itself ---- */

struct blocks {
    ARRAY_OF(struct block_copies) list; /* of one SM in one launch */
};

/* Nothing can be earlier than the first tile, so the wait for it is left out. */
static int64_t cycles_before_work(const struct block_copies *b)
{
    int64_t cycles = 0;
    for (size_t i = 0; i < b->known.count && b->work.count; i++) {
        const struct cycle_span *known = &b->known.items[i];
        const int64_t end = known->end < b->work.items[0].begin ? known->end : b->work.items[0].begin;
        cycles += end > known->begin ? end - known->begin : 0;
    }
    return cycles;
}

static void add_block(struct amounts *sum, const struct block_copies *b)
{
    sum->work += (double)cycle_spans_total(&b->work);
    sum->known += (double)cycle_spans_total(&b->known) - (double)cycles_before_work(b);
    for (int i = 0; i < ARRIVALS; i++) {
        sum->copy[i] += (double)cycle_spans_total(&b->copy[i]);
        sum->hidden[i] += (double)cycle_spans_total(&b->hidden[i]);
    }
}

static int add_blocks(struct units *u, const struct blocks *b, struct err *e)
{
    struct amounts sum = {{0}, {0}, 0, 0};
    size_t known = 0;
    for (size_t i = 0; i < b->list.count; i++) {
        known += b->list.items[i].known.count;
        add_block(&sum, &b->list.items[i]);
    }
    if (!known)
        return 0;
    struct amounts *kept = ARRAY_PUSH(&u->list);
    if (!kept)
        return err_memory(e);
    *kept = sum;
    return 0;
}

/* ---- all blocks of an SM ---- */

/* What may hold of a block at a cycle. Of all blocks it is counted of how many it holds. */
enum state { RESIDENT, KNOWN, COPY, WORK, COPY_AND_WORK, HIDDEN, STATES };

struct change {
    int64_t cycle;
    enum state state;
    int by;
};

struct changes {
    ARRAY_OF(struct change) list;
};

static int by_cycle(const void *pa, const void *pb)
{
    const struct change *a = pa, *b = pb;
    return (a->cycle > b->cycle) - (a->cycle < b->cycle);
}

static int add_span(struct changes *c, enum state state, int64_t begin, int64_t end, struct err *e)
{
    for (int i = 0; i < 2; i++) {
        struct change *change = ARRAY_PUSH(&c->list);
        if (!change)
            return err_memory(e);
        *change = (struct change){i ? end : begin, state, i ? -1 : 1};
    }
    return 0;
}

static int add_spans(struct changes *c, enum state state, const struct cycle_spans *spans, struct err *e)
{
    int rc = 0;
    for (size_t i = 0; i < spans->count && !rc; i++)
        rc = add_span(c, state, spans->items[i].begin, spans->items[i].end, e);
    return rc;
}

static int add_states(struct changes *c, const struct block_copies *b, int arrival, struct err *e)
{
    int64_t begin = b->warps[0].begin_cycle, end = b->warps[0].end_cycle;
    struct cycle_spans both = {0};
    for (size_t i = 1; i < b->warp_count; i++) {
        begin = b->warps[i].begin_cycle < begin ? b->warps[i].begin_cycle : begin;
        end = b->warps[i].end_cycle > end ? b->warps[i].end_cycle : end;
    }
    int rc = cycle_spans_common(&b->copy[arrival], &b->work, &both, e);
    if (!rc)
        rc = add_span(c, RESIDENT, begin, end, e);
    if (!rc)
        rc = add_spans(c, KNOWN, &b->known, e);
    if (!rc)
        rc = add_spans(c, COPY, &b->copy[arrival], e);
    if (!rc)
        rc = add_spans(c, WORK, &b->work, e);
    if (!rc)
        rc = add_spans(c, COPY_AND_WORK, &both, e);
    if (!rc)
        rc = add_spans(c, HIDDEN, &b->hidden[arrival], e);
    cycle_spans_release(&both);
    return rc;
}

/* Adds up the cycles in which all is known of all blocks that are there. A copy is hidden by work of another block
 * where some pair of a copy and work is not of one block. */
static void add_up(const struct changes *c, struct amounts *out, int arrival, long *most_resident)
{
    long now[STATES] = {0};
    bool has_worked = false;
    out->work = out->known = 0;
    for (size_t i = 0; i < c->list.count; i++) {
        const struct change *change = &c->list.items[i];
        now[change->state] += change->by;
        has_worked |= now[WORK] > 0;
        *most_resident = now[RESIDENT] > *most_resident ? now[RESIDENT] : *most_resident;
        if (i + 1 == c->list.count || !now[KNOWN] || now[KNOWN] != now[RESIDENT])
            continue;
        const double cycles = (double)(c->list.items[i + 1].cycle - change->cycle);
        const bool is_hidden = now[HIDDEN] > 0 || now[COPY] * now[WORK] > now[COPY_AND_WORK];
        out->known += has_worked ? cycles : 0;
        out->copy[arrival] += now[COPY] > 0 ? cycles : 0;
        out->work += now[WORK] > 0 ? cycles : 0;
        out->hidden[arrival] += is_hidden ? cycles : 0;
    }
}

/* An SM that never has as many blocks as it can hold is left out: one of them may not have recorded. */
static int add_sm(struct units *u, const struct blocks *b, double resident, size_t *partial, struct err *e)
{
    struct amounts amounts = {{0}, {0}, 0, 0};
    struct changes changes = {{0}};
    long most = 0;
    int rc = 0;
    for (int arrival = 0; arrival < ARRIVALS && !rc; arrival++) {
        changes.list.count = 0;
        for (size_t i = 0; i < b->list.count && !rc; i++)
            rc = add_states(&changes, &b->list.items[i], arrival, e);
        if (!rc && changes.list.count)
            qsort(changes.list.items, changes.list.count, sizeof *changes.list.items, by_cycle);
        add_up(&changes, &amounts, arrival, &most);
    }
    free(changes.list.items);
    *partial += (double)most < resident;
    if (rc || (double)most < resident || !(amounts.copy[ARRIVED_LATE] > 0))
        return rc;
    struct amounts *kept = ARRAY_PUSH(&u->list);
    if (!kept)
        return err_memory(e);
    *kept = amounts;
    return 0;
}

static void release_blocks(struct blocks *b)
{
    for (size_t i = 0; i < b->list.count; i++)
        block_copies_release(&b->list.items[i]);
    b->list.count = 0;
}

/* ---- the arm ---- */

struct totals {
    struct units cta, sm;
    double copy_sum, known;
    size_t copies, windows, polled, lost, most;
    size_t partial; /* SMs of a launch that never had all of their blocks */
};

static int read_block(struct totals *t, struct blocks *blocks, const struct inside_records *r,
                      const struct wait_lengths *waits, size_t first, size_t next, struct err *e)
{
    struct block_copies *block = ARRAY_PUSH(&blocks->list);
    if (!block)
        return err_memory(e);
    block->warps = r->warps.items + first;
    block->warp_count = next - first;
    const int rc = block_copies_read(block, r, waits, e);
    t->copy_sum += block->copy_sum;
    t->known += (double)cycle_spans_total(&block->known);
    t->copies += block->copies;
    t->windows += block->windows;
    t->polled += block->polled;
    t->lost += block->lost;
    t->most = block->most > t->most ? block->most : t->most;
    return rc;
}

static int read_blocks(struct totals *t, const struct inside_records *r, const struct wait_lengths *waits,
                       double resident, struct err *e)
{
    struct blocks blocks = {{0}};
    int rc = 0;
    for (size_t i = 0, next; i < r->warps.count && !rc; i = next) {
        const size_t sm_end = inside_next_sm(r, i);
        next = inside_next_block(r, i);
        rc = read_block(t, &blocks, r, waits, i, next, e);
        if (!rc && next == sm_end) {
            rc = add_blocks(&t->cta, &blocks, e);
            if (!rc)
                rc = add_sm(&t->sm, &blocks, resident, &t->partial, e);
            release_blocks(&blocks);
        }
    }
    release_blocks(&blocks);
    free(blocks.list.items);
    return rc;
}

static int64_t stages_stated(const struct inside_records *r)
{
    int64_t most = 0;
    for (size_t i = 0; i < r->phases.count; i++)
        if (r->phases.items[i].kind == CPPROF_PHASE_ISSUE && (int64_t)r->phases.items[i].ahead + 1 > most)
            most = (int64_t)r->phases.items[i].ahead + 1;
    return most;
}

/* Warps wait for late tiles for part of the time, and in part of it nothing works that could use what they leave: the
 * smaller of both is about what tiles that come earlier save. */
static struct bounded savable(const struct inside *row)
{
    const struct bounded wait = row->savable, idle = row->overlaps[row->overlap_count - 1].idle;
    if (isnan(wait.value) || isnan(idle.value))
        return (struct bounded){NAN, NAN, NAN};
    return (struct bounded){fmin(wait.value, idle.value), fmin(wait.low, idle.low), fmin(wait.high, idle.high)};
}

static int conclude(struct inside *out, const struct totals *t, const struct inside_records *r, double resident,
                    struct err *e)
{
    const int64_t stated = stages_stated(r);
    out->method = t->polled ? "poll" : "recorder";
    out->windows = (int64_t)t->windows;
    out->copies = (int64_t)t->copies;
    out->missing += (int64_t)t->lost;
    out->stages = t->copies && t->known > 0 ? t->copy_sum / t->known : NAN;
    out->stages_possible = (int64_t)t->most > stated ? (int64_t)t->most : stated;
    int rc = summarise(&out->overlaps[out->overlap_count++], INSIDE_CTA, &t->cta, e);
    if (!rc && resident > 0 && t->sm.list.count > t->partial)
        rc = summarise(&out->overlaps[out->overlap_count++], INSIDE_SM, &t->sm, e);
    out->savable = savable(out);
    return rc;
}

int inside_read_overlap(struct inside *out, const struct inside_records *r, double resident, struct err *e)
{
    struct totals t = {0};
    struct wait_lengths waits = {0};
    int rc = wait_lengths_read(&waits, r, e);
    if (!rc)
        rc = read_blocks(&t, r, &waits, resident, e);
    if (!rc)
        rc = conclude(out, &t, r, resident, e);
    wait_lengths_release(&waits);
    free(t.cta.list.items);
    free(t.sm.list.items);
    return rc;
}
