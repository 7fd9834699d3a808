/* counting.h - hardware counters of kernels that somebody else's program launches.
 *
 * CUPTI tells of each launch before it happens and after. The first ones of each
 * kernel that is wanted are counted by kernel replay: CUPTI runs the kernel once
 * for each pass and restores the memory it has changed, before the launch
 * returns. So one launch happens at a time, and no duration means anything. */
#ifndef CPPROF_COUNTING_H
#define CPPROF_COUNTING_H

/* Reads the environment (CPPROF_METRICS and the scope of guest_settings.h) and
 * attaches to the program. What cannot be had is told in counters-<pid>.json. */
int counting_start(void);

#endif
