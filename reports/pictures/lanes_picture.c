/* What happens when, in lanes? */
#include "reports/pictures/lanes_picture.h"

#include <math.h>
#include <stdlib.h>

#include "core/base/units.h"
#include "reports/pictures/axis.h"
#include "reports/pictures/canvas.h"

enum {
    LABEL_END = 122,
    PLOT = 130,
    PLOT_END = CANVAS_WIDTH - 14,
    TOP = 6,
    LANE = 26,
    BAR = 20,
    BRACKET = 26,
    CURVE = 44,
    CURVE_HEIGHT = 36,
    LINE = 20,       /* of text */
    SAYS_LITTLE = 12 /* bytes of a text that was cut, three of them dots */
};

/* Boxes that are narrower are joined with their neighbours, as nobody sees them apart. */
#define NARROW 3.0

static const struct {
    enum ink ink;
    bool is_hatched;
} looks[LANE_LOOKS] = {
    [LANE_COMPUTE] = {INK_BLUE, false}, [LANE_COMMUNICATION] = {INK_PURPLE, false}, [LANE_COPY] = {INK_ORANGE, false},
    [LANE_OTHER] = {INK_GREY, false},   [LANE_HOST] = {INK_GREEN, false},           [LANE_WAIT] = {INK_GREY, true},
    [LANE_ARRIVAL] = {INK_ORANGE, true}};

static double x_of(const struct lanes_picture *p, double ns)
{
    const double span = (double)p->end_ns - (double)p->begin_ns;
    return PLOT + (span > 0 ? (ns - (double)p->begin_ns) / span : 0) * (PLOT_END - PLOT);
}

/* ---- boxes ---- */

/* A stretch of a lane that is seen as one. */
struct stretch {
    size_t lane;
    double begin, end;
    enum lane_look look;
    const char *text; /* NULL of several boxes */
};

static int by_lane_and_begin(const void *left, const void *right)
{
    const struct lane_box *a = left, *b = right;
    if (a->lane != b->lane)
        return a->lane < b->lane ? -1 : 1;
    if (a->begin_ns != b->begin_ns)
        return a->begin_ns < b->begin_ns ? -1 : 1;
    return (a->end_ns > b->end_ns) - (a->end_ns < b->end_ns);
}

static bool joins(const struct stretch *s, const struct lane_box *box, double begin, double end)
{
    return s->lane == box->lane && s->look == box->look && begin < s->end + 0.7 &&
           (s->end - s->begin < NARROW || end - begin < NARROW);
}

static void draw_words(struct canvas *c, const struct stretch *s, double y, double *free_from)
{
    struct str text;
    const double room = s->end - s->begin - 6;
    if (!s->text || s->begin + 3 < *free_from)
        return;
    str_init(&text);
    text_fit(&text, s->text, TEXT_SIZE, room);
    const double width = text_width(str_text(&text), TEXT_SIZE);
    /* A few letters and dots say nothing. */
    if (width > 0 && (text.length > SAYS_LITTLE || text_width(s->text, TEXT_SIZE) <= room)) {
        const double middle = (s->begin + s->end) / 2;
        if (looks[s->look].is_hatched)
            canvas_rect(c, middle - width / 2 - 2, y + 3, width + 4, BAR - 6, INK_PALE);
        canvas_text(c, middle, y + 15, TEXT_MIDDLE, looks[s->look].is_hatched ? INK_TEXT : INK_ON, str_text(&text));
        *free_from = middle + width / 2;
    }
    c->failed |= text.failed;
    str_release(&text);
}

static void draw_stretch(struct canvas *c, const struct stretch *s, double y, double *free_from)
{
    const double width = fmin(fmax(1, s->end - s->begin), PLOT_END - s->begin);
    if (looks[s->look].is_hatched)
        canvas_hatch(c, s->begin, y, width, BAR, looks[s->look].ink);
    else
        canvas_rect(c, s->begin, y, width - (width > NARROW ? 0.8 : 0), BAR, looks[s->look].ink);
    draw_words(c, s, y, free_from);
}

