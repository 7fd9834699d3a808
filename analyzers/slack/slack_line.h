/* slack_line.h - where does a cost begin to grow with the delay, and how steeply? Numbers in, numbers out. */
#ifndef CPPROF_SLACK_LINE_H
#define CPPROF_SLACK_LINE_H

#include <stddef.h>

#include "analyzers/slack/slack_rows.h"

/* A cost with its interval. Within the tolerance it counts as nothing. */
struct slack_point {
    double delay;
    struct bounded cost;
    double tolerance;
};

/* Delays ascend and are above 0. What the points do not say is NAN. */
struct slack_line {
    enum slack_status status;
    struct bounded slope, first_slope, slack; /* the slack's high end is infinite where no delay costs */
};

/* A delay is known to within so many cycles: the chain in which it is measured is not the kernel (docs/inside.md). */
#define SLACK_DELAY_ERROR 35

/* Needs two points or more, whose costs are in the unit of the delays: a slope of 1 is critical. */
struct slack_line slack_line_of(const struct slack_point *points, size_t count);

/* Returns the largest delay with a cost below `limit`, by straight lines from 0 through the points. */
double slack_free_up_to(const struct slack_point *points, size_t count, double limit);

#endif
