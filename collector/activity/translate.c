/* Which event is a CUPTI activity record? */
#include "collector/activity/translate.h"

#include <stdio.h>
#include <string.h>

/* Newer records have what we read where 12.4 has it (cupti_versions.h). */
#if CUPTI_API_VERSION >= 130000
#define SAME(old, new, member)                                                                                         \
    _Static_assert(offsetof(old, member) == offsetof(new, member) &&                                                   \
                       sizeof((old){0}.member) == sizeof((new){0}.member),                                             \
                   #new " has " #member " in another place")
#define SAME_KERNEL(member) SAME(cupti_kernel_record, CUpti_ActivityKernel10, member)
#define SAME_COPY(member)   SAME(cupti_copy_record, CUpti_ActivityMemcpy6, member)
#define SAME_WAIT(member)   SAME(cupti_wait_record, CUpti_ActivitySynchronization2, member)
#define SAME_MOVE(member)   SAME(cupti_managed_record, CUpti_ActivityUnifiedMemoryCounter3, member)
#define SAME_WORK(of)                                                                                                  \
    of(start);                                                                                                         \
    of(end);                                                                                                           \
    of(deviceId);                                                                                                      \
    of(contextId);                                                                                                     \
    of(streamId);                                                                                                      \
    of(correlationId);                                                                                                 \
    of(graphNodeId)
SAME_WORK(SAME_KERNEL);
SAME_KERNEL(name);
SAME_KERNEL(gridX);
SAME_KERNEL(gridZ);
SAME_KERNEL(blockX);
SAME_KERNEL(blockZ);
SAME_KERNEL(registersPerThread);
SAME_KERNEL(staticSharedMemory);
SAME_KERNEL(dynamicSharedMemory);
SAME_KERNEL(localMemoryPerThread);
SAME_KERNEL(clusterX);
SAME_KERNEL(clusterZ);
SAME_WORK(SAME_COPY);
SAME_COPY(copyKind);
SAME_COPY(srcKind);
SAME_COPY(dstKind);
SAME_COPY(bytes);
SAME_WAIT(start);
SAME_WAIT(end);
SAME_WAIT(contextId);
SAME_WAIT(streamId);
SAME_WAIT(correlationId);
SAME_WAIT(type);
SAME_MOVE(counterKind);
SAME_MOVE(value);
SAME_MOVE(start);
SAME_MOVE(end);
SAME_MOVE(srcId);
SAME_MOVE(dstId);
SAME_MOVE(streamId);
#endif

/* A forced flush delivers a running kernel with end 0 (and start 0 before it ran). */
static void set_times(struct cpprof_event *event, uint64_t start, uint64_t end)
{
    event->start_ns = (int64_t)start;
    event->end_ns = (int64_t)end;
    if (end < start || !end) {
        event->flags |= CPPROF_EVENT_UNFINISHED;
        event->end_ns = event->start_ns;
    }
}

/* Clusters have at most 16 blocks, so each side fits in a byte. 0 for a launch without clusters. */
static uint32_t cluster_size(const cupti_kernel_record *k)
{
    if (k->clusterX > 255 || k->clusterY > 255 || k->clusterZ > 255 || k->clusterX * k->clusterY * k->clusterZ < 2)
        return 0;
    return k->clusterX | k->clusterY << 8 | k->clusterZ << 16;
}

static void convert_kernel(const cupti_kernel_record *from, struct shard_writer *shard, struct cpprof_event *to)
{
    to->kind = CPPROF_EVENT_KERNEL;
    set_times(to, from->start, from->end);
    to->name = shard_writer_string(shard, from->name);
    to->device = (int16_t)from->deviceId;
    to->context = from->contextId;
    to->stream = from->streamId;
    to->correlation = from->correlationId;
    to->grid[0] = (uint32_t)from->gridX;
    to->grid[1] = (uint32_t)from->gridY;
    to->grid[2] = (uint32_t)from->gridZ;
    to->block[0] = (uint16_t)from->blockX;
    to->block[1] = (uint16_t)from->blockY;
    to->block[2] = (uint16_t)from->blockZ;
    to->registers = from->registersPerThread;
    to->shared_static_bytes = (uint32_t)from->staticSharedMemory;
    to->shared_dynamic_bytes = (uint32_t)from->dynamicSharedMemory;
    to->local_bytes = from->localMemoryPerThread;
    to->detail = cluster_size(from);
    to->graph_node = from->graphNodeId;
}

/* All work of a graph as one event: traces of whole graphs have this instead of nodes. */
static void convert_graph(const CUpti_ActivityGraphTrace2 *from, struct shard_writer *shard, struct cpprof_event *to)
{
    char name[48];
    snprintf(name, sizeof name, "[CUDA graph %u]", from->graphId);
    to->kind = CPPROF_EVENT_KERNEL;
    to->flags = CPPROF_EVENT_WHOLE_GRAPH;
    set_times(to, from->start, from->end);
    to->name = shard_writer_string(shard, name);
    to->device = (int16_t)from->deviceId;
    to->context = from->contextId;
    to->stream = from->streamId;
    to->correlation = from->correlationId;
    to->graph_node = (uint64_t)from->graphId << 32; /* node ids have the graph's id in their upper half, too */
}

static uint32_t copy_kind(uint8_t kind)
{
    switch (kind) {
    case CUPTI_ACTIVITY_MEMCPY_KIND_HTOD:
    case CUPTI_ACTIVITY_MEMCPY_KIND_HTOA: return CPPROF_COPY_H2D;
    case CUPTI_ACTIVITY_MEMCPY_KIND_DTOH:
    case CUPTI_ACTIVITY_MEMCPY_KIND_ATOH: return CPPROF_COPY_D2H;
    case CUPTI_ACTIVITY_MEMCPY_KIND_DTOD:
    case CUPTI_ACTIVITY_MEMCPY_KIND_ATOA:
    case CUPTI_ACTIVITY_MEMCPY_KIND_ATOD:
    case CUPTI_ACTIVITY_MEMCPY_KIND_DTOA: return CPPROF_COPY_D2D;
    case CUPTI_ACTIVITY_MEMCPY_KIND_PTOP: return CPPROF_COPY_P2P;
    case CUPTI_ACTIVITY_MEMCPY_KIND_HTOH: return CPPROF_COPY_H2H;
    default: return CPPROF_COPY_UNKNOWN;
    }
}

/* The names that nsys uses, so that one pattern fits the traces of both tools. */
static const char *copy_name(uint32_t kind)
{
    static const char *const names[] = {
        [CPPROF_COPY_UNKNOWN] = "[CUDA memcpy]",
        [CPPROF_COPY_H2D] = "[CUDA memcpy Host-to-Device]",
        [CPPROF_COPY_D2H] = "[CUDA memcpy Device-to-Host]",
        [CPPROF_COPY_D2D] = "[CUDA memcpy Device-to-Device]",
        [CPPROF_COPY_P2P] = "[CUDA memcpy Peer-to-Peer]",
        [CPPROF_COPY_H2H] = "[CUDA memcpy Host-to-Host]",
    };
    return names[kind];
}

static uint16_t pageable_flags(uint8_t source, uint8_t destination)
{
    return (uint16_t)((source == CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE ? CPPROF_EVENT_SRC_PAGEABLE : 0) |
                      (destination == CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE ? CPPROF_EVENT_DST_PAGEABLE : 0));
}

static void convert_copy(const cupti_copy_record *from, struct shard_writer *shard, struct cpprof_event *to)
{
    to->kind = CPPROF_EVENT_COPY;
    to->flags = pageable_flags(from->srcKind, from->dstKind);
    set_times(to, from->start, from->end);
    to->detail = copy_kind(from->copyKind);
    to->name = shard_writer_string(shard, copy_name(to->detail));
    to->size_bytes = from->bytes;
    to->device = (int16_t)from->deviceId;
    to->context = from->contextId;
    to->stream = from->streamId;
    to->correlation = from->correlationId;
    to->graph_node = from->graphNodeId;
}

static void convert_peer_copy(const CUpti_ActivityMemcpyPtoP4 *from, struct shard_writer *shard,
                              struct cpprof_event *to)
{
    to->kind = CPPROF_EVENT_COPY;
    set_times(to, from->start, from->end);
    to->detail = CPPROF_COPY_P2P;
    to->name = shard_writer_string(shard, copy_name(to->detail));
    to->size_bytes = from->bytes;
    to->device = (int16_t)from->deviceId;
    to->context = from->contextId;
    to->stream = from->streamId;
    to->correlation = from->correlationId;
    to->graph_node = from->graphNodeId;
}

static void convert_memset(const CUpti_ActivityMemset4 *from, struct shard_writer *shard, struct cpprof_event *to)
{
    to->kind = CPPROF_EVENT_MEMSET;
    to->name = shard_writer_string(shard, "[CUDA memset]");
    set_times(to, from->start, from->end);
    to->size_bytes = from->bytes;
    to->device = (int16_t)from->deviceId;
    to->context = from->contextId;
    to->stream = from->streamId;
    to->correlation = from->correlationId;
    to->graph_node = from->graphNodeId;
}

static uint32_t sync_kind(CUpti_ActivitySynchronizationType type)
{
    switch (type) {
    case CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_EVENT_SYNCHRONIZE: return CPPROF_SYNC_EVENT;
    case CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_WAIT_EVENT: return CPPROF_SYNC_STREAM_EVENT;
    case CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_SYNCHRONIZE: return CPPROF_SYNC_STREAM;
    case CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_CONTEXT_SYNCHRONIZE: return CPPROF_SYNC_CONTEXT;
    default: return CPPROF_SYNC_UNKNOWN;
    }
}

static uint32_t id_or_none(uint32_t id)
{
    return id == (uint32_t)CUPTI_SYNCHRONIZATION_INVALID_VALUE ? 0 : id;
}

static void convert_sync(const cupti_wait_record *from, struct cpprof_event *to)
{
    to->kind = CPPROF_EVENT_SYNC;
    set_times(to, from->start, from->end);
    to->context = id_or_none(from->contextId);
    to->stream = id_or_none(from->streamId);
    to->correlation = from->correlationId;
    to->detail = sync_kind(from->type);
}

uint32_t translate_call_kind(const char *name)
{
    static const struct {
        const char *part;
        enum cpprof_api_kind kind;
    } parts[] = {
        {"LaunchHostFunc", CPPROF_API_OTHER}, /* runs on the host */
        {"Node", CPPROF_API_OTHER},           /* describes a part of a graph; cudaGraphLaunch starts it */
        {"Launch", CPPROF_API_LAUNCH},        {"Memcpy", CPPROF_API_COPY},
        {"Memset", CPPROF_API_COPY},          {"Synchronize", CPPROF_API_SYNC},
    };
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (strstr(name, parts[i].part))
            return parts[i].kind;
    return CPPROF_API_OTHER;
}

bool translate_is_managed(const char *name)
{
    return strstr(name, "MallocManaged") || strstr(name, "MemAllocManaged");
}

static void convert_api(const struct cupti_api *api, const CUpti_ActivityAPI *from, struct shard_writer *shard,
                        struct cpprof_event *to)
{
    bool driver = from->kind == CUPTI_ACTIVITY_KIND_DRIVER;
    const char *name = NULL;
    api->cuptiGetCallbackName(driver ? CUPTI_CB_DOMAIN_DRIVER_API : CUPTI_CB_DOMAIN_RUNTIME_API, from->cbid, &name);
    to->kind = CPPROF_EVENT_API;
    to->flags = driver ? CPPROF_EVENT_DRIVER_API : 0;
    set_times(to, from->start, from->end);
    to->name = shard_writer_string(shard, name);
    to->thread = from->threadId;
    to->correlation = from->correlationId;
    to->detail = name ? translate_call_kind(name) : CPPROF_API_OTHER;
}

static const char *overhead_name(CUpti_ActivityOverheadKind kind)
{
    static const struct {
        CUpti_ActivityOverheadKind kind;
        const char *name;
    } names[] = {
        {CUPTI_ACTIVITY_OVERHEAD_DRIVER_COMPILER, "[driver compiles]"},
        {CUPTI_ACTIVITY_OVERHEAD_CUPTI_BUFFER_FLUSH, "[CUPTI flushes]"},
        {CUPTI_ACTIVITY_OVERHEAD_CUPTI_INSTRUMENTATION, "[CUPTI instruments]"},
        {CUPTI_ACTIVITY_OVERHEAD_CUPTI_RESOURCE, "[CUPTI makes resources]"},
        {CUPTI_ACTIVITY_OVERHEAD_RUNTIME_TRIGGERED_MODULE_LOADING, "[runtime loads a module]"},
        {CUPTI_ACTIVITY_OVERHEAD_LAZY_FUNCTION_LOADING, "[driver loads a function]"},
        {CUPTI_ACTIVITY_OVERHEAD_COMMAND_BUFFER_FULL, "[command buffer is full]"},
        {CUPTI_ACTIVITY_OVERHEAD_ACTIVITY_BUFFER_REQUEST, "[CUPTI asks for a buffer]"},
        {CUPTI_ACTIVITY_OVERHEAD_UVM_ACTIVITY_INIT, "[CUPTI prepares unified memory]"},
    };
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (names[i].kind == kind)
            return names[i].name;
    return "[overhead]";
}

static void convert_overhead(const CUpti_ActivityOverhead3 *from, struct shard_writer *shard, struct cpprof_event *to)
{
    to->kind = CPPROF_EVENT_OVERHEAD;
    set_times(to, from->start, from->end);
    to->name = shard_writer_string(shard, overhead_name(from->overheadKind));
    to->correlation = from->correlationId;
    to->thread = from->objectKind == CUPTI_ACTIVITY_OBJECT_THREAD ? from->objectId.pt.threadId : 0;
}

/* Page faults and similar counters move no bytes; they are not asked for. */
static bool convert_migration(const cupti_managed_record *from, struct shard_writer *shard, struct cpprof_event *to)
{
    static const struct {
        CUpti_ActivityUnifiedMemoryCounterKind counter;
        uint32_t detail;
        const char *name; /* as in nsys */
    } table[] = {
        {CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_HTOD, CPPROF_COPY_H2D,
         "[CUDA memcpy Unified Host-to-Device]"},
        {CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_DTOH, CPPROF_COPY_D2H,
         "[CUDA memcpy Unified Device-to-Host]"},
        {CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_DTOD, CPPROF_COPY_P2P,
         "[CUDA memcpy Unified Device-to-Device]"},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        if (table[i].counter != from->counterKind)
            continue;
        to->kind = CPPROF_EVENT_MIGRATION;
        set_times(to, from->start, from->end);
        to->detail = table[i].detail;
        to->name = shard_writer_string(shard, table[i].name);
        to->size_bytes = from->value;
        to->device = (int16_t)(to->detail == CPPROF_COPY_D2H ? from->srcId : from->dstId);
        to->stream = from->streamId;
        return true;
    }
    return false;
}

const char *translate_kernel_name(const CUpti_Activity *record)
{
    return ((const cupti_kernel_record *)(const void *)record)->name;
}

unsigned translate_event_kind(const CUpti_Activity *record)
{
    static const struct {
        CUpti_ActivityKind from;
        enum cpprof_event_kind to;
    } table[] = {
        {CUPTI_ACTIVITY_KIND_KERNEL, CPPROF_EVENT_KERNEL},
        {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CPPROF_EVENT_KERNEL},
        {CUPTI_ACTIVITY_KIND_GRAPH_TRACE, CPPROF_EVENT_KERNEL},
        {CUPTI_ACTIVITY_KIND_MEMCPY, CPPROF_EVENT_COPY},
        {CUPTI_ACTIVITY_KIND_MEMCPY2, CPPROF_EVENT_COPY},
        {CUPTI_ACTIVITY_KIND_MEMSET, CPPROF_EVENT_MEMSET},
        {CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER, CPPROF_EVENT_MIGRATION},
        {CUPTI_ACTIVITY_KIND_RUNTIME, CPPROF_EVENT_API},
        {CUPTI_ACTIVITY_KIND_DRIVER, CPPROF_EVENT_API},
        {CUPTI_ACTIVITY_KIND_SYNCHRONIZATION, CPPROF_EVENT_SYNC},
        {CUPTI_ACTIVITY_KIND_MARKER, CPPROF_EVENT_RANGE},
        {CUPTI_ACTIVITY_KIND_OVERHEAD, CPPROF_EVENT_OVERHEAD},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (table[i].from == record->kind)
            return table[i].to;
    return 0;
}

bool translate_record(const struct cupti_api *api, const CUpti_Activity *record, struct shard_writer *shard,
                      struct cpprof_event *event)
{
    *event = (struct cpprof_event){.device = -1, .rank = -1};
    const void *from = record;
    switch (record->kind) {
    case CUPTI_ACTIVITY_KIND_KERNEL:
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL: convert_kernel(from, shard, event); return true;
    case CUPTI_ACTIVITY_KIND_MEMCPY: convert_copy(from, shard, event); return true;
    case CUPTI_ACTIVITY_KIND_MEMCPY2: convert_peer_copy(from, shard, event); return true;
    case CUPTI_ACTIVITY_KIND_MEMSET: convert_memset(from, shard, event); return true;
    case CUPTI_ACTIVITY_KIND_GRAPH_TRACE: convert_graph(from, shard, event); return true;
    case CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER: return convert_migration(from, shard, event);
    case CUPTI_ACTIVITY_KIND_OVERHEAD: convert_overhead(from, shard, event); return true;
    case CUPTI_ACTIVITY_KIND_SYNCHRONIZATION: convert_sync(from, event); return true;
    case CUPTI_ACTIVITY_KIND_RUNTIME:
    case CUPTI_ACTIVITY_KIND_DRIVER: convert_api(api, from, shard, event); return true;
    default: return false;
    }
}
