/* How much later may each phase of a kernel end before the kernel becomes slower? From arms in which a mark waits. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyzers/arm_doubt.h"
#include "analyzers/entries.h"
#include "analyzers/slack/slack_words.h"
#include "run/arm_ratio.h"
#include "stats/delay_response.h"
#include "stats/sequential_looks.h"

enum { DOSES_LEAST = 3 };

/* By how much the control may differ from the build without marks. */
#define CONTROL_MAX 0.02
/* What a tile may take longer and still count as not at all. */
#define TOLERANCE_CYCLES 10

static const struct bounded unknown = {NAN, NAN, NAN};

/* ---- what is known of a mark ---- */

static const struct arm *record_arm(struct analysis *a, const struct slack *s)
{
    return analysis_arm(a, arena_printf(&a->arena, "%s" INSIDE_RECORD, s->variant), s->config);
}

/* A mark may begin two phases, as a load that is waited for at once. */
static void name_phase(struct slack *s, struct analysis *a, const struct arm *record)
{
    const struct arm_table *t = &a->run->tables[BUNDLE_INSIDE_PHASES];
    const struct arm_places rows = arm_table_rows(t, record);
    s->role_name = arena_printf(&a->arena, "role %lld", (long long)s->role);
    s->name = arena_printf(&a->arena, "mark %lld", (long long)s->mark);
    for (size_t i = 0; i < rows.count; i++) {
        const size_t row = rows.items[i];
        if ((int64_t)table_number(t->table, row, INSIDE_PHASES_ROLE) != s->role ||
            (int64_t)table_number(t->table, row, INSIDE_PHASES_MARK) != s->mark)
            continue;
        s->role_name = arena_copy(&a->arena, table_text(t->table, row, INSIDE_PHASES_ROLE_NAME));
        s->name = arena_copy(&a->arena, table_text(t->table, row, INSIDE_PHASES_NAME));
        return;
    }
}

/* Blocks that are on an SM at once delay one another's tiles at the same time. Those that come after them do not. */
static double waves_of(const struct analysis *a, const struct arm *arm)
{
    const struct arm_table *t = &a->run->tables[BUNDLE_RESOURCES];
    const long row = arm_table_first(t, arm);
    return row < 0 ? NAN : ceil(table_number(t->table, (size_t)row, RESOURCES_WAVES));
}

static int64_t serial_tiles(const struct analysis *a, const struct slack *s, const struct arm *record)
{
    const struct arm_table *t = &a->run->tables[BUNDLE_INSIDE_WARPS];
    const struct arm_places rows = arm_table_rows(t, record);
    double most = 0;
    for (size_t i = 0; i < rows.count; i++)
        if ((int64_t)table_number(t->table, rows.items[i], INSIDE_WARPS_ROLE) == s->role)
            most = fmax(most, table_number(t->table, rows.items[i], INSIDE_WARPS_TILES));
    const double tiles = most * waves_of(a, s->off);
    return tiles >= 1 ? (int64_t)tiles : 0;
}

/* ---- doses ---- */

static const struct timing_arm *timing_of(const struct analysis *a, const struct arm *arm)
{
    return timing_arms_find(&a->run->timing, arm);
}

static int compare(const struct analysis *a, const struct timing_arm *base, const struct timing_arm *cand,
                   struct arm_ratio *out, struct err *e)
{
    return arm_ratio_measure(out, &(struct arm_pair){base, cand, true}, a->margin,
                             sequential_looks_of_manifest(a->bundle->manifest), e);
}

static struct bounded scaled(struct bounded b, double factor)
{
    return (struct bounded){b.value * factor, b.low * factor, b.high * factor};
}

static struct bounded more_than_one(const struct ratio_interval *i)
{
    return (struct bounded){i->ratio - 1, i->low - 1, i->high - 1};
}

static int by_delay(const void *left, const void *right)
{
    const struct slack_dose *a = left, *b = right;
    return (a->delay_cycles > b->delay_cycles) - (a->delay_cycles < b->delay_cycles);
}

/* The rows of delays.csv of one mark: the arm of the control, and those of the doses. */
struct mark_rows {
    const struct arm_table *table;
    size_t *items;
    size_t count;
    long control; /* -1: there is none */
};

