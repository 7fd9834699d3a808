/* Do CUPTI's records say the same in our words? */
#include <stdlib.h>
#include <string.h>

#include "collector/activity/translate.h"
#include "tests/collector/fake_cupti.h"
#include "tests/test.h"

struct scene {
    const struct cupti_api *api;
    struct shard_writer shard; /* only its string table is used */
};

static int open_scene(void **state)
{
    static struct scene scene;
    scene.api = fake_cupti_reset();
    scene.shard = (struct shard_writer){.fd = -1};
    strtab_init(&scene.shard.strings);
    *state = &scene;
    return 0;
}

static int close_scene(void **state)
{
    struct scene *scene = *state;
    shard_writer_close(&scene->shard, NULL);
    return 0;
}

static struct cpprof_event translate(struct scene *scene, const void *record)
{
    struct cpprof_event event;
    memset(&event, 0xa5, sizeof event); /* what is not set must not shine through */
    assert_true(translate_record(scene->api, record, &scene->shard, &event));
    return event;
}

static const char *name_of(const struct scene *scene, const struct cpprof_event *event)
{
    return strtab_text(&scene->shard.strings, event->name);
}

static CUpti_ActivityKernel10 a_kernel(void)
{
    return (CUpti_ActivityKernel10){.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
                                    .start = 1000,
                                    .end = 3500,
                                    .deviceId = 1,
                                    .contextId = 2,
                                    .streamId = 7,
                                    .correlationId = 42,
                                    .gridX = 132,
                                    .gridY = 3,
                                    .gridZ = 2,
                                    .blockX = 256,
                                    .blockY = 2,
                                    .blockZ = 1,
                                    .registersPerThread = 40,
                                    .staticSharedMemory = 4096,
                                    .dynamicSharedMemory = 65536,
                                    .localMemoryPerThread = 16,
                                    .graphNodeId = UINT64_C(0x500000001),
                                    .name = "_Z4tilePf"};
}

static void kernels(void **state)
{
    CUpti_ActivityKernel10 record = a_kernel();
    struct cpprof_event k = translate(*state, &record);
    assert_int_equal(k.kind, CPPROF_EVENT_KERNEL);
    assert_int_equal(k.flags, 0);
    assert_int_equal(k.start_ns, 1000);
    assert_int_equal(k.end_ns, 3500);
    assert_int_equal(k.device, 1);
    assert_int_equal(k.rank, -1);
    assert_int_equal(k.context, 2);
    assert_int_equal(k.stream, 7);
    assert_int_equal(k.correlation, 42);
    assert_int_equal(k.thread, 0);
    assert_true(k.grid[0] == 132 && k.grid[1] == 3 && k.grid[2] == 2);
    assert_true(k.block[0] == 256 && k.block[1] == 2 && k.block[2] == 1);
    assert_int_equal(k.registers, 40);
    assert_int_equal(k.shared_static_bytes, 4096);
    assert_int_equal(k.shared_dynamic_bytes, 65536);
    assert_int_equal(k.local_bytes, 16);
    assert_int_equal(k.detail, 0);
    assert_int_equal(k.size_bytes, 0);
    assert_true(k.graph_node == UINT64_C(0x500000001));
    assert_string_equal(name_of(*state, &k), "_Z4tilePf");

    record.kind = CUPTI_ACTIVITY_KIND_KERNEL; /* serialised kernels have the same record */
    record.name = NULL;
    k = translate(*state, &record);
    assert_int_equal(k.kind, CPPROF_EVENT_KERNEL);
    assert_int_equal(k.name, 0);
}

