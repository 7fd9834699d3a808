/* guest_life.h - the collector's life in somebody else's program.
 *
 * The program's threads only start it, lend it CUPTI's callbacks and, at exit,
 * wait for its one thread, which does everything else: decode, write, report.
 * Whatever fails, the program goes on as if the library were not there. */
#ifndef CPPROF_GUEST_LIFE_H
#define CPPROF_GUEST_LIFE_H

/* Starts recording when the environment asks for it; only the first call does anything. */
void guest_start(void);

/* NVTX begins, perhaps before CUDA: from here on a range that is asked for is looked for. */
void guest_watch_ranges(void);

/* The libcupti that guest_start uses, or would use; NULL for none. */
void *guest_cupti_library(void);

#endif
