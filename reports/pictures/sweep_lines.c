/* Which lines does the picture of a sweep have, and where do its sizes stand? */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/count_of.h"
#include "core/base/units.h"
#include "reports/document/shorten.h"
#include "reports/pictures/sweep_picture.h"
#include "reports/run/run_cases.h"

/* ---- sizes ---- */

/* "bytes=262144", "kib256", "rows=4096,columns=128": a value of an axis, and what else is said. */
struct size_word {
    const char *axis, *rest;
    size_t axis_length;
    double value;
    bool in_bytes;
};

/* Names of sizes in bytes say no axis; 15 digits are exact. */
static bool read_size(const char *word, struct size_word *out)
{
    const size_t length = strcspn(word, ","), name = strcspn(word, "=,");
    *out = (struct size_word){word, word + length, name, NAN, false};
    if (case_bytes(word, length, &out->value)) {
        *out = (struct size_word){"size", word + length, strlen("size"), out->value, true};
        return out->value > 0;
    }
    const char *digits = word + name + 1;
    if (name >= length || strspn(digits, "0123456789") != length - name - 1 || length - name - 1 > 15)
        return false;
    out->value = strtod(digits, NULL);
    out->in_bytes = name > 6 && !strncmp(word + name - 6, "_bytes", 6);
    return out->value > 0;
}

static bool same_axis(const struct size_word *a, const struct size_word *b)
{
    return a->axis_length == b->axis_length && !strncmp(a->axis, b->axis, a->axis_length) && !strcmp(a->rest, b->rest);
}

static bool has_speedup(const struct comparison *c)
{
    return c && c->verdict < COMPARE_UNUSABLE && isfinite(c->speedup) && c->speedup > 0;
}

/* The first size that is a number says what the axis is. */
static bool axis_of(const struct sweep *s, struct size_word *axis)
{
    for (size_t i = 0; i < s->count; i++)
        if (read_size(s->points[i].size, axis))
            return true;
    return false;
}

static bool is_on(const struct sweep *s, size_t at, const struct size_word *axis, struct size_word *size)
{
    return read_size(s->points[at].size, size) && same_axis(size, axis);
}

/* ---- which sweeps ---- */

/* `axis` is filled where it can be drawn. */
static bool can_be_drawn(const struct sweep *s, struct size_word *axis)
{
    size_t sizes = 0;
    double last = NAN;
    if (!*s->candidate || !axis_of(s, axis))
        return false;
    for (size_t i = 0; i < s->count; i++) {
        struct size_word size;
        if (!has_speedup(s->points[i].row) || !is_on(s, i, axis, &size) || size.value == last)
            continue;
        last = size.value;
        sizes++;
    }
    return sizes >= SWEEP_SIZES_MIN;
}

static bool goes_with(const struct sweep *s, const struct size_word *axis, const struct sweep *first,
                      const struct size_word *of_first)
{
    return same_axis(axis, of_first) && !strcmp(s->baseline, first->baseline) && !strcmp(s->cache, first->cache) &&
           !strcmp(s->parameters, first->parameters);
}

bool sweep_picture_is_there(const struct analysis *a)
{
    struct size_word axis;
    for (size_t i = 0; i < a->sweeps.count; i++)
        if (can_be_drawn(&a->sweeps.items[i], &axis))
            return true;
    return false;
}

/* Those that can be drawn together. */
struct candidates {
    const struct sweep **items;
    double *speeds; /* of each: the mean of the logs of its speedups */
    bool *kept;
    size_t count, left_out;
    struct size_word axis;
};

static double mean_log(const struct sweep *s)
{
    double sum = 0;
    size_t count = 0;
    for (size_t i = 0; i < s->count; i++)
        if (has_speedup(s->points[i].row)) {
            sum += log(s->points[i].row->speedup);
            count++;
        }
    return count ? sum / (double)count : 0;
}

static void gather(struct candidates *all, const struct analysis *a)
{
    struct size_word axis;
    for (size_t i = 0; i < a->sweeps.count; i++) {
        const struct sweep *s = &a->sweeps.items[i];
        if (!can_be_drawn(s, &axis))
            continue;
        if (!all->count)
            all->axis = axis;
        if (all->count && !goes_with(s, &axis, all->items[0], &all->axis))
            all->left_out++;
        else
            all->items[all->count++] = s;
    }
}

/* The fastest, or the slowest, of those that are not kept yet. */
static size_t next_of(const struct candidates *all, bool is_fastest)
{
    size_t found = all->count;
    for (size_t i = 0; i < all->count; i++)
        if (!all->kept[i] && (found == all->count ||
                              (is_fastest ? all->speeds[i] > all->speeds[found] : all->speeds[i] < all->speeds[found])))
            found = i;
    return found;
}

static void choose(struct candidates *all)
{
    for (size_t i = 0; i < all->count; i++)
        all->speeds[i] = mean_log(all->items[i]);
    for (size_t i = 0; i < SWEEP_LINES_MAX && i < all->count; i++)
        all->kept[next_of(all, i + 1 < SWEEP_LINES_MAX)] = true;
}

static bool candidates_of(struct candidates *all, const struct analysis *a, struct document *d)
{
    const size_t most = a->sweeps.count + 1;
    *all = (struct candidates){.items = arena_alloc(&d->arena, most * sizeof(struct sweep *)),
                               .speeds = arena_alloc(&d->arena, most * sizeof(double)),
                               .kept = arena_alloc(&d->arena, most)};
    if (!all->items || !all->speeds || !all->kept) {
        d->failed = true;
        return false;
    }
    memset(all->kept, 0, most);
    gather(all, a);
    choose(all);
    return all->count > 0;
}

