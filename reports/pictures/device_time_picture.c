/* Where does the time of each device go, as one bar? */
#include "reports/pictures/device_time_picture.h"

#include <string.h>

#include "core/base/units.h"
#include "reports/pictures/canvas.h"
#include "reports/pictures/characters.h"
#include "reports/pictures/drawing.h"
#include "reports/trace_words.h"

enum {
    LEFT = 4,
    RIGHT = CANVAS_WIDTH - 4,
    ROW = 46, /* a label, and a bar below it */
    BAR = 22,
    KEY = 22,          /* a line of the legend */
    KEY_SHARE_END = 90 /* shares of the legend end here, names begin behind them */
};

static const struct {
    const char *name; /* in a legend */
    enum ink ink;
    bool is_hatched;
    const char *character;
} parts[DEVICE_PARTS] = {
    [DEVICE_COMPUTE] = {"kernels", INK_BLUE, false, "\xe2\x96\x88"},
    [DEVICE_COMMUNICATION] = {"only communication", INK_PURPLE, false, "\xe2\x96\x93"},
    [DEVICE_COPY] = {"only copies", INK_ORANGE, false, "\xe2\x96\x92"},
    [DEVICE_MEMSET] = {"only memsets", INK_GREEN, false, "\xe2\x96\x9a"},
    [DEVICE_MIGRATION] = {"only migrations", INK_GREEN, true, "\xe2\x96\x9e"},
    [DEVICE_HOST_LATE] = {"idle, the host is late", INK_GREY, true, "\xe2\x96\x91"},
    [DEVICE_SYNC] = {"idle, the host waited", INK_ORANGE, true, "\xe2\x95\x8c"},
    [DEVICE_DEPENDENCY] = {"idle, work waits for other work", INK_PURPLE, true, "\xe2\x94\x80"},
    [DEVICE_UNKNOWN] = {"idle, the cause is not known", INK_PALE, false, "\xc2\xb7"},
};

static double sum_of(const struct device_time_picture *p, int part)
{
    double sum_ns = 0;
    for (size_t i = 0; i < p->count; i++)
        sum_ns += (double)p->rows[i].part_ns[part];
    return sum_ns;
}

static double span_of(const struct device_time_picture *p)
{
    double sum_ns = 0;
    for (int part = 0; part < DEVICE_PARTS; part++)
        sum_ns += sum_of(p, part);
    return sum_ns;
}

static bool has_communication(const struct device_time_picture *p)
{
    return sum_of(p, DEVICE_COMMUNICATION) > 0;
}

static const char *part_name(const struct device_time_picture *p, int part)
{
    return part == DEVICE_COMPUTE && has_communication(p) ? "compute" : parts[part].name;
}

/* ---- SVG ---- */

static void fill(struct canvas *c, double x, double y, double width, double height, int part)
{
    if (parts[part].is_hatched)
        canvas_hatch(c, x, y, width, height, parts[part].ink);
    else
        canvas_rect(c, x, y, width, height, parts[part].ink);
}

static void draw_row(struct canvas *c, double y, const struct device_row *row)
{
    char span[UNITS_TEXT_BYTES];
    double at_ns = 0;
    canvas_text_in(c, LEFT, y + 13, 380, TEXT_START, INK_TEXT, row->label);
    canvas_text(c, RIGHT, y + 13, TEXT_END, INK_FAINT, unit_format(span, UNIT_NS, (double)row->span_ns));
    for (int part = 0; part < DEVICE_PARTS; part++) {
        const double scale = (RIGHT - LEFT) / (double)row->span_ns, width = (double)row->part_ns[part] * scale;
        if (row->part_ns[part] > 0)
            fill(c, LEFT + at_ns * scale, y + 18, width, BAR, part);
        at_ns += (double)row->part_ns[part];
    }
    canvas_frame(c, LEFT, y + 18, RIGHT - LEFT, BAR, INK_FAINT);
}

static void draw_key(struct canvas *c, double y, const struct device_time_picture *p, int part)
{
    char share[UNITS_TEXT_BYTES];
    fill(c, LEFT, y + 3, 16, 14, part);
    canvas_frame(c, LEFT, y + 3, 16, 14, INK_FAINT);
    canvas_text(c, KEY_SHARE_END, y + 15, TEXT_END, INK_TEXT,
                unit_format(share, UNIT_RATIO, words_ratio(sum_of(p, part), span_of(p))));
    canvas_text(c, KEY_SHARE_END + 10, y + 15, TEXT_START, INK_TEXT, part_name(p, part));
}

void device_time_picture_draw(const struct device_time_picture *p, struct canvas *c)
{
    double y = 4;
    for (size_t i = 0; i < p->count; i++)
        draw_row(c, y + ROW * (double)i, &p->rows[i]);
    y += ROW * (double)p->count + 4;
    for (int part = 0; part < DEVICE_PARTS; part++)
        if (sum_of(p, part) > 0) {
            draw_key(c, y, p, part);
            y += KEY;
        }
    canvas_set_height(c, y + 4);
}

