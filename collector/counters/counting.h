/* counting.h - reads hardware counters of kernels that a foreign program launches.
 *
 * CUPTI calls back before and after each launch. The first launches of each wanted kernel are counted by kernel replay:
 * CUPTI runs the kernel once for each pass and restores the memory that it changed, before the launch returns. So
 * launches run one at a time, and durations have no meaning. */
#ifndef CPPROF_COUNTING_H
#define CPPROF_COUNTING_H

#include <stddef.h>

/* Attaches to the program when the scope is an NVTX range, possibly before CUDA starts: domains and ranges that nobody
 * watched are not known later. Returns 0, or another value with the reason in `why`; counting_start returns the same
 * again. Only the first call has an effect. */
int counting_watch(char *why, size_t why_bytes);

/* Attaches to the program if counting_watch has not. `metrics` are names separated by commas; the scope is that of
 * guest_settings.h. Returns 0, or another value with the reason in `why`: then nothing is counted. Later failures are
 * written to counters-<pid>.json in `directory`. */
int counting_start(const char *directory, const char *metrics, char *why, size_t why_bytes);

/* Stops counting. */
void counting_finish(void);

#endif
