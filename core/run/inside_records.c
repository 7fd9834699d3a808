/* What did an arm record of its inside, and is all of it there? */
#include "core/run/inside_records.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- reading ---- */

/* A tile before its warp is known. */
struct found_tile {
    int64_t launch, block, warp;
    struct inside_tile tile;
};

struct found {
    ARRAY_OF(struct found_tile) tiles;
};

/* Tables hold whole numbers from 0; what a number cannot hold exactly is not there. */
static int64_t whole(const struct table *t, size_t row, size_t column)
{
    const double value = table_number(t, row, column);
    return value >= 0 && value < 9007199254740992.0 ? (int64_t)value : INSIDE_NOT_PASSED;
}

static int small(const struct table *t, size_t row, size_t column)
{
    const int64_t value = whole(t, row, column);
    return value > INT32_MAX ? INT32_MAX : (int)value;
}

static enum cpprof_phase_kind kind_of(const char *name)
{
    for (int kind = 0; kind < INSIDE_KIND_COUNT; kind++)
        if (!strcmp(inside_kinds[kind], name))
            return (enum cpprof_phase_kind)kind;
    return CPPROF_PHASE_OTHER;
}

static int read_phases(struct inside_records *r, const struct arm_table *rows, const struct arm *arm, struct err *e)
{
    const struct arm_places places = arm_table_rows(rows, arm);
    for (size_t i = 0; i < places.count; i++) {
        const struct table *t = rows->table;
        const size_t row = places.items[i];
        const int mark = small(t, row, INSIDE_PHASES_MARK), until = small(t, row, INSIDE_PHASES_UNTIL);
        if (mark < 0 || mark >= CPPROF_MARKS_MAX || until < 0 || until >= CPPROF_MARKS_MAX)
            continue;
        struct inside_phase *phase = ARRAY_PUSH(&r->phases);
        if (!phase)
            return err_memory(e);
        *phase = (struct inside_phase){
            .role = small(t, row, INSIDE_PHASES_ROLE),
            .mark = mark,
            .until = until,
            .ahead = small(t, row, INSIDE_PHASES_AHEAD),
            .kind = kind_of(table_text(t, row, INSIDE_PHASES_KIND)),
            .role_name = table_text(t, row, INSIDE_PHASES_ROLE_NAME),
            .name = table_text(t, row, INSIDE_PHASES_NAME),
        };
    }
    return 0;
}

/* Bundles of one GPU may not say which. */
static int64_t device_of(const struct table *t, size_t row)
{
    const int64_t device = whole(t, row, INSIDE_WARPS_DEVICE);
    return device < 0 ? 0 : device;
}

static int read_warps(struct inside_records *r, const struct arm_table *rows, const struct arm *arm, struct err *e)
{
    const struct arm_places places = arm_table_rows(rows, arm);
    for (size_t i = 0; i < places.count; i++) {
        const struct table *t = rows->table;
        const size_t row = places.items[i];
        struct inside_warp *w = ARRAY_PUSH(&r->warps);
        if (!w)
            return err_memory(e);
        *w = (struct inside_warp){
            .launch = whole(t, row, INSIDE_WARPS_LAUNCH),
            .device = device_of(t, row),
            .sm = whole(t, row, INSIDE_WARPS_SM),
            .block = whole(t, row, INSIDE_WARPS_BLOCK),
            .role = whole(t, row, INSIDE_WARPS_ROLE),
            .warp = whole(t, row, INSIDE_WARPS_WARP),
            .tile_count = whole(t, row, INSIDE_WARPS_TILES),
            .begin_ns = whole(t, row, INSIDE_WARPS_BEGIN_NS),
            .end_ns = whole(t, row, INSIDE_WARPS_END_NS),
            .begin_cycle = whole(t, row, INSIDE_WARPS_BEGIN_CYCLE),
            .end_cycle = whole(t, row, INSIDE_WARPS_END_CYCLE),
        };
    }
    return 0;
}

static int read_tiles(struct found *f, const struct arm_table *rows, const struct arm *arm, struct err *e)
{
    const struct arm_places places = arm_table_rows(rows, arm);
    for (size_t i = 0; i < places.count; i++) {
        const struct table *t = rows->table;
        const size_t row = places.items[i];
        struct found_tile *found = ARRAY_PUSH(&f->tiles);
        if (!found)
            return err_memory(e);
        *found = (struct found_tile){whole(t, row, INSIDE_TILES_LAUNCH),
                                     whole(t, row, INSIDE_TILES_BLOCK),
                                     whole(t, row, INSIDE_TILES_WARP),
                                     {whole(t, row, INSIDE_TILES_TILE), {0}}};
        for (size_t mark = 0; mark < CPPROF_MARKS_MAX; mark++)
            found->tile.marks[mark] = whole(t, row, INSIDE_TILES_MARKS + mark);
    }
    return 0;
}

/* ---- order ---- */

