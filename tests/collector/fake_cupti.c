/* What would CUPTI do, if it did what this test says? */
#define _GNU_SOURCE
#include "tests/collector/fake_cupti.h"

#include <assert.h>
#include <pthread.h>
#include <string.h>
#include <time.h>

#include "core/base/count_of.h"

enum { REFUSALS_MAX = 8, HELD_MAX = 8, KINDS_MAX = 64, WATCHED_MAX = 64, CALLS_MAX = 2000 };

static struct {
    struct {
        const char *function;
        CUptiResult result;
    } refusals[REFUSALS_MAX];
    size_t refusal_count;
    bool enabled[KINDS_MAX];
    uint8_t zeroed; /* the client promises zeroed buffers */
    CUpti_ActivityThreadIdType thread_ids;
    CUpti_BuffersCallbackRequestFunc requested;
    CUpti_BuffersCallbackCompleteFunc completed;
    struct fake_buffer *held[HELD_MAX];
    size_t held_count;
    pthread_mutex_t lock; /* guards all of it: tests do anything on any thread */
    pthread_cond_t opened;
    const char *gate; /* the function that waits, or NULL */
    bool at_gate;
    long record_ms;
    CUpti_ActivityKind refused_kind;
    CUptiResult kind_refusal;
    size_t dropped;
    CUpti_CallbackFunc subscriber;
    bool watches_modules;
    struct {
        CUpti_CallbackDomain domain;
        CUpti_CallbackId id;
    } watched[WATCHED_MAX];
    size_t watched_count;
    bool calls_on[2][CALLS_MAX]; /* API calls switched on one by one: runtime, driver */
    uint32_t migration_configs;
    uint64_t now_ns;
    uint32_t version;
} fake = {.lock = PTHREAD_MUTEX_INITIALIZER, .opened = PTHREAD_COND_INITIALIZER};

static void lock(void)
{
    pthread_mutex_lock(&fake.lock);
}

static void unlock(void)
{
    pthread_mutex_unlock(&fake.lock);
}

/* With the lock held. */
static bool is_closed(const char *function)
{
    return fake.gate && !strcmp(fake.gate, function);
}

static CUptiResult answer(const char *function)
{
    CUptiResult result = CUPTI_SUCCESS;
    lock();
    while (is_closed(function)) {
        fake.at_gate = true;
        pthread_cond_broadcast(&fake.opened);
        pthread_cond_wait(&fake.opened, &fake.lock);
        fake.at_gate = false;
    }
    for (size_t i = 0; i < fake.refusal_count; i++)
        if (!strcmp(fake.refusals[i].function, function))
            result = fake.refusals[i].result;
    unlock();
    return result;
}

static CUptiResult CUPTIAPI set_thread_id_type(CUpti_ActivityThreadIdType type)
{
    fake.thread_ids = type;
    return answer("cuptiSetThreadIdType");
}

static CUptiResult CUPTIAPI register_callbacks(CUpti_BuffersCallbackRequestFunc requested,
                                               CUpti_BuffersCallbackCompleteFunc completed)
{
    fake.requested = requested;
    fake.completed = completed;
    return answer("cuptiActivityRegisterCallbacks");
}

static CUptiResult switch_kind(CUpti_ActivityKind kind, bool on, CUptiResult result)
{
    assert((size_t)kind < KINDS_MAX);
    lock();
    if (on && !result && kind == fake.refused_kind)
        result = fake.kind_refusal;
    if (!result)
        fake.enabled[kind] = on;
    unlock();
    return result;
}

static CUptiResult CUPTIAPI enable(CUpti_ActivityKind kind)
{
    return switch_kind(kind, true, answer("cuptiActivityEnable"));
}

static CUptiResult CUPTIAPI disable(CUpti_ActivityKind kind)
{
    return switch_kind(kind, false, answer("cuptiActivityDisable"));
}

