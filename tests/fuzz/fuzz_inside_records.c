/* Is what a run says of the inside of a kernel possible, whatever its tables hold, and does damage never make it ok?
 *
 * The first bytes are the shape of a whole recording: blocks, windows, roles, cycles of the copy, of the math, the
 * distance of the copies. Edits follow, four bytes each: what is changed, the row, the column, the value. */
#define _GNU_SOURCE
#include "tests/fuzz/fuzz.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "analyzers/entries.h"
#include "analyzers/inside/inside_lanes.h"
#include "core/run/inside_records.h"
#include "tests/unit/named_arms.h"

#define OFF    "f/v"
#define RECORD "f/v+record"

enum { EDIT_BYTES = 4, TILE_CYCLES = 1000 };

struct recorded {
    struct bundle bundle;
    struct analysis analysis;
};

/* "TEXT|1|2|": cells in the order of the columns; an empty one is missing. */
static void add_row(struct recorded *r, enum bundle_table which, const char *format, ...)
{
    char line[256], *cells = line;
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    struct table *t = &r->bundle.tables[which];
    struct cell *row = table_add_row(t);
    REQUIRE(row);
    for (size_t column = 0; column < t->column_count && cells; column++) {
        const char *cell = strsep(&cells, "|");
        if (*cell)
            row[column] = t->columns[column].unit == UNIT_TEXT ? cell_text(t, cell) : cell_number(strtod(cell, NULL));
    }
}

static void add_proven_arm(struct recorded *r, const char *variant)
{
    add_row(r, BUNDLE_VARIANTS, "%s|m", variant);
    for (int process = 0; process < 4; process++)
        add_row(r, BUNDLE_TIMING, "%s|m|%d|0|0|0|hot|1||%d|no", variant, process, 1000 + process);
    add_row(r, BUNDLE_RESOURCES, "%s|m|k|4|256|64|0|0|0|2|0.5|1", variant);
    struct selection_check *check = ARRAY_PUSH(&r->analysis.selection);
    struct correctness *right = ARRAY_PUSH(&r->analysis.correctness);
    REQUIRE(check && right);
    *check = (struct selection_check){.variant = variant, .config = "m", .status = VERDICT_PASS};
    *right = (struct correctness){.variant = variant, .config = "m", .status = VERDICT_PASS};
}

/* Role 0 copies and role 1 works, or one role does both. */
static void draw(struct recorded *r, const uint8_t *shape)
{
    const int blocks = 1 + shape[0] % 4, tiles = 8 * (1 + shape[1] % 6), roles = 1 + shape[2] % 2;
    const int copy = 50 + 3 * shape[3], math = 3 * shape[4], ahead = shape[5] % 4, works = roles - 1;
    add_row(r, BUNDLE_INSIDE_PHASES, RECORD "|m|0|0|issue|a|load|1|%d", ahead);
    add_row(r, BUNDLE_INSIDE_PHASES, RECORD "|m|%d|1|%s|b|wait|2|0", works, shape[6] % 4 ? "wait" : "poll");
    add_row(r, BUNDLE_INSIDE_PHASES, RECORD "|m|%d|2|compute|b|math|3|0", works);
    for (int i = 0; i < blocks * roles; i++) {
        const int block = i / roles, role = i % roles;
        add_row(r, BUNDLE_INSIDE_WARPS, RECORD "|m|0|%d|%d|%d|%d|%d|0|100000|0|200000", block, role, block % 2, role,
                tiles + shape[7] % 2 * 8);
        for (int tile = 0; tile < tiles; tile++) {
            const int at = TILE_CYCLES * tile + 10 * block;
            if (role == 0 && roles == 2)
                add_row(r, BUNDLE_INSIDE_TILES, RECORD "|m|0|%d|%d|%d|%d|%d", block, role, tile, at, at + 20);
            else
                add_row(r, BUNDLE_INSIDE_TILES, RECORD "|m|0|%d|%d|%d|%d|%d|%d|%d", block, role, tile, at, at + 20,
                        at + 20 + copy % 400, at + 20 + copy % 400 + math % 500);
        }
    }
}

static void edit(struct recorded *r, const uint8_t *bytes)
{
    static const enum bundle_table which[] = {BUNDLE_INSIDE_TILES, BUNDLE_INSIDE_WARPS, BUNDLE_INSIDE_PHASES};
    static const double values[] = {0, 1, 2, 7, 8, 100, 1500, 199999, 9e15, -1};
    struct table *t = &r->bundle.tables[which[bytes[0] % 3]];
    const size_t rows = table_rows(t), row = rows ? bytes[1] % rows : 0, column = 2 + bytes[2] % (t->column_count - 2);
    if (bytes[0] > 240 && rows)
        table_truncate(t, row);
    else if (rows && t->columns[column].unit != UNIT_TEXT)
        ((struct cell *)table_at(t, row, 0))[column] =
            bytes[3] % 16 < 10 ? cell_number(values[bytes[3] % 16]) : cell_number(bytes[3] * 40);
}

