/* nsys_gpu_trace.h - the gpu trace table of 'nsys stats' as CSV. */
#ifndef CPPROF_NSYS_GPU_TRACE_H
#define CPPROF_NSYS_GPU_TRACE_H

#include <stdbool.h>
#include <stddef.h>

/* True for the line that names the columns of the table. */
bool nsys_gpu_trace_is_header(const char *line, size_t length);

#endif
