/* device_time.h - where did the time of each device go, all of it, and what is to be done first about it? */
#ifndef CPPROF_DEVICE_TIME_H
#define CPPROF_DEVICE_TIME_H

#include <stddef.h>
#include <stdint.h>

#include "analyzers/capture/idle_gaps.h"
#include "core/base/arena.h"
#include "core/trace/class_sets.h"
#include "core/trace/timeline.h"

/* From the first operation of a device to its last one, every nanosecond is in one of these. */
enum device_part {
    DEVICE_COMPUTE,       /* a kernel runs that does not communicate; without such kernels: any kernel */
    DEVICE_COMMUNICATION, /* only kernels and copies that communicate run */
    DEVICE_COPY,          /* only other copies run; from here on in the order of enum transfer_class */
    DEVICE_MEMSET,        /* only memsets run */
    DEVICE_MIGRATION,     /* only migrations run */
    DEVICE_HOST_LATE,     /* nothing runs, by cause (idle_gaps.h) */
    DEVICE_SYNC,
    DEVICE_DEPENDENCY,
    DEVICE_UNKNOWN,
    DEVICE_PARTS
};

struct device_time {
    int32_t rank, device; /* -1 when unknown */
    int64_t span_ns;
    int64_t part_ns[DEVICE_PARTS]; /* they add up to the span */
    int64_t pageable_ns;           /* of DEVICE_COPY: a copy from or to pageable memory runs */
};

/* The last three are measured on the same stream as `g`, or NULL: then kernels that communicate are kernels like
 * others. */
struct device_time device_time_of(const struct gaps_device *g, const struct class_sets *sets,
                                  const struct timeline_query *query, const struct timeline *timeline);

/* A row of the table that adds up: a part, where copies from or to pageable memory have one of their own. */
struct time_part {
    const char *key, *name, *title; /* for JSON, for people, and for the title of a column */
    int64_t ns, span_ns;
};
enum { TIME_PARTS = DEVICE_PARTS + 1 };
void time_parts_of(const struct device_time *t, struct time_part out[TIME_PARTS]);

/* What the columns of devices take as context. */
struct time_context {
    struct arena *arena;
};

/* Which part is to be made smaller first? Inconclusive until the evidence carries more. */
enum first_step_kind {
    STEP_INCONCLUSIVE,  /* evidence is missing or damaged, or there is none */
    STEP_UNKNOWN_CAUSE, /* most of what is lost is idle time whose cause is not in the trace */
    STEP_PART,          /* `part` */
    STEP_KERNELS        /* less than FIRST_STEP_SHARE is lost to any other part */
};

/* Parts below this share of the time are not worth a first step. */
#define FIRST_STEP_SHARE 0.05

struct first_step {
    enum first_step_kind kind;
    enum device_part part;
    int64_t ns, pageable_ns, span_ns; /* of the part, of all devices together */
    int64_t paging_ns;                /* of DEVICE_UNKNOWN: before pages of managed memory move */
    int64_t gaps;                     /* in how many gaps; 0 for communication */
    const struct gaps_device *device; /* the one with most time in the part */
};

/* `is_whole`: nothing of the trace is known to be missing. */
struct first_step first_step_of(const struct idle_gaps *gaps, const struct device_time *times, bool is_whole);

#endif
