/* counting.h - hardware counters of kernels that somebody else's program launches.
 *
 * CUPTI tells of each launch before it happens and after. The first ones of each
 * kernel that is wanted are counted by kernel replay: CUPTI runs the kernel once
 * for each pass and restores the memory it has changed, before the launch
 * returns. So one launch happens at a time, and no duration means anything. */
#ifndef CPPROF_COUNTING_H
#define CPPROF_COUNTING_H

#include <stddef.h>

/* Attaches to the program when the scope is an NVTX range, perhaps before CUDA
 * begins: domains and ranges that nobody watched are not known later. 0, or another
 * value and why; counting_start says it again. The first call counts. */
int counting_watch(char *why, size_t why_bytes);

/* Attaches to the program, unless it was done; `metrics` are names with commas, the scope is that of
 * guest_settings.h. 0, or another value and why: then nothing happens any more.
 * What cannot be had afterwards is told in counters-<pid>.json in `directory`. */
int counting_start(const char *directory, const char *metrics, char *why, size_t why_bytes);

/* No launch is looked at any more. */
void counting_finish(void);

#endif