/* A forced flush brings kernels that still run (no end) or wait (no times). */
static void unfinished_work_is_marked(void **state)
{
    static const struct {
        uint64_t start, end;
        int64_t start_ns, end_ns;
        bool unfinished;
    } rows[] = {
        {1000, 1000, 1000, 1000, false},
        {1000, 0, 1000, 1000, true},
        {0, 0, 0, 0, true},
        {1000, 999, 1000, 1000, true},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        CUpti_ActivityKernel10 kernel = a_kernel();
        CUpti_ActivityMemcpy6 copy = {.kind = CUPTI_ACTIVITY_KIND_MEMCPY,
                                      .srcKind = CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE};
        kernel.start = copy.start = rows[i].start;
        kernel.end = copy.end = rows[i].end;
        const struct cpprof_event events[] = {translate(*state, &kernel), translate(*state, &copy)};
        for (size_t e = 0; e < 2; e++) {
            assert_int_equal(events[e].start_ns, rows[i].start_ns);
            assert_int_equal(events[e].end_ns, rows[i].end_ns);
            assert_int_equal(events[e].flags & CPPROF_EVENT_UNFINISHED,
                             rows[i].unfinished ? CPPROF_EVENT_UNFINISHED : 0);
        }
        assert_int_equal(events[1].flags & CPPROF_EVENT_SRC_PAGEABLE, CPPROF_EVENT_SRC_PAGEABLE); /* kept beside it */
    }
}

