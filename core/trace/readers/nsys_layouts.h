/* nsys_layouts.h - the tables of 'nsys stats' that can be read. Each has its own file. */
#ifndef CPPROF_NSYS_LAYOUTS_H
#define CPPROF_NSYS_LAYOUTS_H

#include "core/trace/readers/nsys_table.h"

extern const struct nsys_layout nsys_gpu_layout;  /* cuda_gpu_trace, gputrace: what ran on the GPU */
extern const struct nsys_layout nsys_api_layout;  /* cuda_api_trace: calls on the host */
extern const struct nsys_layout nsys_exec_layout; /* cuda_kern_exec_trace: launches and their kernels */

#endif
