/* Which rank waits at which collective? */
#include "reports/pictures/rank_picture.h"

#include <math.h>

#include "core/base/units.h"
#include "reports/pictures/axis.h"
#include "reports/pictures/characters.h"
#include "reports/pictures/drawing.h"

enum { LABEL_END = 104, PLOT = 112, PLOT_END = CANVAS_WIDTH - 92, TOP = 22, ROW = 48, BAR = 42, LABEL_COLUMNS = 14 };

/* The largest wait with its transfer, by which all bars are scaled. */
static double largest_ns(const struct rank_picture *p)
{
    double most = 0;
    for (size_t r = 0; r < p->row_count; r++)
        for (size_t i = 0; i < p->step_count; i++)
            most = fmax(most, (double)p->rows[r].cells[i].waited_ns + (double)p->rows[r].cells[i].transfer_ns);
    return most > 0 ? most : 1;
}

/* ---- SVG ---- */

static void draw_cell(struct canvas *c, const struct rank_picture *p, size_t step, double bottom,
                      const struct rank_cell *cell, double scale)
{
    const double width = (double)(PLOT_END - PLOT) / (double)p->step_count, thick = fmin(24, width * 0.8);
    const double x = PLOT + width * ((double)step + 0.5) - thick / 2;
    const double transfer = (double)cell->transfer_ns * scale, waited = (double)cell->waited_ns * scale;
    canvas_rect(c, x, bottom - transfer, thick, transfer, INK_PURPLE);
    canvas_rect(c, x, bottom - transfer - waited, thick, waited, INK_ORANGE);
}

static void draw_row(struct canvas *c, const struct rank_picture *p, const struct rank_row *row, double y)
{
    char waited[UNITS_TEXT_BYTES];
    const double bottom = y + BAR, scale = (BAR - 2) / largest_ns(p);
    canvas_text_in(c, LABEL_END, bottom - 2, LABEL_END - 2, TEXT_END, INK_TEXT, row->label);
    for (size_t i = 0; i < p->step_count; i++)
        draw_cell(c, p, i, bottom, &row->cells[i], scale);
    canvas_line(c, PLOT, bottom, PLOT_END, bottom, 1, INK_FAINT);
    canvas_text(c, PLOT_END + 8, bottom - 2, TEXT_START, INK_TEXT,
                unit_format(waited, UNIT_NS, (double)row->waited_ns));
}

static void draw_steps(struct canvas *c, const struct rank_picture *p, double y)
{
    const size_t each = (size_t)fmax(1, axis_step((double)p->meetings, 6));
    const double width = (double)(PLOT_END - PLOT) / (double)p->step_count / (double)p->steps_each;
    for (size_t n = 1; n <= p->meetings; n = n == 1 && each > 1 ? each : n + each) {
        char text[UNITS_TEXT_BYTES];
        canvas_text(c, PLOT + width * ((double)n - 0.5), y + 13, TEXT_MIDDLE, INK_FAINT,
                    unit_format(text, UNIT_COUNT, (double)n));
    }
    canvas_text(c, LABEL_END, y + 13, TEXT_END, INK_FAINT, "collective");
}

static void draw_legend(struct canvas *c, const struct rank_picture *p, double y)
{
    char text[UNITS_TEXT_BYTES + 32] = "full height: ";
    canvas_rect(c, 4, y + 3, 16, 13, INK_PURPLE);
    canvas_text(c, 26, y + 14, TEXT_START, INK_TEXT, "transfer");
    canvas_rect(c, 112, y + 3, 16, 13, INK_ORANGE);
    canvas_text(c, 134, y + 14, TEXT_START, INK_TEXT, "waits for the last rank");
    unit_format(text + 13, UNIT_NS, largest_ns(p));
    canvas_text(c, CANVAS_WIDTH - 4, y + 14, TEXT_END, INK_FAINT, text);
}

void rank_picture_draw(const struct rank_picture *p, struct canvas *c)
{
    const double y = TOP + ROW * (double)p->row_count;
    canvas_text(c, PLOT_END + 8, TOP - 6, TEXT_START, INK_FAINT, "waited");
    for (size_t r = 0; r < p->row_count; r++)
        draw_row(c, p, &p->rows[r], TOP + ROW * (double)r);
    draw_steps(c, p, y);
    draw_legend(c, p, y + 22);
    canvas_set_height(c, y + 46);
}