static CUptiResult switch_call(size_t side, CUpti_CallbackId id, uint8_t on)
{
    lock();
    if (id < CALLS_MAX)
        fake.calls_on[side][id] = on;
    unlock();
    return CUPTI_SUCCESS;
}

static CUptiResult CUPTIAPI enable_runtime_call(CUpti_CallbackId id, uint8_t on)
{
    return switch_call(0, id, on);
}

static CUptiResult CUPTIAPI enable_driver_call(CUpti_CallbackId id, uint8_t on)
{
    return switch_call(1, id, on);
}

static CUptiResult CUPTIAPI configure_migrations(CUpti_ActivityUnifiedMemoryCounterConfig *configs, uint32_t count)
{
    (void)configs;
    lock();
    fake.migration_configs += count;
    unlock();
    return answer("cuptiActivityConfigureUnifiedMemoryCounter");
}

static CUptiResult CUPTIAPI timestamp(uint64_t *now)
{
    lock();
    *now = fake.now_ns;
    unlock();
    return CUPTI_SUCCESS;
}

static CUptiResult CUPTIAPI version(uint32_t *number)
{
    *number = fake.version;
    return CUPTI_SUCCESS;
}

static CUptiResult CUPTIAPI enable_all_sync(uint8_t on)
{
    (void)on;
    return CUPTI_SUCCESS;
}

static CUptiResult CUPTIAPI set_attribute(CUpti_ActivityAttribute attribute, size_t *bytes, void *value)
{
    assert(attribute == CUPTI_ACTIVITY_ATTR_ZEROED_OUT_ACTIVITY_BUFFER && *bytes == 1);
    fake.zeroed = *(uint8_t *)value;
    return answer("cuptiActivitySetAttribute");
}

static struct fake_buffer *take_held(void)
{
    lock();
    struct fake_buffer *held = fake.held_count ? fake.held[--fake.held_count] : NULL;
    unlock();
    return held;
}

static CUptiResult CUPTIAPI flush_all(uint32_t flag)
{
    (void)flag;
    const CUptiResult result = answer("cuptiActivityFlushAll");
    for (struct fake_buffer *held; (held = take_held());)
        fake_buffer_complete(held);
    return result;
}

/* 0: no kind that CUPTI has. */
static size_t record_bytes(CUpti_ActivityKind kind)
{
    const bool is_12 = fake.version < 130000;
    switch (kind) {
    case CUPTI_ACTIVITY_KIND_KERNEL:
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL: return is_12 ? 208 : sizeof(CUpti_ActivityKernel10);
    case CUPTI_ACTIVITY_KIND_MEMCPY: return is_12 ? 88 : sizeof(CUpti_ActivityMemcpy6);
    case CUPTI_ACTIVITY_KIND_MEMCPY2: return sizeof(CUpti_ActivityMemcpyPtoP4);
    case CUPTI_ACTIVITY_KIND_MEMSET: return sizeof(CUpti_ActivityMemset4);
    case CUPTI_ACTIVITY_KIND_RUNTIME:
    case CUPTI_ACTIVITY_KIND_DRIVER: return sizeof(CUpti_ActivityAPI);
    case CUPTI_ACTIVITY_KIND_SYNCHRONIZATION: return is_12 ? 40 : sizeof(CUpti_ActivitySynchronization2);
    case CUPTI_ACTIVITY_KIND_OVERHEAD: return sizeof(CUpti_ActivityOverhead3);
    case CUPTI_ACTIVITY_KIND_MARKER: return sizeof(CUpti_ActivityMarker2);
    case CUPTI_ACTIVITY_KIND_NAME: return sizeof(CUpti_ActivityName);
    case CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER: return is_12 ? 64 : sizeof(CUpti_ActivityUnifiedMemoryCounter3);
    case CUPTI_ACTIVITY_KIND_GRAPH_TRACE: return sizeof(CUpti_ActivityGraphTrace2);
    case CUPTI_ACTIVITY_KIND_STREAM: return sizeof(CUpti_ActivityStream);
    default: return 0;
    }
}

