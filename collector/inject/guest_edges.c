/* What does a stream wait for, or the host? */
#define _GNU_SOURCE
#include "collector/inject/guest_edges.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/key_table.h"
#include "core/base/stream_edge.h"

/* What waits for the disk, and how many events are told apart: some megabytes each. */
enum { WAITING_MAX = 1 << 16, EVENTS_MAX = 1 << 17 };

#define FUNCTIONS(X)                                                                                                   \
    X(cuStreamGetCtx)                                                                                                  \
    X(cuStreamIsCapturing)

struct place {
    uint32_t context, stream, correlation; /* correlation 0: not known */
};

static struct {
    const struct cupti_api *api;
    __typeof__(cuptiGetContextId) *context_id;
    __typeof__(cuptiGetStreamIdEx) *stream_id;
    struct {
#define MEMBER(name) __typeof__(name) *name;
        FUNCTIONS(MEMBER)
#undef MEMBER
    } driver;
    pthread_mutex_t lock;     /* guards what follows; nothing of CUDA is called while it is held */
    struct key_table handles; /* of events */
    ARRAY_OF(struct place) records;
    ARRAY_OF(struct cpprof_event) waiting;
    bool has_lost, is_over;
} edges = {.lock = PTHREAD_MUTEX_INITIALIZER};

const CUpti_CallbackId guest_edge_calls[] = {
    CUPTI_DRIVER_TRACE_CBID_cuEventRecord,          CUPTI_DRIVER_TRACE_CBID_cuEventRecord_ptsz,
    CUPTI_DRIVER_TRACE_CBID_cuEventRecordWithFlags, CUPTI_DRIVER_TRACE_CBID_cuEventRecordWithFlags_ptsz,
    CUPTI_DRIVER_TRACE_CBID_cuStreamWaitEvent,      CUPTI_DRIVER_TRACE_CBID_cuStreamWaitEvent_ptsz,
    CUPTI_DRIVER_TRACE_CBID_cuEventSynchronize,
};
enum { FIRST_WAIT = 4, HOST_WAIT = 6 }; /* places in the list; at odd ones the default stream is the thread's */
const size_t guest_edge_call_count = sizeof guest_edge_calls / sizeof guest_edge_calls[0];