/* ---- characters ---- */

void rank_picture_write(const struct rank_picture *p, struct str *characters)
{
    double most = 0;
    char text[UNITS_TEXT_BYTES];
    for (size_t r = 0; r < p->row_count; r++)
        for (size_t i = 0; i < p->step_count; i++)
            most = fmax(most, (double)p->rows[r].cells[i].waited_ns);
    for (size_t r = 0; r < p->row_count; r++) {
        characters_left(characters, p->rows[r].label, LABEL_COLUMNS);
        str_add_char(characters, ' ');
        for (size_t i = 0; i < p->step_count; i++)
            characters_height(characters, most > 0 ? (double)p->rows[r].cells[i].waited_ns / most : 0);
        str_addf(characters, "\n");
        characters_left(characters, "", LABEL_COLUMNS);
        str_addf(characters, " waited %s", unit_format(text, UNIT_NS, (double)p->rows[r].waited_ns));
        str_addf(characters, ", others waited %s for it\n", unit_format(text, UNIT_NS, (double)p->rows[r].caused_ns));
    }
    str_addf(characters, "Height: how long the rank waits for the last one; full height is %s.\n",
             unit_format(text, UNIT_NS, most));
}

/* ---- words ---- */

void rank_picture_say(const struct rank_picture *p, struct str *says)
{
    const struct rank_row *most = &p->rows[0], *late = &p->rows[0];
    char waited[UNITS_TEXT_BYTES], transfer[UNITS_TEXT_BYTES], caused[UNITS_TEXT_BYTES], all[UNITS_TEXT_BYTES];
    for (size_t r = 1; r < p->row_count; r++) {
        most = p->rows[r].waited_ns > most->waited_ns ? &p->rows[r] : most;
        late = p->rows[r].caused_ns > late->caused_ns ? &p->rows[r] : late;
    }
    str_addf(
        says,
        "At %s collectives %s waits longest for others, %s, while the transfers take %s; others wait most for %s, %s",
        unit_format(all, UNIT_COUNT, (double)p->meetings), most->label,
        unit_format(waited, UNIT_NS, (double)most->waited_ns), unit_format(transfer, UNIT_NS, (double)p->transfer_ns),
        late->label, unit_format(caused, UNIT_NS, (double)late->caused_ns));
}

static void write_caption(const struct rank_picture *p, struct document *d)
{
    document_span(
        d, SPAN_PLAIN,
        "The rank that comes last has the shortest kernel, which is the transfer; the others wait for it. The "
        "n-th collective of each rank is taken to be the same one.");
    if (p->steps_each > 1)
        document_span(d, SPAN_PLAIN, " A column is %zu collectives: the one with the longest wait of each rank.",
                      p->steps_each);
    if (p->rows_left_out)
        document_span(d, SPAN_PLAIN, " %zu ranks that wait less are left out.", p->rows_left_out);
}

static void write_doubt(const struct rank_meetings *m, struct document *d)
{
    if (m->doubt == MEETINGS_NONE)
        return;
    document_paragraph(d);
    document_span(d, SPAN_PLAIN,
                  m->doubt == MEETINGS_DIFFERENT
                      ? "Who is late at which collective is not known: the ranks do not run the same "
                        "collectives in the same order."
                      : "Who is late at which collective is not shown: there are too many of them.");
}

int rank_picture_add(struct event_stream *stream, struct document *d, struct err *e)
{
    struct rank_meetings m;
    struct rank_picture *p = arena_alloc(&d->arena, sizeof *p);
    int rc = rank_meetings_read(stream, &m, e);
    d->failed |= !p;
    if (!rc && p && rank_picture_of(p, &m)) {
        struct drawing w;
        drawing_init(&w);
        rank_picture_draw(p, &w.canvas);
        rank_picture_write(p, &w.characters);
        rank_picture_say(p, &w.says);
        drawing_add(&w, "ranks", d);
        write_caption(p, d);
    } else if (!rc) {
        write_doubt(&m, d);
    }
    rank_meetings_release(&m);
    return rc;
}
