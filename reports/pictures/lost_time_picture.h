/* lost_time_picture.h - why is one arm faster than the other, or slower? Bars that lead from one time to the other. */
#ifndef CPPROF_LOST_TIME_PICTURE_H
#define CPPROF_LOST_TIME_PICTURE_H

#include <stdbool.h>
#include <stddef.h>

#include "analyzers/analysis.h"
#include "reports/document/document.h"

enum { LOST_BARS_MAX = 82, LOST_NAME_BYTES = 64, CHANGES_ON_A_SCREEN = 3 };

enum lost_bar_kind {
    LOST_BAR_PART,
    LOST_BAR_OTHER,       /* parts that change by less than 1% of the first time, together */
    LOST_BAR_UNEXPLAINED, /* what timing by events and the trace do not agree on */
};

struct lost_bar {
    char name[LOST_NAME_BYTES];
    const char *meaning; /* of a part, in a few words; NULL of other bars */
    enum lost_bar_kind kind;
    double change_ns;
};

/* Times are of one launch. The first time and all changes add up to the second. */
struct lost_time_picture {
    const char *from, *to, *config; /* names, of the comparison */
    double from_ns, to_ns;
    struct lost_bar bars[LOST_BARS_MAX]; /* what shrinks, what grows, each the most first; then other kinds */
    size_t count;
};

/* False without times, without parts of both arms (analyzers/bounds/lost_time.h), and where none changes by 1%. */
bool lost_time_picture_of(struct lost_time_picture *out, const struct analysis *a, const struct comparison *c);

/* Adds the picture of this comparison, or of the one whose times differ most and whose arms are no builds with marks;
 * nothing where there are no parts. */
void lost_time_picture_add_one(const struct analysis *a, const struct comparison *c, struct document *d);
void lost_time_picture_add(const struct analysis *a, struct document *d);

/* ---- for tests ---- */

struct str;
struct canvas;

void lost_time_picture_draw(const struct lost_time_picture *p, struct canvas *c);
/* The `most` largest changes and the rest as one bar; 0: all. */
void lost_time_picture_write(const struct lost_time_picture *p, size_t most, struct str *characters);
void lost_time_picture_say(const struct lost_time_picture *p, struct str *says);

#endif
