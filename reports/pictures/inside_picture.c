/* How does the inside of a kernel get into a document? */
#include "reports/pictures/inside_picture.h"

#include <math.h>

#include "analyzers/inside/inside_lanes.h"
#include "core/base/units.h"
#include "reports/pictures/drawing.h"
#include "reports/run/run_report.h"

/* The lanes are of the arm that records, slack is of the arm without marks. */
static const struct inside *row_of(const struct analysis *a, const struct inside_lanes *lanes)
{
    return analysis_inside(a, analysis_arm(a, lanes->variant, lanes->config));
}

/* The mark that may wait longest. */
static const struct slack *slack_of(const struct analysis *a, const struct arm *off)
{
    const struct slack *most = NULL;
    for (size_t i = 0; i < a->slacks.count && off; i++) {
        const struct slack *s = &a->slacks.items[i];
        if (s->off != off || !inside_slack_is_shown(s))
            continue;
        if (!most || s->slack_ns.low > most->slack_ns.low ||
            (s->slack_ns.low == most->slack_ns.low && s->free_up_to_ns > most->free_up_to_ns))
            most = s;
    }
    return most;
}

static void say(const struct inside_lanes *lanes, const struct inside *row, const struct slack *slack, struct str *says)
{
    char text[UNITS_TEXT_BYTES];
    str_addf(says, "Inside %s", row && *row->of ? row->of : lanes->variant);
    if (row && row->is_ok && isfinite(row->exposed_wait.value))
        str_addf(says, " warps wait %s of the time for tiles", unit_format(text, UNIT_RATIO, row->exposed_wait.value));
    else
        str_add(says, ", a few tiles of one SM");
    if (row && row->is_ok && row->overlap_count && isfinite(row->overlaps[0].e.value))
        str_addf(says, "; %s of the copy that could be hidden is hidden",
                 unit_format(text, UNIT_RATIO, row->overlaps[0].e.value));
    if (slack) {
        str_addf(says, "; %s of %s ", slack->name, slack->role_name);
        inside_slack_add(says, slack);
    }
}

static void write_curves(const struct inside_fold *fold, struct document *d)
{
    char sample[UNITS_TEXT_BYTES], step[UNITS_TEXT_BYTES];
    document_span(d, SPAN_PLAIN, " Below, how active units of the whole GPU are, without marks: ");
    if (!fold->is_ok) {
        document_span(d, SPAN_PLAIN, "samples of another launch.");
        return;
    }
    document_span(d, SPAN_PLAIN, "samples of %s of %lld other launches, on one axis with a point each %s.",
                  unit_format(sample, UNIT_NS, fold->window_ns), (long long)fold->folded,
                  unit_format(step, UNIT_NS, fold->step_ns));
}

static void write_caption(const struct inside_lanes *lanes, const struct lanes_picture *p, const struct inside *row,
                          bool has_slack, struct document *d)
{
    words_arm(d, lanes->variant, lanes->config);
    document_span(d, SPAN_PLAIN, ", SM %lld in launch %lld: one block, and the first warp of each role.",
                  (long long)lanes->sm, (long long)lanes->launch);
    if (p->curve_count)
        write_curves(&row->fold, d);
    if (has_slack)
        document_span(d, SPAN_PLAIN, " The slack was measured by delays in other launches.");
}

/* Returns whether there is a picture. */
static bool add_arm(const struct analysis *a, const struct inside_lanes *lanes, size_t number, struct document *d)
{
    struct inside_samples samples;
    struct lanes_picture p = {0};
    struct drawing w;
    bool is_drawn = false;
    const struct inside *row = row_of(a, lanes);
    const struct slack *slack = row ? slack_of(a, row->off) : NULL;
    if (inside_samples_read(&samples, a->run, row ? row->off : NULL, NULL))
        d->failed = true;
    else if ((is_drawn = inside_picture_of(&p, lanes, row, &samples, slack, &d->arena))) {
        drawing_init(&w);
        lanes_picture_draw(&p, &w.canvas);
        lanes_picture_write(&p, d->tier == TIER_SCREEN, &w.characters);
        say(lanes, row, p.bracket.is_there ? slack : NULL, &w.says);
        drawing_add(&w, number ? arena_printf(&d->arena, "inside-%zu", number + 1) : "inside", d);
        write_caption(lanes, &p, row, p.bracket.is_there, d);
    }
    d->failed |= p.failed;
    lanes_picture_release(&p);
    inside_samples_release(&samples);
    return is_drawn;
}

size_t inside_pictures_of(size_t arms)
{
    return arms > INSIDE_PICTURES_MAX ? 1 : arms;
}

static void add_arms(const struct analysis *a, const struct inside_lanes_list *list, struct document *d)
{
    size_t at = 0, drawn = 0;
    const enum tier tier = d->tier;
    for (; at < list->arms.count && drawn < INSIDE_PICTURES_MAX && !d->failed; at++) {
        if (drawn == inside_pictures_of(list->arms.count))
            document_evidence(d);
        drawn += add_arm(a, &list->arms.items[at], at, d);
    }
    if (drawn && at < list->arms.count)
        document_span(d, SPAN_PLAIN, " Of %zu recorded arms %zu have a picture; the tables have them all.",
                      list->arms.count, drawn);
    document_tier(d, tier);
}

void inside_picture_add(const struct analysis *a, struct document *d)
{
    struct inside_lanes_list list;
    if (!a->run)
        return;
    d->failed |= inside_lanes_read(&list, a->run, NULL) != 0;
    if (d->tier != TIER_SCREEN)
        add_arms(a, &list, d);
    else if (list.arms.count && !d->failed) /* of several the last one, which mostly is the newest */
        add_arm(a, &list.arms.items[list.arms.count - 1], list.arms.count - 1, d);
    inside_lanes_release(&list);
}
