/* When was the copy of each tile of a block under way, and what did the block work on meanwhile? */
#include "analyzers/inside/tile_copies.h"

#include <math.h>
#include <stdlib.h>

/* ---- waits ---- */

/* The length of a phase; below 0: not known. */
static int64_t phase_cycles(const struct inside_warp *w, size_t index, const struct inside_phase *phase)
{
    const int64_t end = inside_phase_end(w, index, phase);
    return end == INSIDE_NOT_PASSED ? -1 : end - w->tiles[index].marks[phase->mark];
}

int wait_lengths_read(struct wait_lengths *out, const struct inside_records *r, struct err *e)
{
    out->shortest = calloc(r->phases.count + 1, sizeof *out->shortest);
    if (!out->shortest)
        return err_memory(e);
    for (size_t i = 0; i < r->phases.count; i++) {
        const struct inside_phase *phase = &r->phases.items[i];
        out->shortest[i] = INFINITY;
        for (size_t k = 0; k < r->warps.count && phase->kind == CPPROF_PHASE_WAIT; k++) {
            const struct inside_warp *w = &r->warps.items[k];
            for (size_t t = 0; t < w->recorded && w->role == phase->role; t++) {
                const int64_t cycles = phase_cycles(w, t, phase);
                if (cycles >= 0 && (double)cycles < out->shortest[i])
                    out->shortest[i] = (double)cycles;
            }
        }
    }
    return 0;
}

void wait_lengths_release(struct wait_lengths *w)
{
    free(w->shortest);
    *w = (struct wait_lengths){0};
}

/* Where each wait is long, the shortest one was for a tile that was not there, either. */
bool wait_is_short(const struct wait_lengths *w, size_t phase, int64_t cycles)
{
    return w->shortest[phase] <= SHORT_WAIT_MAX && (double)cycles <= w->shortest[phase] + SHORT_WAIT_SPREAD;
}

/* ---- tiles in a row ---- */

/* Tiles that all warps of the block recorded, one after the other. Longer rows are cut: that costs a copy at each end,
 * and bounds the time that a damaged table takes. */
enum { ROW_TILES_MAX = 1024 };

struct row {
    int64_t first, last;          /* tiles */
    int64_t from, to;             /* cycles in which all of them are recorded, and no other tile is worked on */
    const struct inside_warp *by; /* whose first mark is `from` */
};

struct work_span {
    struct cycle_span span;
    int64_t tile;
    int64_t latest_end; /* of this one and of those before it */
};

struct reading {
    struct block_copies *block;
    const struct inside_records *records;
    const struct wait_lengths *waits;
    struct row row;
    int64_t tile_count; /* of the block */
    int ahead_max;
    bool has_polls, waits_where_issued, has_arrivals;
    ARRAY_OF(struct tile_copy) copies;
    ARRAY_OF(struct work_span) work;
};

static long index_of_tile(const struct inside_warp *w, int64_t tile)
{
    size_t low = 0, high = w->recorded;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (w->tiles[middle].tile < tile)
            low = middle + 1;
        else
            high = middle;
    }
    return low < w->recorded && w->tiles[low].tile == tile ? (long)low : -1;
}

static bool is_work(const struct inside_phase *phase)
{
    return phase->kind == CPPROF_PHASE_COMPUTE || phase->kind == CPPROF_PHASE_TRANSFORM;
}

static bool role_has(const struct inside_records *r, int64_t role, enum cpprof_phase_kind kind)
{
    for (size_t i = 0; i < r->phases.count; i++)
        if (r->phases.items[i].role == role && r->phases.items[i].kind == kind)
            return true;
    return false;
}

static bool role_works(const struct inside_records *r, int64_t role)
{
    return role_has(r, role, CPPROF_PHASE_COMPUTE) || role_has(r, role, CPPROF_PHASE_TRANSFORM);
}

/* A role that neither copies nor waits nor works may have tiles of its own, such as one for the whole launch. They say
 * nothing of copies. */
static bool counts_tiles(const struct inside_records *r, int64_t role)
{
    return role_works(r, role) || role_has(r, role, CPPROF_PHASE_ISSUE) || role_has(r, role, CPPROF_PHASE_WAIT) ||
           role_has(r, role, CPPROF_PHASE_POLL);
}

