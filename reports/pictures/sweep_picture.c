/* How do the speedup and the times change with the size? Two plots above the same axis. */
#include "reports/pictures/sweep_picture.h"

#include <math.h>
#include <stdio.h>

#include "core/base/units.h"
#include "reports/pictures/canvas.h"
#include "reports/pictures/drawing.h"

enum {
    LINE = 20,
    PLOT = 72,
    LABEL_END = PLOT - 14, /* marks and intervals reach beyond the plot */
    PLOT_END = 524,
    HEIGHT = 150, /* of each plot */
    INSET = 18,   /* in a plot, above and below what is drawn: a text has room there */
    AXIS = 24,
    TICKS_APART = 26,
    MARKS_APART = 8,
    BESIDE = 5, /* speedups of several variants stand beside one another: their intervals are seen */
    CAP = 3
};

/* From this quotient of its ends on an axis of speedups is logarithmic. */
#define WIDE 5.0

static const enum ink inks[SWEEP_LINES_MAX] = {INK_BLUE, INK_ORANGE, INK_GREEN, INK_PURPLE};
static const enum mark marks[SWEEP_LINES_MAX] = {MARK_CIRCLE, MARK_SQUARE, MARK_TRIANGLE, MARK_DIAMOND};

struct plot {
    const struct sweep_picture *p;
    struct axis_scale x, y;
    double top, bottom;
    double beside; /* from one line to the next */
};

/* ---- scales ---- */

static void widen(struct axis_scale *s, double value)
{
    s->low = fmin(s->low, value); /* of a number and NAN: the number */
    s->high = fmax(s->high, value);
}

/* One and the margin are always seen; an interval that is far wider than all that was measured ends at the edge. */
static struct axis_scale speedups_of(const struct sweep_picture *p)
{
    struct axis_scale s = {1 - p->margin, 1 / (1 - p->margin), false, 0, 0};
    for (size_t i = 0; i < p->count; i++)
        for (size_t k = 0; k < p->lines[i].count; k++) {
            const struct sweep_dot *dot = &p->lines[i].dots[k];
            widen(&s, dot->speedup);
            widen(&s, fmax(dot->low, dot->speedup / 2));
            widen(&s, fmin(dot->high, dot->speedup * 2));
        }
    s.is_log = s.high > WIDE * s.low;
    if (s.high - s.low < 0.002 * s.high)
        widen(&s, s.low * 0.998);
    return s;
}

static struct axis_scale times_of(const struct sweep_picture *p)
{
    struct axis_scale s = {INFINITY, 0, true, 0, 0};
    for (size_t i = 0; i < p->count; i++)
        for (size_t k = 0; k < p->lines[i].count; k++) {
            const double times[] = {p->lines[i].dots[k].base_ns, p->lines[i].dots[k].cand_ns};
            for (int side = 0; side < 2; side++)
                if (isfinite(times[side]) && times[side] > 0)
                    widen(&s, times[side]);
        }
    s.low /= s.high < 1.2 * s.low ? 1.2 : 1;
    return s;
}

static struct plot plot_of(const struct sweep_picture *p, struct axis_scale y, double top, double beside)
{
    struct plot plot = {p, sweep_sizes_scale(p, PLOT, PLOT_END), y, top, top + HEIGHT, beside};
    plot.y.from = plot.bottom - INSET;
    plot.y.to = plot.top + INSET;
    return plot;
}

static double x_of(const struct plot *plot, const struct sweep_line *line, const struct sweep_dot *dot)
{
    const double behind = (double)(line - plot->p->lines) - ((double)plot->p->count - 1) / 2;
    return axis_place(&plot->x, dot->size) + plot->beside * behind;
}

/* ---- lines ---- */

static double speedup_of(const struct sweep_dot *dot)
{
    return dot->speedup;
}

static double candidate_of(const struct sweep_dot *dot)
{
    return dot->cand_ns > 0 ? dot->cand_ns : NAN;
}

static double baseline_of(const struct sweep_dot *dot)
{
    return dot->base_ns > 0 ? dot->base_ns : NAN;
}

/* Marks stand on their line, no more than have room. */
static void draw_line(struct canvas *c, const struct plot *plot, const struct sweep_line *line,
                      double (*value)(const struct sweep_dot *dot), enum mark mark, enum ink ink)
{
    double x[SWEEP_DOTS_MAX], y[SWEEP_DOTS_MAX], last = -INFINITY;
    for (size_t i = 0; i < line->count; i++) {
        x[i] = x_of(plot, line, &line->dots[i]);
        y[i] = axis_place(&plot->y, value(&line->dots[i]));
    }
    canvas_path(c, x, y, line->count, 1.6, ink);
    for (size_t i = 0; i < line->count; i++)
        if (isfinite(y[i]) && x[i] - last >= MARKS_APART) {
            canvas_mark(c, x[i], y[i], mark, ink);
            last = x[i];
        }
}

