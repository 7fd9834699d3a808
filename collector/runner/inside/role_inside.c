/* When was which phase inside the kernel? A few launches of each build that records, whose records are fetched after
 * each, and how long each mark of a build that waits really takes. -> inside_phases.csv, inside_warps.csv,
 * inside_tiles.csv, delays.csv */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "collector/runner/inside/half_math.h"
#include "collector/runner/runner.h"

enum {
    LAUNCHES = 3,
    ROWS = 1024 /* of tiles of a launch, on all of its devices */,
    ROWS_MAX = 2 * ROWS /* where an SM needs more than half of them: two SMs tell more than one */,
    SMS_MAX = 1024 /* of a device */
};

/* One launch of one arm. */
struct recording {
    struct runner *r;
    const struct run_case *run_case;
    const struct inside_rooms *rooms;
    const struct inside_room *room; /* the one whose rows are added */
    int launch;
    bool keeps_sm[SMS_MAX]; /* of each device */
    uint32_t every_mask;    /* of their windows, one in every_mask + 1 is kept */
};

static size_t seat_count(const struct inside_room *room)
{
    return (size_t)room->settings.blocks * room->settings.seats_per_block;
}

/* ---- which records are kept ---- */

static uint32_t recorded_tiles(const struct inside_room *room, const struct cpprof_inside_warp *w)
{
    const struct cpprof_inside_settings *s = &room->settings;
    const uint32_t tiles = w->tiles < s->limit ? w->tiles : s->limit;
    const uint32_t period = (s->every_mask + 1) * CPPROF_WINDOW_TILES, rest = tiles % period;
    return tiles / period * CPPROF_WINDOW_TILES + (rest < CPPROF_WINDOW_TILES ? rest : CPPROF_WINDOW_TILES);
}

/* The rows of the SM that has most of them, on one device; which SMs does it use? */
static size_t most_rows(const struct inside_room *room, bool *is_used)
{
    size_t rows_of_sm[SMS_MAX] = {0}, most = 0;
    for (size_t seat = 0; seat < seat_count(room); seat++) {
        const struct cpprof_inside_warp *w = &room->warps[seat];
        if (!w->role || w->sm >= SMS_MAX)
            continue;
        is_used[w->sm] = true;
        rows_of_sm[w->sm] += recorded_tiles(room, w);
        if (rows_of_sm[w->sm] > most)
            most = rows_of_sm[w->sm];
    }
    return most;
}

/* The same windows in every launch: those that only one has would be missing in the others. */
static void choose_windows(struct recording *rec, size_t most, size_t budget)
{
    const uint32_t recorded = rec->rooms->of[0].settings.every_mask;
    for (rec->every_mask = recorded; most * (recorded + 1) > budget * (rec->every_mask + 1);)
        rec->every_mask = 2 * rec->every_mask + 1;
}

/* Whole SMs, of each device the same, as many as there are rows for; at least one, of which windows are left out if
 * need be. Some SMs have a longer way to memory, so they are spread evenly, and each launch has others. */
static void choose(struct recording *rec)
{
    bool is_used[SMS_MAX] = {false};
    size_t most = 0, used = 0;
    for (int i = 0; i < rec->rooms->count; i++)
        most += most_rows(&rec->rooms->of[i], is_used);
    for (size_t sm = 0; sm < SMS_MAX; sm++)
        used += is_used[sm];
    const size_t budget = 2 * most <= ROWS ? ROWS : 2 * most < ROWS_MAX ? 2 * most : ROWS_MAX;
    const size_t fit = most && budget / most ? budget / most : 1, step = used > fit ? (used + fit - 1) / fit : 1;
    const size_t first = step * (size_t)rec->launch / LAUNCHES;
    for (size_t sm = 0, count = 0; sm < SMS_MAX; sm++) {
        rec->keeps_sm[sm] = is_used[sm] && count % step == first;
        count += is_used[sm];
    }
    if (!rec->launch)
        choose_windows(rec, most, budget);
}

static bool is_kept(const struct recording *rec, const struct cpprof_inside_warp *w)
{
    return w->role && w->role <= CPPROF_ROLES_MAX && w->sm < SMS_MAX && rec->keeps_sm[w->sm];
}

/* ---- rows ---- */

/* The earliest begins of a launch on one device: all is counted from there. */
struct origin {
    uint64_t ns;
    uint32_t *cycle; /* of each SM */
    bool *is_known;
};

static int find_origin(struct origin *o, const struct recording *rec, struct err *e)
{
    o->cycle = calloc(SMS_MAX, sizeof *o->cycle);
    o->is_known = calloc(SMS_MAX, sizeof *o->is_known);
    if (!o->cycle || !o->is_known)
        return err_memory(e);
    o->ns = UINT64_MAX;
    for (size_t seat = 0; seat < seat_count(rec->room); seat++) {
        const struct cpprof_inside_warp *w = &rec->room->warps[seat];
        if (!is_kept(rec, w))
            continue;
        if (w->begin_ns < o->ns)
            o->ns = w->begin_ns;
        if (!o->is_known[w->sm] || (int32_t)(w->begin_cycle - o->cycle[w->sm]) < 0)
            o->cycle[w->sm] = w->begin_cycle;
        o->is_known[w->sm] = true;
    }
    return 0;
}

