/* How far below which roof is each kernel? */
#include "reports/pictures/roofline_picture.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/units.h"
#include "core/base/utf8.h"
#include "core/trace/kernel_names.h"
#include "reports/document/shorten.h"
#include "reports/pictures/axis.h"
#include "reports/pictures/canvas.h"
#include "reports/pictures/drawing.h"
#include "reports/run/run_report.h"

enum {
    ROOFS_MAX = ROOF_LEVELS + ROOF_PRECISIONS_MAX,
    PLOT = 112,
    PLOT_END = 548,
    TOP = 20,
    BOTTOM = 330,
    LINE = 18,  /* height of a line of the list below */
    CELL = 16,  /* numbers have a place in a grid of such cells, one each */
    WIDE = 20,  /* a cell is wider than high */
    CELLS = 40, /* of a side, at most */
    DOT = 2,
    NUMBER = 30,         /* before a name */
    NAME_COLUMNS = 54,   /* characters of a name that has a line of its own */
    WIDE_NAMES_MAX = 50, /* kernels that have such a line */
    KERNELS_MAX = 99     /* a cell has room for two digits */
};

static const enum ink inks[ROOF_LEVELS + 1] = {
    [ROOF_L1] = INK_GREEN, [ROOF_L2] = INK_BLUE, [ROOF_DRAM] = INK_ORANGE, [ROOF_LEVELS] = INK_GREY};

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

/* A roof of the machine: clocks differ a little from launch to launch, the highest counts. */
struct line {
    const char *name;
    double peak, measured; /* NAN unknown */
    int level;             /* ROOF_LEVELS: of a precision */
};

/* Where the number of a kernel stands. */
struct place {
    bool is_there;
    double x, y;
};

struct plot {
    const struct analysis *a;
    struct line lines[ROOFS_MAX];
    size_t line_count;
    const struct roofline *kernels[KERNELS_MAX]; /* numbered in this order */
    size_t kernel_count, left_out;
    double x_low, x_high, y_low, y_high;
    double top;   /* the highest roof of a precision, where the slopes end */
    double steep; /* the most bytes a second of any level */
    bool taken[CELLS][CELLS];
    struct place places[KERNELS_MAX]; /* of the numbers */
};

static double known(const struct line *l)
{
    return isnan(l->peak) ? l->measured : l->peak;
}