static void make(struct recorded *r, const uint8_t *data, size_t size)
{
    uint8_t shape[8];
    for (size_t i = 0; i < sizeof shape; i++)
        shape[i] = fuzz_take(&data, &size);
    bundle_init(&r->bundle);
    r->bundle.path = strdup("fuzz");
    r->bundle.complete = true;
    r->bundle.manifest = json_pack("{s:{s:i}}", "gpu", "sm_count", 2);
    analysis_init(&r->analysis, &r->bundle);
    add_proven_arm(r, OFF);
    add_proven_arm(r, RECORD);
    draw(r, shape);
    for (; size >= EDIT_BYTES; data += EDIT_BYTES, size -= EDIT_BYTES)
        edit(r, data);
    for (int i = 0; i < BUNDLE_TABLE_COUNT; i++)
        r->bundle.has_table[i] = table_rows(&r->bundle.tables[i]) > 0;
}

/* ---- records ---- */

static void check_warp(const struct inside_warp *w)
{
    int64_t before = w->begin_cycle;
    for (size_t i = 0; i < w->recorded; i++) {
        const struct inside_tile *tile = &w->tiles[i];
        REQUIRE(tile->tile >= 0 && tile->tile < w->tile_count);
        REQUIRE(!i || tile->tile > tile[-1].tile);
        for (size_t mark = 0; mark < CPPROF_MARKS_MAX; mark++) {
            if (tile->marks[mark] == INSIDE_NOT_PASSED)
                continue;
            REQUIRE(tile->marks[mark] >= before && tile->marks[mark] <= w->end_cycle);
            before = tile->marks[mark];
        }
    }
}

/* Each row of the table is a tile of a warp, or counted as damage. */
static size_t check_records(const struct recorded *r, const struct arm *arm)
{
    struct inside_records records;
    size_t kept = 0;
    REQUIRE(!inside_records_read(&records, r->analysis.run, arm, NULL));
    const struct inside_damage d = records.damage;
    for (size_t i = 0; i < records.warps.count; i++) {
        check_warp(&records.warps.items[i]);
        kept += records.warps.items[i].recorded;
    }
    REQUIRE(kept == records.tiles.count);
    REQUIRE(kept + d.homeless + d.surplus + d.disordered == table_rows(&r->bundle.tables[BUNDLE_INSIDE_TILES]));
    inside_records_release(&records);
    return inside_damage_total(&d);
}

/* ---- what is said of them ---- */

static void check_share(const struct bounded *b, double most)
{
    REQUIRE(isnan(b->value) || (b->low >= 0 && b->low <= b->value && b->value <= b->high && b->high <= most));
}

static void check_row(const struct inside *row, size_t damage)
{
    for (size_t i = 0; i < row->overlap_count; i++) {
        const struct inside_overlap *o = &row->overlaps[i];
        check_share(&o->h, 1);
        check_share(&o->e, 1);
        REQUIRE(o->hidden_cycles >= 0 && o->hidden_cycles <= o->copy_cycles && o->hidden_cycles <= o->work_cycles);
    }
    for (size_t i = 0; i < row->phase_count; i++)
        check_share(&row->phases[i].cycles, INFINITY);
    check_share(&row->exposed_wait, 1);
    check_share(&row->wait_cycles, INFINITY);
    REQUIRE(isnan(row->arrived) || (row->arrived >= 0 && row->arrived <= 1));
    REQUIRE(row->missing >= (int64_t)damage);
    REQUIRE(!damage || !row->is_ok);
    REQUIRE(row->is_ok == !row->reason);
}

static void check_lanes(const struct run *run)
{
    struct inside_lanes_list l;
    REQUIRE(!inside_lanes_read(&l, run, NULL));
    for (size_t i = 0; i < l.arms.count; i++) {
        const struct inside_lanes *arm = &l.arms.items[i];
        REQUIRE(arm->spans.count && arm->spans.count <= LANE_SPANS_MAX);
        REQUIRE(arm->tiles >= 0 && arm->tiles_left_out >= 0);
        for (size_t k = 0; k < arm->spans.count; k++) {
            const struct lane_span *s = &arm->spans.items[k];
            REQUIRE(s->lane < arm->lanes.count && s->begin_ns <= s->end_ns);
            REQUIRE(!k || s[-1].lane != s->lane || s[-1].end_ns <= s->begin_ns);
            REQUIRE(!s->is_copy || (s->earliest_ns <= s->end_ns && s->end_ns <= s->latest_ns));
        }
    }
    inside_lanes_release(&l);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct recorded r;
    struct err e = {0};
    make(&r, data, size);
    REQUIRE(!analysis_join(&r.analysis, &e));
    REQUIRE(!resources_analyze(&r.analysis, &e));
    name_arms(&r.analysis);
    REQUIRE(!inside_analyze(&r.analysis, &e));
    REQUIRE(r.analysis.insides.count <= 1);
    if (r.analysis.insides.count) {
        const struct inside *row = &r.analysis.insides.items[0];
        check_row(row, check_records(&r, row->arm));
        check_lanes(r.analysis.run);
    }
    analysis_release(&r.analysis);
    bundle_release(&r.bundle);
    return 0;
}
