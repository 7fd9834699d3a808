/* How far apart are the arms, and how far apart are the processes that say so? */
#include "reports/pictures/interval_picture.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/base/units.h"
#include "reports/document/shorten.h"
#include "reports/pictures/axis.h"
#include "reports/pictures/canvas.h"
#include "reports/pictures/characters.h"
#include "reports/pictures/drawing.h"
#include "reports/run/run_report.h"

enum {
    ROW = 30,
    TOP = 8,
    LABEL_END = 190,
    PLOT = 204,
    PLOT_END = 430, /* words stand behind it */
    AXIS = 28,
    DOT = 3,
    TICKS_APART = 60
};

enum { LABEL_COLUMNS = 30, VALUE_COLUMNS = 10, BAR_COLUMNS = CHARACTER_COLUMNS - LABEL_COLUMNS - VALUE_COLUMNS - 2 };
enum { ROWS_IN_CHARACTERS = 3 }; /* the lowest, the middle and the highest */

/* Where one is far from all intervals, the axis is about them, and only says where it lies. */
#define FAR 3.0
/* From this quotient of its ends on an axis is logarithmic. */
#define WIDE 5.0
/* What is further away stands at the end of the axis: no time is measured to so many digits. */
#define LEAST 1e-12
#define MOST  1e12

/* ---- what is drawn ---- */

static bool is_drawn(const struct comparison *c)
{
    return isfinite(c->speedup) && c->speedup > 0 && c->verdict < COMPARE_UNUSABLE;
}

static double time_in(const struct comparison_arm *arm, double process)
{
    for (size_t i = 0; i < arm->process_count; i++)
        if (arm->processes[i].process == process)
            return arm->processes[i].typical_ns;
    return NAN;
}

/* Of a pair the same process of both; of independent arms against the baseline's time. */
static void add_dots(struct interval_row *row, const struct comparison *c)
{
    for (size_t i = 0; i < c->cand.process_count; i++) {
        const struct timing_process *p = &c->cand.processes[i];
        const double base_ns = c->paired ? time_in(&c->base, p->process) : c->baseline_ns;
        const double speedup = base_ns / p->typical_ns;
        if (!isfinite(speedup) || speedup <= 0)
            continue;
        if (row->dot_count < INTERVAL_DOTS_MAX)
            row->dots[row->dot_count++] = speedup;
        else
            row->dots_left_out++;
    }
}

static double or_middle(double end, double middle)
{
    return isfinite(end) && end > 0 ? end : middle;
}

static const char *label_of(const struct comparison *c, struct document *d)
{
    const char *at = words_case(d, c->config, c->cache);
    return arena_printf(&d->arena, "%s%s%s", c->candidate, *at ? ", " : "", at);
}

static bool has_word(const char *label, const char *word, size_t length)
{
    for (const char *at = label; *at; at += strcspn(at, " "), at += strspn(at, " "))
        if (strcspn(at, " ") == length && !strncmp(at, word, length))
            return true;
    return false;
}

static bool all_have(const struct interval_picture *p, const char *word, size_t length)
{
    for (size_t i = 0; i < p->count; i++)
        if (!has_word(p->items[i].label, word, length))
            return false;
    return true;
}

/* What all rows say tells none from another, and takes the room of what does. */
static const char *without_common(const struct interval_picture *p, const char *label, struct document *d)
{
    struct str text;
    str_init(&text);
    for (const char *at = label; *at; at += strspn(at, " ")) {
        const size_t length = strcspn(at, " ");
        if (!all_have(p, at, length)) {
            str_add(&text, text.length ? " " : "");
            str_add_bytes(&text, at, length);
        }
        at += length;
    }
    const char *kept = text.length ? arena_copy(&d->arena, str_text(&text)) : label;
    d->failed |= text.failed;
    str_release(&text);
    return kept;
}