static void draw_intervals(struct canvas *c, const struct plot *plot, const struct sweep_line *line, enum ink ink)
{
    for (size_t i = 0; i < line->count; i++) {
        const double x = x_of(plot, line, &line->dots[i]), low = axis_place(&plot->y, line->dots[i].low),
                     high = axis_place(&plot->y, line->dots[i].high);
        if (!(low - high > 2 * MARK_RADIUS)) /* hidden by the mark */
            continue;
        canvas_line(c, x, high, x, low, 1.6, ink);
        canvas_line(c, x - CAP, high, x + CAP, high, 1.6, ink);
        canvas_line(c, x - CAP, low, x + CAP, low, 1.6, ink);
    }
}

/* ---- axes ---- */

static double text_wide(const char *text)
{
    return text_width(text, TEXT_SIZE) + 12;
}

/* A size has its text below the last plot only. */
static void draw_sizes(struct canvas *c, const struct plot *plot, bool with_texts)
{
    char text[UNITS_TEXT_BYTES];
    double ticks[AXIS_TICKS_MAX];
    const size_t count = sweep_sizes_ticks(plot->p, &plot->x, text_wide, ticks);
    for (size_t i = 0; i < count; i++) {
        const double x = axis_place(&plot->x, ticks[i]),
                     half = text_width(sweep_size_text(plot->p, text, ticks[i]), TEXT_SIZE) / 2;
        canvas_line(c, x, plot->top, x, plot->bottom, 1, INK_GRID);
        if (with_texts)
            canvas_text(c, fmin(x, CANVAS_WIDTH - half), plot->bottom + 16, TEXT_MIDDLE, INK_FAINT, text);
    }
}

static void draw_tick(struct canvas *c, const struct plot *plot, double value, const char *text)
{
    const double y = axis_place(&plot->y, value);
    canvas_line(c, PLOT, y, PLOT_END, y, 1, INK_GRID);
    canvas_text_in(c, LABEL_END, y + 4, LABEL_END, TEXT_END, INK_FAINT, text);
}

static void draw_speedup_ticks(struct canvas *c, const struct plot *plot)
{
    char text[UNITS_TEXT_BYTES];
    double ticks[AXIS_TICKS_MAX];
    const size_t count = axis_ticks(&plot->y, TICKS_APART, ticks);
    for (size_t i = 0; i < count; i++) {
        snprintf(text, sizeof text, "%.6gx", ticks[i]);
        draw_tick(c, plot, ticks[i], text);
    }
}

static void draw_time_ticks(struct canvas *c, const struct plot *plot)
{
    char text[UNITS_TEXT_BYTES];
    double ticks[AXIS_TICKS_MAX];
    const size_t count = axis_ticks(&plot->y, TICKS_APART, ticks);
    for (size_t i = 0; i < count; i++)
        draw_tick(c, plot, ticks[i], axis_time_alone(text, ticks[i]));
}

static void draw_margin(struct canvas *c, const struct plot *plot)
{
    const double margin = plot->p->margin, above = axis_place(&plot->y, 1 / (1 - margin)),
                 below = axis_place(&plot->y, 1 - margin);
    canvas_rect(c, PLOT, above, PLOT_END - PLOT, fmax(below - above, 1), INK_PALE);
}

/* ---- texts ---- */

static void draw_value(struct canvas *c, const struct plot *plot, const struct sweep_dot *dot, bool is_above)
{
    char text[UNITS_TEXT_BYTES];
    const double half = text_width(unit_format_factor(text, dot->speedup), TEXT_SIZE) / 2,
                 y = axis_place(&plot->y, dot->speedup);
    const double x = fmin(fmax(axis_place(&plot->x, dot->size), PLOT + half), CANVAS_WIDTH - half);
    canvas_text(c, x, is_above ? y - 7 : y + 17, TEXT_MIDDLE, INK_TEXT, text);
}

/* Of one line the highest and the lowest. */
static void draw_ends(struct canvas *c, const struct plot *plot, const struct sweep_line *line)
{
    const struct sweep_dot *least = NULL, *most = NULL;
    for (size_t i = 0; i < line->count; i++) {
        const struct sweep_dot *dot = &line->dots[i];
        if (!isfinite(dot->speedup))
            continue;
        least = !least || dot->speedup < least->speedup ? dot : least;
        most = !most || dot->speedup > most->speedup ? dot : most;
    }
    if (most)
        draw_value(c, plot, most, true);
    if (least && least != most)
        draw_value(c, plot, least, false);
}

