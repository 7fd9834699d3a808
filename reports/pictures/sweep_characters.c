/* How do the speedups of a sweep look in a few lines of characters, and in words? */
#include <math.h>
#include <string.h>

#include "core/base/units.h"
#include "reports/pictures/characters.h"
#include "reports/pictures/sweep_picture.h"

enum { ROWS = 5, LABEL_COLUMNS = 8, PLOT_COLUMNS = CHARACTER_COLUMNS - LABEL_COLUMNS - 2 };
/* Of several variants: a row each. */
enum { NAME_COLUMNS = 22, VALUE_COLUMNS = 9, VALUES = (CHARACTER_COLUMNS - NAME_COLUMNS) / VALUE_COLUMNS };

enum { CELL_EMPTY, CELL_ONE, CELL_DOT };
static const char *const cell_texts[] = {" ", "\xe2\x94\x84", "\xe2\x97\x8f"};

static struct axis_scale rows_of(const struct sweep_picture *p)
{
    struct axis_scale s = {1, 1, false, ROWS - 1, 0};
    for (size_t i = 0; i < p->count; i++)
        for (size_t k = 0; k < p->lines[i].count; k++) {
            s.low = fmin(s.low, p->lines[i].dots[k].speedup); /* of a number and NAN: the number */
            s.high = fmax(s.high, p->lines[i].dots[k].speedup);
        }
    s.is_log = s.high > 5 * s.low;
    return s;
}

static int row_of(const struct axis_scale *rows, double speedup)
{
    const double place = axis_place(rows, speedup);
    return isfinite(place) ? (int)lround(place) : ROWS / 2;
}

static int column_of(const struct axis_scale *columns, double size)
{
    const double place = axis_place(columns, size);
    return isfinite(place) ? (int)lround(place) : 0;
}

static void fill_cells(unsigned char cells[ROWS][PLOT_COLUMNS], const struct sweep_line *line,
                       const struct axis_scale *rows, const struct axis_scale *columns)
{
    memset(cells[row_of(rows, 1)], CELL_ONE, PLOT_COLUMNS);
    for (size_t i = 0; i < line->count; i++)
        if (isfinite(line->dots[i].speedup))
            cells[row_of(rows, line->dots[i].speedup)][column_of(columns, line->dots[i].size)] = CELL_DOT;
}

static void write_row(struct str *out, const struct axis_scale *rows, int row, const unsigned char *cells)
{
    char value[UNITS_TEXT_BYTES];
    const bool has_end = row == 0 || row == ROWS - 1;
    const char *label = row == row_of(rows, 1) ? "1x"
                        : has_end              ? unit_format_factor(value, row ? rows->low : rows->high)
                                               : "";
    int last = PLOT_COLUMNS;
    characters_right(out, label, LABEL_COLUMNS);
    str_add(out, " \xe2\x94\x82");
    while (last > 0 && !cells[last - 1])
        last--;
    for (int i = 0; i < last; i++)
        str_add(out, cell_texts[cells[i]]);
    str_add_char(out, '\n');
}

static double columns_wide(const char *text)
{
    return (double)strlen(text) + 2;
}

/* Each tick below its column, those at the ends inside. */
static void write_sizes(struct str *out, const struct sweep_picture *p, const struct axis_scale *columns)
{
    char line[PLOT_COLUMNS + 1], text[UNITS_TEXT_BYTES];
    double ticks[AXIS_TICKS_MAX];
    const size_t count = sweep_sizes_ticks(p, columns, columns_wide, ticks);
    size_t end = 0;
    memset(line, ' ', sizeof line);
    for (size_t i = 0; i < count; i++) {
        const size_t length = strlen(sweep_size_text(p, text, ticks[i])), at = (size_t)column_of(columns, ticks[i]);
        size_t begin = at > length / 2 ? at - length / 2 : 0;
        begin = begin + length > PLOT_COLUMNS ? PLOT_COLUMNS - length : begin;
        if (i && begin < end + 1)
            continue;
        memcpy(line + begin, text, length);
        end = begin + length;
    }
    line[end] = '\0';
    characters_right(out, p->axis, LABEL_COLUMNS);
    str_add(out, "  ");
    str_add(out, line);
    str_add_char(out, '\n');
}

