/* Which rank costs the others how much in which step? */
#include "reports/pictures/rank_strip.h"

#include <math.h>

#include "core/base/units.h"
#include "reports/pictures/axis.h"
#include "reports/pictures/characters.h"
#include "reports/pictures/drawing.h"

enum { LABEL_END = 104, PLOT = 112, PLOT_END = CANVAS_WIDTH - 92, TOP = 22, ROW = 26, BAR = 22, LABEL_COLUMNS = 14 };

size_t rank_strip_rows(const struct ranks *r, uint32_t places[RANK_STRIP_ROWS])
{
    size_t count = 0;
    for (uint32_t i = 0; i < r->rows.count; i++) {
        const int64_t own_ns = r->rows.items[i].caused_ns;
        size_t dearer = 0;
        if (own_ns <= 0)
            continue;
        for (size_t o = 0; o < r->costs.origins.count && dearer < RANK_STRIP_ROWS; o++) {
            const uint32_t other = r->costs.origins.items[o].place;
            dearer += r->costs.origins.items[o].sum_ns > own_ns && other != i;
        }
        if (dearer < RANK_STRIP_ROWS && count < RANK_STRIP_ROWS)
            places[count++] = i;
    }
    return count;
}

static double cell(const struct ranks *r, uint32_t place, size_t column)
{
    return (double)r->strip_ns[place * r->columns + column];
}

static double largest(const struct ranks *r, const uint32_t *places, size_t count)
{
    double most = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < r->columns; k++)
            most = fmax(most, cell(r, places[i], k));
    return most > 0 ? most : 1;
}

/* ---- SVG ---- */

static void draw_row(const struct ranks_context *c, struct canvas *canvas, uint32_t place, double y, double most)
{
    const struct ranks *r = c->r;
    const double width = (double)(PLOT_END - PLOT) / (double)r->columns, bottom = y + BAR;
    char text[UNITS_TEXT_BYTES];
    canvas_text_in(canvas, LABEL_END, bottom - 4, LABEL_END - 2, TEXT_END, INK_TEXT, rank_place_name(c, place));
    for (size_t i = 0; i < r->columns; i++) {
        const double height = cell(r, place, i) / most * (BAR - 2);
        if (height > 0)
            canvas_rect(canvas, PLOT + width * (double)i, bottom - height, fmax(1, width - 1), height, INK_ORANGE);
    }
    canvas_line(canvas, PLOT, bottom, PLOT_END, bottom, 1, INK_FAINT);
    canvas_text(canvas, PLOT_END + 8, bottom - 4, TEXT_START, INK_TEXT,
                unit_format(text, UNIT_NS, ranks_cost(r, r->rows.items[place].caused_ns)));
}

static const char height_means[] = "Height: what the others wait for the rank; full height is ";

static const char *column_word(const struct ranks *r)
{
    return r->columns_are_steps ? "step" : "collective";
}

void rank_strip_draw(const struct ranks_context *c, struct canvas *canvas)
{
    uint32_t places[RANK_STRIP_ROWS];
    const size_t count = rank_strip_rows(c->r, places);
    const double most = largest(c->r, places, count), y = TOP + ROW * (double)count;
    char text[UNITS_TEXT_BYTES];
    canvas_text(canvas, PLOT_END + 8, TOP - 6, TEXT_START, INK_FAINT, "cost");
    for (size_t i = 0; i < count; i++)
        draw_row(c, canvas, places[i], TOP + ROW * (double)i, most);
    canvas_text(canvas, LABEL_END, y + 14, TEXT_END, INK_FAINT, column_word(c->r));
    canvas_text(canvas, PLOT, y + 14, TEXT_START, INK_FAINT, "1");
    canvas_text(canvas, PLOT_END, y + 14, TEXT_END, INK_FAINT,
                unit_format(text, UNIT_COUNT, (double)(c->r->columns * c->r->steps_each)));
    canvas_set_height(canvas, y + 24);
}

/* ---- characters ---- */

void rank_strip_write(const struct ranks_context *c, struct str *characters)
{
    uint32_t places[RANK_STRIP_ROWS];
    const size_t count = rank_strip_rows(c->r, places);
    const double most = largest(c->r, places, count);
    char text[UNITS_TEXT_BYTES];
    for (size_t i = 0; i < count; i++) {
        characters_left(characters, rank_place_name(c, places[i]), LABEL_COLUMNS);
        str_add_char(characters, ' ');
        for (size_t k = 0; k < c->r->columns; k++)
            characters_height(characters, cell(c->r, places[i], k) / most);
        str_add_char(characters, '\n');
    }
    str_addf(characters, "%s%s.", height_means, unit_format(text, UNIT_NS, ranks_cost(c->r, (int64_t)most)));
    if (c->r->steps_each > 1)
        str_addf(characters, "\nA column is %zu %ss.", c->r->steps_each, column_word(c->r));
    str_add_char(characters, '\n');
}

void rank_strip_add(const struct ranks_context *c, struct document *d)
{
    uint32_t places[RANK_STRIP_ROWS];
    char text[UNITS_TEXT_BYTES];
    struct drawing w;
    const size_t count = c->r->strip_ns ? rank_strip_rows(c->r, places) : 0;
    if (!count)
        return;
    drawing_init(&w);
    rank_strip_draw(c, &w.canvas);
    rank_strip_write(c, &w.characters);
    str_addf(&w.says, "What others wait for each late rank, by %s: most for %s", column_word(c->r),
             rank_place_name(c, c->r->costs.origins.items[0].place));
    drawing_add(&w, "late-ranks", d);
    document_span(d, SPAN_PLAIN, "%s%s.", height_means,
                  unit_format(text, UNIT_NS, ranks_cost(c->r, (int64_t)largest(c->r, places, count))));
}