static void shorten_labels(struct interval_picture *p, struct document *d)
{
    const char *labels[INTERVAL_ROWS_MAX];
    for (size_t i = 0; i < p->count; i++)
        labels[i] = without_common(p, p->items[i].label, d);
    const size_t common = shorten_beginning(labels, p->count);
    for (size_t i = 0; i < p->count && p->count > 1; i++)
        p->items[i].label = labels[i] + common;
}

bool interval_picture_of(struct interval_picture *out, const struct analysis *a, struct document *d)
{
    *out = (struct interval_picture){.margin = a->margin};
    out->items = arena_alloc(&d->arena, INTERVAL_ROWS_MAX * sizeof *out->items);
    if (!out->items) {
        d->failed = true;
        return false;
    }
    for (size_t i = 0; i < a->comparisons.count; i++) {
        const struct comparison *c = &a->comparisons.items[i];
        if (!is_drawn(c))
            continue;
        if (out->count == INTERVAL_ROWS_MAX) {
            out->left_out++;
            continue;
        }
        struct interval_row *row = &out->items[out->count++];
        *row = (struct interval_row){.label = label_of(c, d),
                                     .verdict = c->verdict,
                                     .value = c->speedup,
                                     .low = or_middle(1 / c->ci_high, c->speedup),
                                     .high = or_middle(1 / c->ci_low, c->speedup)};
        add_dots(row, c);
    }
    shorten_labels(out, d);
    return out->count > 0;
}

struct scale {
    struct axis_scale axis;
    int away; /* -1: one lies below the axis, 1: above; 0: on it */
};

static void widen(struct scale *s, double value)
{
    value = fmin(fmax(value, LEAST), MOST);
    s->axis.low = fmin(s->axis.low, value);
    s->axis.high = fmax(s->axis.high, value);
}

static struct scale scale_of(const struct interval_picture *p)
{
    struct scale s = {{INFINITY, 0, false, PLOT, PLOT_END}, 0};
    struct axis_scale *axis = &s.axis;
    for (size_t i = 0; i < p->count; i++) {
        widen(&s, p->items[i].low);
        widen(&s, p->items[i].high);
        widen(&s, p->items[i].value);
        for (size_t k = 0; k < p->items[i].dot_count; k++)
            widen(&s, p->items[i].dots[k]);
    }
    const double below = 1 - p->margin, above = 1 / (1 - p->margin);
    const double span = fmax(axis->high - axis->low, 0.002 * axis->high);
    s.away = axis->low > above && axis->low - 1 > FAR * span     ? -1
             : axis->high < below && 1 - axis->high > FAR * span ? 1
                                                                 : 0;
    if (!s.away) {
        widen(&s, below);
        widen(&s, above);
    }
    axis->is_log = axis->high > WIDE * axis->low;
    const double pad =
        axis->is_log ? pow(axis->high / axis->low, 0.05) : 0.06 * fmax(axis->high - axis->low, 0.002 * axis->high);
    axis->low = axis->is_log ? axis->low / pad : fmax(axis->low - pad, 0);
    axis->high = axis->is_log ? axis->high * pad : axis->high + pad;
    return s;
}

static double share_of(const struct scale *s, double value)
{
    return fmin(fmax(axis_share(&s->axis, value), 0), 1);
}

static double x_of(const struct scale *s, double value)
{
    return axis_place(&s->axis, value);
}

/* ---- SVG ---- */

static enum ink ink_of(enum comparison_verdict verdict)
{
    static const enum ink inks[] = {[COMPARE_INCONCLUSIVE] = INK_GREY,
                                    [COMPARE_FASTER] = INK_GREEN,
                                    [COMPARE_SLOWER] = INK_ORANGE,
                                    [COMPARE_EQUIVALENT] = INK_BLUE};
    return verdict < COMPARE_UNUSABLE ? inks[verdict] : INK_GREY;
}

