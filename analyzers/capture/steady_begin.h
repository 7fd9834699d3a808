/* steady_begin.h - when does a program begin to do the same over and over, as its steps behind their warm-up? */
#ifndef CPPROF_STEADY_BEGIN_H
#define CPPROF_STEADY_BEGIN_H

#include <stdint.h>

#include "base/err.h"
#include "trace/event_stream.h"

enum { STEADY_KERNELS_MAX = 1 << 20 };

/* When the second repetition begins of the part that repeats (repeating_part.h), of the device with the first kernel:
 * the first time through, code is loaded. *begin_ns is 0 where there is none, or more kernels than are looked at.
 * Rewinds the stream before; 16 bytes a kernel. */
int steady_begin_find(struct event_stream *stream, int64_t *begin_ns, struct err *e);

#endif
