/* How far below which roof is each kernel? */
#include "reports/charts/roofline_chart.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/demangle.h"
#include "reports/charts/chart_text.h"

enum {
    KERNELS_MAX = 30,
    ROOFS_MAX = ROOF_LEVELS + ROOF_PRECISIONS_MAX,
    WIDTH = 1040,
    HEIGHT_MIN = 560,
    ROW_HEIGHT = 17,
    MARGIN_TOP = 16,
    MARGIN_BOTTOM = 56
};
#define LEFT  0.085
#define RIGHT 0.58
#define LIST  0.735

static const char *const colours[ROOF_LEVELS] = {[ROOF_L1] = "#1a7f37", [ROOF_L2] = "#1f6feb", [ROOF_DRAM] = "#c62828"};
static const char pipe_colour[] = "#3b4048";

/* ---- what is drawn ---- */

static bool is_point(const struct roofline *r, int level)
{
    const double x = r->levels[level].intensity;
    return isfinite(x) && x > 0 && isfinite(r->flop_per_s) && r->flop_per_s > 0;
}

static bool is_drawn(const struct roofline *r)
{
    for (int level = 0; level < ROOF_LEVELS; level++)
        if (is_point(r, level))
            return true;
    return false;
}

/* The next kernel that has room; `*at` begins with 0. */
static const struct roofline *next_drawn(const struct analysis *a, size_t *at)
{
    while (*at < a->rooflines.count)
        if (is_drawn(&a->rooflines.items[(*at)++]))
            return &a->rooflines.items[*at - 1];
    return NULL;
}

static size_t drawn_count(const struct analysis *a)
{
    size_t count = 0, at = 0;
    while (next_drawn(a, &at))
        count++;
    return count;
}

/* A roof of the machine: clocks differ a little from launch to launch, the highest counts. */
struct line {
    const char *name;
    double peak, measured; /* NAN unknown */
    int level;             /* ROOF_LEVELS: of a precision */
};

struct drawing {
    const struct analysis *a;
    struct line lines[ROOFS_MAX];
    size_t line_count;
    double x_low, x_high, y_low, y_high;
    double top;   /* the highest roof of a precision, where the slopes end */
    double steep; /* the most bytes a second of any level */
    size_t rows;
    int height;
};

static double known(const struct line *l)
{
    return isnan(l->peak) ? l->measured : l->peak;
}

static void note_roof(struct drawing *p, const struct roof *r, int level)
{
    size_t i = 0;
    if (isnan(r->peak) && isnan(r->measured))
        return;
    while (i < p->line_count && strcmp(p->lines[i].name, r->name))
        i++;
    if (i == ROOFS_MAX)
        return;
    if (i == p->line_count)
        p->lines[p->line_count++] = (struct line){r->name, NAN, NAN, level};
    p->lines[i].peak = fmax(p->lines[i].peak, r->peak); /* of a number and NAN: the number */
    p->lines[i].measured = fmax(p->lines[i].measured, r->measured);
}

static void widen(double *low, double *high, double value)
{
    *low = fmin(*low, value);
    *high = fmax(*high, value);
}

static void note_kernel(struct drawing *p, const struct roofline *r)
{
    for (int level = 0; level < ROOF_LEVELS; level++) {
        if (!is_point(r, level))
            continue;
        widen(&p->x_low, &p->x_high, r->levels[level].intensity);
        widen(&p->y_low, &p->y_high, r->flop_per_s);
        note_roof(p, &r->levels[level], level);
    }
    for (size_t i = 0; i < r->precision_count; i++)
        note_roof(p, &r->precisions[i], ROOF_LEVELS);
}

/* Points, and the places where slopes meet the roofs, with room around them. */
static void set_ranges(struct drawing *p)
{
    for (size_t i = 0; i < p->line_count; i++)
        if (p->lines[i].level == ROOF_LEVELS)
            p->top = fmax(p->top, known(&p->lines[i]));
        else
            p->steep = fmax(p->steep, known(&p->lines[i]));
    for (size_t i = 0; i < p->line_count && p->top > 0; i++)
        if (p->lines[i].level != ROOF_LEVELS)
            widen(&p->x_low, &p->x_high, p->top / known(&p->lines[i]));
    if (p->top > 0)
        widen(&p->y_low, &p->y_high, p->top);
    p->x_low /= 8;
    p->x_high *= 8;
    p->y_low /= 5;
    p->y_high *= 4;
}

