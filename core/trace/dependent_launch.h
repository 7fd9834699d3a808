/* dependent_launch.h - can kernels of one stream overlap on the chips of a trace?
 *
 * Programmatic dependent launch needs a GPU of NVIDIA with compute capability 9.0 or later (CUDA C++ Programming
 * Guide).
 */
#ifndef CPPROF_DEPENDENT_LAUNCH_H
#define CPPROF_DEPENDENT_LAUNCH_H

#include <stdint.h>

enum dependent_launch {
    DEPENDENT_LAUNCH_UNSAID, /* no chip was named */
    DEPENDENT_LAUNCH_CAN,
    DEPENDENT_LAUNCH_CANNOT,
    DEPENDENT_LAUNCH_MIXED /* not all chips are known, or they differ */
};

/* Can the chip with that name and that major number of its compute capability (below 0: unknown)? Others than NVIDIA
 * have such numbers, too. */
enum dependent_launch dependent_launch_of_chip(const char *name, int64_t major);

/* Adds what is said of one more chip, or of all of another trace. */
enum dependent_launch dependent_launch_with(enum dependent_launch so_far, enum dependent_launch next);

#endif