static void draw_tick(struct canvas *c, const struct scale *s, double bottom, double value)
{
    char text[UNITS_TEXT_BYTES];
    const double x = x_of(s, value);
    canvas_line(c, x, TOP, x, bottom, 1, INK_GRID);
    snprintf(text, sizeof text, "%.6gx", value);
    canvas_text(c, x, bottom + 16, TEXT_MIDDLE, INK_FAINT, text);
}

static void draw_ticks(struct canvas *c, const struct scale *s, double bottom)
{
    double ticks[AXIS_TICKS_MAX];
    const size_t count = axis_ticks(&s->axis, TICKS_APART, ticks);
    for (size_t i = 0; i < count; i++)
        draw_tick(c, s, bottom, ticks[i]);
}

static void draw_one(struct canvas *c, const struct interval_picture *p, const struct scale *s, double bottom)
{
    const double below = x_of(s, 1 - p->margin), above = x_of(s, 1 / (1 - p->margin)), one = x_of(s, 1);
    if (s->away)
        return;
    canvas_rect(c, below, TOP, fmax(above - below, 1), bottom - TOP, INK_PALE);
    canvas_dashes(c, one, TOP, one, bottom, INK_FAINT);
}

static void draw_row(struct canvas *c, const struct scale *s, const struct interval_row *row, double y)
{
    char text[UNITS_TEXT_BYTES + 32], value[UNITS_TEXT_BYTES];
    const double middle = y + 10, low = x_of(s, row->low), high = x_of(s, row->high), at = x_of(s, row->value);
    const enum ink ink = ink_of(row->verdict);
    canvas_text_in(c, LABEL_END, middle + 4, LABEL_END, TEXT_END, INK_TEXT, row->label);
    canvas_line(c, low, middle, fmax(high, low + 1), middle, 2, ink);
    canvas_line(c, low, middle - 5, low, middle + 5, 2, ink);
    canvas_line(c, high, middle - 5, high, middle + 5, 2, ink);
    canvas_rect(c, at - DOT, middle - DOT, 2 * DOT, 2 * DOT, ink);
    for (size_t i = 0; i < row->dot_count; i++)
        canvas_rect(c, x_of(s, row->dots[i]) - 1, middle + 8, 2, 4, ink);
    snprintf(text, sizeof text, "%s %s", unit_format_factor(value, row->value), comparison_verdict_name(row->verdict));
    canvas_text_in(c, PLOT_END + 8, middle + 4, CANVAS_WIDTH - PLOT_END - 8, TEXT_START, INK_TEXT, text);
}

void interval_picture_draw(const struct interval_picture *p, struct canvas *c)
{
    const struct scale s = scale_of(p);
    const double bottom = TOP + ROW * (double)p->count;
    canvas_set_height(c, bottom + AXIS);
    draw_one(c, p, &s, bottom);
    draw_ticks(c, &s, bottom);
    for (size_t i = 0; i < p->count; i++)
        draw_row(c, &s, &p->items[i], TOP + ROW * (double)i);
    canvas_text_in(c, 0, bottom + 16, PLOT - 24, TEXT_START, INK_FAINT,
                   s.away < 0   ? "speedup; 1x is to the left"
                   : s.away > 0 ? "speedup; 1x is to the right"
                                : "speedup");
}

/* ---- characters ---- */

static void write_bar(struct str *out, const struct scale *s, const struct interval_row *row)
{
    const int last = BAR_COLUMNS - 1;
    const int low = (int)(share_of(s, row->low) * last), high = (int)(share_of(s, row->high) * last),
              at = (int)lround(share_of(s, row->value) * last), one = s->away ? -1 : (int)(share_of(s, 1) * last);
    for (int i = 0; i < BAR_COLUMNS; i++)
        str_add(out, i == at               ? "\xe2\x96\xa0"
                     : i == low && i < at  ? "\xe2\x94\x9c"
                     : i == high && i > at ? "\xe2\x94\xa4"
                     : i > low && i < high ? "\xe2\x94\x80"
                     : i == one            ? "\xe2\x94\x86"
                                           : " ");
}

