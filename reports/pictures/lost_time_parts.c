/* Which parts of the time of two arms differ, and by how much? */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reports/pictures/lost_time_picture.h"

/* Parts that change by less than this share of the first time are one bar. */
#define SMALL 0.01

/* The parts of one arm cut `whole_ns`, which is what the trace says, and not `timed_ns`. */
struct side {
    const struct bound *bound;
    double whole_ns, timed_ns;
};

/* A program has several kernels, whose parts are not those of its time. */
static bool side_of(struct side *out, const struct analysis *a, const struct comparison_arm *arm, double timed_ns)
{
    const struct launch_cost *launch = analysis_launch_cost(a, arm->arm);
    *out = (struct side){analysis_bound(a, arm->arm), timed_ns, timed_ns};
    if (launch && launch->interval_median_ns > 0)
        out->whole_ns = launch->interval_median_ns;
    else if (launch && launch->kernel_median_ns > 0)
        out->whole_ns = launch->kernel_median_ns;
    return out->bound && out->bound->lost_count && analysis_rows(a, ARM_BOUNDS, arm->arm).count == 1 && timed_ns > 0 &&
           isfinite(timed_ns);
}

static const char *name_of(const struct lost_part *part)
{
    return part->kind == LOST_STALL && !strcmp(part->name, "other") ? "other stalls" : part->name;
}

/* The busiest unit of either arm may be another one, and its time is then the time of other parts of the other arm: as
 * one bar it says what is comparable. */
static bool is_same(const struct lost_part *one, const struct lost_part *other)
{
    return one->kind == other->kind && (one->kind == LOST_UNIT || !strcmp(one->name, other->name));
}

static const struct lost_part *find(const struct side *s, const struct lost_part *like)
{
    for (size_t i = 0; i < s->bound->lost_count; i++)
        if (is_same(&s->bound->lost[i], like))
            return &s->bound->lost[i];
    return NULL;
}

static void add_bar(struct lost_time_picture *p, const struct lost_part *from, const struct lost_part *to,
                    double change_ns)
{
    const struct lost_part *part = from ? from : to;
    if (!part)
        return;
    struct lost_bar *bar = &p->bars[p->count++];
    bar->kind = LOST_BAR_PART;
    bar->change_ns = change_ns;
    bar->meaning = part->meaning;
    if (part->kind != LOST_UNIT)
        snprintf(bar->name, sizeof bar->name, "%s", name_of(part));
    else if (from && to && strcmp(from->name, to->name) != 0)
        snprintf(bar->name, sizeof bar->name, "at work: %s -> %s", from->name, to->name);
    else
        snprintf(bar->name, sizeof bar->name, "at work: %s", part->name);
}

/* Each part of either arm once; what is small is summed up. */
static double add_parts(struct lost_time_picture *p, const struct side *from, const struct side *to)
{
    double small_ns = 0;
    for (int turn = 0; turn < 2; turn++) {
        const struct side *s = turn ? to : from;
        for (size_t i = 0; i < s->bound->lost_count; i++) {
            const struct lost_part *a = turn ? find(from, &s->bound->lost[i]) : &s->bound->lost[i];
            const struct lost_part *b = turn ? &s->bound->lost[i] : find(to, &s->bound->lost[i]);
            const double change_ns = (b ? b->share * to->whole_ns : 0) - (a ? a->share * from->whole_ns : 0);
            if (turn && a)
                continue;
            if (fabs(change_ns) < SMALL * p->from_ns || p->count == LOST_BARS_MAX - 2)
                small_ns += change_ns;
            else
                add_bar(p, a, b, change_ns);
        }
    }
    return small_ns;
}

static void add_rest(struct lost_time_picture *p, enum lost_bar_kind kind, const char *name, double change_ns)
{
    struct lost_bar *bar = &p->bars[p->count];
    if (!(fabs(change_ns) > 1e-9 * p->from_ns))
        return;
    p->count++;
    bar->kind = kind;
    bar->change_ns = change_ns;
    snprintf(bar->name, sizeof bar->name, "%s", name);
}

static int shrinking_first(const void *left, const void *right)
{
    const struct lost_bar *a = left, *b = right;
    const bool a_grows = a->change_ns > 0, b_grows = b->change_ns > 0;
    if (a_grows != b_grows)
        return a_grows - b_grows;
    return (fabs(a->change_ns) < fabs(b->change_ns)) - (fabs(a->change_ns) > fabs(b->change_ns));
}

bool lost_time_picture_of(struct lost_time_picture *out, const struct analysis *a, const struct comparison *c)
{
    struct side from, to;
    *out = (struct lost_time_picture){.from = c->baseline,
                                      .to = c->candidate,
                                      .config = c->config,
                                      .from_ns = c->baseline_ns,
                                      .to_ns = c->candidate_ns};
    if (!side_of(&from, a, &c->base, c->baseline_ns) || !side_of(&to, a, &c->cand, c->candidate_ns))
        return false;
    const double small_ns = add_parts(out, &from, &to);
    if (!out->count)
        return false;
    qsort(out->bars, out->count, sizeof *out->bars, shrinking_first);
    add_rest(out, LOST_BAR_OTHER, "smaller changes", small_ns);
    double sum_ns = 0;
    for (size_t i = 0; i < out->count; i++)
        sum_ns += out->bars[i].change_ns;
    add_rest(out, LOST_BAR_UNEXPLAINED, "not explained", out->to_ns - out->from_ns - sum_ns);
    return true;
}