/* As CUPTI 13.0 does; test_real_cupti.c asks it the same questions. */
static CUptiResult CUPTIAPI next_record(uint8_t *buffer, size_t valid, CUpti_Activity **record)
{
    if (!buffer)
        return CUPTI_ERROR_INVALID_PARAMETER;
    size_t at = *record ? (size_t)((uint8_t *)*record - buffer) + record_bytes((*record)->kind) : 0;
    CUpti_Activity *next = (CUpti_Activity *)(buffer + at);
    if (at + sizeof next->kind > valid)
        return CUPTI_ERROR_MAX_LIMIT_REACHED;
    if (!record_bytes(next->kind))
        return CUPTI_ERROR_INVALID_KIND;
    if (at + record_bytes(next->kind) > valid)
        return CUPTI_ERROR_MAX_LIMIT_REACHED;
    lock();
    const struct timespec pause = {fake.record_ms / 1000, fake.record_ms % 1000 * 1000000};
    unlock();
    if (pause.tv_sec || pause.tv_nsec)
        nanosleep(&pause, NULL);
    *record = next;
    return CUPTI_SUCCESS;
}

static CUptiResult CUPTIAPI dropped_records(CUcontext context, uint32_t stream, size_t *dropped)
{
    (void)context;
    (void)stream;
    const CUptiResult result = answer(FAKE_DECODER);
    lock();
    *dropped = fake.dropped;
    fake.dropped = 0;
    unlock();
    return result;
}

/* As CUPTI 13.0 numbers and names them. */
static CUptiResult CUPTIAPI callback_name(CUpti_CallbackDomain domain, uint32_t id, const char **name)
{
    static const struct {
        CUpti_CallbackDomain domain;
        uint32_t id;
        const char *name;
    } names[] = {
        {CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000, "cudaLaunchKernel_v7000"},
        {CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID_cudaMemcpyAsync_v3020, "cudaMemcpyAsync_v3020"},
        {CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID_cudaMemset_v3020, "cudaMemset_v3020"},
        {CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID_cudaStreamSynchronize_v3020,
         "cudaStreamSynchronize_v3020"},
        {CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID_cudaMalloc_v3020, "cudaMalloc_v3020"},
        {CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID_cudaMallocManaged_v6000, "cudaMallocManaged_v6000"},
        {CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuMemAllocManaged, "cuMemAllocManaged"},
        {CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx, "cuLaunchKernelEx"},
        {CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID_cudaGraphLaunch_v10000, "cudaGraphLaunch_v10000"},
        {CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID_cudaLaunchHostFunc_v10000, "cudaLaunchHostFunc_v10000"},
        {CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_RUNTIME_TRACE_CBID_cudaGraphAddMemcpyNode_v10000,
         "cudaGraphAddMemcpyNode_v10000"},
        {CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuLaunchKernel, "cuLaunchKernel"},
        {CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuMemcpyHtoDAsync_v2, "cuMemcpyHtoDAsync_v2"},
        {CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuCtxSynchronize, "cuCtxSynchronize"},
        {CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_DRIVER_TRACE_CBID_cuGraphExecMemsetNodeSetParams,
         "cuGraphExecMemsetNodeSetParams"},
    };
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (names[i].domain == domain && names[i].id == id) {
            *name = names[i].name;
            return CUPTI_SUCCESS;
        }
    return CUPTI_ERROR_INVALID_PARAMETER;
}

static CUptiResult CUPTIAPI result_string(CUptiResult result, const char **words)
{
    *words =
        result == CUPTI_ERROR_INSUFFICIENT_PRIVILEGES ? "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES" : "CUPTI_ERROR_UNKNOWN";
    return CUPTI_SUCCESS;
}