/* False when there is nothing to draw. */
static bool picture_of(struct drawing *p, const struct analysis *a)
{
    *p = (struct drawing){.a = a, .x_low = INFINITY, .y_low = INFINITY, .top = NAN, .steep = NAN};
    size_t at = 0;
    const struct roofline *r;
    for (; p->rows < KERNELS_MAX && (r = next_drawn(a, &at)); p->rows++)
        note_kernel(p, r);
    if (!p->rows)
        return false;
    set_ranges(p);
    const int needed = MARGIN_TOP + MARGIN_BOTTOM + ROW_HEIGHT * ((int)p->rows + 1 + ROOF_LEVELS);
    p->height = needed > HEIGHT_MIN ? needed : HEIGHT_MIN;
    return isfinite(p->x_high) && isfinite(p->y_high) && p->x_low > 0 && p->y_low > 0;
}

/* ---- the script ---- */

static void add_axes(struct str *out, const struct drawing *p)
{
    str_addf(
        out,
        "set encoding utf8\n"
        "set terminal svg size %d,%d dynamic noenhanced font \"sans-serif,12\" background \"#ffffff\"\n"
        "set lmargin at screen %g\nset rmargin at screen %g\nset tmargin at screen %.4f\nset bmargin at screen %.4f\n"
        "unset key\nset logscale xy\nset border 3\nset xtics nomirror\nset ytics nomirror\n"
        "set grid xtics ytics linecolor rgb \"#e4e7eb\"\nset format x \"%%g\"\nset format y \"%%.0s %%c\"\n"
        "set xlabel \"operations for each byte (FLOP/B)\"\nset ylabel \"operations a second (FLOP/s)\"\n",
        WIDTH, p->height, LEFT, RIGHT, 1 - (double)MARGIN_TOP / p->height, (double)MARGIN_BOTTOM / p->height);
    str_addf(out, "set xrange [%.9g:%.9g]\nset yrange [%.9g:%.9g]\n", p->x_low, p->x_high, p->y_low, p->y_high);
}

/* One stretch of a roof: up a slope to the top, or level from where the steepest slope is that high. */
static void add_stretch(struct str *out, const struct drawing *p, const struct line *l, double value)
{
    if (isnan(value))
        return;
    if (l->level == ROOF_LEVELS) {
        const double from = p->steep > 0 ? fmax(value / p->steep, p->x_low) : p->x_low;
        str_addf(out, "%.9g %.9g\n%.9g %.9g\n\n", from, value, p->x_high, value);
        return;
    }
    const double end = p->top > 0 ? fmin(p->top / value, p->x_high) : p->x_high;
    str_addf(out, "%.9g %.9g\n%.9g %.9g\n\n", p->x_low, p->x_low * value, end, end * value);
}

static const char *colour_of(const struct line *l)
{
    return l->level == ROOF_LEVELS ? pipe_colour : colours[l->level];
}

static void add_label(struct str *out, const struct line *l, const char *place)
{
    const enum unit unit = l->level == ROOF_LEVELS ? UNIT_FLOP_PER_S : UNIT_BYTES_PER_S;
    char height[UNITS_TEXT_BYTES];
    str_add(out, "set label \"");
    chart_add_quoted(out, l->name);
    str_add(out, "  ");
    chart_add_quoted(out, unit_format(height, unit, known(l)));
    if (unit == UNIT_BYTES_PER_S && !isnan(l->peak) && !isnan(l->measured)) {
        str_add(out, ", measured ");
        chart_add_quoted(out, unit_format(height, unit, l->measured));
    }
    str_addf(out, "\" at %s left noenhanced font \",11\" textcolor rgb \"%s\" front\n", place, colour_of(l));
}

/* The name of a level roof stands behind its end; slopes, which are close together, have theirs at the bottom of the
 * list. */
static void add_roof_name(struct str *out, const struct drawing *p, const struct line *l)
{
    char place[96];
    if (l->level == ROOF_LEVELS)
        snprintf(place, sizeof place, "%.9g,%.9g", p->x_high * pow(p->x_high / p->x_low, 0.012), known(l));
    else
        snprintf(place, sizeof place, "screen %g, screen %.4f", LIST,
                 (MARGIN_BOTTOM + ROW_HEIGHT * (ROOF_LEVELS - 1 - l->level + 0.5)) / p->height);
    add_label(out, l, place);
}

static void add_lines(struct str *out, const struct drawing *p)
{
    for (size_t i = 0; i < p->line_count; i++) {
        str_addf(out, "$peak%zu << end_of_data\n", i);
        add_stretch(out, p, &p->lines[i], p->lines[i].peak);
        str_addf(out, "end_of_data\n$measured%zu << end_of_data\n", i);
        add_stretch(out, p, &p->lines[i], p->lines[i].measured);
        str_add(out, "end_of_data\n");
        add_roof_name(out, p, &p->lines[i]);
    }
}