/* Uses the library that the program has loaded. Nothing is harmed by two threads that do so. */
static bool find_driver(void)
{
    void *library = edges.driver.cuStreamGetCtx ? NULL : dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
#define RESOLVE(name)                                                                                                  \
    if (library)                                                                                                       \
        *(void **)&edges.driver.name = dlsym(library, #name);
    FUNCTIONS(RESOLVE)
#undef RESOLVE
    return edges.driver.cuStreamGetCtx && edges.driver.cuStreamIsCapturing;
}

/* The ids that records of work have. */
static bool find_place(CUstream stream, bool of_thread, struct place *place)
{
    const bool is_thread = stream == CU_STREAM_PER_THREAD || (!stream && of_thread);
    CUcontext context = NULL;
    if (edges.driver.cuStreamGetCtx(is_thread ? CU_STREAM_PER_THREAD : stream, &context) ||
        edges.context_id(context, &place->context))
        return false;
    if (is_thread || stream == CU_STREAM_LEGACY)
        stream = NULL;
    return !edges.stream_id(context, stream, is_thread, &place->stream);
}

/* Recording into a graph starts nothing. */
static bool is_capturing(CUstream stream)
{
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    return edges.driver.cuStreamIsCapturing(stream, &status) || status != CU_STREAM_CAPTURE_STATUS_NONE;
}

/* The caller holds the lock. Returns NULL when there is no room. */
static struct place *record_of(CUevent event)
{
    const uint64_t handle = (uint64_t)(uintptr_t)event;
    const int32_t high = (int32_t)(handle >> 32);
    const bool is_full = edges.records.count >= EVENTS_MAX && !key_table_find(&edges.handles, high, (uint32_t)handle);
    const uint32_t id = is_full ? 0 : key_table_add(&edges.handles, high, (uint32_t)handle);
    if (!id || (id > edges.records.count && !ARRAY_PUSH(&edges.records)))
        return NULL;
    return &edges.records.items[id - 1];
}

static void note_record(CUevent event, const struct place *place)
{
    pthread_mutex_lock(&edges.lock);
    struct place *record = record_of(event);
    if (record)
        *record = *place;
    edges.has_lost |= !record;
    pthread_mutex_unlock(&edges.lock);
}

/* An event that was never recorded is waited for by nobody. */
static void note_wait(CUevent event, uint32_t detail, const struct place *place, int64_t now_ns)
{
    pthread_mutex_lock(&edges.lock);
    const struct place *record = record_of(event);
    const bool has_room = record && edges.waiting.count < WAITING_MAX && !edges.is_over;
    struct cpprof_event *edge = has_room && record->correlation ? ARRAY_PUSH(&edges.waiting) : NULL;
    if (edge)
        *edge = (struct cpprof_event){.kind = CPPROF_EVENT_SYNC,
                                      .detail = detail,
                                      .start_ns = now_ns,
                                      .end_ns = now_ns,
                                      .device = -1,
                                      .rank = -1,
                                      .context = place->context,
                                      .stream = place->stream,
                                      .correlation = place->correlation,
                                      .grid = {record->context, record->stream, record->correlation}};
    edges.has_lost |= !edges.is_over && (!has_room || (record->correlation && !edge));
    pthread_mutex_unlock(&edges.lock);
}

static int64_t now_ns(void)
{
    uint64_t now = 0;
    edges.api->cuptiGetTimestamp(&now);
    return (int64_t)now;
}

/* Of those with flags the first members are the same. */
static void take_record(const CUpti_CallbackData *data, bool of_thread)
{
    const cuEventRecord_params *p = data->functionParams;
    struct place place = {.correlation = data->correlationId};
    if (!is_capturing(p->hStream) && find_place(p->hStream, of_thread, &place))
        note_record(p->hEvent, &place);
}

static void take_wait(const CUpti_CallbackData *data, bool of_thread)
{
    const cuStreamWaitEvent_params *p = data->functionParams;
    struct place place = {.correlation = data->correlationId};
    if (!is_capturing(p->hStream) && find_place(p->hStream, of_thread, &place))
        note_wait(p->hEvent, STREAM_EDGE, &place, now_ns());
}

static void take_host_wait(const CUpti_CallbackData *data)
{
    const cuEventSynchronize_params *p = data->functionParams;
    note_wait(p->hEvent, HOST_EDGE, &(struct place){.correlation = data->correlationId}, now_ns());
}

void guest_edges_take(CUpti_CallbackId call, const CUpti_CallbackData *data)
{
    size_t at = 0;
    while (at < guest_edge_call_count && guest_edge_calls[at] != call)
        at++;
    if (at == guest_edge_call_count || !data->functionParams || !data->correlationId)
        return;
    /* A record is known before another thread can wait for it, and a wait once a stream has been told. Who waits on the
     * host waits for what was recorded when it began. */
    const bool at_exit = at >= FIRST_WAIT && at < HOST_WAIT;
    if (data->callbackSite != (at_exit ? CUPTI_API_EXIT : CUPTI_API_ENTER) || !find_driver())
        return;
    if (at == HOST_WAIT)
        take_host_wait(data);
    else if (at_exit)
        take_wait(data, at % 2);
    else
        take_record(data, at % 2);
}

bool guest_edges_start(const struct cupti_api *api)
{
    edges.api = api;
    *(void **)&edges.context_id = dlsym(api->library, "cuptiGetContextId");
    *(void **)&edges.stream_id = dlsym(api->library, "cuptiGetStreamIdEx");
    struct cpprof_event *first = edges.context_id && edges.stream_id ? ARRAY_PUSH(&edges.waiting) : NULL;
    if (!first)
        return false;
    const int64_t start_ns = now_ns();
    *first = (struct cpprof_event){.kind = CPPROF_EVENT_SYNC,
                                   .detail = STREAM_EDGE,
                                   .start_ns = start_ns,
                                   .end_ns = start_ns,
                                   .device = -1,
                                   .rank = -1};
    return true;
}

void guest_edges_forget(void)
{
    pthread_mutex_lock(&edges.lock);
    edges.waiting.count = 0;
    edges.is_over = true;
    pthread_mutex_unlock(&edges.lock);
}

void guest_edges_store(struct shard_writer *shard)
{
    pthread_mutex_lock(&edges.lock);
    struct cpprof_event *items = edges.waiting.items;
    const size_t count = edges.waiting.count;
    memset(&edges.waiting, 0, sizeof edges.waiting);
    pthread_mutex_unlock(&edges.lock);
    bool has_failed = false;
    for (size_t i = 0; i < count; i++)
        has_failed |= shard_writer_add(shard, &items[i], NULL) != 0; /* which counts them as dropped */
    free(items);
    if (has_failed) {
        pthread_mutex_lock(&edges.lock);
        edges.has_lost = true;
        pthread_mutex_unlock(&edges.lock);
    }
}

const char *guest_edges_missing(void)
{
    pthread_mutex_lock(&edges.lock);
    const bool has_lost = edges.has_lost;
    pthread_mutex_unlock(&edges.lock);
    return has_lost ? "some waits of streams for events: there were too many at once" : NULL;
}
