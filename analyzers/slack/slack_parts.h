/* slack_parts.h - the parts of the answer about one mark. */
#ifndef CPPROF_SLACK_PARTS_H
#define CPPROF_SLACK_PARTS_H

#include <stdbool.h>

#include "analyzers/analysis.h"
#include "analyzers/slack/slack_rows.h"

/* Names, tiles and the clock of the row, from the arm that records and from the times. */
int slack_read_kernel(struct slack *row, struct analysis *a, struct err *e);

/* Costs of the control and of the doses; then, from all that is there, the status. `is_damaged`: what delays.csv says
 * of the arms is not all there, or contradicts their names. */
int slack_judge(struct slack *row, const struct analysis *a, bool is_damaged, struct err *e);

#endif
