/* steady_begin.h - when does a program begin to do the same over and over, as its steps behind their warm-up? */
#ifndef CPPROF_STEADY_BEGIN_H
#define CPPROF_STEADY_BEGIN_H

#include <stdint.h>

#include "core/base/err.h"
#include "core/trace/event_stream.h"

enum { STEADY_KERNELS_MAX = 1 << 20 };

/* Finds when the part that repeats (repeating_part.h) begins for the second time, on the device of the first kernel.
 * Code is loaded during the first time. *begin_ns is 0 if nothing repeats, or if there are more than STEADY_KERNELS_MAX
 * kernels. Rewinds the stream first. Takes 16 bytes of memory a kernel. */
int steady_begin_find(struct event_stream *stream, int64_t *begin_ns, struct err *e);

#endif