static struct cell *add_row(struct recording *rec, enum bundle_table which, struct err *e)
{
    struct table *t = &rec->r->tables[which];
    struct cell *row = table_add_row(t);
    if (!row) {
        err_memory(e);
        return NULL;
    }
    row[0] = cell_text(t, rec->run_case->name);
    row[1] = cell_text(t, rec->run_case->key);
    return row;
}

/* Its number among the blocks of all devices. */
static int64_t block_number(const struct recording *rec, size_t seat)
{
    const struct cpprof_inside_settings *s = &rec->room->settings;
    return (rec->room - rec->rooms->of) * (int64_t)s->blocks + (int64_t)(seat / s->seats_per_block);
}

static int add_warp(struct recording *rec, const struct origin *o, size_t seat, struct err *e)
{
    const struct cpprof_inside_warp *w = &rec->room->warps[seat];
    struct cell *row = add_row(rec, BUNDLE_INSIDE_WARPS, e);
    if (!row)
        return e->code;
    row[INSIDE_WARPS_LAUNCH] = cell_integer(rec->launch);
    row[INSIDE_WARPS_BLOCK] = cell_integer(block_number(rec, seat));
    row[INSIDE_WARPS_WARP] = cell_integer(w->warp);
    row[INSIDE_WARPS_SM] = cell_integer(w->sm);
    row[INSIDE_WARPS_ROLE] = cell_integer(w->role - 1);
    row[INSIDE_WARPS_TILES] = cell_integer(w->tiles);
    row[INSIDE_WARPS_BEGIN_NS] = cell_integer((int64_t)(w->begin_ns - o->ns));
    row[INSIDE_WARPS_END_NS] = cell_integer((int64_t)(w->end_ns - o->ns));
    row[INSIDE_WARPS_BEGIN_CYCLE] = cell_integer(w->begin_cycle - o->cycle[w->sm]);
    row[INSIDE_WARPS_END_CYCLE] = cell_integer(w->end_cycle - o->cycle[w->sm]);
    row[INSIDE_WARPS_DEVICE] = cell_integer(rec->room->device);
    return 0;
}

static int add_tile(struct recording *rec, const struct origin *o, size_t seat, uint32_t tile, const uint32_t *marks,
                    struct err *e)
{
    const struct cpprof_inside_warp *w = &rec->room->warps[seat];
    struct cell *row = add_row(rec, BUNDLE_INSIDE_TILES, e);
    if (!row)
        return e->code;
    row[INSIDE_TILES_LAUNCH] = cell_integer(rec->launch);
    row[INSIDE_TILES_BLOCK] = cell_integer(block_number(rec, seat));
    row[INSIDE_TILES_WARP] = cell_integer(w->warp);
    row[INSIDE_TILES_TILE] = cell_integer(tile);
    for (size_t mark = 0; mark < CPPROF_MARKS_MAX; mark++)
        row[INSIDE_TILES_MARKS + mark] =
            marks[mark] ? cell_integer(marks[mark] - o->cycle[w->sm])
                        : cell_missing(&rec->r->tables[BUNDLE_INSIDE_TILES], "the mark was not passed");
    return 0;
}

static int add_tiles(struct recording *rec, const struct origin *o, size_t seat, struct err *e)
{
    const uint32_t tiles = rec->room->warps[seat].tiles, limit = rec->room->settings.limit;
    const uint32_t recorded = rec->room->settings.every_mask;
    int rc = 0;
    size_t index = 0;
    for (uint32_t tile = 0; tile < tiles && tile < limit && !rc; tile++) {
        const uint32_t window = tile / CPPROF_WINDOW_TILES;
        if (window & recorded)
            continue;
        const uint32_t *marks = inside_room_record(rec->room, seat, index++);
        if (marks && !(window & rec->every_mask))
            rc = add_tile(rec, o, seat, tile, marks, e);
    }
    return rc;
}

static int add_room(struct recording *rec, struct err *e)
{
    struct origin o = {0, NULL, NULL};
    int rc = find_origin(&o, rec, e);
    for (size_t seat = 0; seat < seat_count(rec->room) && !rc; seat++) {
        if (!is_kept(rec, &rec->room->warps[seat]))
            continue;
        rc = add_warp(rec, &o, seat, e);
        if (!rc)
            rc = add_tiles(rec, &o, seat, e);
    }
    free(o.cycle);
    free(o.is_known);
    return rc;
}

