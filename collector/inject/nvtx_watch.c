/* Is a range of the wanted name open? */
#define _GNU_SOURCE
#include "collector/inject/nvtx_watch.h"

#include <generated_nvtx_meta.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "base/array.h"

const CUpti_CallbackId nvtx_watch_calls[] = {
    CUPTI_CBID_NVTX_nvtxRangeStartA,
    CUPTI_CBID_NVTX_nvtxRangeStartW,
    CUPTI_CBID_NVTX_nvtxRangeStartEx,
    CUPTI_CBID_NVTX_nvtxRangeEnd,
    CUPTI_CBID_NVTX_nvtxRangePushA,
    CUPTI_CBID_NVTX_nvtxRangePushW,
    CUPTI_CBID_NVTX_nvtxRangePushEx,
    CUPTI_CBID_NVTX_nvtxRangePop,
    CUPTI_CBID_NVTX_nvtxDomainRangeStartEx,
    CUPTI_CBID_NVTX_nvtxDomainRangeEnd,
    CUPTI_CBID_NVTX_nvtxDomainRangePushEx,
    CUPTI_CBID_NVTX_nvtxDomainRangePop,
    CUPTI_CBID_NVTX_nvtxDomainRegisterStringA,
    CUPTI_CBID_NVTX_nvtxDomainCreateA,
};
const size_t nvtx_watch_call_count = sizeof nvtx_watch_calls / sizeof nvtx_watch_calls[0];

enum { DEPTH_MAX = 64, TEXT_MAX = 512 };

/* Handles with the wanted text: domains and registered strings. */
struct handles {
    const void **items;
    size_t count, capacity;
};

static struct {
    const char *range, *domain;
    pthread_mutex_t lock; /* guards what follows; nothing is called with it held */
    struct handles domains, strings;
    struct {
        uint64_t *items; /* ids of open start-end ranges with the wanted name */
        size_t count, capacity;
    } started;
    size_t open;
} watch = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* This thread's open pushes, the innermost last: a pop ends the innermost of its domain. */
static _Thread_local struct {
    struct {
        const void *domain;
        bool wanted;
    } levels[DEPTH_MAX];
    size_t depth;
    size_t beyond; /* deeper ones: not looked at */
} pushed;

void nvtx_watch_init(const char *range, const char *domain)
{
    watch.range = range;
    watch.domain = domain;
}

static void remember(struct handles *h, const void *handle)
{
    pthread_mutex_lock(&watch.lock);
    const void **slot = handle ? ARRAY_PUSH(h) : NULL;
    if (slot)
        *slot = handle;
    pthread_mutex_unlock(&watch.lock);
}

static bool knows(const struct handles *h, const void *handle)
{
    bool found = false;
    pthread_mutex_lock(&watch.lock);
    for (size_t i = 0; i < h->count && !found; i++)
        found = h->items[i] == handle;
    pthread_mutex_unlock(&watch.lock);
    return found;
}

static bool is_range(const char *text)
{
    return text && !strcmp(text, watch.range);
}

static bool is_wide_range(const wchar_t *text)
{
    char narrow[TEXT_MAX];
    return text && wcstombs(narrow, text, sizeof narrow) < sizeof narrow && is_range(narrow);
}

static bool is_range_event(const nvtxEventAttributes_t *attributes)
{
    if (!attributes)
        return false;
    switch (attributes->messageType) {
    case NVTX_MESSAGE_TYPE_ASCII: return is_range(attributes->message.ascii);
    case NVTX_MESSAGE_TYPE_UNICODE: return is_wide_range(attributes->message.unicode);
    case NVTX_MESSAGE_TYPE_REGISTERED: return knows(&watch.strings, attributes->message.registered);
    default: return false;
    }
}

static bool in_domain(const void *domain)
{
    if (!watch.domain)
        return true;
    return domain ? knows(&watch.domains, domain) : !*watch.domain; /* "name@": the default domain */
}

static void count_open(int change)
{
    pthread_mutex_lock(&watch.lock);
    watch.open += (size_t)change;
    pthread_mutex_unlock(&watch.lock);
}

static void push(const void *domain, bool named)
{
    if (pushed.depth == DEPTH_MAX) {
        pushed.beyond++;
        return;
    }
    const bool wanted = named && in_domain(domain);
    pushed.levels[pushed.depth].domain = domain;
    pushed.levels[pushed.depth++].wanted = wanted;
    if (wanted)
        count_open(1);
}

static void pop(const void *domain)
{
    if (pushed.beyond) {
        pushed.beyond--;
        return;
    }
    size_t at = pushed.depth;
    while (at && pushed.levels[at - 1].domain != domain)
        at--;
    if (!at)
        return; /* its push came before we looked */
    if (pushed.levels[at - 1].wanted)
        count_open(-1);
    memmove(&pushed.levels[at - 1], &pushed.levels[at], (pushed.depth - at) * sizeof pushed.levels[0]);
    pushed.depth--;
}