static void write_plot(struct str *out, const struct sweep_picture *p)
{
    unsigned char cells[ROWS][PLOT_COLUMNS] = {{CELL_EMPTY}};
    const struct axis_scale rows = rows_of(p), columns = sweep_sizes_scale(p, 0, PLOT_COLUMNS - 1);
    fill_cells(cells, &p->lines[0], &rows, &columns);
    for (int row = 0; row < ROWS; row++)
        write_row(out, &rows, row, cells[row]);
    write_sizes(out, p, &columns);
}

/* ---- several variants ---- */

/* The first, the last, and as many as there is room for between them. Returns how many. */
static size_t sizes_of(const struct sweep_picture *p, double sizes[static VALUES])
{
    size_t all = 0, count = 0, at = 0;
    double size = 0;
    while (isfinite(size = sweep_size_after(p, size)))
        all++;
    const size_t most = all < VALUES ? all : VALUES;
    size = 0;
    for (; isfinite(size = sweep_size_after(p, size)); at++)
        if (most < 2 || at == count * (all - 1) / (most - 1))
            sizes[count++] = size;
    return count;
}

/* NAN where this size was not measured. */
static double speedup_at(const struct sweep_line *line, double size)
{
    for (size_t i = 0; i < line->count; i++)
        if (line->dots[i].size == size)
            return line->dots[i].speedup;
    return NAN;
}

static void write_value(struct str *out, const struct axis_scale *heights, double speedup)
{
    char value[UNITS_TEXT_BYTES];
    if (!isfinite(speedup)) {
        characters_right(out, "", VALUE_COLUMNS);
        return;
    }
    str_add_char(out, ' ');
    characters_height(out, axis_share(heights, speedup));
    characters_right(out, unit_format_factor(value, speedup), VALUE_COLUMNS - 2);
}

static void write_line(struct str *out, const struct sweep_picture *p, const struct sweep_line *line,
                       const double *sizes, size_t count)
{
    struct axis_scale heights = rows_of(p);
    heights.low -= 0.1 * (heights.high - heights.low); /* the lowest is seen, too */
    heights.is_log = false;
    characters_left(out, line->label, NAME_COLUMNS);
    for (size_t i = 0; i < count; i++)
        write_value(out, &heights, speedup_at(line, sizes[i]));
    str_add_char(out, '\n');
}

/* The speedups at some of the sizes, each behind a block as high as it is. */
static void write_lines(struct str *out, const struct sweep_picture *p)
{
    char text[UNITS_TEXT_BYTES];
    double sizes[VALUES];
    const size_t count = sizes_of(p, sizes);
    characters_left(out, "", NAME_COLUMNS);
    for (size_t i = 0; i < count; i++)
        characters_right(out, sweep_size_text(p, text, sizes[i]), VALUE_COLUMNS);
    str_add_char(out, '\n');
    for (size_t i = 0; i < p->count; i++)
        write_line(out, p, &p->lines[i], sizes, count);
}

void sweep_picture_write(const struct sweep_picture *p, struct str *characters)
{
    if (p->count == 1)
        write_plot(characters, p);
    else
        write_lines(characters, p);
}

/* ---- words ---- */

struct ends {
    const struct sweep_dot *least, *most;
    size_t sizes;
};

static struct ends ends_of(const struct sweep_line *line)
{
    struct ends e = {NULL, NULL, 0};
    for (size_t i = 0; i < line->count; i++) {
        const struct sweep_dot *dot = &line->dots[i];
        if (!isfinite(dot->speedup))
            continue;
        e.least = !e.least || dot->speedup < e.least->speedup ? dot : e.least;
        e.most = !e.most || dot->speedup > e.most->speedup ? dot : e.most;
        e.sizes++;
    }
    return e;
}

static void say_line(const struct sweep_picture *p, const struct sweep_line *line, struct str *says)
{
    char low[UNITS_TEXT_BYTES], high[UNITS_TEXT_BYTES], at_low[UNITS_TEXT_BYTES], at_high[UNITS_TEXT_BYTES];
    const struct ends e = ends_of(line);
    if (!e.least)
        return;
    str_addf(says, "%s %s to %s, lowest at %s, highest at %s", line->label, unit_format_factor(low, e.least->speedup),
             unit_format_factor(high, e.most->speedup), sweep_size_text(p, at_low, e.least->size),
             sweep_size_text(p, at_high, e.most->size));
}

void sweep_picture_say(const struct sweep_picture *p, struct str *says)
{
    str_addf(says, "Speedup against %s by %s: ", p->baseline, p->axis);
    for (size_t i = 0; i < p->count; i++) {
        str_add(says, i ? "; " : "");
        say_line(p, &p->lines[i], says);
    }
}