static double lane_y(const struct lanes_picture *p, size_t lane, double top)
{
    const bool is_below = p->bracket.is_there && p->bracket.has_lane && lane > p->bracket.lane;
    return top + LANE * (double)lane + (is_below ? BRACKET : 0);
}

static void draw_boxes(struct canvas *c, const struct lanes_picture *p, double top)
{
    struct lane_box *boxes = p->boxes.count ? calloc(p->boxes.count, sizeof *boxes) : NULL;
    struct stretch s = {.lane = SIZE_MAX};
    double free_from = 0;
    c->failed |= p->boxes.count && !boxes;
    for (size_t i = 0; boxes && i < p->boxes.count; i++)
        boxes[i] = p->boxes.items[i];
    if (boxes)
        qsort(boxes, p->boxes.count, sizeof *boxes, by_lane_and_begin);
    for (size_t i = 0; boxes && i < p->boxes.count; i++) {
        const double begin = x_of(p, (double)boxes[i].begin_ns), end = x_of(p, (double)boxes[i].end_ns);
        if (joins(&s, &boxes[i], begin, end)) {
            s.end = fmax(s.end, end);
            s.text = NULL;
            continue;
        }
        if (s.lane != SIZE_MAX)
            draw_stretch(c, &s, lane_y(p, s.lane, top), &free_from);
        if (s.lane != boxes[i].lane)
            free_from = 0;
        s = (struct stretch){boxes[i].lane, begin, end, boxes[i].look, boxes[i].text};
    }
    if (s.lane != SIZE_MAX)
        draw_stretch(c, &s, lane_y(p, s.lane, top), &free_from);
    free(boxes);
}

static void draw_lanes(struct canvas *c, const struct lanes_picture *p, double top)
{
    for (size_t i = 0; i < p->lane_count; i++) {
        const double y = lane_y(p, i, top);
        canvas_rect(c, PLOT, y, PLOT_END - PLOT, BAR, INK_PALE);
        canvas_text_in(c, LABEL_END, y + 15, LABEL_END - 2, TEXT_END, INK_TEXT, p->labels[i]);
    }
    draw_boxes(c, p, top);
}

/* ---- bracket, curves, axis, legend ---- */

static void draw_bracket(struct canvas *c, const struct lanes_picture *p, double y)
{
    const double begin = x_of(p, (double)p->bracket.begin_ns), end = x_of(p, (double)p->bracket.end_ns);
    struct str text;
    str_init(&text);
    text_fit(&text, p->bracket.text, TEXT_SIZE, PLOT_END - PLOT);
    const double width = text_width(str_text(&text), TEXT_SIZE);
    const double middle = fmin(fmax((begin + end) / 2, PLOT + width / 2), PLOT_END - width / 2);
    /* Above a lane the words stand on the bracket, below one it is the other way round. */
    const double line = p->bracket.has_lane ? y + 4 : y + 20;
    canvas_line(c, begin, line, end, line, 2, INK_TEXT);
    canvas_line(c, begin, line - 4, begin, line + 4, 2, INK_TEXT);
    canvas_line(c, end, line - 4, end, line + 4, 2, INK_TEXT);
    canvas_text(c, middle, p->bracket.has_lane ? y + 20 : y + 12, TEXT_MIDDLE, INK_TEXT, str_text(&text));
    c->failed |= text.failed;
    str_release(&text);
}

static double curve_top(const struct lane_curve *curve)
{
    double top = 0;
    for (size_t i = 0; i < curve->steps.count; i++)
        top = fmax(top, curve->steps.items[i].value);
    return top > 0 ? top : 1;
}

