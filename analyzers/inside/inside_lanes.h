/* inside_lanes.h - chooses what of the records of each arm becomes a picture: the SM and launch with most tiles, and of
 * them the first windows. */
#ifndef CPPROF_INSIDE_LANES_H
#define CPPROF_INSIDE_LANES_H

#include "analyzers/inside/lane_rows.h"
#include "core/base/err.h"
#include "core/run/run.h"

enum { LANE_WINDOWS_MAX = 4, LANE_SPANS_MAX = 2000 };

/* An arm without a tile, or whose clock is not known, has no lanes. The run must outlive them. Release them even after
 * an error. */
int inside_lanes_read(struct inside_lanes_list *out, const struct run *run, struct err *e);
void inside_lanes_release(struct inside_lanes_list *l);

#endif
