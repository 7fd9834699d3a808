/* launch_join.h - every operation on a GPU together with the call that started it.
 *
 * Calls and work meet by (rank, correlation id) in a record spool: any number
 * of them in bounded memory. (launch_index.h looks single calls up, and keeps
 * them all in memory.) A runtime call may be recorded together with the driver
 * call inside it, each with an id of its own, of which one leads to the work:
 * the work then has the times of the outer call, which the caller paid. */
#ifndef CPPROF_LAUNCH_JOIN_H
#define CPPROF_LAUNCH_JOIN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "trace/event_stream.h"

struct launch_join;

/* Work with its call, work without a recorded call, or a call of which no work
 * was recorded. Times and names of what is not there are 0. */
struct launched {
    int64_t call_start_ns, call_end_ns;
    int64_t start_ns, end_ns; /* of the work */
    uint64_t size_bytes;      /* of copies */
    uint64_t grid_blocks;     /* of kernels */
    uint32_t call_name, name; /* string ids of the stream */
    uint32_t correlation;
    uint32_t thread; /* of the call */
    uint32_t context, stream;
    uint32_t call_detail; /* enum cpprof_api_kind */
    uint32_t detail;      /* of the work */
    uint32_t part;        /* 0 for the first work of a call, then 1, 2 ... in the order of their starts */
    int16_t rank, device;
    uint16_t kind; /* of the work: enum cpprof_event_kind, 0 for none */
    bool has_call;
    bool is_nested;   /* a call inside another one, or around one */
    bool is_pageable; /* of the work: event_is_pageable (selector.h) */
};

/* Reads the stream, from its start and twice when it has a scope: work and lone
 * calls are taken from the scope, the calls of work from anywhere. Unfinished
 * events take no part. */
int launch_join_new(struct launch_join **out, struct event_stream *stream, struct err *e);
void launch_join_free(struct launch_join *j);

/* 1 and a record, 0 at the end, or an error code: by rank and correlation id,
 * and by part within one call. */
int launch_join_next(struct launch_join *j, struct launched *out, struct err *e);
int launch_join_rewind(struct launch_join *j, struct err *e);

/* How many calls the stream has, whether they start work or not, in its scope and outside. */
int64_t launch_join_calls(const struct launch_join *j);

#endif