static CUptiResult CUPTIAPI subscribe(CUpti_SubscriberHandle *subscriber, CUpti_CallbackFunc callback, void *user)
{
    (void)user;
    *subscriber = (CUpti_SubscriberHandle)&fake;
    lock();
    fake.subscriber = callback;
    unlock();
    return answer("cuptiSubscribe");
}

static CUptiResult CUPTIAPI enable_callback(uint32_t on, CUpti_SubscriberHandle subscriber, CUpti_CallbackDomain domain,
                                            CUpti_CallbackId id)
{
    (void)subscriber;
    if (domain == CUPTI_CB_DOMAIN_RESOURCE && id == CUPTI_CBID_RESOURCE_MODULE_LOADED)
        fake.watches_modules = on;
    lock();
    assert(on && fake.watched_count < WATCHED_MAX);
    fake.watched[fake.watched_count].domain = domain;
    fake.watched[fake.watched_count++].id = id;
    unlock();
    return answer("cuptiEnableCallback");
}

static CUptiResult CUPTIAPI unsubscribe(CUpti_SubscriberHandle subscriber)
{
    (void)subscriber;
    return CUPTI_SUCCESS;
}

/* It is there in forked children, too. */
static void live_through_forks(void)
{
    pthread_atfork(lock, unlock, unlock);
}

const struct cupti_api *fake_cupti_reset(void)
{
    return fake_cupti_reset_as(130001);
}

const struct cupti_api *fake_cupti_reset_as(uint32_t number)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, live_through_forks);
    static struct cupti_api api;
    const bool is_12 = number < 130000;
    api = (struct cupti_api){
        .found = "test",
        .version = number,
        .cuptiGetVersion = version,
        .cuptiGetTimestamp = timestamp,
        .cuptiGetResultString = result_string,
        .cuptiGetCallbackName = callback_name,
        .cuptiSubscribe = subscribe,
        .cuptiUnsubscribe = unsubscribe,
        .cuptiEnableCallback = enable_callback,
        .cuptiActivityRegisterCallbacks = register_callbacks,
        .cuptiActivitySetAttribute = set_attribute,
        .cuptiActivityEnable = enable,
        .cuptiActivityDisable = disable,
        .cuptiActivityEnableDriverApi = is_12 ? NULL : enable_driver_call,
        .cuptiActivityEnableRuntimeApi = is_12 ? NULL : enable_runtime_call,
        .cuptiActivityConfigureUnifiedMemoryCounter = configure_migrations,
        .cuptiActivityEnableAllSyncRecords = is_12 ? NULL : enable_all_sync,
        .cuptiActivityFlushAll = flush_all,
        .cuptiActivityGetNextRecord = next_record,
        .cuptiActivityGetNumDroppedRecords = dropped_records,
        .cuptiSetThreadIdType = set_thread_id_type,
    };
    fake.refusal_count = fake.held_count = fake.dropped = 0;
    fake.watched_count = fake.migration_configs = 0;
    fake.now_ns = 1;
    fake.version = number;
    memset(fake.enabled, 0, sizeof fake.enabled);
    memset(fake.calls_on, 0, sizeof fake.calls_on);
    fake.thread_ids = CUPTI_ACTIVITY_THREAD_ID_TYPE_DEFAULT;
    fake.requested = NULL;
    fake.completed = NULL;
    fake.subscriber = NULL;
    fake.watches_modules = false;
    fake.kind_refusal = CUPTI_SUCCESS;
    return &api;
}

void fake_cupti_refuse(const char *function, CUptiResult result)
{
    lock();
    size_t i = 0;
    while (i < fake.refusal_count && strcmp(fake.refusals[i].function, function))
        i++;
    assert(i < REFUSALS_MAX);
    fake.refusals[i].function = function;
    fake.refusals[i].result = result;
    fake.refusal_count += i == fake.refusal_count;
    unlock();
}

void fake_cupti_refuse_kind(CUpti_ActivityKind kind, CUptiResult result)
{
    lock();
    fake.refused_kind = kind;
    fake.kind_refusal = result;
    unlock();
}

