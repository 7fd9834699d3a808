/* spread_decision.h - is one series of times faster than another, where a series may be one process only?
 *
 * Values of processes are replicates. Without them a side is one process, and its values are medians of consecutive
 * blocks: neighbours are not independent, and one process tells nothing about the next. So a difference counts only
 * when no block of one side reaches into those of the other, and nothing is ever equivalent. */
#ifndef CPPROF_SPREAD_DECISION_H
#define CPPROF_SPREAD_DECISION_H

#include <stdbool.h>
#include <stddef.h>

#include "core/stats/ratio_decision.h"

enum { SPREAD_VALUES_MIN = 5, SPREAD_BLOCKS_MAX = 10 };

/* Turns the values of one process into medians of at most SPREAD_BLOCKS_MAX blocks, in place. Returns their number. */
size_t spread_fold(double *values, size_t count);

/* The verdict on values of processes, or on blocks of one process each; then its reason is RATIO_BEYOND_SPREAD or
 * RATIO_WITHIN_SPREAD. */
struct ratio_decision spread_decide(const struct arm_values *values, bool are_replicates, double margin);

#endif
