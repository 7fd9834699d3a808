/* Which spans of phases and copies show the inside of a kernel, in which lanes? */
#include "analyzers/inside/inside_lanes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzers/inside/inside_parts.h"
#include "analyzers/inside/tile_copies.h"

/* A span in cycles, before it has a lane. */
struct piece {
    const struct inside_warp *warp;   /* of a copy: the first of the block */
    const struct inside_phase *phase; /* NULL: a copy */
    int64_t tile, begin, end;
    struct tile_copy copy;
};

struct picture {
    const struct inside_records *records;
    const struct inside_warp *warps; /* of one SM in one launch */
    size_t warp_count;
    struct wait_lengths waits;
    double cycles_per_ns;
    int64_t begin_ns; /* when the SM's cycles begin */
    ARRAY_OF(struct piece) pieces;
};

/* ---- which SM, which windows ---- */

/* The SM and launch with most tiles; the first of several. */
static void choose_sm(struct picture *p)
{
    const struct inside_records *r = p->records;
    size_t most = 0;
    for (size_t i = 0, next; i < r->warps.count; i = next) {
        const struct inside_warp *w = &r->warps.items[i];
        size_t tiles = 0;
        for (next = i; next < r->warps.count && w[next - i].launch == w->launch && w[next - i].sm == w->sm; next++)
            tiles += w[next - i].recorded;
        if (tiles <= most)
            continue;
        most = tiles;
        p->warps = w;
        p->warp_count = next - i;
    }
}

static void read_clock(struct picture *p)
{
    double cycles = 0, ns = 0;
    int64_t begin = INT64_MAX;
    for (size_t i = 0; i < p->warp_count; i++) {
        const struct inside_warp *w = &p->warps[i];
        if (w->begin_ns >= 0 && w->begin_ns < begin)
            begin = w->begin_ns;
        if (w->begin_ns < 0 || w->begin_cycle < 0 || w->end_ns <= w->begin_ns || w->end_cycle <= w->begin_cycle)
            continue;
        cycles += (double)(w->end_cycle - w->begin_cycle);
        ns += (double)(w->end_ns - w->begin_ns);
    }
    p->cycles_per_ns = ns > 0 ? cycles / ns : 0;
    p->begin_ns = begin == INT64_MAX ? 0 : begin;
}

/* Returns the first window from `window` on in which a warp recorded; below 0 behind the last one. */
static int64_t next_window(const struct picture *p, int64_t window)
{
    int64_t next = -1;
    for (size_t i = 0; i < p->warp_count; i++)
        for (size_t t = 0; t < p->warps[i].recorded; t++) {
            const int64_t at = p->warps[i].tiles[t].tile / CPPROF_WINDOW_TILES;
            if (at >= window && (next < 0 || at < next))
                next = at;
        }
    return next;
}

static bool is_in_window(int64_t tile, int64_t window)
{
    return tile / CPPROF_WINDOW_TILES == window;
}

/* ---- spans ---- */

/* A load that is waited for at once has two rows for one span. */
static bool is_said_before(const struct inside_records *r, size_t phase)
{
    const struct inside_phase *p = r->phases.items, *this = &p[phase];
    for (size_t i = 0; i < phase; i++)
        if (p[i].role == this->role && p[i].mark == this->mark && p[i].until == this->until &&
            !strcmp(p[i].name, this->name))
            return true;
    return false;
}

static int add_piece(struct picture *p, struct piece piece, struct err *e)
{
    struct piece *kept = ARRAY_PUSH(&p->pieces);
    if (!kept)
        return err_memory(e);
    *kept = piece;
    return 0;
}

static int add_phases(struct picture *p, const struct inside_warp *w, int64_t window, struct err *e)
{
    int rc = 0;
    for (size_t k = 0; k < p->records->phases.count && !rc; k++) {
        const struct inside_phase *phase = &p->records->phases.items[k];
        if (phase->role != w->role || is_said_before(p->records, k))
            continue;
        for (size_t t = 0; t < w->recorded && !rc; t++) {
            const int64_t end = inside_phase_end(w, t, phase);
            if (is_in_window(w->tiles[t].tile, window) && end != INSIDE_NOT_PASSED)
                rc = add_piece(p, (struct piece){w, phase, w->tiles[t].tile, w->tiles[t].marks[phase->mark], end, {0}},
                               e);
        }
    }
    return rc;
}