static bool all_recorded(const struct reading *g, int64_t tile)
{
    for (size_t i = 0; i < g->block->warp_count; i++)
        if (counts_tiles(g->records, g->block->warps[i].role) && index_of_tile(&g->block->warps[i], tile) < 0)
            return false;
    return true;
}

/* Narrows the row to the cycles of one warp. Behind its last tile a warp that does no work hides nothing. */
static void narrow(struct reading *g, const struct inside_warp *w)
{
    const size_t first = (size_t)index_of_tile(w, g->row.first), last = (size_t)index_of_tile(w, g->row.last);
    int64_t from = INSIDE_NOT_PASSED, to = INSIDE_NOT_PASSED;
    for (size_t i = first; i <= last && from == INSIDE_NOT_PASSED; i++)
        from = inside_tile_first(&w->tiles[i]);
    for (size_t i = last + 1; i > first && to == INSIDE_NOT_PASSED; i--)
        to = inside_tile_last(&w->tiles[i - 1]);
    if (from == INSIDE_NOT_PASSED)
        return;
    if (g->row.last == w->tile_count - 1 && !role_works(g->records, w->role))
        to = w->end_cycle;
    if (from > g->row.from) {
        g->row.from = from;
        g->row.by = w;
    }
    g->row.to = to < g->row.to ? to : g->row.to;
}

/* ---- copies ---- */

enum place { BEFORE_ROW, IN_ROW, BEHIND_ROW };

static enum place place_of(const struct row *row, int64_t tile)
{
    return tile < row->first ? BEFORE_ROW : tile > row->last ? BEHIND_ROW : IN_ROW;
}

/* When was the copy of a tile asked for? The earliest issue counts. Returns false where it was not, in this row or
 * before it; *expected says whether it should have been. */
static bool find_issue(const struct reading *g, struct tile_copy *copy, bool *expected)
{
    bool found = false;
    *expected = false;
    for (size_t i = 0; i < g->block->warp_count; i++) {
        const struct inside_warp *w = &g->block->warps[i];
        for (size_t k = 0; k < g->records->phases.count; k++) {
            const struct inside_phase *phase = &g->records->phases.items[k];
            const enum place place = place_of(&g->row, copy->tile - phase->ahead);
            if (phase->kind != CPPROF_PHASE_ISSUE || phase->role != w->role || place == BEHIND_ROW)
                continue;
            *expected = true;
            if (place == BEFORE_ROW) {
                copy->is_before = found = true;
                continue;
            }
            const int64_t mark = w->tiles[index_of_tile(w, copy->tile - phase->ahead)].marks[phase->mark];
            if (mark != INSIDE_NOT_PASSED && (!found || copy->is_before || mark < copy->issue))
                copy->issue = mark;
            found = found || mark != INSIDE_NOT_PASSED;
        }
    }
    if (copy->is_before)
        copy->issue = g->row.from;
    return found;
}

static void arrive(struct tile_copy *copy, int64_t early, int64_t late)
{
    copy->early = copy->has_arrived && copy->early > early ? copy->early : early;
    copy->late = copy->has_arrived && copy->late > late ? copy->late : late;
    copy->has_arrived = true;
}

/* A warp asks again and again: between the last "not yet" and the first "arrived". */
static void arrive_by_poll(struct tile_copy *copy, const struct inside_tile *tile, const struct inside_phase *phase)
{
    const int next = phase->until ? phase->until : phase->mark + 1;
    const int64_t not_yet = tile->marks[phase->mark];
    const int64_t seen = next < CPPROF_MARKS_MAX ? tile->marks[next] : INSIDE_NOT_PASSED;
    if (seen == INSIDE_NOT_PASSED)
        return;
    arrive(copy, not_yet == INSIDE_NOT_PASSED ? copy->issue : not_yet, seen);
    copy->is_polled = true;
}

/* A wait that returns at once shows only that the tile came between its issue and the asking, unless that was just
 * before: no load is so fast. */
static void arrive_by_wait(const struct reading *g, struct tile_copy *copy, const struct inside_warp *w, size_t index,
                           size_t phase)
{
    const int64_t begin = w->tiles[index].marks[g->records->phases.items[phase].mark];
    const int64_t end = inside_phase_end(w, index, &g->records->phases.items[phase]);
    if (end == INSIDE_NOT_PASSED)
        return;
    const bool had_time = copy->is_before || begin - copy->issue >= FASTEST_LOAD;
    if (had_time && wait_is_short(g->waits, phase, end - begin))
        arrive(copy, copy->issue, begin);
    else
        arrive(copy, end, end);
}

