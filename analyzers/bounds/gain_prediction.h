/* gain_prediction.h - what would a change bring, from the counters of one kernel alone? An
 * interval of the gain (1 - t_after / t_before), said before the change is made.
 * docs/bounds.md tells each step. */
#ifndef CPPROF_GAIN_PREDICTION_H
#define CPPROF_GAIN_PREDICTION_H

#include "analyzers/bounds/bound_inputs.h"

/* What is changed. */
enum prediction_kind {
    PREDICT_LAUNCH_GAP,     /* no gap between launches */
    PREDICT_SMALL_GRID,     /* work for every SM */
    PREDICT_TAIL,           /* all SMs end at once */
    PREDICT_MEMORY_TRAFFIC, /* half the bytes */
    PREDICT_COMPUTE_WORK,   /* half the work of the busiest pipe */
    PREDICT_LOAD_AHEAD,     /* two buffers: a tile is loaded while one is computed on */
    PREDICT_LOAD_FURTHER,   /* three buffers at once, where that is another matter */
    PREDICT_STAGE,          /* one more buffer than now */
    PREDICT_BLOCKS,         /* twice the blocks per SM */
    PREDICTION_KINDS
};

struct predicted {
    enum prediction_kind kind;
    double low, high; /* gain; low may be negative */
};

/* At most one of each kind, and only those that its numbers speak about; returns how many. */
size_t prediction_make(const struct bound_inputs *in, enum bound_class class_, struct predicted out[PREDICTION_KINDS]);

const char *prediction_id(enum prediction_kind kind);         /* "load-ahead" */
const char *prediction_change(enum prediction_kind kind);     /* for people */
const char *prediction_assumption(enum prediction_kind kind); /* one sentence */

/* Which change of the way of loading is a candidate, as two arms' numbers tell it?
 * PREDICTION_KINDS when it is no prediction's. cp.async instructions that the baseline did not
 * execute are LOAD_AHEAD, LOAD_FURTHER with more than twice the shared memory; where
 * both execute them, more shared memory is STAGE: a ring has at least two slots, so one
 * more is at most half as much again. Another calculation is another change. Names say nothing: a variant may have any.
 */
enum prediction_kind prediction_recognise(const struct bound_inputs *base, const struct bound_inputs *cand);

#endif
