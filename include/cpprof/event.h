/* event.h - what is one thing that happened on a GPU or in the CUDA API?
 *
 * The same 96-byte record is used in memory and on disk (little-endian, no padding; docs/formats.md lists it byte by
 * byte). Times are signed 64-bit nanoseconds on one clock per process. end_ns >= start_ns, unless the flag
 * CPPROF_EVENT_UNFINISHED is set: then end_ns has no meaning. */
#ifndef CPPROF_EVENT_H
#define CPPROF_EVENT_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum cpprof_event_kind {
    CPPROF_EVENT_KERNEL = 1, /* detail: blocks of a cluster, x | y << 8 | z << 16; 0 = no clusters */
    CPPROF_EVENT_COPY = 2,   /* detail: enum cpprof_copy_kind */
    CPPROF_EVENT_MEMSET = 3,
    CPPROF_EVENT_MIGRATION = 4, /* unified-memory page migration; detail: enum cpprof_copy_kind */
    CPPROF_EVENT_API = 5,       /* CUDA runtime or driver call on the host; detail: enum cpprof_api_kind */
    CPPROF_EVENT_SYNC = 6,      /* a wait for a stream, event or context; detail: enum cpprof_sync_kind */
    CPPROF_EVENT_RANGE = 7,     /* NVTX range on a host thread; detail: string id of the domain, 0 = default */
    CPPROF_EVENT_OVERHEAD = 8   /* time that the collector or driver reports as its own */
};

enum cpprof_copy_kind {
    CPPROF_COPY_UNKNOWN = 0,
    CPPROF_COPY_H2D = 1,
    CPPROF_COPY_D2H = 2,
    CPPROF_COPY_D2D = 3, /* within one device */
    CPPROF_COPY_P2P = 4, /* between two devices */
    CPPROF_COPY_H2H = 5
};

enum cpprof_api_kind {
    CPPROF_API_OTHER = 0,
    CPPROF_API_LAUNCH = 1, /* starts a kernel or a graph */
    CPPROF_API_COPY = 2,   /* starts a copy or a memset */
    CPPROF_API_SYNC = 3    /* waits for work */
};

enum cpprof_sync_kind {
    CPPROF_SYNC_UNKNOWN = 0,
    CPPROF_SYNC_EVENT = 1,
    CPPROF_SYNC_STREAM_EVENT = 2, /* a stream waits for an event, and the host goes on */
    CPPROF_SYNC_STREAM = 3,
    CPPROF_SYNC_CONTEXT = 4
};

enum cpprof_event_flag {
    CPPROF_EVENT_UNFINISHED = 1u << 0,   /* still running when it was recorded */
    CPPROF_EVENT_SRC_PAGEABLE = 1u << 1, /* copies: source is pageable host memory */
    CPPROF_EVENT_DST_PAGEABLE = 1u << 2,
    CPPROF_EVENT_DRIVER_API = 1u << 3, /* API: a driver call (else a runtime call) */
    CPPROF_EVENT_WHOLE_GRAPH = 1u << 4 /* kernel: one launch of a whole CUDA graph; graph_node: its id << 32 */
};

/* Fields that do not apply are 0. device and rank are -1 when they are unknown or do not apply (API calls). */
struct cpprof_event {
    int64_t start_ns;
    int64_t end_ns;
    uint64_t size_bytes; /* copies, memsets, migrations */
    uint16_t kind;       /* enum cpprof_event_kind */
    uint16_t flags;      /* enum cpprof_event_flag */
    uint32_t name;       /* string id; 0 = none */
    int16_t device;      /* CUDA device ordinal */
    int16_t rank;        /* process rank; -1 on disk, set by a reader of several shards */
    uint32_t context;
    uint32_t stream;
    uint32_t correlation;          /* joins an API call with the work it started; 0 = none */
    uint32_t thread;               /* host thread (API, sync, ranges) */
    uint32_t grid[3];              /* kernels, in blocks */
    uint16_t block[3];             /* kernels, in threads */
    uint16_t registers;            /* per thread */
    uint32_t shared_static_bytes;  /* per block */
    uint32_t shared_dynamic_bytes; /* per block */
    uint32_t local_bytes;          /* per thread */
    uint32_t detail;               /* see enum cpprof_event_kind */
    uint64_t graph_node;           /* CUDA graph node id; 0 = not from a graph */
};

#ifdef __cplusplus
static_assert(sizeof(struct cpprof_event) == 96, "the on-disk event record is 96 bytes");
}
#else
_Static_assert(sizeof(struct cpprof_event) == 96, "the on-disk event record is 96 bytes");
#endif

#endif
