/* activity.h - records a trace of this process: CUPTI activity records go into a shard.
 *
 * There is one session per process, because CUPTI's callbacks take no user pointer. CUPTI's threads only queue
 * completed buffers. activity_drain decodes them on one thread at a time: in cpprof-runner between two phases, in a
 * captured program on the library's own thread. No lock is held across a CUPTI call. */
#ifndef CPPROF_ACTIVITY_H
#define CPPROF_ACTIVITY_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/activity/decoder.h"
#include "collector/activity/record_kinds.h"
#include "collector/dynload/cupti_api.h"
#include "core/base/err.h"
#include "core/base/shard_writer.h"

struct activity_options {
    struct record_choice choice;
    int64_t flush_ns;                /* how often activity_drain is called, approximately */
    size_t waiting_max_bytes;        /* completed buffers beyond this are dropped and counted; 0: no limit */
    const char *kernels;             /* pattern as in kernel_filter_init, or NULL */
    const struct range_watch *watch; /* as in decoder_watch, or NULL */
    uint32_t own_thread;             /* the thread that drains, if its calls do not belong to the program; else 0 */
};

struct activity_cost {
    uint64_t records;
    uint64_t record_bytes;
    uint64_t unknown_records;
    uint64_t filtered;
    uint64_t dropped;      /* of all kinds; the shard writer counts them by kind */
    int64_t decode_ns;     /* CPU time in activity_drain */
    int64_t callbacks_ns;  /* CPU time of CUPTI's and the program's threads in our buffer callbacks */
    uint64_t buffers;      /* lent to CUPTI so far */
    uint64_t lent_buffers; /* those that CUPTI still has */
    size_t peak_bytes;     /* the most memory that buffers took at one time */
};

/* Prepares the session. Nothing is recorded before activity_collect. */
int activity_start(const struct cupti_api *api, struct shard_writer *shard, const struct activity_options *options,
                   struct err *e);

/* Switches recording on or off. May be called on any thread, by one at a time. */
int activity_collect(bool on, struct err *e);

enum activity_flush {
    ACTIVITY_FLUSH_NONE,   /* only buffers that CUPTI completed by itself */
    ACTIVITY_FLUSH_ENDED,  /* also buffers in which all work has ended */
    ACTIVITY_FLUSH_FORCED, /* also the rest: work that is still running is recorded as unfinished */
};

/* Decodes completed buffers and flushes the shard. After an error the remaining buffers are released, too, and their
 * events are counted as dropped. */
int activity_drain(enum activity_flush flush, activity_listener listener, void *context, struct err *e);

/* Drains for the last time: with a forced flush, and events that still wait for their other half are stored. */
int activity_finish(activity_listener listener, void *context, struct err *e);

/* Has the program allocated managed memory, according to the recorded calls (record_kinds_watch_managed)? Only for the
 * thread that drains. */
bool activity_has_managed(void);

/* Returns the device of the first kernel that was recorded; -1 before. Only for the thread that drains. */
int activity_first_device(void);

/* Sleeps until there is something to drain, CUPTI takes its first buffer, activity_wake is called, or the time
 * `until_ns` of CLOCK_MONOTONIC. */
void activity_wait(int64_t until_ns);
void activity_wake(void);

void activity_cost(struct activity_cost *cost);

/* Returns a number that grows while draining makes progress: records are decoded, or a flush returns buffers. May be
 * called on any thread; takes no lock. */
uint64_t activity_progress(void);

/* Stops all use of CUPTI: it gets no more buffers, and those that it returns stay where they are. For a forked child,
 * where every lock may be held by a thread that does not exist there, and for the end of a program that no longer
 * waits. May be called on any thread; takes no lock. It is final until activity_release. */
void activity_leave(void);

/* Releases the session's own memory; buffers that CUPTI has stay. Only when no callback can come any more. */
void activity_release(void);

#endif
