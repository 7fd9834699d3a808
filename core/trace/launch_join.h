/* launch_join.h - joins every operation on a GPU with the call that started it.
 *
 * Calls and work meet by (rank, correlation id) in a record spool: any number of them in bounded memory.
 * (launch_index.h looks up single calls, and keeps them all in memory.) A runtime call may be recorded together with
 * the driver call inside it, each with its own id, and only one of the ids leads to the work. Then the work gets the
 * times of the outer call, which is what the program waited for. */
#ifndef CPPROF_LAUNCH_JOIN_H
#define CPPROF_LAUNCH_JOIN_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/err.h"
#include "core/trace/event_stream.h"

struct launch_join;

/* Work with its call, work without a recorded call, or a call without recorded work. Times and names of a missing part
 * are 0. */
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
    uint32_t part;        /* 0 for the first work of a call, then 1, 2 ... in the order of the starts */
    int16_t rank, device;
    uint16_t kind; /* of the work: enum cpprof_event_kind; 0: there is no work */
    bool has_call;
    bool is_nested;    /* the call is inside another one, or has one inside */
    bool is_pageable;  /* of the work: event_is_pageable (core/trace/event_work.h) */
    bool communicates; /* a copy: EVENT_COMMUNICATES */
    bool is_doubtful; /* several calls have the id, and which started which work is not known: it has none of the two */
};

/* Reads the stream from its start, and twice when it has a scope: work and calls without work come from the scope, the
 * calls of work from anywhere. Unfinished events are left out. The stream must outlive it: when all was given, a caveat
 * there counts the work whose call is not known. */
int launch_join_new(struct launch_join **out, struct event_stream *stream, struct err *e);
void launch_join_free(struct launch_join *j);

/* Gives the next record, sorted by rank and correlation id, and by part within one call. Returns 1, 0 at the end, or an
 * error code. */
int launch_join_next(struct launch_join *j, struct launched *out, struct err *e);
int launch_join_rewind(struct launch_join *j, struct err *e);

/* Returns the number of all calls in the stream: those that start work and others, inside the scope and outside. */
int64_t launch_join_calls(const struct launch_join *j);

#endif