static int add_copies(struct picture *p, const struct block_copies *b, int64_t window, struct err *e)
{
    int rc = 0;
    for (size_t i = 0; i < b->list.count && !rc; i++) {
        const struct tile_copy *copy = &b->list.items[i];
        const int64_t arrival = copy->early + (copy->late - copy->early) / 2;
        if (is_in_window(copy->tile, window))
            rc = add_piece(p, (struct piece){b->warps, NULL, copy->tile, copy->issue, arrival, *copy}, e);
    }
    return rc;
}

static int add_block(struct picture *p, size_t first, size_t next, int64_t window, struct err *e)
{
    struct block_copies copies = {.warps = p->warps + first, .warp_count = next - first};
    int rc = block_copies_read(&copies, p->records, &p->waits, e);
    for (size_t i = first; i < next && !rc; i++)
        rc = add_phases(p, &p->warps[i], window, e);
    if (!rc)
        rc = add_copies(p, &copies, window, e);
    block_copies_release(&copies);
    return rc;
}

/* Windows are whole in the picture. Of the first one, blocks are left out where it alone is too much. */
static int add_window(struct picture *p, int64_t window, bool is_first, bool *is_full, struct err *e)
{
    const size_t before = p->pieces.count;
    int rc = 0;
    for (size_t i = 0, next; i < p->warp_count && !rc && !*is_full; i = next) {
        const size_t before_block = p->pieces.count;
        for (next = i + 1; next < p->warp_count && p->warps[next].block == p->warps[i].block;)
            next++;
        rc = add_block(p, i, next, window, e);
        if (p->pieces.count > LANE_SPANS_MAX) {
            *is_full = true;
            p->pieces.count = is_first ? before_block : before;
        }
    }
    return rc;
}

static int add_windows(struct picture *p, struct err *e)
{
    bool is_full = false;
    int rc = 0;
    int64_t window = next_window(p, 0);
    for (int i = 0; i < LANE_WINDOWS_MAX && window >= 0 && !is_full && !rc; i++) {
        rc = add_window(p, window, !i, &is_full, e);
        window = next_window(p, window + 1);
    }
    return rc;
}

/* ---- lanes ---- */

