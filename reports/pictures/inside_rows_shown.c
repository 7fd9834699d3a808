/* Which lanes of an SM, and which of its tiles, are in the picture? */
#include <math.h>
#include <string.h>

#include "analyzers/slack/slack_words.h"
#include "core/base/units.h"
#include "reports/pictures/inside_picture.h"

/* ---- tiles: a few in the middle, where the kernel is in its stride ---- */

static bool is_work(const struct lane_span *span)
{
    return !strcmp(span->kind, "compute") || !strcmp(span->kind, "transform");
}

/* Spans that the axis is made for: work where a lane has it, else all but copies. */
static bool is_axis(const struct lane_span *span, bool has_work)
{
    return has_work ? is_work(span) : !span->is_copy;
}

struct choice {
    const struct inside_lanes *lanes;
    int64_t block;
    bool has_work;
    int64_t first_tile, last_tile;
};

static bool is_of_choice(const struct choice *c, const struct lane_span *span)
{
    return c->lanes->lanes.items[span->lane].block == c->block && is_axis(span, c->has_work);
}

/* The number of a tile's spans changes nothing: tiles are counted. Returns how many there are, and the n-th one. */
static int64_t nth_tile(const struct choice *c, size_t n, size_t *count)
{
    int64_t last = -1, found = -1;
    for (*count = 0;; ++*count) {
        int64_t next = INT64_MAX;
        for (size_t i = 0; i < c->lanes->spans.count; i++) {
            const struct lane_span *span = &c->lanes->spans.items[i];
            if (is_of_choice(c, span) && span->tile > last && span->tile < next)
                next = span->tile;
        }
        if (next == INT64_MAX)
            return found;
        last = next;
        if (*count <= n)
            found = last;
    }
}

static bool choose(struct choice *c, const struct inside_lanes *lanes)
{
    size_t count;
    *c = (struct choice){.lanes = lanes};
    if (!lanes->lanes.count)
        return false;
    c->block = lanes->lanes.items[0].block;
    for (size_t i = 0; i < lanes->spans.count; i++)
        c->has_work |=
            lanes->lanes.items[lanes->spans.items[i].lane].block == c->block && is_work(&lanes->spans.items[i]);
    nth_tile(c, 0, &count);
    if (!count)
        return false;
    const size_t shown = count < INSIDE_TILES_SHOWN ? count : INSIDE_TILES_SHOWN, first = (count - shown) / 2;
    c->first_tile = nth_tile(c, first, &count);
    c->last_tile = nth_tile(c, first + shown - 1, &count);
    /* Tiles that do not follow one another are of two windows, with time between them that was not recorded. */
    if (c->last_tile - c->first_tile >= INSIDE_TILES_SHOWN)
        c->last_tile = c->first_tile + INSIDE_TILES_SHOWN - 1;
    return true;
}

static void find_axis(struct lanes_picture *p, const struct choice *c)
{
    p->begin_ns = INT64_MAX;
    p->end_ns = INT64_MIN;
    for (size_t i = 0; i < c->lanes->spans.count; i++) {
        const struct lane_span *span = &c->lanes->spans.items[i];
        const bool is_shown = is_of_choice(c, span) && span->tile >= c->first_tile && span->tile <= c->last_tile;
        if (is_shown && span->begin_ns < p->begin_ns)
            p->begin_ns = span->begin_ns;
        if (is_shown && span->end_ns > p->end_ns)
            p->end_ns = span->end_ns;
    }
}

/* ---- lanes: the first warp of each role, and the copies ---- */

static bool is_same_role(const struct lane *a, const struct lane *b)
{
    return a->block == b->block && a->role_name && b->role_name && !strcmp(a->role_name, b->role_name);
}

static bool is_on_axis(const struct lanes_picture *p, const struct inside_lanes *l, size_t lane)
{
    for (size_t i = 0; i < l->spans.count; i++) {
        const struct lane_span *span = &l->spans.items[i];
        const int64_t end_ns = span->is_censored ? span->latest_ns : span->end_ns;
        if (span->lane == lane && span->begin_ns < p->end_ns && end_ns > p->begin_ns)
            return true;
    }
    return false;
}

/* Lanes of a block are by warp, so the first warp of a role comes first. A further line is for what is on the axis. */
static bool is_shown_lane(const struct lanes_picture *p, const struct inside_lanes *l, size_t at, int64_t block)
{
    const struct lane *lane = &l->lanes.items[at];
    if (lane->block != block || (lane->line && !is_on_axis(p, l, at)))
        return false;
    for (size_t i = 0; i < at; i++)
        if (is_same_role(&l->lanes.items[i], lane) && l->lanes.items[i].warp != lane->warp)
            return false;
    return true;
}

