/* recording_note.h - may times have what ranks waited for until all of them were recorded? */
#ifndef CPPROF_RECORDING_NOTE_H
#define CPPROF_RECORDING_NOTE_H

#include "core/base/err.h"
#include "core/trace/event_stream.h"
#include "core/trace/stream_scope.h"

/* What is asked of the trace. Without the first kernels, statistics of kernels lose the wait for the profiler. Overlap
 * and gaps keep it, as time without work. */
enum recording_question { RECORDING_OF_KERNELS, RECORDING_OF_TIME };

/* Adds a note when recording of ranks that communicate began apart, as those of PyTorch do, unless the scope leaves the
 * beginning out. Call it when the stream was read. */
int recording_note(struct event_stream *s, const struct stream_scope *scope, enum recording_question question,
                   struct err *e);

#endif