static void write_row(struct str *out, const struct scale *s, const struct interval_row *row)
{
    char value[UNITS_TEXT_BYTES];
    characters_left(out, row->label, LABEL_COLUMNS);
    str_add_char(out, ' ');
    write_bar(out, s, row);
    characters_right(out, unit_format_factor(value, row->value), VALUE_COLUMNS);
    str_add_char(out, '\n');
}

/* How many rows are lower. */
static size_t rank_of(const struct interval_picture *p, size_t at)
{
    size_t rank = 0;
    for (size_t i = 0; i < p->count; i++)
        rank += p->items[i].value < p->items[at].value || (p->items[i].value == p->items[at].value && i < at);
    return rank;
}

void interval_picture_write(const struct interval_picture *p, struct str *characters)
{
    const struct scale s = scale_of(p);
    for (size_t i = 0; i < p->count; i++) {
        const size_t rank = rank_of(p, i);
        if (p->count <= ROWS_IN_CHARACTERS || rank == 0 || rank == p->count / 2 || rank == p->count - 1)
            write_row(characters, &s, &p->items[i]);
    }
}

/* ---- words ---- */

void interval_picture_say(const struct interval_picture *p, struct str *says)
{
    char low[UNITS_TEXT_BYTES], high[UNITS_TEXT_BYTES];
    size_t least = 0, most = 0;
    for (size_t i = 1; i < p->count; i++) {
        least = p->items[i].value < p->items[least].value ? i : least;
        most = p->items[i].value > p->items[most].value ? i : most;
    }
    str_addf(says, "Speedups with their intervals: from %s (%s) to %s (%s)",
             unit_format_factor(low, p->items[least].value), p->items[least].label,
             unit_format_factor(high, p->items[most].value), p->items[most].label);
}

/* From the lowest to the highest, at even distances of rank. */
static void thin(struct interval_picture *p)
{
    size_t kept = 0;
    bool keep[INTERVAL_ROWS_MAX] = {false};
    for (size_t i = 0; i < p->count; i++)
        for (size_t k = 0; k < INTERVALS_ON_A_SCREEN; k++)
            keep[i] |= rank_of(p, i) == k * (p->count - 1) / (INTERVALS_ON_A_SCREEN - 1);
    const size_t all = p->count + p->left_out;
    for (size_t i = 0; i < p->count; i++)
        if (keep[i])
            p->items[kept++] = p->items[i];
    p->count = kept;
    p->left_out = all - kept;
}

static void write_caption(const struct interval_picture *p, struct document *d)
{
    size_t dots = 0, left_out = 0;
    for (size_t i = 0; i < p->count; i++) {
        dots += p->items[i].dot_count;
        left_out += p->items[i].dots_left_out;
    }
    document_span(d, SPAN_PLAIN,
                  "Speedup with its interval; below each the processes that say so. Shaded: within the margin, no "
                  "difference.");
    if (left_out)
        document_span(d, SPAN_PLAIN, " Of %zu processes %zu are drawn, at most %d of a row.", dots + left_out, dots,
                      INTERVAL_DOTS_MAX);
    if (p->left_out)
        document_span(d, SPAN_PLAIN, " %zu of %zu comparisons; the tables have them all.", p->count,
                      p->count + p->left_out);
}

void interval_picture_add(const struct analysis *a, struct document *d)
{
    struct interval_picture p;
    struct drawing w;
    if (!interval_picture_of(&p, a, d))
        return;
    const bool is_thin = d->tier == TIER_SCREEN && d->lines_max && p.count > INTERVALS_ON_A_SCREEN;
    if (is_thin)
        thin(&p);
    drawing_init(&w);
    interval_picture_draw(&p, &w.canvas);
    interval_picture_write(&p, &w.characters);
    interval_picture_say(&p, &w.says);
    drawing_add(&w, is_thin ? "extremes" : "comparisons", d);
    write_caption(&p, d);
}
