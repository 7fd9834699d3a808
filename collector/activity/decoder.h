/* decoder.h - from CUPTI's buffers to events in a shard, on one thread.
 *
 * Every record that CUPTI delivers is stored, or counted: as not known, as
 * filtered (the user did not ask for that kernel) or as dropped. Only calls of
 * which no records were asked for are passed over. */
#ifndef CPPROF_DECODER_H
#define CPPROF_DECODER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "base/shard_writer.h"
#include "collector/activity/kernel_filter.h"
#include "collector/activity/range_pairs.h"
#include "collector/activity/range_watch.h"
#include "collector/activity/wait_threads.h"
#include "collector/dynload/cupti_api.h"

/* Called for each decoded event, after it went to the shard. */
typedef void (*activity_listener)(void *context, const struct cpprof_event *event, const char *name);

struct decoder {
    const struct cupti_api *api;
    struct shard_writer *shard;
    activity_listener listener;
    void *listener_context;
    uint32_t own_thread;     /* calls of the collector itself are no part of the program; 0: none */
    bool only_calls_of_work; /* calls of kind CPPROF_API_OTHER are not stored */
    bool has_managed;        /* set for good when a call has allocated managed memory */
    struct kernel_filter filter;
    struct range_pairs ranges;
    const struct range_watch *watch; /* NULL: CUPTI alone tells of ranges */
    struct wait_threads waits;
    _Atomic uint64_t records; /* so far; other threads look whether it grows */
    uint64_t record_bytes, unknown_records, filtered;
};

/* `kernel_pattern` as in kernel_filter_init. */
int decoder_init(struct decoder *d, const struct cupti_api *api, struct shard_writer *shard, const char *kernel_pattern,
                 struct err *e);
void decoder_release(struct decoder *d);

/* Ranges of one name are `watch`'s to tell, which must stay. Before the first record. */
void decoder_watch(struct decoder *d, const struct range_watch *watch);

/* All records of a buffer. After an error (the first is told) it goes on with the rest. */
int decoder_take(struct decoder *d, uint8_t *bytes, size_t valid_bytes, struct err *e);

/* After a round of buffers: what waited for its other half long enough; with `all`, everything. */
int decoder_end_round(struct decoder *d, bool all, struct err *e);

/* Counts the records of a buffer that will not be decoded, per event kind. */
void decoder_count(const struct cupti_api *api, uint8_t *bytes, size_t valid_bytes, uint64_t counts[SHARD_KINDS]);

#endif
