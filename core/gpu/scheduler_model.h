/* scheduler_model.h - how many instructions does a warp scheduler issue, when each of its warps waits for a given time
 * between two instructions? Pure functions of numbers.
 *
 * The scheduler is a closed queueing system: every warp waits for its own reasons (`think` cycles), then queues for the
 * one issue slot, which it uses for one cycle. It is solved by mean value analysis (Reiser, Lavenberg: "Mean-Value
 * Analysis of Closed Multichain Queuing Networks", J. ACM 27(2), 1980). */
#ifndef CPPROF_SCHEDULER_MODEL_H
#define CPPROF_SCHEDULER_MODEL_H

#include <stddef.h>

enum { SCHEDULER_BLOCKS_MAX = 32 };

/* Returns instructions per cycle with `warps` resident warps (at most SCHEDULER_WARPS_MAX). A fraction is interpolated
 * between its neighbours. */
enum { SCHEDULER_WARPS_MAX = 64 };
double scheduler_rate(double warps, double think);

/* Blocks that start together, each with the same amount of work. */
struct scheduler_blocks {
    size_t count;           /* at most SCHEDULER_BLOCKS_MAX */
    double warps_per_block; /* on this scheduler */
    /* 1: the oldest block goes first whenever it can, so blocks end one by one and the last ones run alone; 0: all
     * progress alike to the end. */
    double order;
};

/* Means from the first cycle to the last one in which a block is resident. */
struct scheduler_mean {
    double rate;  /* instructions per cycle */
    double warps; /* resident warps */
};
struct scheduler_mean scheduler_run(const struct scheduler_blocks *blocks, double think);

#endif