static void copies(void **state)
{
    static const struct {
        uint8_t kind;
        uint32_t detail;
        const char *name; /* as nsys writes it */
    } rows[] = {
        {CUPTI_ACTIVITY_MEMCPY_KIND_HTOD, CPPROF_COPY_H2D, "[CUDA memcpy Host-to-Device]"},
        {CUPTI_ACTIVITY_MEMCPY_KIND_HTOA, CPPROF_COPY_H2D, "[CUDA memcpy Host-to-Device]"},
        {CUPTI_ACTIVITY_MEMCPY_KIND_DTOH, CPPROF_COPY_D2H, "[CUDA memcpy Device-to-Host]"},
        {CUPTI_ACTIVITY_MEMCPY_KIND_ATOH, CPPROF_COPY_D2H, "[CUDA memcpy Device-to-Host]"},
        {CUPTI_ACTIVITY_MEMCPY_KIND_DTOD, CPPROF_COPY_D2D, "[CUDA memcpy Device-to-Device]"},
        {CUPTI_ACTIVITY_MEMCPY_KIND_ATOA, CPPROF_COPY_D2D, "[CUDA memcpy Device-to-Device]"},
        {CUPTI_ACTIVITY_MEMCPY_KIND_ATOD, CPPROF_COPY_D2D, "[CUDA memcpy Device-to-Device]"},
        {CUPTI_ACTIVITY_MEMCPY_KIND_DTOA, CPPROF_COPY_D2D, "[CUDA memcpy Device-to-Device]"},
        {CUPTI_ACTIVITY_MEMCPY_KIND_PTOP, CPPROF_COPY_P2P, "[CUDA memcpy Peer-to-Peer]"},
        {CUPTI_ACTIVITY_MEMCPY_KIND_HTOH, CPPROF_COPY_H2H, "[CUDA memcpy Host-to-Host]"},
        {CUPTI_ACTIVITY_MEMCPY_KIND_UNKNOWN, CPPROF_COPY_UNKNOWN, "[CUDA memcpy]"},
        {200, CPPROF_COPY_UNKNOWN, "[CUDA memcpy]"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const CUpti_ActivityMemcpy6 record = {.kind = CUPTI_ACTIVITY_KIND_MEMCPY,
                                              .copyKind = rows[i].kind,
                                              .bytes = UINT64_C(1) << 33,
                                              .start = 10,
                                              .end = 20,
                                              .deviceId = 3,
                                              .contextId = 1,
                                              .streamId = 8,
                                              .correlationId = 9,
                                              .graphNodeId = 11};
        const struct cpprof_event copy = translate(*state, &record);
        assert_int_equal(copy.kind, CPPROF_EVENT_COPY);
        assert_int_equal(copy.detail, rows[i].detail);
        assert_true(copy.size_bytes == UINT64_C(1) << 33);
        assert_true(copy.device == 3 && copy.context == 1 && copy.stream == 8 && copy.correlation == 9);
        assert_true(copy.start_ns == 10 && copy.end_ns == 20 && copy.graph_node == 11 && !copy.flags);
        assert_string_equal(name_of(*state, &copy), rows[i].name);
    }
}

static void pageable_memory_is_flagged(void **state)
{
    static const struct {
        uint8_t source, destination;
        uint16_t flags;
    } rows[] = {
        {CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE, CUPTI_ACTIVITY_MEMORY_KIND_DEVICE, CPPROF_EVENT_SRC_PAGEABLE},
        {CUPTI_ACTIVITY_MEMORY_KIND_DEVICE, CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE, CPPROF_EVENT_DST_PAGEABLE},
        {CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE, CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE,
         CPPROF_EVENT_SRC_PAGEABLE | CPPROF_EVENT_DST_PAGEABLE},
        {CUPTI_ACTIVITY_MEMORY_KIND_PINNED, CUPTI_ACTIVITY_MEMORY_KIND_DEVICE, 0},
        {CUPTI_ACTIVITY_MEMORY_KIND_MANAGED, CUPTI_ACTIVITY_MEMORY_KIND_UNKNOWN, 0},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const CUpti_ActivityMemcpy6 record = {.kind = CUPTI_ACTIVITY_KIND_MEMCPY,
                                              .srcKind = rows[i].source,
                                              .dstKind = rows[i].destination,
                                              .start = 1,
                                              .end = 2};
        assert_int_equal(translate(*state, &record).flags, rows[i].flags);
    }
}

static void copies_between_devices(void **state)
{
    const CUpti_ActivityMemcpyPtoP4 record = {.kind = CUPTI_ACTIVITY_KIND_MEMCPY2,
                                              .copyKind = CUPTI_ACTIVITY_MEMCPY_KIND_PTOP,
                                              .bytes = 77,
                                              .start = 10,
                                              .end = 20,
                                              .deviceId = 1,
                                              .contextId = 5,
                                              .streamId = 8,
                                              .srcDeviceId = 1,
                                              .dstDeviceId = 2,
                                              .correlationId = 9,
                                              .graphNodeId = 3};
    const struct cpprof_event copy = translate(*state, &record);
    assert_int_equal(copy.kind, CPPROF_EVENT_COPY);
    assert_int_equal(copy.detail, CPPROF_COPY_P2P);
    assert_true(copy.size_bytes == 77 && copy.device == 1 && copy.context == 5 && copy.stream == 8);
    assert_true(copy.correlation == 9 && copy.graph_node == 3 && copy.start_ns == 10 && copy.end_ns == 20);
    assert_string_equal(name_of(*state, &copy), "[CUDA memcpy Peer-to-Peer]");
}

static void memsets(void **state)
{
    const CUpti_ActivityMemset4 record = {.kind = CUPTI_ACTIVITY_KIND_MEMSET,
                                          .value = 0xff,
                                          .bytes = 4096,
                                          .start = 5,
                                          .end = 6,
                                          .deviceId = 0,
                                          .contextId = 1,
                                          .streamId = 13,
                                          .correlationId = 21,
                                          .graphNodeId = 4};
    const struct cpprof_event memset_event = translate(*state, &record);
    assert_int_equal(memset_event.kind, CPPROF_EVENT_MEMSET);
    assert_true(memset_event.size_bytes == 4096 && memset_event.device == 0 && memset_event.context == 1);
    assert_true(memset_event.stream == 13 && memset_event.correlation == 21 && memset_event.graph_node == 4);
    assert_true(memset_event.detail == 0 && memset_event.flags == 0);
    assert_string_equal(name_of(*state, &memset_event), "[CUDA memset]");
}

/* What a wait is for says its type; fields that do not apply become 0. */
static void waits(void **state)
{
    static const uint32_t none = CUPTI_SYNCHRONIZATION_INVALID_VALUE;
    static const struct {
        CUpti_ActivitySynchronizationType type;
        uint32_t context, stream, expected_context, expected_stream, expected_detail;
    } rows[] = {
        {CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_SYNCHRONIZE, 1, 7, 1, 7, CPPROF_SYNC_STREAM},
        {CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_CONTEXT_SYNCHRONIZE, 1, none, 1, 0, CPPROF_SYNC_CONTEXT},
        {CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_EVENT_SYNCHRONIZE, none, none, 0, 0, CPPROF_SYNC_EVENT},
        {CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_WAIT_EVENT, 1, 9, 1, 9, CPPROF_SYNC_STREAM_EVENT},
        {CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_UNKNOWN, 1, 9, 1, 9, CPPROF_SYNC_UNKNOWN},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const CUpti_ActivitySynchronization2 record = {.kind = CUPTI_ACTIVITY_KIND_SYNCHRONIZATION,
                                                       .type = rows[i].type,
                                                       .start = 100,
                                                       .end = 300,
                                                       .correlationId = 8,
                                                       .contextId = rows[i].context,
                                                       .streamId = rows[i].stream,
                                                       .cudaEventId = none};
        const struct cpprof_event wait = translate(*state, &record);
        assert_int_equal(wait.kind, CPPROF_EVENT_SYNC);
        assert_int_equal(wait.device, -1);
        assert_int_equal(wait.context, rows[i].expected_context);
        assert_int_equal(wait.stream, rows[i].expected_stream);
        assert_int_equal(wait.detail, rows[i].expected_detail);
        assert_true(wait.start_ns == 100 && wait.end_ns == 300 && wait.correlation == 8 && wait.flags == 0);
    }
}

#define RUNTIME(NAME) CUPTI_ACTIVITY_KIND_RUNTIME, CUPTI_RUNTIME_TRACE_CBID_##NAME, #NAME
#define DRIVER(NAME)  CUPTI_ACTIVITY_KIND_DRIVER, CUPTI_DRIVER_TRACE_CBID_##NAME, #NAME

static void calls(void **state)
{
    static const struct {
        CUpti_ActivityKind kind;
        uint32_t id;
        const char *name;
        uint32_t detail;
    } rows[] = {
        {RUNTIME(cudaLaunchKernel_v7000), CPPROF_API_LAUNCH},
        {RUNTIME(cudaGraphLaunch_v10000), CPPROF_API_LAUNCH},
        {RUNTIME(cudaMemcpyAsync_v3020), CPPROF_API_COPY},
        {RUNTIME(cudaMemset_v3020), CPPROF_API_COPY},
        {RUNTIME(cudaStreamSynchronize_v3020), CPPROF_API_SYNC},
        {RUNTIME(cudaMalloc_v3020), CPPROF_API_OTHER},
        {RUNTIME(cudaLaunchHostFunc_v10000), CPPROF_API_OTHER},     /* starts no work on the GPU */
        {RUNTIME(cudaGraphAddMemcpyNode_v10000), CPPROF_API_OTHER}, /* describes a copy for later */
        {DRIVER(cuLaunchKernel), CPPROF_API_LAUNCH},
        {DRIVER(cuMemcpyHtoDAsync_v2), CPPROF_API_COPY},
        {DRIVER(cuCtxSynchronize), CPPROF_API_SYNC},
        {DRIVER(cuGraphExecMemsetNodeSetParams), CPPROF_API_OTHER},
        {CUPTI_ACTIVITY_KIND_RUNTIME, 65535, "", CPPROF_API_OTHER}, /* newer than this CUPTI's names */
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const CUpti_ActivityAPI record = {.kind = rows[i].kind,
                                          .cbid = rows[i].id,
                                          .start = 50,
                                          .end = 90,
                                          .processId = 1,
                                          .threadId = 4321,
                                          .correlationId = 42,
                                          .returnValue = 0};
        const struct cpprof_event call = translate(*state, &record);
        assert_int_equal(call.kind, CPPROF_EVENT_API);
        assert_int_equal(call.flags, rows[i].kind == CUPTI_ACTIVITY_KIND_DRIVER ? CPPROF_EVENT_DRIVER_API : 0);
        assert_string_equal(name_of(*state, &call), rows[i].name);
        if (call.detail != rows[i].detail)
            fail_msg("'%s' is of kind %u, expected %u", rows[i].name, call.detail, rows[i].detail);
        assert_true(call.thread == 4321 && call.correlation == 42 && call.device == -1);
        assert_true(call.start_ns == 50 && call.end_ns == 90);
    }
}

static void clusters(void **state)
{
    static const struct {
        uint32_t x, y, z, detail;
    } rows[] = {
        {0, 0, 0, 0}, {1, 1, 1, 0}, {2, 1, 1, 0x010102}, {4, 2, 1, 0x010204}, {1, 1, 16, 0x100101}, {300, 1, 1, 0},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        CUpti_ActivityKernel10 record = a_kernel();
        record.clusterX = rows[i].x;
        record.clusterY = rows[i].y;
        record.clusterZ = rows[i].z;
        assert_int_equal(translate(*state, &record).detail, rows[i].detail);
    }
}

static void whole_graphs(void **state)
{
    const CUpti_ActivityGraphTrace2 record = {.kind = CUPTI_ACTIVITY_KIND_GRAPH_TRACE,
                                              .correlationId = 9,
                                              .start = 100,
                                              .end = 250,
                                              .deviceId = 1,
                                              .graphId = 5,
                                              .contextId = 2,
                                              .streamId = 7};
    const struct cpprof_event graph = translate(*state, &record);
    assert_int_equal(graph.kind, CPPROF_EVENT_KERNEL);
    assert_int_equal(graph.flags, CPPROF_EVENT_WHOLE_GRAPH);
    assert_true(graph.graph_node == UINT64_C(5) << 32 && graph.correlation == 9);
    assert_true(graph.device == 1 && graph.context == 2 && graph.stream == 7);
    assert_true(graph.start_ns == 100 && graph.end_ns == 250);
    assert_string_equal(name_of(*state, &graph), "[CUDA graph 5]");
}

static void migrations(void **state)
{
    struct scene *scene = *state;
    static const struct {
        CUpti_ActivityUnifiedMemoryCounterKind counter;
        uint32_t detail;
        int16_t device;
        const char *name; /* as nsys writes it */
    } rows[] = {
        {CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_HTOD, CPPROF_COPY_H2D, 3,
         "[CUDA memcpy Unified Host-to-Device]"},
        {CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_DTOH, CPPROF_COPY_D2H, 2,
         "[CUDA memcpy Unified Device-to-Host]"},
        {CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_DTOD, CPPROF_COPY_P2P, 3,
         "[CUDA memcpy Unified Device-to-Device]"},
    };
    CUpti_ActivityUnifiedMemoryCounter3 record = {.kind = CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER,
                                                  .value = 65536,
                                                  .start = 10,
                                                  .end = 30,
                                                  .srcId = 2,
                                                  .dstId = 3};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        record.counterKind = rows[i].counter;
        const struct cpprof_event move = translate(scene, &record);
        assert_true(move.kind == CPPROF_EVENT_MIGRATION && move.detail == rows[i].detail);
        assert_true(move.size_bytes == 65536 && move.device == rows[i].device);
        assert_true(move.start_ns == 10 && move.end_ns == 30 && !move.flags);
        assert_string_equal(name_of(scene, &move), rows[i].name);
    }
    struct cpprof_event event;
    record.counterKind = CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_GPU_PAGE_FAULT; /* moves nothing */
    assert_false(translate_record(scene->api, (const CUpti_Activity *)(const void *)&record, &scene->shard, &event));
}