static int add_dose(struct slack *s, const struct analysis *a, const struct mark_rows *rows, size_t row, struct err *e)
{
    const struct table *t = rows->table->table;
    const struct timing_arm *control = timing_of(a, rows->table->arms[rows->control]);
    const struct timing_arm *dosed = timing_of(a, rows->table->arms[row]);
    struct arm_ratio ratio;
    if (!control || !dosed || !timing_arms_are_alike(control, dosed)) {
        s->reason = "not_timed";
        return 0;
    }
    const int rc = compare(a, control, dosed, &ratio, e);
    if (rc)
        return rc;
    struct slack_dose *dose = &s->doses[s->dose_count++];
    *dose = (struct slack_dose){
        .asked_cycles = (int64_t)table_number(t, row, DELAYS_ASKED),
        .delay_cycles = table_number(t, row, DELAYS_TAKEN) - table_number(t, (size_t)rows->control, DELAYS_TAKEN),
        .ns = scaled(more_than_one(&ratio.time.interval), ratio.base_ns),
    };
    dose->cycles = s->tiles ? scaled(dose->ns, s->cycles_per_ns / (double)s->tiles) : unknown;
    return 0;
}

static int add_doses(struct slack *s, struct analysis *a, const struct mark_rows *rows, struct err *e)
{
    int rc = 0;
    s->doses = arena_alloc(&a->arena, rows->count * sizeof *s->doses);
    if (!s->doses)
        return err_memory(e);
    for (size_t i = 0; i < rows->count && !rc && !*s->reason; i++)
        if ((long)rows->items[i] != rows->control)
            rc = add_dose(s, a, rows, rows->items[i], e);
    qsort(s->doses, s->dose_count, sizeof *s->doses, by_delay);
    return rc;
}

/* ---- the answer ---- */

static const char *doubt_of(const struct slack *s, const struct analysis *a, const struct mark_rows *rows)
{
    if (!s->off)
        return "no_off_arm";
    if (rows->control < 0)
        return "no_control";
    const char *doubt = arm_doubt(a, s->off);
    for (size_t i = 0; i < rows->count && !*doubt; i++)
        doubt = arm_doubt(a, rows->table->arms[rows->items[i]]);
    return doubt;
}

static int read_control(struct slack *s, const struct analysis *a, const struct mark_rows *rows, struct err *e)
{
    const struct timing_arm *off = timing_of(a, s->off);
    const struct timing_arm *control = timing_of(a, rows->table->arms[rows->control]);
    struct arm_ratio ratio;
    s->reason = "not_timed";
    if (!off || !control || !timing_arms_are_alike(off, control))
        return 0;
    const int rc = compare(a, off, control, &ratio, e);
    if (rc)
        return rc;
    s->control = more_than_one(&ratio.time.interval);
    s->cycles_per_ns = timing_arm_clock_hz(off) / 1e9;
    s->reason = !strcmp(ratio.time.reason, "too_few_processes")                          ? "too_few_processes"
                : fabs(s->control.value) > CONTROL_MAX                                   ? "control_differs"
                : s->control.high > 2 * CONTROL_MAX || s->control.low < -2 * CONTROL_MAX ? "control_unclear"
                : !isfinite(s->cycles_per_ns)                                            ? "no_clock"
                                                                                         : "";
    return 0;
}

static const char *doubt_of_doses(const struct slack *s)
{
    if (s->dose_count < DOSES_LEAST)
        return "too_few_doses";
    for (size_t i = 0; i < s->dose_count; i++)
        if (!(s->doses[i].delay_cycles > (i ? s->doses[i - 1].delay_cycles : 0)))
            return "delays_not_in_order";
    return s->tiles ? "" : "no_tiles";
}

static void answer(struct slack *s, const struct delay_dose *doses)
{
    static const char *const names[] = {[DELAY_HIDDEN] = "hidden",
                                        [DELAY_CRITICAL] = "critical",
                                        [DELAY_PARTLY] = "partly",
                                        [DELAY_UNSTEADY] = "unsteady"};
    const struct delay_response r = delay_response_of(doses, s->dose_count, TOLERANCE_CYCLES);
    s->status = names[r.kind];
    s->is_ok = r.kind != DELAY_UNSTEADY;
    s->critical = (struct bounded){r.critical, r.critical_low, r.critical_high};
    if (!s->is_ok)
        return;
    s->slope = (struct bounded){r.slope, r.slope_low, r.slope_high};
    s->ns = scaled((struct bounded){r.slack, r.free, r.latest}, 1 / s->cycles_per_ns);
}