static int add_launch(struct recording *rec, struct err *e)
{
    int rc = 0;
    choose(rec);
    for (int i = 0; i < rec->rooms->count && !rc; i++) {
        rec->room = &rec->rooms->of[i];
        rc = add_room(rec, e);
    }
    return rc;
}

static int add_phases(struct recording *rec, struct err *e)
{
    const struct cpprof_inside *inside = rec->run_case->build->inside;
    for (size_t i = 0; i < inside->phase_count; i++) {
        const struct cpprof_phase *p = &inside->phases[i];
        struct table *t = &rec->r->tables[BUNDLE_INSIDE_PHASES];
        if (!inside_phase_is_of(p, rec->run_case->build->of->name))
            continue;
        struct cell *row = add_row(rec, BUNDLE_INSIDE_PHASES, e);
        if (!row)
            return e->code;
        row[INSIDE_PHASES_ROLE] = cell_integer(p->role);
        row[INSIDE_PHASES_MARK] = cell_integer(p->mark);
        row[INSIDE_PHASES_KIND] = cell_text(t, inside_kinds[p->kind]);
        row[INSIDE_PHASES_ROLE_NAME] = cell_text(t, p->role_name);
        row[INSIDE_PHASES_NAME] = cell_text(t, p->name);
        row[INSIDE_PHASES_UNTIL] = cell_integer(p->until);
        row[INSIDE_PHASES_AHEAD] = cell_integer(p->ahead);
    }
    return 0;
}

/* ---- arms ---- */

static int record_launch(struct recording *rec, struct arm *arm, struct err *e)
{
    int rc = 0;
    for (int64_t i = 0; i < rec->r->warmup && !rc; i++)
        rc = arm_launch(rec->r, arm, e);
    if (!rc)
        rc = arm_synchronize(rec->r, arm, e);
    if (!rc)
        rc = inside_rooms_clear(&arm->rooms, e);
    if (!rc)
        rc = arm_launch(rec->r, arm, e);
    if (!rc)
        rc = arm_synchronize(rec->r, arm, e);
    if (!rc)
        rc = inside_rooms_fetch(&arm->rooms, e);
    return rc ? rc : add_launch(rec, e);
}

static int record_arm(struct runner *r, const struct run_case *c, struct err *e)
{
    struct arm arm;
    uint64_t hash = 0;
    struct recording rec = {.r = r, .run_case = c, .rooms = &arm.rooms};
    int rc = arm_setup(r, &arm, c, runner_seed(r, 0), e);
    if (rc)
        return rc;
    rc = add_phases(&rec, e);
    if (!rc)
        rc = arm_poison(r, &arm, e);
    for (rec.launch = 0; rec.launch < LAUNCHES && !rc; rec.launch++)
        rc = record_launch(&rec, &arm, e);
    if (!rc)
        rc = arm_judge(r, &arm, runner_seed_text(r, 0), "recorded", NULL, &hash, e);
    arm_teardown(&arm);
    return rc;
}

static int add_delay(struct runner *r, const struct run_case *c, struct err *e)
{
    const struct inside_build *build = c->build;
    struct recording rec = {.r = r, .run_case = c};
    double taken = NAN;
    const int status = build->inside->measure(build->delay_cycles, &taken);
    if (status) {
        device_error(status, "measure a delay", e);
        return err_context(e, "variant '%s'", c->name);
    }
    struct cell *row = add_row(&rec, BUNDLE_DELAYS, e);
    if (!row)
        return e->code;
    row[DELAYS_OF] = cell_text(&r->tables[BUNDLE_DELAYS], build->of->name);
    row[DELAYS_ROLE] = cell_integer(build->inside->delay_mark / CPPROF_MARKS_MAX);
    row[DELAYS_MARK] = cell_integer(build->inside->delay_mark % CPPROF_MARKS_MAX);
    row[DELAYS_ASKED] = build->delay_cycles < 0 ? cell_missing(&r->tables[BUNDLE_DELAYS], "the mark does not wait")
                                                : cell_integer(build->delay_cycles);
    row[DELAYS_TAKEN] = cell_number(taken);
    return 0;
}

/* A variant itself is launched for its code alone. */
static int fetch(struct runner *r, const struct run_case *c, struct err *e)
{
    if (inside_build_waits(c->build))
        return add_delay(r, c, e);
    const int rc = c->build ? record_arm(r, c, e) : 0;
    return rc || !r->inside.records ? rc : half_math_load(r, c, e);
}

int role_inside(struct runner *r, struct err *e)
{
    int rc = 0;
    if (r->inside.records)
        half_math_start();
    for (size_t i = 0; i < r->cases.count && !rc; i++) {
        const struct run_case *c = &r->cases.items[i];
        char refusal[160];
        if ((c->build && inside_build_progresses(c->build)) || runner_refusal(r, c, refusal, sizeof refusal))
            continue;
        rc = fetch(r, c, e);
    }
    if (r->inside.records)
        half_math_report(r->report);
    return rc;
}
