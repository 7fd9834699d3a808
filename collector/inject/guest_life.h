/* guest_life.h - the life of the collector in a foreign program.
 *
 * The program's threads only start it, run CUPTI's callbacks for it and, at exit, wait for its one thread. That thread
 * does everything else: it decodes, writes and reports. Whatever fails, the program goes on as if the library were not
 * there. */
#ifndef CPPROF_GUEST_LIFE_H
#define CPPROF_GUEST_LIFE_H

/* Starts recording when the environment asks for it. Only the first call has an effect. */
void guest_start(void);

/* Called when NVTX starts, possibly before CUDA. From here on the library watches for the range that is asked for. */
void guest_watch_ranges(void);

/* Returns the libcupti that guest_start uses, or would use; NULL when there is none. */
void *guest_cupti_library(void);

#endif
