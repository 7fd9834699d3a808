/* interval_picture.h - how much faster is each arm, how sure is that, and is it more than the margin? */
#ifndef CPPROF_INTERVAL_PICTURE_H
#define CPPROF_INTERVAL_PICTURE_H

#include <stddef.h>

#include "analyzers/analysis.h"
#include "reports/document/document.h"

enum { INTERVALS_ON_A_SCREEN = 8, INTERVAL_ROWS_MAX = 60, INTERVAL_DOTS_MAX = 64 };

/* All numbers are speedups: above 1 is faster. */
struct interval_row {
    const char *label;
    enum comparison_verdict verdict;
    double value, low, high;        /* an interval without ends is its middle */
    double dots[INTERVAL_DOTS_MAX]; /* the processes that say so */
    size_t dot_count, dots_left_out;
};

struct interval_picture {
    struct interval_row *items; /* in an arena */
    size_t count, left_out;
    double margin;
};

/* Of the comparisons that have a ratio, in their order; false without any. Texts are in the document's arena. */
bool interval_picture_of(struct interval_picture *out, const struct analysis *a, struct document *d);

/* Nothing without a ratio. */
void interval_picture_add(const struct analysis *a, struct document *d);

/* ---- for tests ---- */

struct str;
struct canvas;

void interval_picture_draw(const struct interval_picture *p, struct canvas *c);
void interval_picture_write(const struct interval_picture *p, struct str *characters);
void interval_picture_say(const struct interval_picture *p, struct str *says);

#endif