bool fake_cupti_enabled(CUpti_ActivityKind kind)
{
    lock();
    const bool on = (size_t)kind < KINDS_MAX && fake.enabled[kind];
    unlock();
    return on;
}

CUpti_ActivityThreadIdType fake_cupti_thread_ids(void)
{
    return fake.thread_ids;
}

void fake_cupti_drop(size_t records)
{
    lock();
    fake.dropped += records;
    unlock();
}

bool fake_buffer_open(struct fake_buffer *b)
{
    size_t max_records = 1;
    *b = (struct fake_buffer){0};
    fake.requested(&b->bytes, &b->size, &max_records);
    assert(max_records == 0 && !b->bytes == !b->size);
    for (size_t i = 0; fake.zeroed && i < b->size; i++)
        assert(!b->bytes[i]);
    return b->bytes;
}

void fake_buffer_add(struct fake_buffer *b, const void *record)
{
    const size_t bytes = record_bytes(((const CUpti_Activity *)record)->kind);
    assert(bytes && b->valid + bytes <= b->size);
    memcpy(b->bytes + b->valid, record, bytes);
    b->valid += bytes;
}

void fake_buffer_spoil(struct fake_buffer *b)
{
    memcpy(b->bytes + b->valid, &(CUpti_ActivityOverhead3){.kind = (CUpti_ActivityKind)200},
           sizeof(CUpti_ActivityOverhead3));
    b->valid += sizeof(CUpti_ActivityOverhead3);
}

void fake_buffer_complete(struct fake_buffer *b)
{
    fake.completed(NULL, 0, b->bytes, b->size, b->valid); /* context and stream are always 0 since CUDA 6 */
}

void fake_cupti_hold(struct fake_buffer *b)
{
    lock();
    assert(fake.held_count < HELD_MAX);
    fake.held[fake.held_count++] = b;
    unlock();
}

bool fake_cupti_subscribed(void)
{
    lock();
    const bool subscribed = fake.subscriber;
    unlock();
    return subscribed;
}

bool fake_cupti_load_module(const void *cubin, size_t bytes)
{
    if (!fake.subscriber || !fake.watches_modules)
        return false;
    CUpti_ModuleResourceData module = {.moduleId = 1, .cubinSize = bytes, .pCubin = cubin};
    CUpti_ResourceData resource = {.resourceDescriptor = &module};
    fake.subscriber(NULL, CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_MODULE_LOADED, &resource);
    return true;
}

bool fake_cupti_call_enabled(bool driver, CUpti_CallbackId id)
{
    lock();
    const bool on = fake.calls_on[driver][id];
    unlock();
    return on;
}

uint32_t fake_cupti_migration_configs(void)
{
    lock();
    const uint32_t count = fake.migration_configs;
    unlock();
    return count;
}

void fake_cupti_set_time(uint64_t now_ns)
{
    lock();
    fake.now_ns = now_ns;
    unlock();
}

void fake_cupti_slow_down(long record_ms)
{
    lock();
    fake.record_ms = record_ms;
    unlock();
}

void fake_cupti_close_gate(const char *function)
{
    lock();
    fake.gate = function;
    unlock();
}

void fake_cupti_await_at_gate(void)
{
    lock();
    while (!fake.at_gate)
        pthread_cond_wait(&fake.opened, &fake.lock);
    unlock();
}

void fake_cupti_open_gate(void)
{
    lock();
    fake.gate = NULL;
    pthread_cond_broadcast(&fake.opened);
    unlock();
}

bool fake_cupti_tell(CUpti_CallbackDomain domain, CUpti_CallbackId id, const void *data)
{
    bool watched = false;
    lock();
    for (size_t i = 0; i < fake.watched_count; i++)
        watched |= fake.watched[i].domain == domain && fake.watched[i].id == id;
    const CUpti_CallbackFunc subscriber = fake.subscriber;
    unlock();
    if (watched)
        subscriber(NULL, domain, id, data);
    return watched;
}