/* Returns the place behind it. */
static double draw_name(struct canvas *c, double *x, double y, enum mark mark, enum ink ink, const char *name)
{
    const double width = fmin(text_width(name, TEXT_SIZE) + 1, CANVAS_WIDTH - 24);
    if (*x > 4 && *x + 16 + width > CANVAS_WIDTH - 4) {
        *x = 4;
        y += LINE;
    }
    canvas_mark(c, *x + MARK_RADIUS + 1, y + 9, mark, ink);
    canvas_text_in(c, *x + 18, y + 14, width, TEXT_START, INK_TEXT, name);
    *x += 18 + width + 12;
    return y;
}

static double draw_legend(struct canvas *c, const struct sweep_picture *p)
{
    double x = 4, y = 0;
    struct str baseline;
    str_init(&baseline);
    for (size_t i = 0; i < p->count; i++)
        y = draw_name(c, &x, y, marks[i], inks[i], p->lines[i].label);
    str_addf(&baseline, "%s (baseline)", p->baseline);
    y = draw_name(c, &x, y, MARK_CROSS, INK_FAINT, str_text(&baseline));
    c->failed |= baseline.failed;
    str_release(&baseline);
    return y + LINE;
}

static void draw_title(struct canvas *c, double y, const char *what, const struct sweep_picture *p)
{
    struct str text;
    str_init(&text);
    str_addf(&text, "%s by %s", what, p->axis);
    canvas_text_in(c, 4, y + 14, CANVAS_WIDTH - 8, TEXT_START, INK_TEXT, str_text(&text));
    c->failed |= text.failed;
    str_release(&text);
}

/* ---- plots ---- */

static void draw_speedups(struct canvas *c, const struct sweep_picture *p, const struct plot *plot)
{
    const double one = axis_place(&plot->y, 1);
    draw_margin(c, plot);
    draw_sizes(c, plot, false);
    draw_speedup_ticks(c, plot);
    canvas_dashes(c, PLOT, one, PLOT_END, one, INK_TEXT);
    for (size_t i = 0; i < p->count; i++)
        draw_intervals(c, plot, &p->lines[i], inks[i]);
    for (size_t i = 0; i < p->count; i++)
        draw_line(c, plot, &p->lines[i], speedup_of, marks[i], inks[i]);
    if (p->count == 1)
        draw_ends(c, plot, &p->lines[0]);
}

/* The baseline is measured with each variant; the line with most sizes has its time. */
static void draw_times(struct canvas *c, const struct sweep_picture *p, const struct plot *plot)
{
    const struct sweep_line *longest = &p->lines[0];
    for (size_t i = 1; i < p->count; i++)
        longest = p->lines[i].count > longest->count ? &p->lines[i] : longest;
    draw_sizes(c, plot, true);
    draw_time_ticks(c, plot);
    draw_line(c, plot, longest, baseline_of, MARK_CROSS, INK_FAINT);
    for (size_t i = 0; i < p->count; i++)
        draw_line(c, plot, &p->lines[i], candidate_of, marks[i], inks[i]);
}

void sweep_picture_draw(const struct sweep_picture *p, struct canvas *c)
{
    const double above = draw_legend(c, p) + LINE;
    const struct plot speedups = plot_of(p, speedups_of(p), above + 4, BESIDE),
                      times = plot_of(p, times_of(p), speedups.bottom + LINE + 8, 0);
    draw_title(c, above - LINE, "Speedup", p);
    draw_speedups(c, p, &speedups);
    draw_title(c, times.top - LINE - 2, "Time", p);
    draw_times(c, p, &times);
    canvas_set_height(c, times.bottom + AXIS);
}

void sweep_picture_add(const struct analysis *a, struct document *d)
{
    struct sweep_picture p;
    struct drawing w;
    if (!sweep_picture_of(&p, a, d))
        return;
    drawing_init(&w);
    sweep_picture_draw(&p, &w.canvas);
    sweep_picture_write(&p, &w.characters);
    sweep_picture_say(&p, &w.says);
    drawing_add(&w, "sweep", d);
    document_span(d, SPAN_PLAIN,
                  "Speedup against the baseline, with its interval where that is longer than the mark; shaded: within "
                  "the margin, no difference.");
    if (p.left_out)
        document_span(d, SPAN_PLAIN, " %zu of %zu pairs are shown; the tables have them all.", p.count,
                      p.count + p.left_out);
}
