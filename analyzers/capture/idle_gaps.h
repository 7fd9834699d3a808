/* idle_gaps.h - when does a device run no kernel, and who is to blame?
 *
 * From the first start to the last end of a device's GPU work every nanosecond
 * is one of: a kernel runs; only copies run; only memsets run; only migrations
 * run; nothing runs. All but the first are cut into gaps, each with one cause (docs/stats.md), so
 * the causes add up exactly. One sweep over work sorted by start; memory for
 * what is concurrent and for the last calls of each thread. */
#ifndef CPPROF_IDLE_GAPS_H
#define CPPROF_IDLE_GAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"
#include "core/trace/event_stream.h"

enum gap_cause {
    GAP_HOST_LATE,  /* most of the gap passed before the call of the next operation had returned */
    GAP_SYNC,       /* ... and its thread had waited in the gap, for at least half as long as the gap is */
    GAP_DEPENDENCY, /* it was launched in time: the operation waited on the device */
    GAP_COPY,       /* only copies ran; from here on in the order of enum transfer_class */
    GAP_MEMSET,     /* only memsets ran */
    GAP_MIGRATION,  /* only migrations ran */
    GAP_UNKNOWN,    /* the next operation's call is not in the trace */
    GAP_CAUSES
};

const char *gap_cause_name(enum gap_cause cause); /* "host late" */
const char *gap_cause_only(enum gap_cause cause); /* the same, but "only copies" */
const char *gap_cause_key(enum gap_cause cause);  /* "host_late": for JSON */
bool gap_cause_is_work(enum gap_cause cause);     /* something ran: its class is cause - GAP_COPY */

enum { GAPS_SHOWN = 10, GAPS_DEVICES_MAX = 16384, GAPS_RUNNING_MAX = 1 << 20 /* operations at once */ };

/* An operation on a GPU beside a gap. */
struct gap_neighbour {
    bool is_there;
    bool is_pageable;  /* a copy from or to such memory */
    bool communicates; /* a copy between GPUs that is part of a collective */
    uint16_t kind;     /* enum cpprof_event_kind */
    uint32_t name;     /* string ids of the stream */
    uint32_t detail;
    uint32_t stream;
};

struct gap_call {
    uint32_t name; /* string id of the stream */
    int64_t start_ns, end_ns;
};

struct idle_gap {
    int64_t start_ns, end_ns;
    enum gap_cause cause;
    struct gap_neighbour before, after; /* the one that ended last, the one that ends the gap */
    struct gap_neighbour work;          /* of a cause with a class: what ran; of several the one that started last */
    /* The call that started the operation behind the gap, when it is known. */
    bool has_call;
    struct gap_call call;
    struct gap_call wait; /* GAP_SYNC: the call in which the thread waited */
    /* GAP_DEPENDENCY: work of another device of the same trace that ended in the gap, the last of it. */
    bool has_other;
    int32_t other_rank, other_device;
    struct gap_neighbour other;
};

struct gaps_device {
    int32_t rank;   /* -1 when unknown */
    int32_t device; /* -1 when unknown */
    int64_t operations;
    int64_t first_start_ns, last_end_ns;
    int64_t kernel_ns;            /* at least one kernel runs */
    int64_t unrecorded_ns;        /* nothing runs, and recording went on again: no part of the span */
    int64_t cause_ns[GAP_CAUSES]; /* with kernel_ns they add up to the span */
    int64_t cause_count[GAP_CAUSES];
    int64_t paging_ns;        /* of GAP_UNKNOWN: before a migration, which no call starts */
    int64_t communication_ns; /* of GAP_COPY: a copy runs that communicates */
    int64_t pageable_ns;      /* of the rest of GAP_COPY: a copy from or to pageable memory runs */
    int64_t
        starved_ns; /* of the time in which nothing runs: up to the end of the call that starts the next operation */
    int64_t answered_ns;                 /* time in which nothing runs, in gaps whose next call is known */
    struct idle_gap largest[GAPS_SHOWN]; /* the longest first, the earlier of equals first */
    size_t largest_count;
    struct idle_gap longest[GAP_CAUSES]; /* of each cause, the earlier of equals; zeroed where there is none */
};

struct idle_gaps {
    struct gaps_device *items; /* by (rank, device) */
    size_t count, capacity;
    int64_t calls;      /* of the API, in the whole trace */
    int64_t operations; /* finished GPU work in the scope */
};

/* A cause's part of the time without a kernel on a device. */
struct gap_share {
    const char *key, *name; /* of the cause, for JSON and for people; the key is NULL for all causes together */
    int64_t ns, count;
    int64_t no_kernel_ns, span_ns; /* of the device: what it is a share of */
};
struct gap_share gaps_share(const struct gaps_device *d, enum gap_cause cause);
struct gap_share gaps_share_of_all(const struct gaps_device *d);  /* "no kernel" */
struct gap_share gaps_share_of_span(const struct gaps_device *d); /* "span", in no number of gaps */

/* The same of two traces, for what they have side by side. */
struct gap_share_pair {
    struct gap_share a, b;
};

/* Takes one gap of a device, of which only rank and device are known so far. Returns 0 or an error code, which ends the
 * reading. */
typedef int (*gap_take)(void *context, const struct gaps_device *device, const struct idle_gap *gap, struct err *e);

/* Reads the stream from its start. ERR_INPUT when it holds launches only: copies
 * would look like idle time. `out` need not be initialised; release it
 * even after an error. */
int idle_gaps_measure(struct event_stream *stream, struct idle_gaps *out, struct err *e);

/* Does the same, and gives every gap to `take`: those of a device in the order of time. */
int idle_gaps_each(struct event_stream *stream, gap_take take, void *context, struct idle_gaps *out, struct err *e);
void idle_gaps_release(struct idle_gaps *g);
void idle_gaps_sort(struct idle_gaps *g); /* by (rank, device) */

/* Returns the device's gaps; NULL when it had no finished work. */
const struct gaps_device *idle_gaps_device(const struct idle_gaps *g, int32_t rank, int32_t device);

int64_t gaps_span_ns(const struct gaps_device *d);
int64_t gaps_idle_ns(const struct gaps_device *d);      /* nothing runs: as idle() of the rules */
int64_t gaps_no_kernel_ns(const struct gaps_device *d); /* idle, and work that is no kernel */

#endif
