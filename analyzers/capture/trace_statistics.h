/* trace_statistics.h - how often, how long, how much: per kernel, copy, memset
 * and API call. docs/stats.md states each definition. */
#ifndef CPPROF_TRACE_STATISTICS_H
#define CPPROF_TRACE_STATISTICS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"
#include "core/trace/duration_groups.h"
#include "core/trace/event_stream.h"
#include "core/trace/parts/trace_measure.h"
#include "core/trace/short_names.h"

enum statistics_section {
    STATISTICS_KERNELS,
    STATISTICS_COPIES, /* from here on in the order of enum transfer_class */
    STATISTICS_MEMSETS,
    STATISTICS_MIGRATIONS, /* of pages of managed memory */
    STATISTICS_API,        /* calls on the host */
    STATISTICS_SECTIONS
};

enum statistics_by {
    STATISTICS_BY_NAME,     /* a row for each name */
    STATISTICS_BY_STREAM,   /* for each kind of work on each stream; of calls for each thread */
    STATISTICS_BY_DEVICE,   /* for each kind of work on each device; of calls for each rank */
    STATISTICS_BY_OPERATOR, /* from here on: for each owner (core/trace/launch_owners.h) */
    STATISTICS_BY_MODULE,
    STATISTICS_BY_FRAME,
    STATISTICS_BY_RANGE,
    STATISTICS_BY_STEP /* on each rank */
};

bool statistics_by_owner(enum statistics_by by);
bool statistics_needs_scopes(enum statistics_by by); /* the stream is opened with its scopes */

enum { STATISTICS_ROWS_MAX = 512 * 1024 }; /* a bound for hostile input: with names and sums about 0.5 KB a row */

struct statistics_row {
    enum statistics_section section;
    uint32_t name;      /* id in the short_names given */
    int32_t rank;       /* -1: unknown, or of all ranks */
    int32_t device;     /* -1: of all devices, unknown, or a call */
    uint32_t context;   /* by stream */
    uint32_t stream;    /* by stream; of calls the thread */
    int64_t unfinished; /* part of nothing else in the row but size_bytes */
    int64_t size_bytes;
    int64_t idle_ns; /* of GPU work by owner: time in which its devices ran nothing until work of the row began; -1 */
    double share;    /* of the total time of GPU work, or of calls; NAN when that is 0 */
    struct duration_summary durations;
};

struct trace_statistics {
    struct statistics_row *items; /* by section, then the largest total first */
    size_t count, capacity;
    enum statistics_by by;
    int64_t section_ns[STATISTICS_SECTIONS]; /* sums of durations */
    int64_t section_count[STATISTICS_SECTIONS];
    int64_t gpu_ns, gpu_count; /* without calls */
    int64_t unfinished;
    int64_t idle_ns; /* by owner: of all rows */
    bool has_ranks;  /* a row has one */
};

/* One pass from the stream's present position. Names go to `names`, which may
 * be shared between traces: demangled, or as recorded when the style is
 * NAMES_MANGLED. `out` need not be initialised; release it even after an error. */
int trace_statistics_measure(struct event_stream *stream, enum statistics_by by, enum name_style style,
                             struct short_names *names, struct trace_statistics *out, struct err *e);
void trace_statistics_release(struct trace_statistics *s);

/* The same by name, stream or device, of traces of which each may be measured where it is read. `result` has it when
 * statistics_parts_finish returns; the caller releases it, and keeps it and the names until the parts are freed. */
struct statistics_parts;
int statistics_parts_new(struct statistics_parts **out, enum statistics_by by, enum name_style style,
                         struct short_names *names, struct trace_statistics *result, struct err *e);
const struct trace_measure *statistics_parts_measure(const struct statistics_parts *p); /* for event_stream_wish */
int statistics_parts_finish(struct statistics_parts *p, struct event_stream *stream, struct err *e);
void statistics_parts_free(struct statistics_parts *p);

/* Does the same by owner, for which the stream is read several times. `step` is the regex of launch_owners_new. */
int trace_statistics_by_owner(struct event_stream *stream, enum statistics_by by, const char *step,
                              struct short_names *names, struct trace_statistics *out, struct err *e);

/* Bytes per second while the operation ran; NAN without bytes or time. */
double statistics_bandwidth(const struct statistics_row *row);

/* The same row of two traces; one of them is NULL when it occurs in one only. */
struct statistics_pair {
    const struct statistics_row *a, *b;
};

struct statistics_pairs {
    struct statistics_pair *items; /* by section, then the larger total first */
    size_t count, capacity;
};

/* Rows are the same when section, name, rank, device and stream are; both were
 * measured with the same names. Release even after an error. */
int statistics_pairs_make(struct statistics_pairs *out, const struct trace_statistics *a,
                          const struct trace_statistics *b, struct short_names *names, struct err *e);
void statistics_pairs_release(struct statistics_pairs *pairs);

#endif