/* Each curve is as high as its largest step, which its label states. */
static void draw_curve(struct canvas *c, const struct lanes_picture *p, const struct lane_curve *curve, double y)
{
    char top_text[UNITS_TEXT_BYTES + 8] = "up to ";
    const double top = curve_top(curve), bottom = y + 4 + CURVE_HEIGHT;
    canvas_text_in(c, LABEL_END, y + 17, LABEL_END - 2, TEXT_END, INK_TEXT, curve->label);
    unit_format(top_text + 6, UNIT_RATIO, top);
    canvas_text_in(c, LABEL_END, y + 34, LABEL_END - 2, TEXT_END, INK_FAINT, top_text);
    for (size_t i = 0; i < curve->steps.count; i++) {
        const struct lane_step *s = &curve->steps.items[i];
        const double height = s->value / top * CURVE_HEIGHT, begin = x_of(p, s->begin_ns), end = x_of(p, s->end_ns);
        canvas_rect(c, begin, bottom - height, end - begin, height, looks[curve->look].ink);
    }
    canvas_line(c, PLOT, bottom, PLOT_END, bottom, 1, INK_FAINT);
}

static double draw_axis(struct canvas *c, const struct lanes_picture *p, double top, double bottom)
{
    const double span = (double)p->end_ns - (double)p->begin_ns, step = axis_step(span, 4);
    const double zero = (double)p->zero_ns;
    double last_end = 0;
    double ticks[AXIS_TICKS_MAX];
    const size_t count = axis_multiples((double)p->begin_ns - zero, (double)p->end_ns - zero, step, ticks);
    for (size_t i = 0; i < count; i++) {
        char text[UNITS_TEXT_BYTES];
        const double x = x_of(p, ticks[i] + zero),
                     half = text_width(axis_time(text, ticks[i], step, span), TEXT_SIZE) / 2;
        const double middle = fmin(x, CANVAS_WIDTH - 2 - half);
        canvas_line(c, x, top, x, bottom + 4, 1, INK_GRID);
        if (middle - half <= last_end)
            continue;
        canvas_text(c, middle, bottom + 18, TEXT_MIDDLE, INK_FAINT, text);
        last_end = middle + half + 4;
    }
    if (p->axis)
        canvas_text_in(c, PLOT_END, bottom + 18 + LINE, PLOT_END - PLOT, TEXT_END, INK_FAINT, p->axis);
    return bottom + 24 + (p->axis ? LINE : 0);
}

static bool is_used(const struct lanes_picture *p, int look)
{
    for (size_t i = 0; i < p->boxes.count; i++)
        if ((int)p->boxes.items[i].look == look)
            return p->look_names[look] != NULL;
    return false;
}

static double draw_legend(struct canvas *c, const struct lanes_picture *p, double y)
{
    double x = 4;
    for (int look = 0; look < LANE_LOOKS; look++) {
        if (!is_used(p, look))
            continue;
        const double width = 16 + 6 + text_width(p->look_names[look], TEXT_SIZE);
        if (x > 4 && x + width > CANVAS_WIDTH - 4) {
            x = 4;
            y += LINE;
        }
        if (looks[look].is_hatched)
            canvas_hatch(c, x, y + 3, 16, 13, looks[look].ink);
        else
            canvas_rect(c, x, y + 3, 16, 13, looks[look].ink);
        canvas_text(c, x + 22, y + 14, TEXT_START, INK_TEXT, p->look_names[look]);
        x += width + 16;
    }
    return y + LINE + 2;
}

void lanes_picture_draw(const struct lanes_picture *p, struct canvas *c)
{
    const bool has_top = p->bracket.is_there && !p->bracket.has_lane;
    const double top = TOP + (has_top ? BRACKET + 2 : 0);
    double y = top + LANE * (double)p->lane_count + (p->bracket.is_there && p->bracket.has_lane ? BRACKET : 0);
    const double bottom = y + CURVE * (double)p->curve_count;
    const double after_axis = draw_axis(c, p, top, bottom);
    draw_lanes(c, p, top);
    if (p->bracket.is_there)
        draw_bracket(c, p, has_top ? TOP - 4 : lane_y(p, p->bracket.lane, top) + BAR + 2);
    for (size_t i = 0; i < p->curve_count; i++)
        draw_curve(c, p, &p->curves[i], y + CURVE * (double)i);
    canvas_set_height(c, draw_legend(c, p, after_axis));
}