/* Is this row of the table one that shows when tiles arrive? What is asked all the time is better than a wait, and a
 * wait of the role that copies is better than one of another role. */
static bool shows_arrival(const struct reading *g, const struct inside_phase *phase)
{
    if (g->has_polls)
        return phase->kind == CPPROF_PHASE_POLL;
    return phase->kind == CPPROF_PHASE_WAIT &&
           (!g->waits_where_issued || role_has(g->records, phase->role, CPPROF_PHASE_ISSUE));
}

/* When did the tile arrive? The latest arrival counts. Returns where that is recorded. */
static enum place find_arrival(const struct reading *g, struct tile_copy *copy)
{
    enum place found = BEFORE_ROW;
    for (size_t i = 0; i < g->block->warp_count; i++) {
        const struct inside_warp *w = &g->block->warps[i];
        for (size_t k = 0; k < g->records->phases.count; k++) {
            const struct inside_phase *phase = &g->records->phases.items[k];
            if (phase->role != w->role || !shows_arrival(g, phase))
                continue;
            const enum place place = place_of(&g->row, copy->tile - phase->ahead);
            found = place > found ? place : found;
            if (place != IN_ROW)
                continue;
            const size_t index = (size_t)index_of_tile(w, copy->tile - phase->ahead);
            if (phase->kind == CPPROF_PHASE_POLL)
                arrive_by_poll(copy, &w->tiles[index], phase);
            else
                arrive_by_wait(g, copy, w, index, k);
            /* the last mark of the row begins a wait that ends behind it */
            if (!copy->has_arrived && w->tiles[index].marks[phase->mark] != INSIDE_NOT_PASSED &&
                g->row.last == copy->tile - phase->ahead)
                found = BEHIND_ROW;
        }
    }
    return found;
}

static int add_copy(struct reading *g, int64_t tile, struct err *e)
{
    struct tile_copy copy = {.tile = tile};
    bool expected;
    const bool is_issued = find_issue(g, &copy, &expected);
    if (!expected)
        return 0;
    const enum place arrival = find_arrival(g, &copy);
    if (arrival == BEFORE_ROW || (!is_issued && !copy.has_arrived))
        return 0;
    if (arrival == BEHIND_ROW) { /* under way at the end: nothing is known from here on */
        if (is_issued && copy.issue < g->row.to)
            g->row.to = copy.issue;
        return 0;
    }
    if (!is_issued || !copy.has_arrived || copy.late < copy.issue) {
        g->block->lost += !copy.is_before || !copy.has_arrived;
        return 0;
    }
    copy.early = copy.early < copy.issue ? copy.issue : copy.early;
    struct tile_copy *kept = ARRAY_PUSH(&g->copies);
    if (!kept)
        return err_memory(e);
    *kept = copy;
    return 0;
}

/* ---- work ---- */

static int by_begin(const void *pa, const void *pb)
{
    const struct work_span *a = pa, *b = pb;
    return (a->span.begin > b->span.begin) - (a->span.begin < b->span.begin);
}

static int64_t clip(const struct row *row, int64_t cycle)
{
    return cycle < row->from ? row->from : cycle > row->to ? row->to : cycle;
}

static int add_work(struct reading *g, const struct inside_warp *w, struct err *e)
{
    const size_t first = (size_t)index_of_tile(w, g->row.first), last = (size_t)index_of_tile(w, g->row.last);
    for (size_t k = 0; k < g->records->phases.count; k++) {
        const struct inside_phase *phase = &g->records->phases.items[k];
        for (size_t i = first; i <= last && phase->role == w->role && is_work(phase); i++) {
            const int64_t end = inside_phase_end(w, i, phase);
            if (end == INSIDE_NOT_PASSED)
                continue;
            struct work_span *work = ARRAY_PUSH(&g->work);
            if (!work)
                return err_memory(e);
            work->span = (struct cycle_span){clip(&g->row, w->tiles[i].marks[phase->mark]), clip(&g->row, end)};
            work->tile = w->tiles[i].tile + phase->ahead;
        }
    }
    return 0;
}

static void sort_work(struct reading *g)
{
    int64_t latest = INT64_MIN;
    if (g->work.count)
        qsort(g->work.items, g->work.count, sizeof *g->work.items, by_begin);
    for (size_t i = 0; i < g->work.count; i++) {
        struct work_span *work = &g->work.items[i];
        latest = work->span.end > latest ? work->span.end : latest;
        work->latest_end = latest;
    }
}