static void note_roof(struct plot *p, const struct roof *r, int level)
{
    size_t i = 0;
    if (!isfinite(r->peak) && !isfinite(r->measured))
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

static void note_kernel(struct plot *p, const struct roofline *r)
{
    if (p->kernel_count == KERNELS_MAX) {
        p->left_out++;
        return;
    }
    p->kernels[p->kernel_count++] = r;
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
static void set_ranges(struct plot *p)
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
    p->x_low /= 3;
    p->x_high *= 3;
    p->y_low /= 3;
    p->y_high *= 2;
}

/* As they lie: slopes from the left, then the level ones from the top. */
static int by_place(const void *a, const void *b)
{
    const struct line *x = a, *y = b;
    const double x_height = known(x), y_height = known(y);
    const bool is_level = x->level == ROOF_LEVELS;
    if (is_level != (y->level == ROOF_LEVELS))
        return is_level ? 1 : -1;
    return (x_height < y_height) - (x_height > y_height);
}

static bool plot_of(struct plot *p, const struct analysis *a)
{
    *p = (struct plot){.a = a, .x_low = INFINITY, .y_low = INFINITY, .top = NAN, .steep = NAN};
    for (size_t i = 0; i < a->rooflines.count; i++)
        if (is_drawn(&a->rooflines.items[i]))
            note_kernel(p, &a->rooflines.items[i]);
    if (!p->kernel_count)
        return false;
    set_ranges(p);
    qsort(p->lines, p->line_count, sizeof *p->lines, by_place);
    return isfinite(p->x_high) && isfinite(p->y_high) && p->x_low > 0 && p->y_low > 0;
}

static double x_of(const struct plot *p, double value)
{
    return PLOT + fmin(fmax(log(value / p->x_low) / log(p->x_high / p->x_low), 0), 1) * (PLOT_END - PLOT);
}

static double y_of(const struct plot *p, double value)
{
    return BOTTOM - fmin(fmax(log(value / p->y_low) / log(p->y_high / p->y_low), 0), 1) * (BOTTOM - TOP);
}

/* ---- axes and roofs ---- */

/* Powers of ten, no more than have room. */
static double first_power(double low)
{
    return pow(10, ceil(log10(low) - 1e-9));
}

static double power_step(double low, double high, double most)
{
    double step = 10;
    while (log10(high / low) / log10(step) > most)
        step *= 10;
    return step;
}

/* Returns how many ticks the axis has; ticks[i]: a power of ten. */
static size_t power_ticks(double low, double high, double ticks[static AXIS_TICKS_MAX])
{
    const double step = power_step(low, high, 6);
    size_t count = 0;
    double at = first_power(low);
    while (at <= high && count < AXIS_TICKS_MAX) {
        ticks[count++] = at;
        at *= step;
    }
    return count;
}

static void draw_axes(struct canvas *c, const struct plot *p)
{
    char text[UNITS_TEXT_BYTES];
    double ticks[AXIS_TICKS_MAX];
    size_t count = power_ticks(p->x_low, p->x_high, ticks);
    for (size_t i = 0; i < count; i++) {
        const double x = x_of(p, ticks[i]);
        canvas_line(c, x, TOP, x, BOTTOM, 1, INK_GRID);
        const int power = (int)lround(log10(ticks[i]));
        if (power >= -3 && power <= 4)
            snprintf(text, sizeof text, "%g", ticks[i]);
        else
            snprintf(text, sizeof text, "1e%d", power);
        if (x > PLOT + 20 && x < PLOT_END - 20)
            canvas_text(c, x, BOTTOM + 16, TEXT_MIDDLE, INK_FAINT, text);
    }
    count = power_ticks(p->y_low, p->y_high, ticks);
    for (size_t i = 0; i < count; i++) {
        const double y = y_of(p, ticks[i]);
        canvas_line(c, PLOT, y, PLOT_END, y, 1, INK_GRID);
        canvas_text(c, PLOT - 4, y + 4, TEXT_END, INK_FAINT, unit_format(text, UNIT_FLOP_PER_S, ticks[i]));
    }
    canvas_text(c, PLOT_END, BOTTOM + 34, TEXT_END, INK_FAINT, "operations for each byte (FLOP/B)");
}

/* Up a slope to the top, or level from where the steepest slope is that high. */
static void draw_stretch(struct canvas *c, const struct plot *p, const struct line *l, double value, bool dashed)
{
    double x1, y1 = value, x2 = p->x_high, y2 = value;
    if (!isfinite(value) || value <= 0)
        return;
    if (l->level == ROOF_LEVELS) {
        x1 = p->steep > 0 ? fmax(value / p->steep, p->x_low) : p->x_low;
    } else {
        x1 = fmax(p->x_low, p->y_low / value);
        x2 = fmin((p->top > 0 ? p->top : p->y_high) / value, p->x_high);
        y1 = x1 * value;
        y2 = x2 * value;
        if (x1 >= x2)
            return;
    }
    if (dashed)
        canvas_dashes(c, x_of(p, x1), y_of(p, y1), x_of(p, x2), y_of(p, y2), inks[l->level]);
    else
        canvas_line(c, x_of(p, x1), y_of(p, y1), x_of(p, x2), y_of(p, y2), 1.6, inks[l->level]);
}

static void draw_roofs(struct canvas *c, const struct plot *p)
{
    for (size_t i = 0; i < p->line_count; i++) {
        draw_stretch(c, p, &p->lines[i], p->lines[i].peak, false);
        draw_stretch(c, p, &p->lines[i], p->lines[i].measured, true);
    }
}

/* ---- kernels ---- */

static int column_of(double x)
{
    return (int)((x - PLOT) / WIDE);
}

static int row_of(double y)
{
    return (int)((y - TOP) / CELL);
}

static bool is_cell(int column, int row)
{
    return column >= 0 && row >= 0 && column < (PLOT_END - PLOT) / WIDE && row < (BOTTOM - TOP) / CELL &&
           column < CELLS && row < CELLS;
}

/* No number stands on a point. */
static void take_cells(struct plot *p, double x, double y)
{
    for (int row = row_of(y - DOT - 1); row <= row_of(y + DOT + 1); row++)
        for (int column = column_of(x - DOT - 1); column <= column_of(x + DOT + 1); column++)
            if (is_cell(column, row))
                p->taken[row][column] = true;
}

/* The nearest free cell of a grid, so that no two numbers stand on each other. */
static struct place find_place(struct plot *p, double x, double y)
{
    double nearest = INFINITY;
    struct place found = {0};
    bool *cell = NULL;
    for (int row = 0; row < CELLS; row++)
        for (int column = 0; column < CELLS; column++) {
            const double middle_x = PLOT + (column + 0.5) * WIDE, middle_y = TOP + (row + 0.5) * CELL;
            const double away = hypot(middle_x - x, middle_y - y);
            if (!is_cell(column, row) || p->taken[row][column] || away >= nearest)
                continue;
            nearest = away;
            cell = &p->taken[row][column];
            found = (struct place){true, middle_x, TOP + (row + 1) * CELL - 2};
        }
    if (cell)
        *cell = true;
    return found;
}

static double right_end(const struct plot *p, const struct roofline *r)
{
    double x = 0;
    for (int level = 0; level < ROOF_LEVELS; level++)
        if (is_point(r, level))
            x = fmax(x, x_of(p, r->levels[level].intensity));
    return x;
}

static void draw_points(struct canvas *c, struct plot *p, const struct roofline *r)
{
    double x_low = INFINITY;
    const double y = y_of(p, r->flop_per_s);
    for (int level = 0; level < ROOF_LEVELS; level++)
        if (is_point(r, level))
            x_low = fmin(x_low, x_of(p, r->levels[level].intensity));
    canvas_line(c, x_low, y, right_end(p, r), y, 1, INK_GRID);
    for (int level = 0; level < ROOF_LEVELS; level++) {
        if (!is_point(r, level))
            continue;
        const double x = x_of(p, r->levels[level].intensity);
        canvas_rect(c, x - DOT, y - DOT, 2 * DOT, 2 * DOT, inks[level]);
        take_cells(p, x, y);
    }
}

static void draw_leader(struct canvas *c, struct plot *p, size_t at)
{
    const double x = right_end(p, p->kernels[at]), y = y_of(p, p->kernels[at]->flop_per_s);
    p->places[at] = find_place(p, x + WIDE / 2.0, y);
    if (p->places[at].is_there)
        canvas_line(c, x, y, p->places[at].x, p->places[at].y - 5, 0.5, INK_FAINT);
}

/* On a ground of its own, so that no line crosses it. */
static void draw_number(struct canvas *c, const struct place *at, size_t number)
{
    char text[UNITS_TEXT_BYTES];
    if (!at->is_there)
        return;
    snprintf(text, sizeof text, "%zu", number);
    const double width = text_width(text, TEXT_SIZE);
    canvas_rect(c, at->x - width / 2, at->y - 10, width, 11, INK_ON);
    canvas_text(c, at->x, at->y, TEXT_MIDDLE, INK_TEXT, text);
}

static void draw_kernels(struct canvas *c, struct plot *p)
{
    for (size_t i = 0; i < p->kernel_count; i++)
        draw_points(c, p, p->kernels[i]);
    for (size_t i = 0; i < p->kernel_count; i++)
        draw_leader(c, p, i);
    for (size_t i = 0; i < p->kernel_count; i++)
        draw_number(c, &p->places[i], i + 1);
}

static void add_name(struct str *out, const struct plot *p, const struct roofline *r, struct document *d)
{
    const char *at = words_case(d, r->config, "");
    str_add(out, r->variant);
    if (bundle_programs(p->a->bundle)) {
        str_add(out, ", ");
        kernel_name_alone(out, r->kernel);
    } else if (*at) {
        str_addf(out, ", %s", at);
    }
}

/* ---- the list below ---- */

static double draw_roof_names(struct canvas *c, const struct plot *p, double y)
{
    for (size_t i = 0; i < p->line_count; i++) {
        const struct line *l = &p->lines[i];
        const enum unit unit = l->level == ROOF_LEVELS ? UNIT_FLOP_PER_S : UNIT_BYTES_PER_S;
        char height[UNITS_TEXT_BYTES], measured[UNITS_TEXT_BYTES], text[3 * UNITS_TEXT_BYTES];
        snprintf(text, sizeof text, "%.30s  %s%s%s", l->name, unit_format(height, unit, known(l)),
                 isfinite(l->peak) && isfinite(l->measured) ? ", measured " : "",
                 isfinite(l->peak) && isfinite(l->measured) ? unit_format(measured, unit, l->measured) : "");
        canvas_rect(c, 4, y - 5, 16, 3, inks[l->level]);
        canvas_text_in(c, 26, y, CANVAS_WIDTH - 30, TEXT_START, INK_TEXT, text);
        y += LINE;
    }
    return y;
}

/* Of the kernels. Two columns, unless a name has no room there. */
struct names {
    const char *items[KERNELS_MAX];
    size_t columns, lines;
};

static const char *name_of(const struct plot *p, const struct roofline *r, struct document *d)
{
    struct str name, visible;
    str_init(&name);
    str_init(&visible);
    add_name(&name, p, r, d);
    utf8_add_visible(&visible, str_text(&name), name.length);
    const char *kept = arena_copy(&d->arena, str_text(&visible));
    d->failed |= name.failed || visible.failed || !kept;
    str_release(&name);
    str_release(&visible);
    return kept ? kept : "";
}

static bool has_wide_name(const struct names *n, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (text_width(n->items[i], TEXT_SIZE) > CANVAS_WIDTH * 0.5 - NUMBER - 12)
            return true;
    return false;
}

static struct names names_of(const struct plot *p, struct document *d)
{
    struct names n = {.columns = 2};
    for (size_t i = 0; i < p->kernel_count; i++)
        n.items[i] = name_of(p, p->kernels[i], d);
    const size_t common = shorten_beginning(n.items, p->kernel_count);
    for (size_t i = 0; i < p->kernel_count; i++)
        n.items[i] += common;
    if (p->kernel_count <= WIDE_NAMES_MAX && has_wide_name(&n, p->kernel_count)) {
        n.columns = 1;
        shorten_names(&d->arena, n.items, p->kernel_count, NAME_COLUMNS);
    }
    n.lines = (p->kernel_count + n.columns - 1) / n.columns;
    return n;
}

static void draw_names(struct canvas *c, const struct plot *p, const struct names *n, double y)
{
    const double width = (double)CANVAS_WIDTH / (double)n->columns;
    for (size_t i = 0; i < p->kernel_count; i++) {
        const size_t column = i % n->columns, line = i / n->columns;
        struct str text;
        str_init(&text);
        str_addf(&text, "%zu: %s", i + 1, n->items[i]);
        canvas_text_in(c, 4 + width * (double)column, y + LINE * (double)line, width - 12, TEXT_START, INK_TEXT,
                       str_text(&text));
        c->failed |= text.failed;
        str_release(&text);
    }
}

static void draw(struct canvas *c, struct plot *p, struct document *d)
{
    const double list = BOTTOM + 56;
    const struct names names = names_of(p, d);
    canvas_set_height(c, list + LINE * (double)(p->line_count + names.lines) + 4);
    draw_axes(c, p);
    draw_roofs(c, p);
    draw_kernels(c, p);
    draw_names(c, p, &names, draw_roof_names(c, p, list));
}

bool roofline_picture_draw(const struct analysis *a, struct document *d, struct canvas *c)
{
    struct plot p;
    if (!plot_of(&p, a))
        return false;
    draw(c, &p, d);
    return true;
}

static void say(const struct analysis *a, struct str *says)
{
    size_t best = a->rooflines.count;
    char share[UNITS_TEXT_BYTES];
    for (size_t i = 0; i < a->rooflines.count; i++)
        if (isfinite(a->rooflines.items[i].nearest_share) &&
            (best == a->rooflines.count ||
             a->rooflines.items[i].nearest_share > a->rooflines.items[best].nearest_share))
            best = i;
    str_add(says, "Kernels below the roofs of the GPU");
    if (best < a->rooflines.count)
        str_addf(says, "; nearest is %s, at %s of %s", a->rooflines.items[best].variant,
                 unit_format(share, UNIT_RATIO, a->rooflines.items[best].nearest_share),
                 a->rooflines.items[best].nearest);
}

static void write_caption(const struct plot *p, struct document *d)
{
    const size_t drawable = p->kernel_count + p->left_out;
    document_span(d, SPAN_PLAIN,
                  "Each kernel has a point for each memory level, in the colour of the level's roof. Roofs: solid in "
                  "theory, dashed as measured on this GPU; the level ones are listed from the top.");
    if (p->left_out)
        document_span(d, SPAN_PLAIN, " %zu of %zu kernels; the tables have them all.", p->kernel_count, drawable);
    if (drawable < p->a->rooflines.count)
        document_span(d, SPAN_PLAIN, " Not drawn: %zu without counted floating-point operations or bytes.",
                      p->a->rooflines.count - drawable);
}

void roofline_picture_add(const struct analysis *a, struct document *d)
{
    struct drawing w;
    struct plot p;
    if (!plot_of(&p, a))
        return;
    drawing_init(&w);
    draw(&w.canvas, &p, d);
    say(a, &w.says);
    str_addf(&w.characters, "%s\n", str_text(&w.says));
    drawing_add(&w, "roofline", d);
    write_caption(&p, d);
}
