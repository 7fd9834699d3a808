/* shard_slices.h - where in a shard's file are good events, and what are they?
 *
 * Chunks of events are surveyed slice by slice, several at a time: their sums,
 * their times, their names. Later a slice is loaded again and handed out as
 * events. A slice is read, not mapped: a mapped file that somebody cuts kills
 * the process, a read says so; and a copy that stays in the processor's cache
 * to be summed, checked and used there costs about what mapping the pages does
 * (docs/performance.md). */
#ifndef CPPROF_SHARD_SLICES_H
#define CPPROF_SHARD_SLICES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/pump.h"
#include "cpprof/event.h"
#include "cpprof/shard.h"
#include "trace/object_names.h"

/* How much of the file is held at once, and how many chunks wait to be surveyed. */
enum { SLICE_BYTES = 192 * 1024, CHUNKS_AT_ONCE = 256 };

/* A stretch of good records in the file, within one chunk. */
struct slice {
    uint64_t offset;
    uint32_t records;
    uint32_t events;                       /* of them, those that are handed out */
    uint32_t lone_ends;                    /* and ends of ranges without a beginning, which are not */
    int64_t first_start_ns, last_start_ns; /* the least and the greatest in it */
    int64_t later_start_ns;                /* the least in all slices behind it; for whoever needs it */
};

/* A chunk that waits for its survey, and then what came of it. */
struct slice_chunk {
    uint64_t offset; /* of its payload */
    size_t payload_bytes;
    uint32_t checksum;
    size_t first_slice;
    int trouble; /* 0, or why it could not be read */
    const char *fault;
    bool is_lost; /* the fault is one of the whole chunk */
};

/* What the events' process is in a bundle of several. */
struct shard_identity {
    int16_t rank;           /* of all its events, whatever the header says */
    const int16_t *devices; /* instead of the ordinal that an event has; copied */
    size_t device_count;    /* at most SHARD_DEVICES_MAX; larger ordinals stay as they are */
};
enum { SHARD_DEVICES_MAX = 64 };

/* Where a shard stands. */
struct shard_file {
    int fd;
    const char *path; /* in messages */
    bool stays_open;  /* longer than its events are read; else they are read from a descriptor of their own */
};

struct shard_slices {
    int fd;
    bool owns_fd;
    char *path;
    size_t record_bytes;
    int16_t rank;
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
    struct slice_chunk chunks[CHUNKS_AT_ONCE];
    size_t chunk_count;
    struct cpprof_event *places[PUMP_PLACES]; /* SLICE_BYTES each */
};

/* The file stays the caller's. */
int shard_slices_init(struct shard_slices *s, const struct shard_file *file, uint32_t record_bytes, int32_t rank,
                      struct err *e);
void shard_slices_release(struct shard_slices *s);

/* Before the first chunk. */
void shard_slices_identify(struct shard_slices *s, const struct shard_identity *identity);

/* Puts a chunk on the list, whose payload stands at `offset`; the list must not be full. */
int shard_slices_add_chunk(struct shard_slices *s, const struct cpprof_chunk_header *chunk, uint64_t offset,
                           struct err *e);
bool shard_slices_list_is_full(const struct shard_slices *s);

/* Surveys what is on the list and empties it. The first chunk that is bad ends
 * what is good: *fault says why, *offset is where its payload stands. Records
 * before one that makes no sense are still good; NULL when all are. */
int shard_slices_survey(struct shard_slices *s, const char **fault, uint64_t *offset, struct err *e);

/* What the shard says of a named object becomes what events of it have: rank,
 * device, string. False for an id that no string chunk has named. */
bool shard_slices_adopt_name(const struct shard_slices *s, struct object_name *name);

/* Records of kinds that are not known; they are left out. */
uint64_t shard_slices_unknown(const struct shard_slices *s);

/* Ends of NVTX ranges that had begun before recording did: a range of no length
 * and no name would be a claim. They are left out. */
uint64_t shard_slices_lone_ends(const struct shard_slices *s);

/* Loads slice i into the place of i modulo PUMP_PLACES, its events in order. Any
 * thread may. 0, or the trouble that there is: most of all, that the slice is no
 * longer what was surveyed. */
int shard_slices_load(const struct shard_slices *s, size_t i);

/* ERR_INPUT and what the trouble is. */
int shard_slices_set_error(const struct shard_slices *s, int trouble, struct err *e);

#endif