/* Returns the first span that may reach behind a cycle. */
static size_t first_work_behind(const struct reading *g, int64_t cycle)
{
    size_t low = 0, high = g->work.count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (g->work.items[middle].latest_end <= cycle)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Adds what a copy shares with work on other tiles. */
static int add_hidden(const struct reading *g, const struct tile_copy *copy, int64_t arrival,
                      struct cycle_spans *hidden, struct err *e)
{
    const int64_t begin = clip(&g->row, copy->issue), end = clip(&g->row, arrival);
    int rc = 0;
    for (size_t i = first_work_behind(g, begin); i < g->work.count && !rc; i++) {
        const struct work_span *work = &g->work.items[i];
        if (work->span.begin >= end)
            break;
        if (work->tile != copy->tile)
            rc = cycle_spans_add(hidden, work->span.begin > begin ? work->span.begin : begin,
                                 work->span.end < end ? work->span.end : end, e);
    }
    return rc;
}

/* ---- the row ---- */

static int by_number(const void *pa, const void *pb)
{
    const int64_t a = *(const int64_t *)pa, b = *(const int64_t *)pb;
    return (a > b) - (a < b);
}

/* How many copies were under way at once? */
static int count_most(struct reading *g, struct err *e)
{
    const size_t count = g->copies.count;
    int64_t *begins = calloc(2 * count + 1, sizeof *begins), *ends = begins + count;
    if (!begins)
        return err_memory(e);
    for (size_t i = 0; i < count; i++) {
        begins[i] = g->copies.items[i].issue;
        ends[i] = (g->copies.items[i].early + g->copies.items[i].late) / 2;
    }
    if (count) {
        qsort(begins, count, sizeof *begins, by_number);
        qsort(ends, count, sizeof *ends, by_number);
    }
    for (size_t i = 0, over = 0; i < count; i++) {
        while (over < count && ends[over] <= begins[i])
            over++;
        if (i >= over && i + 1 - over > g->block->most)
            g->block->most = i + 1 - over;
    }
    free(begins);
    return 0;
}

static int add_row_copies(struct reading *g, struct err *e)
{
    int rc = count_most(g, e);
    for (size_t i = 0; i < g->copies.count && !rc; i++) {
        const struct tile_copy *copy = &g->copies.items[i];
        struct tile_copy *kept = ARRAY_PUSH(&g->block->list);
        if (!kept)
            return err_memory(e);
        *kept = *copy;
        const int64_t middle = copy->early + (copy->late - copy->early) / 2;
        const int64_t arrivals[ARRIVALS] = {copy->early, middle, copy->late};
        for (int k = 0; k < ARRIVALS && !rc; k++) {
            rc = cycle_spans_add(&g->block->copy[k], clip(&g->row, copy->issue), clip(&g->row, arrivals[k]), e);
            if (!rc)
                rc = add_hidden(g, copy, arrivals[k], &g->block->hidden[k], e);
        }
        g->block->copy_sum += (double)(clip(&g->row, middle) - clip(&g->row, copy->issue));
        g->block->polled += copy->is_polled;
        g->block->copies++;
    }
    return rc;
}

static int mark_at(const struct inside_tile *t, int64_t cycle)
{
    for (int mark = 0; mark < CPPROF_MARKS_MAX; mark++)
        if (t->marks[mark] == cycle)
            return mark;
    return -1;
}

/* Ends the row where its last tile is at the mark that the first one begins with: with a part of a tile more, what
 * comes early in a tile would count more often than what comes late. A row of all tiles of the block is left as it is.
 */
static void keep_whole_tiles(struct reading *g)
{
    const struct inside_warp *w = g->row.by;
    const size_t first = (size_t)index_of_tile(w, g->row.first), last = (size_t)index_of_tile(w, g->row.last);
    size_t begin = first;
    if (g->row.first == 0 && g->row.last == g->tile_count - 1)
        return;
    while (begin < last && inside_tile_first(&w->tiles[begin]) == INSIDE_NOT_PASSED)
        begin++;
    const int mark = mark_at(&w->tiles[begin], g->row.from);
    for (size_t i = last; i > begin; i--) {
        const int64_t cycle = w->tiles[i].marks[mark];
        if (cycle != INSIDE_NOT_PASSED && cycle <= g->row.to) {
            g->row.to = cycle;
            return;
        }
    }
    g->row.to = g->row.from;
}

static int read_row(struct reading *g, struct err *e)
{
    int rc = 0;
    g->copies.count = g->work.count = 0;
    g->row.from = INT64_MIN;
    g->row.to = INT64_MAX;
    for (size_t i = 0; i < g->block->warp_count; i++)
        if (counts_tiles(g->records, g->block->warps[i].role))
            narrow(g, &g->block->warps[i]);
    if (g->row.from == INT64_MIN)
        return 0;
    for (int64_t tile = g->row.first; tile <= g->row.last + g->ahead_max && tile < g->tile_count && !rc; tile++)
        rc = g->has_arrivals ? add_copy(g, tile, e) : 0;
    keep_whole_tiles(g);
    if (rc || g->row.to <= g->row.from)
        return rc;
    for (size_t i = 0; i < g->block->warp_count && !rc; i++)
        rc = add_work(g, &g->block->warps[i], e);
    sort_work(g);
    for (size_t i = 0; i < g->work.count && !rc; i++)
        rc = cycle_spans_add(&g->block->work, g->work.items[i].span.begin, g->work.items[i].span.end, e);
    if (!rc)
        rc = cycle_spans_add(&g->block->known, g->row.from, g->row.to, e);
    g->block->windows += (size_t)(g->row.last / CPPROF_WINDOW_TILES - g->row.first / CPPROF_WINDOW_TILES + 1);
    return rc ? rc : add_row_copies(g, e);
}

static int read_rows(struct reading *g, struct err *e)
{
    const struct inside_warp *w = &g->block->warps[0], *end = w + g->block->warp_count;
    int rc = 0;
    while (w < end && !counts_tiles(g->records, w->role))
        w++;
    for (size_t i = 0, next; w < end && i < w->recorded && !rc; i = next) {
        next = i + 1;
        if (!all_recorded(g, w->tiles[i].tile))
            continue;
        while (next < w->recorded && next - i < ROW_TILES_MAX && w->tiles[next].tile == w->tiles[next - 1].tile + 1 &&
               all_recorded(g, w->tiles[next].tile))
            next++;
        g->row = (struct row){.first = w->tiles[i].tile, .last = w->tiles[next - 1].tile};
        rc = read_row(g, e);
    }
    return rc;
}

static void read_kinds(struct reading *g)
{
    enum { AHEAD_MAX = ROW_TILES_MAX };
    for (size_t i = 0; i < g->records->phases.count; i++) {
        const struct inside_phase *phase = &g->records->phases.items[i];
        const bool waits = phase->kind == CPPROF_PHASE_WAIT;
        if (phase->ahead > g->ahead_max)
            g->ahead_max = phase->ahead < AHEAD_MAX ? phase->ahead : AHEAD_MAX;
        g->has_polls |= phase->kind == CPPROF_PHASE_POLL;
        g->waits_where_issued |= waits && role_has(g->records, phase->role, CPPROF_PHASE_ISSUE);
        g->has_arrivals |= waits || phase->kind == CPPROF_PHASE_POLL;
    }
    for (size_t i = 0; i < g->block->warp_count; i++)
        if (counts_tiles(g->records, g->block->warps[i].role) && g->block->warps[i].tile_count > g->tile_count)
            g->tile_count = g->block->warps[i].tile_count;
}

int block_copies_read(struct block_copies *out, const struct inside_records *r, const struct wait_lengths *waits,
                      struct err *e)
{
    struct reading g = {.block = out, .records = r, .waits = waits};
    read_kinds(&g);
    const int rc = read_rows(&g, e);
    free(g.copies.items);
    free(g.work.items);
    cycle_spans_join(&out->known);
    cycle_spans_join(&out->work);
    for (int i = 0; i < ARRIVALS; i++) {
        cycle_spans_join(&out->copy[i]);
        cycle_spans_join(&out->hidden[i]);
    }
    return rc;
}

void block_copies_release(struct block_copies *b)
{
    free(b->list.items);
    cycle_spans_release(&b->known);
    cycle_spans_release(&b->work);
    for (int i = 0; i < ARRIVALS; i++) {
        cycle_spans_release(&b->copy[i]);
        cycle_spans_release(&b->hidden[i]);
    }
}
