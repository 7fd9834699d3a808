/* duration_runs.h - order statistics of durations that come as sorted runs, each of one group.
 *
 * The runs lie one after the other in a temporary file. They are not merged: what is asked for is found in all runs of
 * a group at once, by bisection. Memory has a mark for each 128 durations, and a block of 128 for each run of one
 * group. */
#ifndef CPPROF_DURATION_RUNS_H
#define CPPROF_DURATION_RUNS_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "core/base/array.h"
#include "core/base/err.h"

struct duration_run {
    size_t first, count; /* in the file */
    size_t first_mark;
    size_t block; /* number of the block that is in memory, from 1; 0: none */
    uint32_t group;
};

struct duration_runs { /* starts zeroed */
    ARRAY_OF(struct duration_run) runs;
    ARRAY_OF(int64_t) marks; /* the first duration of each block of each run */
    FILE *file;
    size_t written;
    int64_t *blocks; /* one for each run of the group that begins with run `blocks_of` */
    size_t blocks_of;
};
void duration_runs_release(struct duration_runs *r);

/* Begins a run of a group; the caller then adds its durations, in ascending order, in any number of calls. */
int duration_runs_begin(struct duration_runs *r, uint32_t group, struct err *e);
int duration_runs_add(struct duration_runs *r, const int64_t *durations, size_t count, struct err *e);

/* Ends adding, and puts the runs into the order of their groups. */
int duration_runs_finish(struct duration_runs *r, struct err *e);

/* Runs of one group, `count` from `first` on: finds their duration number `position` (from 0, in ascending order of all
 * durations of these runs) and the one behind it; the same where it is the last. All lie between `min` and `max`.
 * Nothing may be added between two calls. */
int duration_runs_select(struct duration_runs *r, size_t first, size_t count, int64_t position, int64_t min,
                         int64_t max, int64_t out[2], struct err *e);

#endif
