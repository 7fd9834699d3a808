/* recorded_graph.h - what did each operation of a GPU and each call of the host wait for?
 *
 * Nodes are calls and operations, as recorded. An operation starts after the one before it on its stream, after its
 * call, and perhaps after work of another stream. A call follows the call before it on its thread, and may end only
 * when work has ended. What a trace does not record (which event a stream waits for, say) is concluded from times, and
 * marked: an edge that is sure, one that may be there, or none, where it is not known what a node waited for. */
#ifndef CPPROF_RECORDED_GRAPH_H
#define CPPROF_RECORDED_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzers/dependencies/dependency_rows.h"
#include "core/base/array.h"
#include "core/base/err.h"
#include "core/trace/event_stream.h"

/* Calls and operations together. A graph takes at most 256 MiB. */
enum { GRAPH_NODES_MAX = 1 << 20 };

#define GRAPH_NONE UINT32_MAX

/* What a node may have waited for, of which no two are on one stream. */
enum { GRAPH_SOURCES = 3 };

enum call_flag {
    CALL_WAITS = 1 << 0,  /* it ends after work */
    CALL_UNSURE = 1 << 1, /* or it took so long for another reason */
    CALL_WAITS_FOR_ALL = 1 << 2,
    CALL_UNEXPLAINED = 1 << 3, /* it synchronises, and no work ended in it */
    CALL_IN_TURN = 1 << 4,     /* a call of another thread ended in the gap before it */
    CALL_TOLD = 1 << 6,        /* it waits for all of `awaited`, and for nothing else: the trace says so */
    CALL_AFTER_WORK = 1 << 5   /* work ended at the end of a long gap before it, which may be an unrecorded wait */
};

enum work_flag {
    WORK_AFTER_CALL = 1 << 0,  /* its call had to end before it */
    WORK_FOLLOWS = 1 << 1,     /* it may have waited for one of `source` */
    WORK_SURE = 1 << 2,        /* it did */
    WORK_OVERLAPS = 1 << 3,    /* `source` is on its own stream, and still ran */
    WORK_UNEXPLAINED = 1 << 4, /* it started late, and it is not known why */
    WORK_WAIT_SEEN = 1 << 5,   /* its stream was told to wait for an event */
    WORK_COLLECTIVE = 1 << 6,
    WORK_BY_BEFORE = 1 << 9,  /* the work before it held it up, */
    WORK_BY_CALL = 1 << 10,   /* or its call */
    WORK_PAGEABLE = 1 << 8,   /* the host moves its data during the call */
    WORK_LATER_PART = 1 << 7, /* of what one call started, as the nodes of a graph */
    WORK_TOLD = 1 << 11       /* it waited for all of `source`: the trace says so */
};

/* Members that are indices are indices of nodes; GRAPH_NONE means that there is no such node. */
struct graph_call {
    int64_t start_ns, end_ns;
    uint32_t process, thread; /* small numbers, from 0 */
    uint32_t name;            /* a string id of the stream */
    uint32_t detail;          /* enum cpprof_api_kind */
    uint32_t correlation;
    uint32_t parts;                  /* operations that it started */
    uint32_t own;                    /* the one that ended last */
    uint32_t before;                 /* the call before it on its thread */
    uint32_t turn;                   /* the call of another thread that ended last before it */
    uint32_t done_before;            /* the work of its process that ended last before it started */
    uint32_t awaited[GRAPH_SOURCES]; /* what it waited for, one of them; before that is decided, what ended last */
    uint32_t queued;                 /* operations that had been launched and had not ended */
    uint32_t flags;                  /* enum call_flag */
};

struct graph_work {
    int64_t start_ns, end_ns;
    int64_t before_lag_ns, call_lag_ns; /* from there to the start: what it was, or what is usual if it was longer */
    int64_t late_ns;                    /* it started so much later than that; 0: it did not */
    uint64_t grid_blocks;               /* of kernels */
    uint32_t copies;                    /* of copies: enum cpprof_copy_kind */
    uint32_t process, stream, queue;    /* small numbers; the queue is the stream as records of waits name it */
    uint32_t name, correlation;
    uint32_t call, before;
    uint32_t source[GRAPH_SOURCES]; /* what it may have waited for, one of them; before that is decided, as above */
    uint32_t meeting;               /* of the collective; GRAPH_NONE: that is not known */
    uint32_t order;                 /* of its launch, among all of its process, from 0 */
    uint16_t kind, flags;
    int16_t rank, device;
};

/* The start or the end of a node. */
struct graph_point {
    int64_t time_ns;
    uint32_t node;
    uint32_t order; /* enum point_order */
};
/* At one time ends come first, except those of nodes of no time. */
enum point_order {
    POINT_WORK_END,
    POINT_CALL_END,
    POINT_CALL_START,
    POINT_WORK_START,
    POINT_CALL_ENDS_AT_ONCE,
    POINT_WORK_ENDS_AT_ONCE
};

struct graph_meeting {
    int64_t last_start_ns, first_end_ns;
    uint32_t members;
};

struct graph_process {
    bool knows_waits;            /* waits of streams were recorded: those that are not there did not happen */
    bool knows_edges;            /* and what they wait for */
    uint32_t devices;            /* with work */
    uint32_t works, first_order; /* how many; those of earlier processes */
};

/* A stream was told to wait for an event. */
struct stream_wait {
    uint32_t queue;
    int64_t time_ns;
};

/* Work of a stream behind a call, or a call itself, waits for what is on another stream before a call
 * (core/base/stream_edge.h). Once works are joined, `from` is one of them, and `to` one or a call. */
struct stream_edge {
    uint32_t queue, correlation; /* of a call: its process */
    uint32_t source_queue, source_correlation;
    uint32_t to, from;
    int64_t from_end_ns;
};

struct recorded_graph { /* starts zeroed */
    ARRAY_OF(struct graph_call) calls;
    ARRAY_OF(struct graph_work) works; /* by start */
    ARRAY_OF(struct stream_wait) waits;
    ARRAY_OF(struct stream_edge) edges, call_edges; /* joined: by `to` */
    ARRAY_OF(struct graph_process) processes;
    struct graph_point *points; /* by time */
    size_t point_count;
    ARRAY_OF(struct graph_meeting) meetings;
    int64_t first_ns, last_ns;     /* of the work */
    int64_t unfinished, uncalled;  /* operations without an end, and without a recorded call */
    enum dependency_reason reason; /* why nothing follows from it */
};

/* Reads the stream, which it rewinds before. Release it even after an error. */
int recorded_graph_read(struct recorded_graph *g, struct event_stream *stream, struct err *e);
/* Finds all edges of what was read. */
int recorded_graph_join(struct recorded_graph *g, const struct strtab *strings, struct err *e);
void recorded_graph_release(struct recorded_graph *g);

#endif