static void overhead(void **state)
{
    CUpti_ActivityOverhead3 record = {.kind = CUPTI_ACTIVITY_KIND_OVERHEAD,
                                      .overheadKind = CUPTI_ACTIVITY_OVERHEAD_LAZY_FUNCTION_LOADING,
                                      .objectKind = CUPTI_ACTIVITY_OBJECT_THREAD,
                                      .objectId.pt = {.processId = 1, .threadId = 77},
                                      .start = 10,
                                      .end = 20,
                                      .correlationId = 4};
    struct cpprof_event event = translate(*state, &record);
    assert_true(event.kind == CPPROF_EVENT_OVERHEAD && event.thread == 77 && event.correlation == 4);
    assert_true(event.start_ns == 10 && event.end_ns == 20);
    assert_string_equal(name_of(*state, &event), "[driver loads a function]");
    record.overheadKind = (CUpti_ActivityOverheadKind)(99 << 16);
    record.objectKind = CUPTI_ACTIVITY_OBJECT_DEVICE;
    event = translate(*state, &record);
    assert_int_equal(event.thread, 0);
    assert_string_equal(name_of(*state, &event), "[overhead]");
}

/* A record as the headers of CUDA 12.4 lay it out, and not a byte more of it: where, how many bytes, what. */
struct old_field {
    size_t at, bytes;
    uint64_t value;
};