static void add_points(struct str *out, const struct drawing *p, int level)
{
    size_t at = 0;
    const struct roofline *r;
    str_addf(out, "$level%d << end_of_data\n", level);
    for (size_t row = 0; row < p->rows && (r = next_drawn(p->a, &at)); row++)
        if (is_point(r, level))
            str_addf(out, "%.9g %.9g\n", r->levels[level].intensity, r->flop_per_s);
    str_add(out, "end_of_data\n");
}

/* The points of one kernel are on one height. */
static void add_ties(struct str *out, const struct drawing *p)
{
    size_t at = 0;
    const struct roofline *r;
    str_add(out, "$ties << end_of_data\n");
    for (size_t row = 0; row < p->rows && (r = next_drawn(p->a, &at)); row++) {
        for (int level = 0; level < ROOF_LEVELS; level++)
            if (is_point(r, level))
                str_addf(out, "%.9g %.9g\n", r->levels[level].intensity, r->flop_per_s);
        str_add(out, "\n");
    }
    str_add(out, "end_of_data\n");
}

static void add_name(struct str *out, const struct drawing *p, const struct roofline *r)
{
    struct str name;
    str_init(&name);
    str_addf(&name, "%s, ", r->variant);
    if (bundle_programs(p->a->bundle))
        demangle_template(&name, r->kernel);
    else
        str_add(&name, r->config);
    chart_add_quoted(out, str_text(&name));
    out->failed |= name.failed;
    str_release(&name);
}

/* A number at its last point, and in the list beside. */
static void add_kernels(struct str *out, const struct drawing *p)
{
    size_t at = 0;
    const struct roofline *r;
    for (size_t row = 0; row < p->rows && (r = next_drawn(p->a, &at)); row++) {
        int last = ROOF_LEVELS - 1;
        while (!is_point(r, last))
            last--;
        str_addf(out, "set label \"%zu\" at %.9g,%.9g left offset 0.7,0.5 noenhanced font \",11\" front\n", row + 1,
                 r->levels[last].intensity, r->flop_per_s);
        str_addf(out, "set label \"%zu  ", row + 1);
        add_name(out, p, r);
        str_addf(out, "\" at screen %g, screen %.4f left noenhanced font \",11\"\n", LIST,
                 1 - (MARGIN_TOP + ROW_HEIGHT * (double)row + ROW_HEIGHT / 2.0) / p->height);
    }
}

static void add_plot(struct str *out, const struct drawing *p)
{
    str_add(out, "plot $ties using 1:2 with lines linewidth 1 linecolor rgb \"#b6bcc4\"");
    for (size_t i = 0; i < p->line_count; i++) {
        if (!isnan(p->lines[i].peak))
            str_addf(out, ", $peak%zu using 1:2 with lines linewidth 1.6 linecolor rgb \"%s\"", i,
                     colour_of(&p->lines[i]));
        if (!isnan(p->lines[i].measured))
            str_addf(out, ", $measured%zu using 1:2 with lines linewidth 1.6 dashtype 2 linecolor rgb \"%s\"", i,
                     colour_of(&p->lines[i]));
    }
    for (int level = 0; level < ROOF_LEVELS; level++)
        str_addf(out, ", $level%d using 1:2 with points pointtype 7 pointsize 0.7 linecolor rgb \"%s\"", level,
                 colours[level]);
    str_add(out, "\n");
}

bool roofline_chart_script(const struct analysis *a, struct str *out)
{
    struct drawing p;
    if (!picture_of(&p, a))
        return false;
    add_axes(out, &p);
    add_lines(out, &p);
    add_kernels(out, &p);
    for (int level = 0; level < ROOF_LEVELS; level++)
        add_points(out, &p, level);
    add_ties(out, &p);
    add_plot(out, &p);
    return true;
}

void roofline_chart_add(const struct analysis *a, struct document *d)
{
    const size_t count = drawn_count(a);
    struct str script;
    str_init(&script);
    if (roofline_chart_script(a, &script)) {
        d->failed |= script.failed;
        document_chart(d, str_text(&script));
        document_span(
            d, SPAN_PLAIN,
            "Each kernel has a point for each memory level, in the colour of the level's roof: red device memory, "
            "blue L2, green L1. Roofs: solid in theory, dashed as measured on this GPU.");
        if (count > KERNELS_MAX)
            document_span(d, SPAN_PLAIN, " The first %d of %zu kernels; the tables have them all.", KERNELS_MAX, count);
        if (count < a->rooflines.count)
            document_span(d, SPAN_PLAIN, " Not drawn: %zu without floating-point operations.",
                          a->rooflines.count - count);
    }
    str_release(&script);
}