static int by_number(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static int by_group(const struct piece *a, const struct piece *b)
{
    const int block = by_number(a->warp->block, b->warp->block), kind = by_number(!a->phase, !b->phase);
    return block ? block : kind ? kind : by_number(a->warp - b->warp, 0);
}

static int by_time(const void *pa, const void *pb)
{
    const struct piece *a = pa, *b = pb;
    const int group = by_group(a, b), begin = by_number(a->begin, b->begin), end = by_number(a->end, b->end);
    const int tile = by_number(a->tile, b->tile);
    return group ? group : begin ? begin : end ? end : tile ? tile : by_number(a->phase - b->phase, 0);
}

/* The ends of what the lanes of one group hold. */
struct ends {
    ARRAY_OF(int64_t) list;
};

/* Returns the line of the group on which all has ended; a new one is its last. */
static int find_line(struct ends *ends, const struct piece *piece, size_t *line, struct err *e)
{
    for (*line = 0; *line < ends->list.count; ++*line)
        if (ends->list.items[*line] <= piece->begin) {
            ends->list.items[*line] = piece->end;
            return 0;
        }
    int64_t *end = ARRAY_PUSH(&ends->list);
    if (!end)
        return err_memory(e);
    *end = piece->end;
    return 0;
}

static int64_t in_ns(const struct picture *p, int64_t cycles)
{
    return p->begin_ns + (int64_t)fmin((double)cycles / p->cycles_per_ns, 1e15);
}

static struct lane_span span_of(const struct picture *p, const struct piece *piece, size_t lane)
{
    const struct inside_phase *phase = piece->phase;
    return (struct lane_span){
        .lane = lane,
        .name = phase ? phase->name : "copy",
        .kind = phase ? inside_kinds[phase->kind] : "copy",
        .tile = piece->tile,
        .begin_ns = in_ns(p, piece->begin),
        .end_ns = in_ns(p, piece->end),
        .cycles = piece->end - piece->begin,
        .is_copy = !phase,
        .is_before = !phase && piece->copy.is_before,
        .is_censored = !phase && piece->copy.early < piece->copy.late,
        .earliest_ns = phase ? 0 : in_ns(p, piece->copy.early),
        .latest_ns = phase ? 0 : in_ns(p, piece->copy.late),
    };
}

/* Lanes of a group follow one another, so the spans of the group are sorted by them at the end. */
static int by_lane(const void *pa, const void *pb)
{
    const struct lane_span *a = pa, *b = pb;
    const int lane = by_number((int64_t)a->lane, (int64_t)b->lane), begin = by_number(a->begin_ns, b->begin_ns);
    const int end = by_number(a->end_ns, b->end_ns);
    return lane ? lane : begin ? begin : end ? end : by_number(a->tile, b->tile);
}

static int place(struct inside_lanes *out, const struct picture *p, struct err *e)
{
    struct ends ends = {{0}};
    size_t first = 0;
    int rc = 0;
    for (size_t i = 0; i < p->pieces.count && !rc; i++) {
        const struct piece *piece = &p->pieces.items[i];
        size_t line;
        if (!i || by_group(piece - 1, piece)) {
            ends.list.count = 0;
            first = out->lanes.count;
        }
        rc = find_line(&ends, piece, &line, e);
        struct lane *lane = !rc && first + line == out->lanes.count ? ARRAY_PUSH(&out->lanes) : NULL;
        struct lane_span *span = rc ? NULL : ARRAY_PUSH(&out->spans);
        if (!span || (first + line == out->lanes.count))
            rc = err_memory(e);
        if (!rc && lane)
            *lane = (struct lane){piece->warp->block, piece->warp->warp, piece->phase ? piece->phase->role_name : NULL,
                                  line};
        if (!rc)
            *span = span_of(p, piece, first + line);
    }
    free(ends.list.items);
    if (out->spans.count)
        qsort(out->spans.items, out->spans.count, sizeof *out->spans.items, by_lane);
    return rc;
}

/* ---- the arm ---- */

/* How many recorded tiles have a span in the picture? */
static void count_tiles(struct inside_lanes *out, const struct picture *p)
{
    out->first_tile = INT64_MAX;
    for (size_t i = 0; i < p->pieces.count; i++) {
        const struct piece *piece = &p->pieces.items[i];
        out->first_tile = piece->tile < out->first_tile ? piece->tile : out->first_tile;
        out->last_tile = piece->tile > out->last_tile ? piece->tile : out->last_tile;
    }
    for (size_t i = 0; i < p->warp_count; i++) {
        const struct inside_warp *w = &p->warps[i];
        bool is_shown = false;
        for (size_t k = 0; k < p->pieces.count && !is_shown; k++)
            is_shown = p->pieces.items[k].warp->block == w->block;
        for (size_t t = 0; t < w->recorded && is_shown; t++)
            out->tiles += w->tiles[t].tile <= out->last_tile;
    }
    out->tiles_left_out = (int64_t)p->records->tiles.count - out->tiles;
}

static int read_picture(struct inside_lanes *out, struct picture *p, struct err *e)
{
    choose_sm(p);
    read_clock(p);
    if (!p->warp_count || !(p->cycles_per_ns > 0))
        return 0;
    int rc = wait_lengths_read(&p->waits, p->records, e);
    if (!rc)
        rc = add_windows(p, e);
    if (rc || !p->pieces.count)
        return rc;
    qsort(p->pieces.items, p->pieces.count, sizeof *p->pieces.items, by_time);
    out->launch = p->warps[0].launch;
    out->sm = p->warps[0].sm;
    count_tiles(out, p);
    return place(out, p, e);
}

static int read_arm(struct inside_lanes *out, const struct run *run, const struct arm *arm, struct err *e)
{
    struct inside_records records;
    struct picture p = {.records = &records};
    out->variant = arm->variant;
    out->config = arm->config;
    int rc = inside_records_read(&records, run, arm, e);
    if (!rc)
        rc = read_picture(out, &p, e);
    free(p.pieces.items);
    wait_lengths_release(&p.waits);
    inside_records_release(&records);
    return rc;
}

static void release_arm(struct inside_lanes *l)
{
    free(l->lanes.items);
    free(l->spans.items);
}

int inside_lanes_read(struct inside_lanes_list *out, const struct run *run, struct err *e)
{
    int rc = 0;
    *out = (struct inside_lanes_list){{0}};
    for (size_t i = 0; i < run->arms.list.count && !rc; i++) {
        const struct arm *arm = run->arms.list.items[i];
        if (!arm_table_rows(&run->tables[BUNDLE_INSIDE_TILES], arm).count)
            continue;
        struct inside_lanes *lanes = ARRAY_PUSH(&out->arms);
        if (!lanes)
            return err_memory(e);
        *lanes = (struct inside_lanes){0};
        rc = read_arm(lanes, run, arm, e);
        if (!lanes->spans.count) {
            release_arm(lanes);
            out->arms.count--;
        }
    }
    return rc;
}

void inside_lanes_release(struct inside_lanes_list *l)
{
    for (size_t i = 0; i < l->arms.count; i++)
        release_arm(&l->arms.items[i]);
    free(l->arms.items);
    *l = (struct inside_lanes_list){{0}};
}
