/* stream_comm.h - what does --comm REGEX name in a stream?
 *
 * Kernels of such names communicate, besides those of core/trace/communication/comm_names.h. Where the copies between
 * GPUs are the collective, no kernel has its name: they communicate where a thread launched them in an NVTX range of
 * its own that has such a name (EVENT_COMMUNICATES). */
#ifndef CPPROF_STREAM_COMM_H
#define CPPROF_STREAM_COMM_H

#include <stdint.h>

#include "core/base/caveat.h"
#include "core/base/err.h"

struct event_stream;

/* ERR_USAGE for a bad regex; NULL is good. */
int comm_regex_check(const char *regex, struct err *e);

/* Besides the first: copies between GPUs, where a range has such a name. */
struct comm_counts {
    int64_t named;            /* kernels and ranges of such a name: 0 or 1 a trace */
    int64_t of_other_threads; /* launched while it was open, by another thread: they do not count */
    int64_t unlaunched;       /* without a known call */
    int64_t doubtful;         /* whose call may be another one's */
};

/* Names them from now on, and rewinds the stream. The regex is copied; NULL: nothing. Call it once per stream. */
int event_stream_name_comm(struct event_stream *s, const char *regex, struct comm_counts *counts, struct err *e);
int comm_counts_note(const struct comm_counts *counts, const char *regex, struct caveat_list *caveats, struct err *e);

#endif
