/* How do units of the GPU rise when a launch begins, go on, and fall when it ends? */
#include <math.h>

#include "analyzers/inside/fold_launches.h"
#include "analyzers/inside/inside_parts.h"
#include "analyzers/inside/inside_words.h"
#include "core/base/count_of.h"

/* The units that are folded. */
static const struct {
    const char *name;
    size_t column;
} units[] = {{"tensor", INSIDE_SERIES_TENSOR},
             {"fma", INSIDE_SERIES_FMA},
             {"xu", INSIDE_SERIES_XU},
             {"l1_request", INSIDE_SERIES_L1_REQUEST},
             {"dram", INSIDE_SERIES_DRAM}};

enum {
    UNITS = COUNT_OF(units),
    STEPS_MAX = 16,      /* of a sample */
    LAUNCHES_A_STEP = 4, /* that have a sample in it, in the mean */
    ERROR_SAMPLES_MIN = 2,
    SURE_SAMPLES_MIN = 3
};

#define LEAST_ACTIVE   0.001 /* below this a unit has no plateau */
#define QUIET          0.01  /* of the plateau: the unit does not work yet, or no more */
#define SURE           2.0   /* standard errors */
#define LENGTH_PART    0.10  /* of the timed length */
#define LENGTH_ROOM_NS 2000.0

/* ---- points ---- */

/* The first samples have their middle half a sample before the begin at the earliest. */
static double axis_begin_ns(const struct inside_fold *fold)
{
    return -fold->window_ns / 2;
}

/* Sums, which become means. */
static void add_sample(struct inside_fold_point *point, double share)
{
    point->share += share;
    point->error += share * share;
    point->samples++;
}

static void finish_point(struct inside_fold_point *point, double at_ns)
{
    const double n = (double)point->samples, squares = point->error;
    point->at_ns = at_ns;
    point->share = point->samples ? point->share / n : NAN;
    point->error = point->samples >= ERROR_SAMPLES_MIN
                       ? sqrt(fmax(0, squares - n * point->share * point->share) / (n - 1) / n)
                       : NAN;
}

static void add_launch(struct inside_fold_unit *unit, const struct inside_fold *fold, const struct fold_launches *l,
                       const struct fold_launch *launch, size_t column)
{
    for (size_t i = launch->first; i < launch->first + launch->count; i++) {
        const size_t row = l->rows.items[i];
        const double middle_ns = table_number(l->table, row, INSIDE_SERIES_BEGIN_NS) +
                                 table_number(l->table, row, INSIDE_SERIES_TAKEN_NS) / 2 - launch->origin_ns;
        const double share = table_number(l->table, row, column);
        const double at = floor((middle_ns - axis_begin_ns(fold)) / fold->step_ns);
        if (isfinite(share) && at >= 0 && at < (double)unit->point_count)
            add_sample(&unit->points[(size_t)at], fmin(1, share));
    }
}

static double plateau(const struct inside_fold_unit *unit, const struct inside_fold *fold)
{
    double sum = 0, points = 0;
    for (size_t i = 0; i < unit->point_count; i++) {
        const struct inside_fold_point *p = &unit->points[i];
        if (p->samples && fabs(p->at_ns - fold->length_ns / 2) <= fold->length_ns / 4) {
            sum += p->share;
            points++;
        }
    }
    return points > 0 ? sum / points : NAN;
}

/* ---- edges: the end is a begin when time goes backwards ---- */

struct edge {
    const struct inside_fold_unit *unit;
    bool is_end;
    double half_sample_ns, slack_ns; /* a time is known to within `slack_ns` */
};

static const struct inside_fold_point *point_of(const struct edge *g, size_t at)
{
    return &g->unit->points[g->is_end ? g->unit->point_count - 1 - at : at];
}

static double time_of(const struct edge *g, const struct inside_fold_point *p)
{
    return g->is_end ? -p->at_ns : p->at_ns;
}

/* Where the line through the last point below the half and the first one that is not meets it. */
static double crossing(const struct edge *g, const struct inside_fold_point *below, const struct inside_fold_point *p)
{
    const double half = g->unit->plateau / 2;
    const double part = below ? (half - below->share) / (p->share - below->share) : 1;
    return below ? time_of(g, below) + part * (time_of(g, p) - time_of(g, below)) : time_of(g, p);
}

static bool is_sure(const struct inside_fold_point *p, double half)
{
    return p->samples >= SURE_SAMPLES_MIN && p->share - SURE * p->error >= half;
}

static bool is_quiet(const struct inside_fold_point *p, double plateau)
{
    return p->samples >= SURE_SAMPLES_MIN && p->share <= QUIET * plateau;
}

/* The unit reaches half of its plateau before the first sample ends whose share is surely that high. Until a quiet
 * sample ends it does not, but for bursts of at most twice QUIET of the sample. Both bounds hold however the unit
 * rises. The value is where the shares of samples reach half, which is right for a unit that rises at once. */
static struct bounded find_edge(const struct edge *g, double earliest_ns)
{
    const double half = g->unit->plateau / 2;
    const struct inside_fold_point *below = NULL;
    struct bounded edge = {NAN, earliest_ns, NAN};
    for (size_t i = 0; i < g->unit->point_count && isnan(edge.high); i++) {
        const struct inside_fold_point *p = point_of(g, i);
        if (!p->samples)
            continue;
        if (isnan(edge.value) && p->share >= half)
            edge.value = crossing(g, below, p);
        if (is_sure(p, half))
            edge.high = time_of(g, p) + g->half_sample_ns + g->slack_ns;
        else if (isnan(edge.value) && is_quiet(p, g->unit->plateau))
            edge.low = fmax(edge.low, time_of(g, p) + g->half_sample_ns - g->slack_ns);
        below = p;
    }
    if (isnan(edge.high) || edge.low > edge.high)
        return (struct bounded){NAN, NAN, NAN};
    edge.value = fmin(fmax(edge.value, edge.low), edge.high);
    return edge;
}

