/* canvas.h - a picture that we draw ourselves: an SVG, and a list of what stands where, which tests ask.
 *
 * Units are those of the viewBox. Nothing is drawn at a place that is not finite. Texts of strangers are inert: they
 * become visible UTF-8 and are escaped. Colours are classes of theme.c, for light and dark pages. */
#ifndef CPPROF_CANVAS_H
#define CPPROF_CANVAS_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/array.h"
#include "core/base/err.h"
#include "core/base/str.h"
#include "reports/pictures/theme.h"

/* A small screen shows it in 400 px: then a text of 13 is 9 px high. */
enum { CANVAS_WIDTH = 560 };

enum text_anchor { TEXT_START, TEXT_MIDDLE, TEXT_END };

struct canvas_box {
    double x, y, width, height;
    bool is_text;
};

struct canvas {
    double width, height;
    struct str body;
    ARRAY_OF(struct canvas_box) boxes;
    bool failed; /* memory ran out */
};

void canvas_init(struct canvas *c, double width, double height);
void canvas_release(struct canvas *c);

/* A picture may find out late how high it is. */
void canvas_set_height(struct canvas *c, double height);

void canvas_rect(struct canvas *c, double x, double y, double width, double height, enum ink ink);
void canvas_hatch(struct canvas *c, double x, double y, double width, double height, enum ink ink);
void canvas_frame(struct canvas *c, double x, double y, double width, double height, enum ink ink);
void canvas_line(struct canvas *c, double x1, double y1, double x2, double y2, double thick, enum ink ink);
void canvas_dashes(struct canvas *c, double x1, double y1, double x2, double y2, enum ink ink);

/* A stretch of points that are finite is one line; others are gaps in it. */
void canvas_path(struct canvas *c, const double *x, const double *y, size_t count, double thick, enum ink ink);

/* Shapes that are told apart without colours. */
enum mark { MARK_CIRCLE, MARK_SQUARE, MARK_TRIANGLE, MARK_DIAMOND, MARK_CROSS, MARKS };
enum { MARK_RADIUS = 5 };
void canvas_mark(struct canvas *c, double x, double y, enum mark mark, enum ink ink);

/* `y` is the base line. canvas_text_in cuts the text to a width, the end of what is cut is "…". */
void canvas_text(struct canvas *c, double x, double y, enum text_anchor anchor, enum ink ink, const char *text);
void canvas_text_in(struct canvas *c, double x, double y, double width, enum text_anchor anchor, enum ink ink,
                    const char *text);

/* The SVG; `says` is its alternative text. */
int canvas_finish(const struct canvas *c, const char *says, struct str *svg, struct err *e);

/* The width of a line of text in a size, at least what any usual sans-serif needs. */
double text_width(const char *text, double size);
/* Appends `text` as visible UTF-8, cut to a width. Nothing where not even one character and the dots fit. */
void text_fit(struct str *out, const char *text, double size, double width);

#endif