static void start(const void *domain, bool named, const void *result)
{
    if (!named || !result || !in_domain(domain))
        return;
    pthread_mutex_lock(&watch.lock);
    uint64_t *slot = ARRAY_PUSH(&watch.started);
    if (slot) {
        memcpy(slot, result, sizeof *slot); /* nvtxRangeId_t */
        watch.open++;
    }
    pthread_mutex_unlock(&watch.lock);
}

static void end(uint64_t id)
{
    pthread_mutex_lock(&watch.lock);
    for (size_t i = 0; i < watch.started.count; i++)
        if (watch.started.items[i] == id) {
            watch.started.items[i] = watch.started.items[--watch.started.count];
            watch.open--;
            break;
        }
    pthread_mutex_unlock(&watch.lock);
}

/* What an NVTX function returned: a handle. */
static const void *returned_handle(const void *result)
{
    const void *handle = NULL;
    if (result)
        memcpy(&handle, result, sizeof handle);
    return handle;
}

static void take_push_pop(CUpti_CallbackId call, const void *params)
{
    if (call == CUPTI_CBID_NVTX_nvtxRangePushA) {
        push(NULL, is_range(((const nvtxRangePushA_params *)params)->message));
    } else if (call == CUPTI_CBID_NVTX_nvtxRangePushW) {
        push(NULL, is_wide_range(((const nvtxRangePushW_params *)params)->message));
    } else if (call == CUPTI_CBID_NVTX_nvtxRangePushEx) {
        push(NULL, is_range_event(((const nvtxRangePushEx_params *)params)->eventAttrib));
    } else if (call == CUPTI_CBID_NVTX_nvtxDomainRangePushEx) {
        const nvtxDomainRangePushEx_params *p = params;
        push(p->domain, is_range_event(p->core.eventAttrib));
    } else if (call == CUPTI_CBID_NVTX_nvtxRangePop) {
        pop(NULL);
    } else if (call == CUPTI_CBID_NVTX_nvtxDomainRangePop) {
        pop(((const nvtxDomainRangePop_params *)params)->domain);
    }
}

static void take_start_end(CUpti_CallbackId call, const void *params, const void *result)
{
    if (call == CUPTI_CBID_NVTX_nvtxRangeStartA) {
        start(NULL, is_range(((const nvtxRangeStartA_params *)params)->message), result);
    } else if (call == CUPTI_CBID_NVTX_nvtxRangeStartW) {
        start(NULL, is_wide_range(((const nvtxRangeStartW_params *)params)->message), result);
    } else if (call == CUPTI_CBID_NVTX_nvtxRangeStartEx) {
        start(NULL, is_range_event(((const nvtxRangeStartEx_params *)params)->eventAttrib), result);
    } else if (call == CUPTI_CBID_NVTX_nvtxDomainRangeStartEx) {
        const nvtxDomainRangeStartEx_params *p = params;
        start(p->domain, is_range_event(p->core.eventAttrib), result);
    } else if (call == CUPTI_CBID_NVTX_nvtxRangeEnd) {
        end(((const nvtxRangeEnd_params *)params)->id);
    } else if (call == CUPTI_CBID_NVTX_nvtxDomainRangeEnd) {
        end(((const nvtxDomainRangeEnd_params *)params)->core.id);
    }
}

static void take_handles(CUpti_CallbackId call, const void *params, const void *result)
{
    if (call == CUPTI_CBID_NVTX_nvtxDomainCreateA) {
        const char *name = ((const nvtxDomainCreateA_params *)params)->name;
        if (watch.domain && name && !strcmp(name, watch.domain))
            remember(&watch.domains, returned_handle(result));
    } else if (call == CUPTI_CBID_NVTX_nvtxDomainRegisterStringA) {
        if (is_range(((const nvtxDomainRegisterStringA_params *)params)->string))
            remember(&watch.strings, returned_handle(result));
    }
}

void nvtx_watch_take(CUpti_CallbackId call, const CUpti_NvtxData *data)
{
    if (!data->functionParams && call != CUPTI_CBID_NVTX_nvtxRangePop)
        return;
    take_push_pop(call, data->functionParams);
    take_start_end(call, data->functionParams, data->functionReturnValue);
    take_handles(call, data->functionParams, data->functionReturnValue);
}

bool nvtx_watch_is_open(void)
{
    pthread_mutex_lock(&watch.lock);
    const bool open = watch.open;
    pthread_mutex_unlock(&watch.lock);
    return open;
}
