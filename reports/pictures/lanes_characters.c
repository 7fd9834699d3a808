/* What happens when, in lanes of characters? */
#include <math.h>
#include <string.h>

#include "core/base/units.h"
#include "reports/pictures/characters.h"
#include "reports/pictures/lanes_picture.h"

enum { LABEL = 16, COLUMNS = CHARACTER_COLUMNS - LABEL - 1, SHORT_LANES = 3 };

static const char *const looks[LANE_LOOKS] = {
    [LANE_COMPUTE] = "\xe2\x96\x88", [LANE_COMMUNICATION] = "\xe2\x96\x93", [LANE_COPY] = "\xe2\x96\x92",
    [LANE_OTHER] = "\xe2\x96\x84",   [LANE_HOST] = "\xe2\x96\x80",          [LANE_WAIT] = "\xe2\x94\x80",
    [LANE_ARRIVAL] = "\xe2\x96\x91"};

static double column_of(const struct lanes_picture *p, double ns)
{
    const double span = (double)p->end_ns - (double)p->begin_ns;
    return span > 0 ? (ns - (double)p->begin_ns) / span * COLUMNS : 0;
}

static size_t column_before(double column)
{
    return (size_t)fmin(fmax(column, 0), COLUMNS - 1);
}

static void begin_line(struct str *out, const char *label)
{
    characters_left(out, label, LABEL);
    str_add_char(out, ' ');
}

static void end_line(struct str *out)
{
    while (out->length && out->text[out->length - 1] == ' ')
        out->text[--out->length] = '\0';
    str_add_char(out, '\n');
}

/* In each column what takes most of it, however little that is. */
static void write_lane(struct str *out, const struct lanes_picture *p, size_t lane)
{
    double taken[COLUMNS][LANE_LOOKS] = {{0}};
    for (size_t i = 0; i < p->boxes.count; i++) {
        const struct lane_box *box = &p->boxes.items[i];
        const double begin = column_of(p, (double)box->begin_ns), end = column_of(p, (double)box->end_ns);
        for (size_t k = column_before(begin); box->lane == lane && k <= column_before(end); k++)
            taken[k][box->look] += fmax(1e-9, fmin(end, (double)k + 1) - fmax(begin, (double)k));
    }
    begin_line(out, p->labels[lane]);
    for (size_t k = 0; k < COLUMNS; k++) {
        int most = 0;
        for (int look = 1; look < LANE_LOOKS; look++)
            if (taken[k][look] > taken[k][most])
                most = look;
        str_add(out, taken[k][most] > 0 && taken[k][most] > 1e-6 ? looks[most] : taken[k][most] > 0 ? "\xc2\xb7" : " ");
    }
    end_line(out);
}

/* The words stand above the line, or below the one of a lane. */
static void write_bracket(struct str *out, const struct lanes_picture *p)
{
    const size_t first = column_before(column_of(p, (double)p->bracket.begin_ns)),
                 last = column_before(column_of(p, (double)p->bracket.end_ns) - 1e-9);
    begin_line(out, "");
    for (size_t k = 0; k < first; k++)
        str_add_char(out, ' ');
    for (size_t k = first; k <= last; k++)
        str_add(out, first == last ? "\xe2\x94\x82"
                     : k == first  ? "\xe2\x94\x9c"
                     : k == last   ? "\xe2\x94\xa4"
                                   : "\xe2\x94\x80");
    end_line(out);
    const size_t length = strlen(p->bracket.text), room = length < COLUMNS ? COLUMNS - length : 0;
    begin_line(out, "");
    for (size_t k = 0; k < (first < room ? first : room); k++)
        str_add_char(out, ' ');
    characters_left(out, p->bracket.text, COLUMNS - (first < room ? first : room));
    end_line(out);
}

static void write_curve(struct str *out, const struct lanes_picture *p, const struct lane_curve *curve)
{
    double top = 0, sums[COLUMNS] = {0}, lengths[COLUMNS] = {0};
    char text[UNITS_TEXT_BYTES + 8] = "up to ";
    for (size_t i = 0; i < curve->steps.count; i++) {
        const struct lane_step *s = &curve->steps.items[i];
        const double begin = column_of(p, s->begin_ns), end = column_of(p, s->end_ns);
        if (!isfinite(s->value))
            continue;
        top = fmax(top, s->value);
        for (size_t k = column_before(begin); k <= column_before(end); k++) {
            const double length = fmax(0, fmin(end, (double)k + 1) - fmax(begin, (double)k));
            sums[k] += s->value * length;
            lengths[k] += length;
        }
    }
    begin_line(out, curve->label);
    for (size_t k = 0; k < COLUMNS; k++)
        characters_height(out, lengths[k] > 0 && top > 0 ? sums[k] / lengths[k] / top : 0);
    end_line(out);
    unit_format(text + 6, UNIT_RATIO, top);
    begin_line(out, text);
    end_line(out);
}

static void write_axis(struct str *out, const struct lanes_picture *p, bool is_short)
{
    char span[UNITS_TEXT_BYTES];
    if (!is_short) {
        begin_line(out, "");
        for (size_t k = 0; k < COLUMNS; k++)
            str_add(out, !k ? "\xe2\x94\x94" : k + 1 == COLUMNS ? "\xe2\x94\x98" : "\xe2\x94\x80");
        end_line(out);
    }
    begin_line(out, "");
    characters_left(out, p->axis ? p->axis : "0", COLUMNS - 10);
    characters_right(out, unit_format(span, UNIT_NS, (double)p->end_ns - (double)p->begin_ns), 10);
    end_line(out);
}

static bool is_used(const struct lanes_picture *p, int look)
{
    for (size_t i = 0; i < p->boxes.count; i++)
        if ((int)p->boxes.items[i].look == look)
            return p->look_names[look] != NULL;
    return false;
}

static void write_legend(struct str *out, const struct lanes_picture *p)
{
    size_t column = 0;
    for (int look = 0; look < LANE_LOOKS; look++) {
        if (!is_used(p, look))
            continue;
        const size_t width = strlen(p->look_names[look]) + 2;
        if (column && column + 3 + width > CHARACTER_COLUMNS) {
            str_add_char(out, '\n');
            column = 0;
        }
        str_addf(out, "%s%s %s", column ? "   " : "", looks[look], p->look_names[look]);
        column += (column ? 3 : 0) + width;
    }
    if (column)
        str_add_char(out, '\n');
}

void lanes_picture_write(const struct lanes_picture *p, bool is_short, struct str *characters)
{
    const size_t lanes = is_short && p->lane_count > SHORT_LANES ? SHORT_LANES : p->lane_count;
    if (p->bracket.is_there && !p->bracket.has_lane)
        write_bracket(characters, p);
    for (size_t i = 0; i < lanes; i++) {
        write_lane(characters, p, i);
        if (p->bracket.is_there && p->bracket.has_lane && p->bracket.lane == i)
            write_bracket(characters, p);
    }
    for (size_t i = 0; i < p->curve_count && !is_short; i++)
        write_curve(characters, p, &p->curves[i]);
    write_axis(characters, p, is_short);
    write_legend(characters, p);
}
