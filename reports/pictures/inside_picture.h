/* inside_picture.h - which warp of an SM does what, over a few tiles, and what may come later there? */
#ifndef CPPROF_INSIDE_PICTURE_H
#define CPPROF_INSIDE_PICTURE_H

#include "analyzers/analysis.h"
#include "analyzers/inside/inside_samples.h"
#include "analyzers/inside/lane_rows.h"
#include "core/base/arena.h"
#include "reports/document/document.h"
#include "reports/pictures/lanes_picture.h"

enum { INSIDE_PICTURES_MAX = 2, INSIDE_TILES_SHOWN = 4 };

/* How many of the arms that recorded, the first ones, are drawn in a section. Another one is evidence where more than
 * that recorded. */
size_t inside_pictures_of(size_t arms);

/* Adds a picture for each arm that recorded, up to INSIDE_PICTURES_MAX; on the first screen for one. */
void inside_picture_add(const struct analysis *a, struct document *d);

/* What is drawn of one arm, with texts in `arena` and of the lanes. `row`, `samples` and `slack` may be NULL. False
 * when no tile lies in the picture. Release it even then. */
bool inside_picture_of(struct lanes_picture *out, const struct inside_lanes *lanes, const struct inside *row,
                       const struct inside_samples *samples, const struct slack *slack, struct arena *arena);

/* Is there anything to show of a slack? What it says: "may begin 20 ns to 40 ns later for free". */
bool inside_slack_is_shown(const struct slack *s);
void inside_slack_add(struct str *out, const struct slack *s);

#endif