static const char *lane_label(const struct lane *lane, struct arena *arena)
{
    if (!lane->role_name)
        return lane->line ? "" : "copies of tiles";
    return lane->line ? "" : arena_printf(arena, "%s, warp %lld", lane->role_name, (long long)lane->warp);
}

static enum lane_look look_of(const struct lane_span *span)
{
    if (span->is_copy)
        return LANE_COPY;
    if (!strcmp(span->kind, "wait") || !strcmp(span->kind, "poll") || !strncmp(span->name, "wait", 4))
        return LANE_WAIT;
    if (!strcmp(span->kind, "issue"))
        return LANE_HOST;
    return is_work(span) ? (strcmp(span->kind, "compute") ? LANE_COMMUNICATION : LANE_COMPUTE) : LANE_OTHER;
}

static void add_span(struct lanes_picture *p, size_t row, const struct lane_span *span, struct arena *arena)
{
    const int64_t end_ns = span->is_censored ? span->earliest_ns : span->end_ns;
    struct lane_box *box = lanes_picture_box(p, row, span->begin_ns, end_ns, look_of(span));
    if (box)
        box->text = span->is_copy ? arena_printf(arena, "%lld", (long long)span->tile) : span->name;
    if (span->is_censored)
        lanes_picture_box(p, row, span->earliest_ns, span->latest_ns, LANE_ARRIVAL);
}

static void add_lanes(struct lanes_picture *p, const struct choice *c, struct arena *arena)
{
    const struct inside_lanes *l = c->lanes;
    for (size_t i = 0; i < l->lanes.count && p->lane_count < LANE_ROWS_MAX; i++) {
        if (!is_shown_lane(p, l, i, c->block))
            continue;
        const size_t row = p->lane_count++;
        p->labels[row] = lane_label(&l->lanes.items[i], arena);
        for (size_t k = 0; k < l->spans.count; k++)
            if (l->spans.items[k].lane == i)
                add_span(p, row, &l->spans.items[k], arena);
    }
}

/* ---- what stands below and above ---- */

static double sample_value(const struct inside_sample *s, const char *of)
{
    return !strcmp(of, "tensor") ? s->tensor : !strcmp(of, "fma") ? s->fma : s->l1_request;
}

static void add_fold_steps(struct lanes_picture *p, const struct inside_fold *fold, const char *of)
{
    const double half_ns = fold->step_ns / 2;
    for (size_t i = 0; i < fold->unit_count; i++)
        for (size_t k = 0; k < fold->units[i].point_count && !strcmp(fold->units[i].unit, of); k++) {
            const struct inside_fold_point *point = &fold->units[i].points[k];
            lanes_picture_step(p, p->curve_count, point->at_ns - half_ns, point->at_ns + half_ns, point->share);
        }
}

static void add_sample_steps(struct lanes_picture *p, const struct inside_samples *samples, const char *of)
{
    for (size_t i = 0; i < samples->items.count; i++) {
        const struct inside_sample *s = &samples->items.items[i];
        lanes_picture_step(p, p->curve_count, s->begin_ns, s->begin_ns + s->taken_ns, sample_value(s, of));
    }
}

/* Of all launches where they could be folded, else of one. */
static void add_curve(struct lanes_picture *p, const struct inside *row, const struct inside_samples *samples,
                      const char *of, const char *label, enum lane_look look)
{
    struct lane_curve *curve = &p->curves[p->curve_count];
    if (row->fold.is_ok)
        add_fold_steps(p, &row->fold, of);
    else
        add_sample_steps(p, samples, of);
    if (!curve->steps.count)
        return;
    curve->label = label;
    curve->look = look;
    p->curve_count++;
}

static void add_curves(struct lanes_picture *p, const struct inside *row, const struct inside_samples *samples)
{
    for (size_t i = 0; i < row->series_count && i + 1 < LANE_CURVES_MAX; i++)
        add_curve(p, row, samples, row->series[i].work, row->series[i].work, LANE_COMPUTE);
    if (row->series_count)
        add_curve(p, row, samples, "l1_request", "L1 requests", LANE_COPY);
}

static bool begins_phase(const struct slack *s, const struct lane_span *span)
{
    for (size_t i = 0; i < s->name_count; i++)
        if (!strcmp(s->names[i], span->name))
            return true;
    return false;
}