static void *old_record(CUpti_ActivityKind kind, size_t bytes, const struct old_field *fields, size_t count)
{
    uint8_t *record = calloc(1, bytes);
    memcpy(record, &kind, sizeof kind);
    for (size_t i = 0; i < count; i++)
        memcpy(record + fields[i].at, &fields[i].value, fields[i].bytes);
    return record;
}
#define OLD(kind, bytes, fields) old_record(kind, bytes, fields, COUNT_OF(fields))

static void kernels_and_copies_of_12_4(void **state)
{
    const struct old_field kernel[] = {
        {104, 8, (uintptr_t) "_Z4tilePf"},
        {16, 8, 1000},
        {24, 8, 3500},
        {40, 4, 1},
        {44, 4, 2},
        {48, 4, 7},
        {92, 4, 42},
        {52, 4, 132},
        {56, 4, 3},
        {60, 4, 2},
        {64, 4, 256},
        {68, 4, 2},
        {72, 4, 1},
        {6, 2, 40},
        {76, 4, 4096},
        {80, 4, 65536},
        {84, 4, 16},
        {176, 4, 4},
        {180, 4, 2},
        {184, 4, 1},
        {144, 8, 5},
    };
    void *record = OLD(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, 208, kernel);
    const struct cpprof_event k = translate(*state, record);
    free(record);
    assert_true(k.start_ns == 1000 && k.end_ns == 3500 && k.device == 1 && k.context == 2 && k.stream == 7);
    assert_true(k.correlation == 42 && k.grid[0] == 132 && k.grid[1] == 3 && k.grid[2] == 2);
    assert_true(k.block[0] == 256 && k.block[1] == 2 && k.block[2] == 1 && k.registers == 40);
    assert_true(k.shared_static_bytes == 4096 && k.shared_dynamic_bytes == 65536 && k.local_bytes == 16);
    assert_true(k.detail == 0x010204 && k.graph_node == 5);
    assert_string_equal(name_of(*state, &k), "_Z4tilePf");

    const struct old_field copy[] = {
        {4, 1, CUPTI_ACTIVITY_MEMCPY_KIND_HTOD},
        {5, 1, CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE},
        {6, 1, CUPTI_ACTIVITY_MEMORY_KIND_DEVICE},
        {8, 8, UINT64_C(1) << 33},
        {16, 8, 10},
        {24, 8, 20},
        {32, 4, 3},
        {36, 4, 1},
        {40, 4, 8},
        {44, 4, 9},
        {64, 8, 11},
    };
    record = OLD(CUPTI_ACTIVITY_KIND_MEMCPY, 88, copy);
    const struct cpprof_event c = translate(*state, record);
    free(record);
    assert_true(c.detail == CPPROF_COPY_H2D && c.flags == CPPROF_EVENT_SRC_PAGEABLE);
    assert_true(c.size_bytes == UINT64_C(1) << 33 && c.start_ns == 10 && c.end_ns == 20 && c.device == 3);
    assert_true(c.context == 1 && c.stream == 8 && c.correlation == 9 && c.graph_node == 11);
}

