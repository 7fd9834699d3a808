/* decoder.h - turns CUPTI's buffers into events in a shard, on one thread.
 *
 * Every record that CUPTI delivers is stored or counted: as unknown, as filtered (a kernel that the user did not ask
 * for) or as dropped. Only records of calls that were not asked for are ignored. */
#ifndef CPPROF_DECODER_H
#define CPPROF_DECODER_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/activity/kernel_filter.h"
#include "collector/activity/range_pairs.h"
#include "collector/activity/range_watch.h"
#include "collector/activity/wait_threads.h"
#include "collector/dynload/cupti_api.h"
#include "core/base/err.h"
#include "core/base/shard_writer.h"

/* Called for each decoded event after it was stored in the shard. */
typedef void (*activity_listener)(void *context, const struct cpprof_event *event, const char *name);

struct decoder {
    const struct cupti_api *api;
    struct shard_writer *shard;
    activity_listener listener;
    void *listener_context;
    uint32_t own_thread;     /* calls of the collector's own thread are left out; 0: there is none */
    bool only_calls_of_work; /* calls of kind CPPROF_API_OTHER are not stored */
    bool has_managed;        /* set for good when a call allocates managed memory */
    int32_t first_device;    /* that a kernel ran on; -1: none did yet */
    struct kernel_filter filter;
    struct range_pairs ranges;
    const struct range_watch *watch; /* NULL: all ranges come from CUPTI */
    struct wait_threads waits;
    _Atomic uint64_t records; /* so far; other threads read it to see progress */
    uint64_t record_bytes, unknown_records, filtered;
};

/* `kernel_pattern` is as in kernel_filter_init. */
int decoder_init(struct decoder *d, const struct cupti_api *api, struct shard_writer *shard, const char *kernel_pattern,
                 struct err *e);
void decoder_release(struct decoder *d);

/* Ranges of one name come from `watch`, which must stay valid. Call it before the first record. */
void decoder_watch(struct decoder *d, const struct range_watch *watch);

/* Decodes all records of a buffer. After an error it continues with the rest, and returns the first error. */
int decoder_take(struct decoder *d, uint8_t *bytes, size_t valid_bytes, struct err *e);

/* Ends a round of buffers: stores events that have waited long enough for their other half; with `all`, every one. */
int decoder_end_round(struct decoder *d, bool all, struct err *e);

/* Counts by event kind the records of a buffer that will not be decoded. */
void decoder_count(const struct cupti_api *api, uint8_t *bytes, size_t valid_bytes, uint64_t counts[SHARD_KINDS]);

#endif