/* As far as nothing is lost, at most. */
static double slack_length_ns(const struct slack *s)
{
    return s->status == SLACK_HIDDEN ? s->slack_ns.low : s->status == SLACK_PARTLY ? s->slack_ns.high : NAN;
}

void inside_slack_add(struct str *out, const struct slack *s)
{
    char low[UNITS_TEXT_BYTES], high[UNITS_TEXT_BYTES];
    unit_format(low, UNIT_NS, s->slack_ns.low);
    unit_format(high, UNIT_NS, s->slack_ns.high);
    if (slack_is_below_doses(s))
        str_addf(out, "may begin less than %s later for free", high);
    else if (s->status == SLACK_HIDDEN)
        str_addf(out, "may begin at least %s later for free", low);
    else
        str_addf(out, "may begin %s to %s later for free", low, high);
}

bool inside_slack_is_shown(const struct slack *s)
{
    return slack_length_ns(s) > 0 && isfinite(slack_length_ns(s)) && s->slack_ns.value > 0;
}

/* From the first begin of the phase on the axis. */
static void add_slack(struct lanes_picture *p, const struct choice *c, const struct slack *s, struct arena *arena)
{
    const struct lane_span *first = NULL;
    size_t row = 0;
    for (size_t i = 0, shown = 0; i < c->lanes->lanes.count && shown < p->lane_count; i++) {
        if (!is_shown_lane(p, c->lanes, i, c->block))
            continue;
        for (size_t k = 0; k < c->lanes->spans.count && !first; k++) {
            const struct lane_span *span = &c->lanes->spans.items[k];
            const struct lane *lane = &c->lanes->lanes.items[i];
            if (span->lane == i && lane->role_name && !strcmp(lane->role_name, s->role_name) && begins_phase(s, span) &&
                span->begin_ns >= p->begin_ns && (double)span->begin_ns + slack_length_ns(s) <= (double)p->end_ns) {
                first = span;
                row = shown;
            }
        }
        shown++;
    }
    if (!first)
        return;
    struct str words;
    str_init(&words);
    inside_slack_add(&words, s);
    p->bracket = (struct lane_bracket){.is_there = true,
                                       .has_lane = true,
                                       .lane = row,
                                       .begin_ns = first->begin_ns,
                                       .end_ns = first->begin_ns + (int64_t)slack_length_ns(s),
                                       .text = arena_printf(arena, "%s %s", first->name, str_text(&words))};
    p->failed |= words.failed;
    str_release(&words);
}

static void name_looks(struct lanes_picture *p)
{
    static const char *const names[LANE_LOOKS] = {[LANE_COMPUTE] = "compute",
                                                  [LANE_COMMUNICATION] = "transform",
                                                  [LANE_COPY] = "copy",
                                                  [LANE_OTHER] = "other",
                                                  [LANE_HOST] = "issue of a copy",
                                                  [LANE_WAIT] = "wait",
                                                  [LANE_ARRIVAL] = "the copy arrives in here"};
    memcpy(p->look_names, names, sizeof names);
}

/* Whose picture is it, and where in its launch does it begin? Characters have room for 48. */
static const char *describe_axis(const char *variant, const struct lanes_picture *p, struct arena *arena)
{
    enum { CHARACTERS = 48 };
    char moment[UNITS_TEXT_BYTES];
    unit_format(moment, UNIT_NS, (double)p->begin_ns);
    const char *axis = arena_printf(arena, "%s, from %s after the launch began", variant, moment);
    return strlen(axis) <= CHARACTERS ? axis : arena_printf(arena, "%s, from %s on", variant, moment);
}

bool inside_picture_of(struct lanes_picture *out, const struct inside_lanes *lanes, const struct inside *row,
                       const struct inside_samples *samples, const struct slack *slack, struct arena *arena)
{
    struct choice c;
    *out = (struct lanes_picture){0};
    if (!choose(&c, lanes))
        return false;
    find_axis(out, &c);
    if (out->begin_ns >= out->end_ns)
        return false;
    out->zero_ns = out->begin_ns;
    out->axis = describe_axis(row && *row->of ? row->of : lanes->variant, out, arena);
    /* Lanes first get their number, by which boxes are refused. */
    add_lanes(out, &c, arena);
    if (row && samples)
        add_curves(out, row, samples);
    if (slack && inside_slack_is_shown(slack))
        add_slack(out, &c, slack, arena);
    name_looks(out);
    return !out->failed;
}
