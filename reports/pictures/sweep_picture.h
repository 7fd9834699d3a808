/* sweep_picture.h - how do the speedup and the times change with the size? */
#ifndef CPPROF_SWEEP_PICTURE_H
#define CPPROF_SWEEP_PICTURE_H

#include <stdbool.h>
#include <stddef.h>

#include "analyzers/analysis.h"
#include "reports/document/document.h"
#include "reports/pictures/axis.h"

enum { SWEEP_SIZES_MIN = 4, SWEEP_LINES_MAX = 4, SWEEP_DOTS_MAX = 128 };

/* One size, above 0. A speedup above 1 is faster; it is NAN, with its interval, where the size has none. */
struct sweep_dot {
    double size, speedup, low, high; /* an interval without ends is its middle */
    double base_ns, cand_ns;
};

/* One variant against the baseline. */
struct sweep_line {
    const char *label;
    struct sweep_dot *dots; /* in an arena, by size */
    size_t count;
};

struct sweep_picture {
    struct sweep_line lines[SWEEP_LINES_MAX];
    size_t count, left_out; /* sweeps that could have been drawn, too */
    const char *baseline;
    const char *axis; /* what the sizes are: "size", "rows" */
    bool in_bytes;
    double margin;
};

/* Is a pair of variants measured at no fewer than SWEEP_SIZES_MIN values of one dimension? */
bool sweep_picture_is_there(const struct analysis *a);

/* Of more than SWEEP_LINES_MAX variants the fastest and the slowest. False without any. Texts are in the document's
 * arena. */
bool sweep_picture_of(struct sweep_picture *out, const struct analysis *a, struct document *d);

/* Nothing without such a pair. */
void sweep_picture_add(const struct analysis *a, struct document *d);

/* The scale of the sizes between two places, and those of them that have ticks. `width` says how much room a tick's
 * text takes. */
struct axis_scale sweep_sizes_scale(const struct sweep_picture *p, double from, double to);
size_t sweep_sizes_ticks(const struct sweep_picture *p, const struct axis_scale *s, double (*width)(const char *text),
                         double ticks[static AXIS_TICKS_MAX]);
/* The smallest size of any line that is larger; infinite behind the last. */
double sweep_size_after(const struct sweep_picture *p, double size);
/* "512 MiB", "4096". Returns `text`. */
char *sweep_size_text(const struct sweep_picture *p, char text[static UNITS_TEXT_BYTES], double size);

/* ---- for tests ---- */

struct str;
struct canvas;

void sweep_picture_draw(const struct sweep_picture *p, struct canvas *c);
void sweep_picture_write(const struct sweep_picture *p, struct str *characters);
void sweep_picture_say(const struct sweep_picture *p, struct str *says);

#endif