/* ---- a line ---- */

static int by_size(const void *left, const void *right)
{
    const struct sweep_dot *a = left, *b = right;
    return (a->size > b->size) - (a->size < b->size);
}

static double or_middle(double end, double middle)
{
    return isfinite(end) && end > 0 ? end : middle;
}

static struct sweep_dot dot_of(const struct sweep_point *point, double size)
{
    const struct comparison *c = has_speedup(point->row) ? point->row : NULL;
    const double speedup = c ? c->speedup : NAN;
    return (struct sweep_dot){.size = size,
                              .speedup = speedup,
                              .low = c ? or_middle(1 / c->ci_high, speedup) : NAN,
                              .high = c ? or_middle(1 / c->ci_low, speedup) : NAN,
                              .base_ns = c ? point->base_ns : NAN,
                              .cand_ns = c ? point->cand_ns : NAN};
}

static void fill_line(struct sweep_line *line, const struct sweep *s, const struct size_word *axis, struct document *d)
{
    const size_t most = s->count < SWEEP_DOTS_MAX ? s->count : SWEEP_DOTS_MAX;
    line->label = s->candidate;
    line->dots = arena_alloc(&d->arena, most * sizeof *line->dots);
    d->failed |= !line->dots;
    for (size_t i = 0; line->dots && i < s->count && line->count < most; i++) {
        struct size_word size;
        if (is_on(s, i, axis, &size))
            line->dots[line->count++] = dot_of(&s->points[i], size.value);
    }
    if (line->dots && line->count)
        qsort(line->dots, line->count, sizeof *line->dots, by_size);
}

static void shorten_labels(struct sweep_picture *p)
{
    const char *names[SWEEP_LINES_MAX + 1] = {p->baseline};
    for (size_t i = 0; i < p->count; i++)
        names[i + 1] = p->lines[i].label;
    const size_t common = shorten_beginning(names, p->count + 1);
    p->baseline += common;
    for (size_t i = 0; i < p->count; i++)
        p->lines[i].label += common;
}

bool sweep_picture_of(struct sweep_picture *out, const struct analysis *a, struct document *d)
{
    struct candidates all;
    *out = (struct sweep_picture){.margin = a->margin > 0 && a->margin < 0.9 ? a->margin : 0};
    if (!candidates_of(&all, a, d))
        return false;
    out->baseline = all.items[0]->baseline;
    out->axis = arena_printf(&d->arena, "%.*s", (int)all.axis.axis_length, all.axis.axis);
    out->in_bytes = all.axis.in_bytes;
    out->left_out = all.left_out;
    for (size_t i = 0; i < all.count; i++)
        if (all.kept[i])
            fill_line(&out->lines[out->count++], all.items[i], &all.axis, d);
        else
            out->left_out++;
    shorten_labels(out);
    return !d->failed;
}

/* ---- the axis of sizes ---- */

struct axis_scale sweep_sizes_scale(const struct sweep_picture *p, double from, double to)
{
    struct axis_scale s = {INFINITY, 0, true, from, to};
    for (size_t i = 0; i < p->count; i++)
        for (size_t k = 0; k < p->lines[i].count; k++) {
            s.low = fmin(s.low, p->lines[i].dots[k].size);
            s.high = fmax(s.high, p->lines[i].dots[k].size);
        }
    return s;
}

char *sweep_size_text(const struct sweep_picture *p, char text[static UNITS_TEXT_BYTES], double size)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    size_t unit = 0;
    for (; p->in_bytes && unit + 1 < COUNT_OF(units) && size >= 1024; unit++)
        size /= 1024;
    snprintf(text, UNITS_TEXT_BYTES, p->in_bytes && size < 1024 ? "%.4g%s%s" : "%.6g%s%s", size, p->in_bytes ? " " : "",
             p->in_bytes ? units[unit] : "");
    return text;
}

double sweep_size_after(const struct sweep_picture *p, double size)
{
    double next = INFINITY;
    for (size_t i = 0; i < p->count; i++)
        for (size_t k = 0; k < p->lines[i].count; k++)
            if (p->lines[i].dots[k].size > size)
                next = fmin(next, p->lines[i].dots[k].size);
    return next;
}

static double widest(const struct sweep_picture *p, double (*width)(const char *text))
{
    char text[UNITS_TEXT_BYTES];
    double most = 0;
    double size = sweep_size_after(p, 0);
    while (isfinite(size)) {
        most = fmax(most, width(sweep_size_text(p, text, size)));
        size = sweep_size_after(p, size);
    }
    return most;
}

/* The first and the last, and between them sizes that were measured. */
size_t sweep_sizes_ticks(const struct sweep_picture *p, const struct axis_scale *s, double (*width)(const char *text),
                         double ticks[static AXIS_TICKS_MAX])
{
    const double apart = widest(p, width), last = axis_place(s, s->high);
    size_t count = 0;
    ticks[count++] = s->low;
    double size = sweep_size_after(p, s->low);
    while (size < s->high && count + 1 < AXIS_TICKS_MAX) {
        if (axis_place(s, size) - axis_place(s, ticks[count - 1]) >= apart && last - axis_place(s, size) >= apart)
            ticks[count++] = size;
        size = sweep_size_after(p, size);
    }
    if (s->high > s->low)
        ticks[count++] = s->high;
    return count;
}