static void waits_and_migrations_of_12_4(void **state)
{
    const struct old_field wait[] = {
        {4, 4, CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_SYNCHRONIZE},
        {8, 8, 100},
        {16, 8, 300},
        {24, 4, 8},
        {28, 4, 1},
        {32, 4, 7},
    };
    void *record = OLD(CUPTI_ACTIVITY_KIND_SYNCHRONIZATION, 40, wait);
    const struct cpprof_event w = translate(*state, record);
    free(record);
    assert_true(w.detail == CPPROF_SYNC_STREAM && w.start_ns == 100 && w.end_ns == 300);
    assert_true(w.correlation == 8 && w.context == 1 && w.stream == 7);

    const struct old_field move[] = {
        {4, 4, CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_DTOH},
        {8, 8, 65536},
        {16, 8, 10},
        {24, 8, 30},
        {40, 4, 2},
        {44, 4, 3},
        {48, 4, 13},
    };
    record = OLD(CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER, 64, move);
    const struct cpprof_event m = translate(*state, record);
    free(record);
    assert_true(m.detail == CPPROF_COPY_D2H && m.size_bytes == 65536 && m.device == 2 && m.stream == 13);
    assert_true(m.start_ns == 10 && m.end_ns == 30);
}

/* All kinds that exist or may come: what counts as an event becomes one. Markers come in pairs, and a
 * counter of unified memory says more than its kind. */