static int by_number(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static int by_phase(const void *pa, const void *pb)
{
    const struct inside_phase *a = pa, *b = pb;
    const int role = by_number(a->role, b->role), mark = by_number(a->mark, b->mark);
    const int kind = by_number(a->kind, b->kind);
    return role ? role : mark ? mark : kind ? kind : strcmp(a->name, b->name);
}

static int by_warp(const struct inside_warp *w, int64_t launch, int64_t block, int64_t warp)
{
    const int first = by_number(w->launch, launch), second = by_number(w->block, block);
    return first ? first : second ? second : by_number(w->warp, warp);
}

/* The order in which tiles find their warps. */
static int by_name(const void *pa, const void *pb)
{
    const struct inside_warp *a = pa, *b = pb;
    return by_warp(a, b->launch, b->block, b->warp);
}

static int by_place(const void *pa, const void *pb)
{
    const struct inside_warp *a = pa, *b = pb;
    const int launch = by_number(a->launch, b->launch), device = by_number(a->device, b->device);
    const int sm = by_number(a->sm, b->sm);
    const int block = by_number(a->block, b->block), role = by_number(a->role, b->role);
    return launch ? launch : device ? device : sm ? sm : block ? block : role ? role : by_number(a->warp, b->warp);
}

static int by_tile(const void *pa, const void *pb)
{
    const struct found_tile *a = pa, *b = pb;
    const int launch = by_number(a->launch, b->launch), block = by_number(a->block, b->block);
    const int warp = by_number(a->warp, b->warp);
    return launch ? launch : block ? block : warp ? warp : by_number(a->tile.tile, b->tile.tile);
}

#define SORT(list, by)                                                                                                 \
    do {                                                                                                               \
        if ((list).count)                                                                                              \
            qsort((list).items, (list).count, sizeof *(list).items, by);                                               \
    } while (0)

/* ---- joining and checking ---- */

int64_t inside_tile_first(const struct inside_tile *t)
{
    for (size_t i = 0; i < CPPROF_MARKS_MAX; i++)
        if (t->marks[i] != INSIDE_NOT_PASSED)
            return t->marks[i];
    return INSIDE_NOT_PASSED;
}

int64_t inside_tile_last(const struct inside_tile *t)
{
    for (size_t i = CPPROF_MARKS_MAX; i > 0; i--)
        if (t->marks[i - 1] != INSIDE_NOT_PASSED)
            return t->marks[i - 1];
    return INSIDE_NOT_PASSED;
}

/* Are its marks in order, behind `earliest` and within the time of its warp? */
static bool is_ordered(const struct inside_tile *t, const struct inside_warp *w, int64_t earliest)
{
    int64_t before = earliest > w->begin_cycle ? earliest : w->begin_cycle;
    for (size_t i = 0; i < CPPROF_MARKS_MAX; i++) {
        if (t->marks[i] == INSIDE_NOT_PASSED)
            continue;
        if (t->marks[i] < before)
            return false;
        before = t->marks[i];
    }
    return before <= w->end_cycle || inside_tile_last(t) == INSIDE_NOT_PASSED;
}

/* Appends a tile to those of its warp, the last one so far. */
static int add_tile(struct inside_records *r, struct inside_warp *w, const struct inside_tile *tile, int64_t *last,
                    struct err *e)
{
    const bool is_twice = w->recorded && r->tiles.items[r->tiles.count - 1].tile == tile->tile;
    if (tile->tile < 0 || tile->tile >= w->tile_count || is_twice) {
        r->damage.surplus++;
        return 0;
    }
    if (!is_ordered(tile, w, *last)) {
        r->damage.disordered++;
        return 0;
    }
    struct inside_tile *kept = ARRAY_PUSH(&r->tiles);
    if (!kept)
        return err_memory(e);
    *kept = *tile;
    w->recorded++;
    if (inside_tile_last(tile) != INSIDE_NOT_PASSED)
        *last = inside_tile_last(tile);
    return 0;
}

/* Both are sorted by name. */
static int join(struct inside_records *r, const struct found *f, struct err *e)
{
    size_t at = 0;
    for (size_t i = 0; i < r->warps.count; i++) {
        struct inside_warp *w = &r->warps.items[i];
        int64_t last = 0;
        for (; at < f->tiles.count; at++) {
            const struct found_tile *found = &f->tiles.items[at];
            const int order = by_warp(w, found->launch, found->block, found->warp);
            if (order < 0)
                break;
            r->damage.homeless += order > 0;
            if (order == 0 && add_tile(r, w, &found->tile, &last, e))
                return err_memory(e);
        }
    }
    r->damage.homeless += f->tiles.count - at;
    size_t first = 0;
    for (size_t i = 0; i < r->warps.count; i++) { /* now that the list no longer moves */
        r->warps.items[i].tiles = r->tiles.items ? r->tiles.items + first : NULL;
        first += r->warps.items[i].recorded;
    }
    return 0;
}

/* ---- what is missing ---- */

static int by_window(const void *pa, const void *pb)
{
    return by_number(*(const int64_t *)pa, *(const int64_t *)pb);
}

/* Fills `windows` with the numbers of those in which any warp recorded; returns how many. */
static size_t find_windows(const struct inside_records *r, int64_t *windows)
{
    size_t count = 0;
    for (size_t i = 0; i < r->tiles.count; i++)
        windows[i] = r->tiles.items[i].tile / CPPROF_WINDOW_TILES;
    if (r->tiles.count)
        qsort(windows, r->tiles.count, sizeof *windows, by_window);
    for (size_t i = 0; i < r->tiles.count; i++)
        if (!count || windows[count - 1] != windows[i])
            windows[count++] = windows[i];
    return count;
}

/* Windows that end before `tiles` are whole; the one that it cuts has a few. */
static size_t expected_tiles(const int64_t *windows, size_t count, int64_t tiles)
{
    size_t low = 0, high = count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (windows[middle] < tiles / CPPROF_WINDOW_TILES)
            low = middle + 1;
        else
            high = middle;
    }
    const bool is_cut = low < count && windows[low] == tiles / CPPROF_WINDOW_TILES;
    return low * CPPROF_WINDOW_TILES + (is_cut ? (size_t)(tiles % CPPROF_WINDOW_TILES) : 0);
}

