/* scheduler_model.h - how many instructions does a warp scheduler issue, when each of
 * its warps waits so long between two of its own? Pure functions of numbers.
 *
 * The scheduler is a closed queueing system: every warp waits for its own reasons
 * (`think` cycles), then queues for the one issue slot, for one cycle. Solved by mean
 * value analysis (Reiser, Lavenberg: "Mean-Value Analysis of Closed Multichain
 * Queuing Networks", J. ACM 27(2), 1980). */
#ifndef CPPROF_SCHEDULER_MODEL_H
#define CPPROF_SCHEDULER_MODEL_H

#include <stddef.h>

enum { SCHEDULER_BLOCKS_MAX = 32 };

/* Instructions per cycle with `warps` resident ones (at most SCHEDULER_WARPS_MAX); a
 * fraction lies on the line between its neighbours. */
enum { SCHEDULER_WARPS_MAX = 64 };
double scheduler_rate(double warps, double think);

/* Blocks that all start at once, with the same work each. */
struct scheduler_blocks {
    size_t count;           /* at most SCHEDULER_BLOCKS_MAX */
    double warps_per_block; /* on this scheduler */
    double order;           /* 1: the oldest block goes first whenever it can, so blocks end one by one
                               and the last ones run alone; 0: all get on alike to the end */
};

/* Means from the first cycle to the last one in which a block is there. */
struct scheduler_mean {
    double rate;  /* instructions per cycle */
    double warps; /* resident */
};
struct scheduler_mean scheduler_run(const struct scheduler_blocks *blocks, double think);

#endif
