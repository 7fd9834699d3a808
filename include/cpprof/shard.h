/* shard.h - how is a trace-<pid>-<n>.bin file laid out?
 *
 * A shard is a header and then chunks. Each chunk is appended with one write, so that flushed data survives the death
 * of the process:
 *
 *   struct cpprof_shard_header
 *   { struct cpprof_chunk_header, payload_bytes of payload } ...
 *
 * All integers are little-endian. A reader accepts any record_bytes >= 96 (newer writers append fields) and reads the
 * first 96. It ignores chunk types that it does not know. A string chunk stands before the first event or name chunk
 * that uses its ids. The counts of dropped events and of names left out are summed over all their chunks. The checksum
 * is the CRC-32 (zlib) of the payload. The good part of the file ends before the first chunk whose checksum is
 * wrong. */
#ifndef CPPROF_SHARD_H
#define CPPROF_SHARD_H

#include <stdint.h>

#include "cpprof/event.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CPPROF_SHARD_MAGIC   "CPPROFSH"
#define CPPROF_SHARD_VERSION 1u

struct cpprof_shard_header {
    char magic[8];         /* CPPROF_SHARD_MAGIC, no terminator */
    uint32_t version;      /* CPPROF_SHARD_VERSION */
    uint32_t header_bytes; /* offset of the first chunk; 48 in version 1 */
    uint32_t record_bytes; /* size of one event record; 96 in version 1 */
    uint32_t process;      /* pid in the writer's namespace */
    int32_t rank;          /* from the launcher's environment, else -1 */
    uint32_t reserved;     /* 0 */
    int64_t start_ns;      /* the events' clock when the shard was opened */
    int64_t start_unix_ns; /* CLOCK_REALTIME at the same moment */
};

enum cpprof_chunk_type {
    CPPROF_CHUNK_STRINGS = 1, /* { u32 id, u32 bytes, bytes of text } ..., no terminators; ids count up from 1 */
    CPPROF_CHUNK_EVENTS = 2,  /* records of record_bytes each */
    CPPROF_CHUNK_DROPPED = 3, /* { u32 kind (enum cpprof_event_kind, 0 = unknown), u32 0, u64 count } ... */
    CPPROF_CHUNK_END = 4,     /* empty payload: the writer closed the shard normally */
    CPPROF_CHUNK_NAMES = 5,   /* struct cpprof_name_row ...: names that the program gave its streams and threads */
    CPPROF_CHUNK_NAMES_LEFT_OUT = 6, /* u64 count: names that found no room and became "(too many names)" */
    CPPROF_CHUNK_SAMPLES = 7 /* struct cpprof_samples, its units' names, its samples: what a whole GPU did meanwhile */
};

enum cpprof_named_object {
    CPPROF_NAMED_THREAD = 1,
    CPPROF_NAMED_DEVICE = 2,
    CPPROF_NAMED_CONTEXT = 3,
    CPPROF_NAMED_STREAM = 4
};

/* A later row for the same object replaces an earlier one. */
struct cpprof_name_row {
    uint32_t object;  /* enum cpprof_named_object */
    uint32_t context; /* context of a stream, else 0 */
    uint32_t id;      /* thread, device ordinal, context or stream, as in the events */
    uint32_t name;    /* string id */
};

/* The head of a chunk of samples. Then comes the name of each unit, CPPROF_UNIT_BYTES with zeros behind it, and then
 * each sample without padding: u32 begin, u32 taken (ns; the begin counts from begin_ns), u16 for each unit. A share of
 * the unit's peak is a multiple of 1/CPPROF_SHARE_UNIT; CPPROF_SHARE_UNKNOWN is none. Samples are in order. Time
 * between two of them was not sampled. */
struct cpprof_samples {
    int64_t begin_ns; /* on the clock of the events */
    uint32_t count;   /* samples */
    int16_t device;   /* CUDA device ordinal */
    uint16_t units;
};

#define CPPROF_UNIT_BYTES    16
#define CPPROF_SHARE_UNIT    50000
#define CPPROF_SHARE_UNKNOWN 65535

struct cpprof_chunk_header {
    uint32_t type;     /* enum cpprof_chunk_type */
    uint32_t checksum; /* CRC-32 of the payload */
    uint64_t payload_bytes;
};

#ifdef __cplusplus
}
#else
_Static_assert(sizeof(struct cpprof_shard_header) == 48, "the shard header is 48 bytes");
_Static_assert(sizeof(struct cpprof_chunk_header) == 16, "the chunk header is 16 bytes");
_Static_assert(sizeof(struct cpprof_name_row) == 16, "a row of names is 16 bytes");
_Static_assert(sizeof(struct cpprof_samples) == 16, "the head of a chunk of samples is 16 bytes");
#endif

#endif