/* ---- characters ---- */

/* The part in which most of a column lies. */
static int part_at(const struct device_row *row, double begin_ns, double end_ns)
{
    double at_ns = 0, most_ns = 0;
    int most = DEVICE_UNKNOWN;
    for (int part = 0; part < DEVICE_PARTS; part++) {
        const double from = at_ns > begin_ns ? at_ns : begin_ns;
        at_ns += (double)row->part_ns[part];
        const double to = at_ns < end_ns ? at_ns : end_ns;
        if (to - from > most_ns) {
            most_ns = to - from;
            most = part;
        }
    }
    return most;
}

enum { LABEL_COLUMNS = 17, SPAN_COLUMNS = 9, BAR_COLUMNS = CHARACTER_COLUMNS - LABEL_COLUMNS - SPAN_COLUMNS };

static int part_of_column(const struct device_row *row, int column)
{
    const double column_ns = (double)row->span_ns / BAR_COLUMNS;
    return part_at(row, column * column_ns, (column + 1) * column_ns);
}

/* The table has what no column is of. */
static bool has_column(const struct device_time_picture *p, int part)
{
    for (size_t i = 0; i < p->count; i++)
        for (int column = 0; column < BAR_COLUMNS; column++)
            if (part_of_column(&p->rows[i], column) == part)
                return true;
    return false;
}

static void write_row(struct str *out, const struct device_row *row)
{
    char span[UNITS_TEXT_BYTES];
    characters_left(out, row->label, LABEL_COLUMNS);
    for (int column = 0; column < BAR_COLUMNS; column++)
        str_add(out, parts[part_of_column(row, column)].character);
    characters_right(out, unit_format(span, UNIT_NS, (double)row->span_ns), SPAN_COLUMNS);
    str_add_char(out, '\n');
}

void device_time_picture_write(const struct device_time_picture *p, struct str *characters)
{
    char share[UNITS_TEXT_BYTES];
    for (size_t i = 0; i < p->count; i++)
        write_row(characters, &p->rows[i]);
    size_t column = 0;
    for (int part = 0; part < DEVICE_PARTS; part++) {
        if (!has_column(p, part) || !(sum_of(p, part) > 0))
            continue;
        unit_format(share, UNIT_RATIO, words_ratio(sum_of(p, part), span_of(p)));
        const size_t width = strlen(share) + strlen(part_name(p, part)) + 3;
        if (column && column + 3 + width > CHARACTER_COLUMNS) {
            str_add_char(characters, '\n');
            column = 0;
        }
        str_addf(characters, "%s%s %s %s", column ? "   " : "", parts[part].character, share, part_name(p, part));
        column += (column ? 3 : 0) + width;
    }
    str_add_char(characters, '\n');
}

/* ---- words ---- */

void device_time_picture_say(const struct device_time_picture *p, struct str *says)
{
    char share[UNITS_TEXT_BYTES], lost[UNITS_TEXT_BYTES];
    int worst = DEVICE_COMMUNICATION;
    for (int part = worst; part < DEVICE_PARTS; part++)
        if (sum_of(p, part) > sum_of(p, worst))
            worst = part;
    const char *who = !has_communication(p) ? "Kernels run" : p->count > 1 ? "The GPUs compute" : "The GPU computes";
    str_addf(says, "%s %s of the time", who,
             unit_format(share, UNIT_RATIO, words_ratio(sum_of(p, DEVICE_COMPUTE), span_of(p))));
    if (p->left_out)
        str_addf(says, " on the %zu of %zu devices that are longest without a kernel", p->count,
                 p->count + p->left_out);
    if (sum_of(p, worst) > 0)
        str_addf(says, "; the largest other part is: %s, %s", part_name(p, worst),
                 unit_format(lost, UNIT_RATIO, words_ratio(sum_of(p, worst), span_of(p))));
}

static void write_caption(const struct device_time_picture *p, struct document *d)
{
    document_span(
        d, SPAN_PLAIN,
        "From the first operation to the last one; the parts add up to all of it. Copies, memsets and communication "
        "are counted where no %s runs beside them.",
        has_communication(p) ? "computing kernel" : "kernel");
    if (p->left_out)
        document_span(d, SPAN_PLAIN, " %zu devices with less time without a kernel are left out.", p->left_out);
}

void device_time_picture_add(const struct trace_measures *m, struct document *d)
{
    struct device_time_picture p;
    struct drawing w;
    if (!device_time_picture_of(&p, m))
        return;
    drawing_init(&w);
    device_time_picture_draw(&p, &w.canvas);
    device_time_picture_write(&p, &w.characters);
    device_time_picture_say(&p, &w.says);
    drawing_add(&w, "device-time", d);
    write_caption(&p, d);
}
