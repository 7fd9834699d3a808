/* guest_counters.h - the second library, libcpprof_counters.so, which counts instead of tracing, or samples meanwhile.
 *
 * It is next to ours and is loaded only when counters or samples (guest_samples.h) are asked for, so that a trace never
 * carries it. For counters it exports
 *
 *   int cpprof_counters_watch(char *why, size_t why_bytes);
 *   int cpprof_counters_start(const char *directory, const char *metrics, char *why, size_t why_bytes);
 *   void cpprof_counters_finish(void);
 *
 * watch is called when NVTX starts before CUDA: ranges and domains are watched from then on; start reports its failure
 * again. start is called on the program's thread, inside cuInit. `metrics` is a comma-separated list. It returns 0, or
 * another value with the reason in `why`. finish is called once, at the program's exit. */
#ifndef CPPROF_GUEST_COUNTERS_H
#define CPPROF_GUEST_COUNTERS_H

#include "core/base/err.h"

/* Returns the library, for dlsym; NULL when it cannot be loaded. */
void *guest_counters_library(struct err *e);

int guest_counters_start(const char *directory, const char *metrics, struct err *e);

int guest_counters_watch(struct err *e);

/* Does nothing when counting was not started. */
void guest_counters_finish(void);

#endif