static void find_edges(struct inside_fold_unit *unit, const struct inside_fold *fold, const struct fold_launches *l)
{
    struct edge g = {unit, false, fold->window_ns / 2, fold->step_ns / 2 + fold_begin_error_ns(l)};
    unit->lead_in_ns = find_edge(&g, 0);
    g.is_end = true;
    g.slack_ns += SURE * fold->length_spread_ns / sqrt((double)fold->folded);
    const struct bounded end = find_edge(&g, -fold_latest_end_ns(l) - fold_begin_error_ns(l));
    unit->tail_ns =
        (struct bounded){end.value + fold->length_ns, end.low + fold->length_ns, end.high + fold->length_ns};
}

/* ---- units ---- */

static int fold_unit(struct inside_fold_unit *unit, const struct inside_fold *fold, const struct fold_launches *l,
                     size_t column, struct arena *arena, struct err *e)
{
    unit->points = arena_alloc(arena, unit->point_count * sizeof *unit->points);
    if (!unit->points)
        return err_memory(e);
    for (size_t i = 0; i < l->items.count; i++)
        add_launch(unit, fold, l, &l->items.items[i], column);
    for (size_t i = 0; i < unit->point_count; i++)
        finish_point(&unit->points[i], axis_begin_ns(fold) + ((double)i + 0.5) * fold->step_ns);
    unit->plateau = plateau(unit, fold);
    if (unit->plateau >= LEAST_ACTIVE)
        find_edges(unit, fold, l);
    return 0;
}

/* Up to the middle of the last sample of any launch. There are never more steps than rows: LAUNCHES_A_STEP. */
static size_t count_points(const struct inside_fold *fold, const struct fold_launches *l)
{
    double samples = 0;
    for (size_t i = 0; i < l->items.count; i++)
        samples = fmax(samples, (double)l->items.items[i].count);
    return (size_t)fmin(ceil((samples + 0.5) * fold->window_ns / fold->step_ns), (double)l->rows.count);
}

static int fold_units(struct inside_fold *fold, const struct fold_launches *l, struct arena *arena, struct err *e)
{
    fold->units = arena_alloc(arena, UNITS * sizeof *fold->units);
    if (!fold->units)
        return err_memory(e);
    for (size_t i = 0; i < UNITS; i++) {
        struct inside_fold_unit *unit = &fold->units[fold->unit_count];
        *unit = (struct inside_fold_unit){.unit = units[i].name, .point_count = count_points(fold, l)};
        const int rc = fold_unit(unit, fold, l, units[i].column, arena, e);
        if (rc)
            return rc;
        fold->unit_count += unit->plateau >= LEAST_ACTIVE;
    }
    return 0;
}

/* Each step has at least LAUNCHES_A_STEP launches in the mean, and is no shorter than the widest part of a sample in
 * which none began, so that no step is empty. */
static double choose_step_ns(const struct fold_launches *l)
{
    const double for_launches = fmin(STEPS_MAX, floor((double)l->items.count / LAUNCHES_A_STEP));
    return l->window_ns / fmin(for_launches, floor(l->window_ns / l->gap_ns));
}

static int fold_all(struct inside_fold *fold, const struct fold_launches *l, double tile_ns, struct arena *arena,
                    struct err *e)
{
    fold->folded = (int64_t)l->items.count;
    fold->step_ns = choose_step_ns(l);
    fold->attenuation =
        inside_series_attenuation(l->window_ns, tile_ns) * inside_series_attenuation(fold->step_ns, tile_ns);
    return fold_units(fold, l, arena, e);
}

/* Folded launches and those that were timed must take the same time, or they are not the same launches. In a graph a
 * launch takes up to 2 us more, as it has to begin and to end. */
static enum inside_reason doubt_of_length(double length_ns, const struct analysis *a, const struct arm *off)
{
    const struct timing_arm *timed = timing_arms_find(&a->run->timing, off);
    double sum_ns = 0;
    if (!timed || !timed->processes.count || isnan(length_ns))
        return INSIDE_NO_REASON; /* what was not timed has no status of `ok` */
    for (size_t i = 0; i < timed->processes.count; i++)
        sum_ns += timed->processes.items[i].typical_ns;
    const double timed_ns = sum_ns / (double)timed->processes.count;
    return fabs(length_ns - timed_ns) > LENGTH_PART * timed_ns + LENGTH_ROOM_NS ? INSIDE_OTHER_LENGTH
                                                                                : INSIDE_NO_REASON;
}

int inside_read_fold(struct inside *out, struct analysis *a, const struct inside_records *r, struct err *e)
{
    struct fold_launches l;
    struct inside_fold *fold = &out->fold;
    const enum inside_reason doubt = out->off ? inside_doubt_of_arm(a, out->off) : INSIDE_NO_REASON;
    enum inside_reason reason;
    int rc = fold_launches_read(&l, a->run, out->off, &reason, e);
    if (!rc && !reason)
        reason = doubt_of_length(l.length_ns, a, out->off);
    *fold = (struct inside_fold){.launches = l.launches,
                                 .window_ns = l.window_ns,
                                 .step_ns = NAN,
                                 .length_ns = l.length_ns,
                                 .length_spread_ns = l.length_spread_ns,
                                 .attenuation = NAN,
                                 .reason = doubt ? doubt : reason};
    fold->is_ok = !rc && !fold->reason;
    fold->why = inside_reasons[fold->reason].sentence;
    if (fold->is_ok)
        rc = fold_all(fold, &l, inside_tile_ns(r), &a->arena, e);
    fold_launches_release(&l);
    return rc;
}
