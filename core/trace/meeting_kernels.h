/* meeting_kernels.h - which collectives end nowhere before every rank came? */
#ifndef CPPROF_MEETING_KERNELS_H
#define CPPROF_MEETING_KERNELS_H

#include <stdbool.h>

/* Does every rank need data of all others, by the kernel's name? "ncclDevKernel_AllReduce_Sum_f32_RING_LL",
 * "two_shot_all_reduce_kernel". */
bool meeting_kernel_is_of_all(const char *name);

#endif