static void other_kinds_are_refused(void **state)
{
    struct scene *scene = *state;
    size_t known = 0;
    for (int kind = 0; kind < 300; kind++) {
        union {
            CUpti_ActivityKernel10 largest;
            CUpti_Activity record;
        } any = {.largest = {.kind = (CUpti_ActivityKind)kind}};
        struct cpprof_event event;
        const unsigned becomes = translate_event_kind(&any.record);
        const bool alone =
            becomes && kind != CUPTI_ACTIVITY_KIND_MARKER && kind != CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER;
        assert_int_equal(translate_record(scene->api, &any.record, &scene->shard, &event), alone);
        if (alone)
            assert_int_equal(event.kind, becomes);
        known += alone;
    }
    assert_int_equal(known, 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(kernels, open_scene, close_scene),
        cmocka_unit_test_setup_teardown(unfinished_work_is_marked, open_scene, close_scene),
        cmocka_unit_test_setup_teardown(copies, open_scene, close_scene),
        cmocka_unit_test_setup_teardown(pageable_memory_is_flagged, open_scene, close_scene),
        cmocka_unit_test_setup_teardown(copies_between_devices, open_scene, close_scene),
        cmocka_unit_test_setup_teardown(memsets, open_scene, close_scene),
        cmocka_unit_test_setup_teardown(waits, open_scene, close_scene),
        cmocka_unit_test_setup_teardown(calls, open_scene, close_scene),
        cmocka_unit_test_setup_teardown(clusters, open_scene, close_scene),
        cmocka_unit_test_setup_teardown(whole_graphs, open_scene, close_scene),
        cmocka_unit_test_setup_teardown(migrations, open_scene, close_scene),
        cmocka_unit_test_setup_teardown(overhead, open_scene, close_scene),
        cmocka_unit_test_setup_teardown(other_kinds_are_refused, open_scene, close_scene),
        cmocka_unit_test_setup_teardown(kernels_and_copies_of_12_4, open_scene, close_scene),
        cmocka_unit_test_setup_teardown(waits_and_migrations_of_12_4, open_scene, close_scene),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
