/* shard_slices.h - which parts of a shard's file have good events, and what are they?
 *
 * Chunks of events are surveyed slice by slice, several at a time: their checksums, times and names. Later each slice
 * is loaded again and gives its events. A slice is read and not mapped: when a mapped file is truncated the process is
 * killed, while a read returns an error. A copy that stays in the processor's cache, to be summed, checked and used
 * there, costs about as much as mapping the pages (docs/performance.md). */
#ifndef CPPROF_SHARD_SLICES_H
#define CPPROF_SHARD_SLICES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"
#include "core/base/pump.h"
#include "core/trace/object_names.h"
#include "cpprof/event.h"
#include "cpprof/shard.h"

/* How much of the file is held at once, and how many chunks may wait for their survey. */
enum { SLICE_BYTES = 192 * 1024, CHUNKS_AT_ONCE = 256 };

/* A stretch of good records in the file, within one chunk. */
struct slice {
    uint64_t offset;
    uint32_t records;
    uint32_t events;                       /* those of the records that become events */
    uint32_t lone_ends;                    /* ends of ranges without a beginning, which are left out */
    bool has_peer_copies;                  /* some are copies between GPUs */
    uint64_t devices;                      /* bit i: it has GPU work on device i of the bundle */
    int64_t first_start_ns, last_start_ns; /* the smallest and the largest in it */
    int64_t later_start_ns;                /* the smallest in all later slices, for users that need it */
};

/* A chunk that waits for its survey, and then its result. */
struct slice_chunk {
    uint64_t offset; /* where its payload begins */
    size_t payload_bytes;
    uint32_t checksum;
    size_t first_slice;
    int trouble; /* 0, or why it could not be read */
    const char *fault;
    bool is_lost; /* the fault concerns the whole chunk */
};

/* Which rank and devices the process of the events has in a bundle of several processes. */
struct shard_identity {
    int16_t rank;           /* rank of all its events, whatever the header states */
    const int16_t *devices; /* devices by the ordinal that an event has; copied */
    size_t device_count;    /* at most SHARD_DEVICES_MAX; larger ordinals stay as they are */
    bool is_misnumbered;    /* the places of its collectives contradict one another */
    bool hides_kernels;     /* some ran that no record shows: its events say it (EVENT_OF_HIDDEN) */
};
enum { SHARD_DEVICES_MAX = 64 };

/* An open shard. */
struct shard_file {
    int fd;
    const char *path; /* for messages */
    bool stays_open;  /* longer than its events are read; otherwise a descriptor of their own is used */
};

struct shard_slices {
    int fd;
    bool owns_fd;
    char *path;
    size_t record_bytes;
    int16_t rank;
    uint16_t flags; /* of all its events, besides their own */
    int16_t devices[SHARD_DEVICES_MAX];
    size_t device_count;
    struct {
        uint32_t *items; /* the sink's id of string i + 1 of the shard */
        size_t count, capacity;
    } strings;
    struct {
        struct slice *items;
        size_t count, capacity;
    } slices;
    struct {
        uint32_t *items; /* correlation ids of copies that are part of a collective, sorted */
        size_t count, capacity;
    } comm_copies;
    struct slice_chunk chunks[CHUNKS_AT_ONCE];
    size_t chunk_count;
    bool is_alone;                            /* no pump of it has a thread, and all places are one */
    struct cpprof_event *places[PUMP_PLACES]; /* SLICE_BYTES each */
};

/* The caller keeps the file. */
int shard_slices_init(struct shard_slices *s, const struct shard_file *file, uint32_t record_bytes, int32_t rank,
                      struct err *e);
void shard_slices_release(struct shard_slices *s);

/* Call it before the first chunk. */
void shard_slices_identify(struct shard_slices *s, const struct shard_identity *identity);

/* Translates a shard's string id to the sink's. Returns false for an id that no string chunk defined. */
bool shard_slices_translate(const struct shard_slices *s, uint32_t *id);

/* Returns the device of the bundle for an ordinal of the process; -1 when it is not known. */
int shard_slices_device(const struct shard_slices *s, int ordinal);

/* Adds a chunk, whose payload begins at `offset`, to the list, which must not be full. */
int shard_slices_add_chunk(struct shard_slices *s, const struct cpprof_chunk_header *chunk, uint64_t offset,
                           struct err *e);
bool shard_slices_list_is_full(const struct shard_slices *s);

/* Surveys the chunks on the list and empties it. The first bad chunk ends the good part: *fault becomes the reason,
 * NULL when all are good, and *offset is where its payload begins. Records before an impossible one are still good. */
int shard_slices_survey(struct shard_slices *s, const char **fault, uint64_t *offset, struct err *e);

/* Translates the name of an object into the stream's ids, as for events: rank, device, string. Returns false for a
 * string id that no string chunk defined. */
bool shard_slices_adopt_name(const struct shard_slices *s, struct object_name *name);

/* Returns how many records had an unknown kind; they are left out. */
uint64_t shard_slices_unknown(const struct shard_slices *s);

/* Returns how many ends of NVTX ranges belong to ranges that began before the recording. They are left out: a range
 * without length and name would claim something that was not seen. */
uint64_t shard_slices_lone_ends(const struct shard_slices *s);

/* Bit i: the shard has GPU work on device i of the bundle. Only the first 64 are known. */
uint64_t shard_slices_devices(const struct shard_slices *s);

/* Has it copies between GPUs? Those with one of the ids that are added, and sorted before the next slice is loaded,
 * are part of a collective (EVENT_COMMUNICATES). */
bool shard_slices_have_peer_copies(const struct shard_slices *s);
int shard_slices_add_comm_copy(struct shard_slices *s, uint32_t correlation);
void shard_slices_sort_comm_copies(struct shard_slices *s);

/* Starts a pump that uses the places. */
void shard_slices_start_pump(const struct shard_slices *s, struct pump *p, size_t count, pump_make *make,
                             void *context);

/* Loads slice i into place i modulo PUMP_PLACES, with its events in order. May be called by any thread. Returns 0 or
 * the trouble, usually that the file has changed since the survey. */
int shard_slices_load(const struct shard_slices *s, size_t i);

/* Returns ERR_INPUT with a description of the trouble. */
int shard_slices_set_error(const struct shard_slices *s, int trouble, struct err *e);

#endif
