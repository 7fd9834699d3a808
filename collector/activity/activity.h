/* activity.h - a trace of this process: CUPTI activity records into a shard.
 *
 * One session a process (CUPTI's callbacks take no user pointer). CUPTI's
 * threads only queue completed buffers; whoever calls activity_drain decodes
 * them, one thread at a time: cpprof-runner between two phases, the library in
 * a captured program on a thread of its own. No lock is held across a CUPTI
 * call. */
#ifndef CPPROF_ACTIVITY_H
#define CPPROF_ACTIVITY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/shard_writer.h"
#include "collector/activity/decoder.h"
#include "collector/activity/record_kinds.h"
#include "collector/dynload/cupti_api.h"

struct activity_options {
    struct record_choice choice;
    int64_t flush_ns;                /* about how often activity_drain is called */
    size_t waiting_max_bytes;        /* completed buffers beyond are dropped and counted; 0: no limit */
    const char *kernels;             /* pattern as in kernel_filter_init, or NULL */
    const struct range_watch *watch; /* as in decoder_watch, or NULL */
    uint32_t own_thread;             /* the thread that drains, when its calls are no part of the program; else 0 */
};

struct activity_cost {
    uint64_t records;
    uint64_t record_bytes;
    uint64_t unknown_records;
    uint64_t filtered;
    uint64_t dropped;      /* of all kinds; the shard writer has them per kind */
    int64_t decode_ns;     /* CPU time in activity_drain */
    int64_t callbacks_ns;  /* CPU time of CUPTI's threads and the program's in our buffer callbacks */
    uint64_t buffers;      /* lent to CUPTI so far */
    uint64_t lent_buffers; /* that CUPTI has not given back */
    size_t peak_bytes;     /* most memory that buffers took at a time */
};

/* Prepares the session; nothing is recorded before activity_collect. */
int activity_start(const struct cupti_api *api, struct shard_writer *shard, const struct activity_options *options,
                   struct err *e);

/* Switches recording on or off; from any thread, one at a time. */
int activity_collect(bool on, struct err *e);

enum activity_flush {
    ACTIVITY_FLUSH_NONE,   /* only what has completed by itself */
    ACTIVITY_FLUSH_ENDED,  /* and buffers in which all work has ended */
    ACTIVITY_FLUSH_FORCED, /* and the rest: work that still runs arrives unfinished */
};

/* Decodes what has completed and flushes the shard. Buffers behind an error are
 * released, too: their events are counted as dropped. */
int activity_drain(enum activity_flush flush, activity_listener listener, void *context, struct err *e);

/* The last one: forced, and halves of events that still wait for the other one are stored. */
int activity_finish(activity_listener listener, void *context, struct err *e);

/* Whether the program has allocated managed memory, as far as its calls were
 * recorded (record_kinds_watch_managed); for the thread that drains. */
bool activity_has_managed(void);

/* Sleeps until there is something to drain, CUPTI has taken its first buffer,
 * activity_wake, or the moment of CLOCK_MONOTONIC. */
void activity_wait(int64_t until_ns);
void activity_wake(void);

void activity_cost(struct activity_cost *cost);

/* Grows while draining gets on: records are decoded, a flush brings buffers. On
 * any thread; takes no lock. */
uint64_t activity_progress(void);

/* From now on CUPTI gets no buffer and is asked nothing, and what it gives back
 * stays where it is: in a forked child, where every lock may be held by a thread
 * that is not there, and at the end of a program that waits no longer. On any
 * thread; takes no lock. For good, or until activity_release. */
void activity_leave(void);

/* Releases what is the session's own; buffers that CUPTI has stay. For programs
 * in which no callback can come any more. */
void activity_release(void);

#endif