static int count_missing(struct inside_records *r, struct err *e)
{
    int64_t *windows = calloc(r->tiles.count + 1, sizeof *windows);
    if (!windows)
        return err_memory(e);
    const size_t count = find_windows(r, windows);
    for (size_t i = 0; i < r->warps.count; i++) {
        const struct inside_warp *w = &r->warps.items[i];
        const size_t expected = expected_tiles(windows, count, w->tile_count < 0 ? 0 : w->tile_count);
        r->damage.missing += expected > w->recorded ? expected - w->recorded : 0;
        r->damage.silent += expected && !w->recorded;
    }
    free(windows);
    return 0;
}

/* Each block has one warp of each role, so all have as many as the one that has most. */
static void count_silent(struct inside_records *r)
{
    size_t most = 0;
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0, next; i < r->warps.count; i = next) {
            const struct inside_warp *w = &r->warps.items[i];
            for (next = i + 1;
                 next < r->warps.count && inside_on_same_sm(&w[next - i], w) && w[next - i].block == w->block;)
                next++;
            if (pass)
                r->damage.silent += most - (next - i);
            else if (next - i > most)
                most = next - i;
        }
}

/* The table of a source has the roles of all of its kernels. */
static void keep_phases_of_warps(struct inside_records *r)
{
    size_t kept = 0;
    for (size_t i = 0; i < r->phases.count; i++) {
        size_t k = 0;
        while (k < r->warps.count && r->warps.items[k].role != r->phases.items[i].role)
            k++;
        if (k < r->warps.count)
            r->phases.items[kept++] = r->phases.items[i];
    }
    r->phases.count = kept;
}

int inside_records_read(struct inside_records *out, const struct run *run, const struct arm *arm, struct err *e)
{
    struct found found = {{0}};
    *out = (struct inside_records){0};
    int rc = read_phases(out, &run->tables[BUNDLE_INSIDE_PHASES], arm, e);
    if (!rc)
        rc = read_warps(out, &run->tables[BUNDLE_INSIDE_WARPS], arm, e);
    if (!rc)
        rc = read_tiles(&found, &run->tables[BUNDLE_INSIDE_TILES], arm, e);
    keep_phases_of_warps(out);
    SORT(out->phases, by_phase);
    SORT(out->warps, by_name);
    SORT(found.tiles, by_tile);
    if (!rc)
        rc = join(out, &found, e);
    SORT(out->warps, by_place);
    if (!rc)
        rc = count_missing(out, e);
    count_silent(out);
    free(found.tiles.items);
    return rc;
}

void inside_records_release(struct inside_records *r)
{
    free(r->phases.items);
    free(r->warps.items);
    free(r->tiles.items);
    *r = (struct inside_records){0};
}

size_t inside_damage_total(const struct inside_damage *d)
{
    return d->homeless + d->surplus + d->disordered + d->missing + d->silent;
}

bool inside_on_same_sm(const struct inside_warp *a, const struct inside_warp *b)
{
    return a->launch == b->launch && a->device == b->device && a->sm == b->sm;
}

/* ---- phases ---- */

int64_t inside_phase_end(const struct inside_warp *w, size_t index, const struct inside_phase *phase)
{
    const struct inside_tile *tile = &w->tiles[index];
    if (tile->marks[phase->mark] == INSIDE_NOT_PASSED)
        return INSIDE_NOT_PASSED;
    if (phase->until)
        return phase->until > phase->mark ? tile->marks[phase->until] : INSIDE_NOT_PASSED;
    for (int mark = phase->mark + 1; mark < CPPROF_MARKS_MAX; mark++)
        if (tile->marks[mark] != INSIDE_NOT_PASSED)
            return tile->marks[mark];
    const bool has_next = index + 1 < w->recorded && w->tiles[index + 1].tile == tile->tile + 1;
    return has_next ? inside_tile_first(&w->tiles[index + 1]) : INSIDE_NOT_PASSED;
}