static int conclude(struct slack *s, struct analysis *a, struct err *e)
{
    s->reason = *s->reason ? s->reason : doubt_of_doses(s);
    if (*s->reason)
        return 0;
    struct delay_dose *doses = arena_alloc(&a->arena, s->dose_count * sizeof *doses);
    if (!doses)
        return err_memory(e);
    for (size_t i = 0; i < s->dose_count; i++)
        doses[i] = (struct delay_dose){s->doses[i].delay_cycles, s->doses[i].cycles.value, s->doses[i].cycles.low,
                                       s->doses[i].cycles.high};
    answer(s, doses);
    return 0;
}

static int judge(struct slack *s, struct analysis *a, const struct mark_rows *rows, struct err *e)
{
    const struct arm *record = record_arm(a, s);
    int rc = 0;
    name_phase(s, a, record);
    s->reason = doubt_of(s, a, rows);
    if (!*s->reason)
        rc = read_control(s, a, rows, e);
    s->tiles = s->off ? serial_tiles(a, s, record) : 0;
    if (!rc && !*s->reason)
        rc = add_doses(s, a, rows, e);
    return rc ? rc : conclude(s, a, e);
}

/* ---- marks ---- */

static bool is_same_mark(const struct arm_table *t, size_t left, size_t right)
{
    return !strcmp(table_text(t->table, left, DELAYS_OF), table_text(t->table, right, DELAYS_OF)) &&
           !strcmp(table_text(t->table, left, DELAYS_SHAPE), table_text(t->table, right, DELAYS_SHAPE)) &&
           table_number(t->table, left, DELAYS_ROLE) == table_number(t->table, right, DELAYS_ROLE) &&
           table_number(t->table, left, DELAYS_MARK) == table_number(t->table, right, DELAYS_MARK);
}

/* Takes the rows of the mark of this one, and notes that they were taken. */
static void take_rows(struct mark_rows *rows, size_t first, bool *taken)
{
    rows->count = 0;
    rows->control = -1;
    for (size_t row = first; row < table_rows(rows->table->table); row++) {
        if (taken[row] || !is_same_mark(rows->table, first, row))
            continue;
        taken[row] = true;
        rows->items[rows->count++] = row;
        if (isnan(table_number(rows->table->table, row, DELAYS_ASKED)))
            rows->control = (long)row;
    }
}

static int add_mark(struct analysis *a, const struct mark_rows *rows, struct err *e)
{
    const struct table *t = rows->table->table;
    const size_t first = rows->items[0];
    struct slack *s = ARRAY_PUSH(&a->slacks);
    if (!s)
        return err_memory(e);
    *s = (struct slack){
        .variant = arena_copy(&a->arena, table_text(t, first, DELAYS_OF)),
        .config = arena_copy(&a->arena, table_text(t, first, DELAYS_SHAPE)),
        .role = (int64_t)table_number(t, first, DELAYS_ROLE),
        .mark = (int64_t)table_number(t, first, DELAYS_MARK),
        .control = unknown,
        .cycles_per_ns = NAN,
        .ns = unknown,
        .slope = unknown,
        .critical = unknown,
        .status = "inconclusive",
        .reason = "",
    };
    s->off = analysis_arm(a, s->variant, s->config);
    const int rc = judge(s, a, rows, e);
    s->why = s->is_ok ? "" : slack_reason_words(*s->reason ? s->reason : s->status);
    return rc;
}

int slack_analyze(struct analysis *a, struct err *e)
{
    const struct arm_table *t = &a->run->tables[BUNDLE_DELAYS];
    const size_t count = table_rows(t->table);
    struct mark_rows rows = {t, calloc(count + 1, sizeof *rows.items), 0, -1};
    bool *taken = calloc(count + 1, sizeof *taken);
    int rc = rows.items && taken ? 0 : err_memory(e);
    for (size_t row = 0; row < count && !rc; row++) {
        if (taken[row])
            continue;
        take_rows(&rows, row, taken);
        rc = add_mark(a, &rows, e);
    }
    free(rows.items);
    free(taken);
    return rc;
}
