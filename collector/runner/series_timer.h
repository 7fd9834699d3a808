/* series_timer.h - times blocks of a solution: each sample is a series of launches on inputs that no launch has had.
 * The result is rows of timing.csv. */
#ifndef CPPROF_SERIES_TIMER_H
#define CPPROF_SERIES_TIMER_H

#include "collector/runner/block_timer.h"

/* Measures by how much begin and end of a graph lengthen a series; block_timer_release gives back what it opens. */
int series_timer_open(struct block_timer *t, struct err *e);

/* Hot samples are graphs of as many launches as a series has, where the arm has a graph; else, and cold, one launch. A
 * sample that cannot be timed so has no duration. */
int series_timer_run(struct block_timer *t, struct timed_arm *arm, struct block_place place, struct err *e);

#endif
