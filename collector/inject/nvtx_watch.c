/* Is a range of the wanted name open, and when was it? */
#define _GNU_SOURCE
#include "collector/inject/nvtx_watch.h"

#define NVTX_NO_IMPL /* only the types, which the next header of CUDA 12 does not bring along */
#include <nvtx3/nvToolsExtSync.h>

#include <generated_nvtx_meta.h>
#include <pthread.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

#include "core/base/array.h"
#include "core/base/strtab.h"

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
    CUPTI_CBID_NVTX_nvtxDomainRegisterStringW,
    CUPTI_CBID_NVTX_nvtxDomainCreateA,
    CUPTI_CBID_NVTX_nvtxDomainCreateW,
    CUPTI_CBID_NVTX_nvtxDomainDestroy,
};
const size_t nvtx_watch_call_count = sizeof nvtx_watch_calls / sizeof nvtx_watch_calls[0];

/* Limits: ranges open at once; ended ones that were not taken yet; a wide text; the names of domains together. */
enum { OPEN_MAX = 4096, ENDED_MAX = 1 << 17, TEXT_MAX = 1024, DOMAIN_NAME_BYTES_MAX = 256 * 1024 };

/* A domain, or a registered string with the wanted text. */
struct handle {
    const void *handle;
    const void *domain; /* domain of a string */
    const char *name;   /* name of a domain */
};

struct handles {
    struct handle *items;
    size_t count, capacity;
};

/* A range with the wanted name. A pop ends the innermost push of its thread and domain, so the pushes inside it need
 * only be counted. */
struct open_range {
    uint32_t thread;
    const void *domain; /* domain of a push */
    uint64_t inner;     /* pushes of its domain that are open inside it */
    uint64_t id;        /* id of a start */
    const char *domain_name;
    int64_t start_ns;
    uint64_t number; /* as an occurrence; 0: it is inside another one */
    bool was_recorded, began_recorded;
};

struct open_ranges {
    struct open_range *items;
    size_t count, capacity;
};

static struct {
    const char *range, *domain;
    CUptiResult (*clock)(uint64_t *now_ns); /* NULL: ranges are not kept */
    void (*thread_ended)(void);
    void (*began)(uint64_t number); /* NULL: nobody asks for occurrences, like `ended_occurrence` */
    void (*ended_occurrence)(uint64_t number, int64_t length_ns);
    pid_t pid;
    pthread_key_t thread; /* the thread's number, set in threads that have pushed a range */
    bool has_key;
    struct range_watch kept;
    pthread_mutex_t lock; /* guards the fields below; nothing is called while it is held */
    struct handles domains, strings;
    struct strtab domain_names;
    struct open_ranges pushed, started;
    struct {
        struct seen_range *items;
        size_t count, capacity;
        size_t taken;
    } ended;
    uint64_t lost;
    uint64_t occurrences;
    bool recording;
    int64_t clock_lead_ns; /* how far the events' clock is ahead of CLOCK_MONOTONIC */
} watch = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void lock(void)
{
    pthread_mutex_lock(&watch.lock);
}

static void unlock(void)
{
    pthread_mutex_unlock(&watch.lock);
}

/* ---- time ---- */

static int64_t monotonic_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Called inside a callback of CUPTI, without the lock. */
static int64_t event_clock_ns(void)
{
    uint64_t now_ns = 0;
    if (!watch.clock || watch.clock(&now_ns))
        return 0;
    const int64_t lead_ns = (int64_t)now_ns - monotonic_ns();
    lock();
    watch.clock_lead_ns = lead_ns;
    unlock();
    return (int64_t)now_ns;
}

/* ---- texts and handles ---- */

static size_t encode(char out[4], uint32_t code)
{
    if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
        code = 0xfffd;
    if (code < 0x80) {
        out[0] = (char)code;
        return 1;
    }
    const size_t count = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    for (size_t i = count - 1; i; i--, code >>= 6)
        out[i] = (char)(0x80 | (code & 0x3f));
    out[0] = (char)(0xf00 >> count | code);
    return count;
}

/* Converts to UTF-8 in any locale. Returns NULL when it is too long. */
static const char *narrow(const wchar_t *wide, char out[TEXT_MAX])
{
    size_t length = 0;
    for (; wide && *wide; wide++) {
        if (length + 4 >= TEXT_MAX)
            return NULL;
        length += encode(out + length, (uint32_t)*wide);
    }
    out[length] = '\0';
    return wide ? out : NULL;
}

static bool is_range(const char *text)
{
    return text && !strcmp(text, watch.range);
}

static bool is_wide_range(const wchar_t *text)
{
    char utf8[TEXT_MAX];
    return is_range(narrow(text, utf8));
}

/* The caller holds the lock. */
static const struct handle *find_handle(const struct handles *h, const void *handle)
{
    for (size_t i = h->count; i-- > 0;)
        if (h->items[i].handle == handle)
            return &h->items[i];
    return NULL;
}

static void remember_string(const void *domain, const void *string)
{
    lock();
    struct handle *slot = string && !find_handle(&watch.strings, string) ? ARRAY_PUSH(&watch.strings) : NULL;
    if (slot)
        *slot = (struct handle){.handle = string, .domain = domain};
    unlock();
}

static void remember_domain(const char *name, const void *domain)
{
    lock();
    const uint32_t id = strtab_add(&watch.domain_names, name);
    struct handle *slot = id && domain && !find_handle(&watch.domains, domain) ? ARRAY_PUSH(&watch.domains) : NULL;
    if (slot)
        *slot = (struct handle){.handle = domain, .name = strtab_text(&watch.domain_names, id)};
    unlock();
}

static void drop_handles(struct handles *h, const void *domain)
{
    size_t kept = 0;
    for (size_t i = 0; i < h->count; i++)
        if (h->items[i].handle != domain && h->items[i].domain != domain)
            h->items[kept++] = h->items[i];
    h->count = kept;
}

/* The handle may be used again for another domain. */
static void forget_domain(const void *domain)
{
    if (!domain)
        return;
    lock();
    drop_handles(&watch.domains, domain);
    drop_handles(&watch.strings, domain);
    unlock();
}

static bool is_range_string(const void *string)
{
    lock();
    const bool found = find_handle(&watch.strings, string);
    unlock();
    return found;
}

static bool is_range_event(const nvtxEventAttributes_t *attributes)
{
    if (!attributes)
        return false;
    switch (attributes->messageType) {
    case NVTX_MESSAGE_TYPE_ASCII: return is_range(attributes->message.ascii);
    case NVTX_MESSAGE_TYPE_UNICODE: return is_wide_range(attributes->message.unicode);
    case NVTX_MESSAGE_TYPE_REGISTERED: return is_range_string(attributes->message.registered);
    default: return false;
    }
}

/* Returns the domain's name ("" for the default one) if its ranges are wanted, else NULL. */
static const char *wanted_domain(const void *domain)
{
    lock();
    const struct handle *known = domain ? find_handle(&watch.domains, domain) : NULL;
    unlock();
    const char *name = known ? known->name : "";
    const bool is_wanted = !watch.domain || (!strcmp(name, watch.domain) && !domain == !*watch.domain);
    return is_wanted ? name : NULL;
}

/* ---- what is open ---- */

static _Thread_local uint32_t thread_number;

static uint32_t this_thread(void)
{
    return thread_number ? thread_number : (thread_number = (uint32_t)gettid());
}

/* The caller holds the lock. */
static struct open_range *innermost(uint32_t thread, const void *domain)
{
    for (size_t i = watch.pushed.count; i-- > 0;)
        if (watch.pushed.items[i].thread == thread && watch.pushed.items[i].domain == domain)
            return &watch.pushed.items[i];
    return NULL;
}

static struct open_range taken_out(struct open_ranges *list, struct open_range *range)
{
    const struct open_range out = *range;
    const size_t behind = list->count - (size_t)(range - list->items) - 1;
    memmove(range, range + 1, behind * sizeof *range);
    list->count--;
    return out;
}

/* Is the thread inside another range that it has pushed? The caller holds the lock. */
static bool is_inside(uint32_t thread)
{
    for (size_t i = 0; i < watch.pushed.count; i++)
        if (watch.pushed.items[i].thread == thread)
            return true;
    return false;
}

/* Returns false when there is no room. The caller holds the lock. */
static bool open_range(struct open_ranges *list, struct open_range *range)
{
    struct open_range *slot = list->count < OPEN_MAX ? ARRAY_PUSH(list) : NULL;
    if (!slot) {
        watch.lost++;
        return false;
    }
    if (list == &watch.started || !is_inside(range->thread))
        range->number = ++watch.occurrences;
    *slot = *range;
    slot->was_recorded = slot->began_recorded = watch.recording;
    return true;
}

/* The caller holds the lock. */
static struct seen_range seen(const struct open_range *range, int64_t end_ns)
{
    return (struct seen_range){.start_ns = range->start_ns,
                               .end_ns = end_ns < range->start_ns ? range->start_ns : end_ns,
                               .thread = range->thread,
                               .domain = range->domain_name};
}

/* Keeps an event if any part of the range was recorded. The caller holds the lock. */
static void keep_ended(const struct open_range *range, int64_t end_ns, bool left_end)
{
    if (!watch.clock || !range->was_recorded)
        return;
    struct seen_range *slot = watch.ended.count < ENDED_MAX ? ARRAY_PUSH(&watch.ended) : NULL;
    if (slot) {
        *slot = seen(range, end_ns);
        slot->left_end = left_end;
    } else {
        watch.lost++;
    }
}

static void tell_begin(const struct open_range *range)
{
    if (range->number && watch.began)
        watch.began(range->number);
}

static void end_range(const struct open_range *range)
{
    const int64_t end_ns = event_clock_ns();
    lock();
    keep_ended(range, end_ns, watch.recording && !range->began_recorded);
    unlock();
    if (range->number && watch.ended_occurrence)
        watch.ended_occurrence(range->number, end_ns - range->start_ns);
}

/* The ranges of a thread end with it. No other code is called: CUPTI's data for the thread may be gone. */
static void end_thread(void *number)
{
    const uint32_t thread = (uint32_t)(uintptr_t)number;
    uint64_t occurrence = 0;
    bool any = false;
    if (getpid() != watch.pid) /* in a child of _Fork the lock may be held for ever */
        return;
    lock();
    const int64_t end_ns = monotonic_ns() + watch.clock_lead_ns;
    for (size_t i = watch.pushed.count; i-- > 0;)
        if (watch.pushed.items[i].thread == thread) {
            const struct open_range range = taken_out(&watch.pushed, &watch.pushed.items[i]);
            keep_ended(&range, end_ns, false);
            occurrence = range.number ? range.number : occurrence;
            any = true;
        }
    unlock();
    if (occurrence && watch.ended_occurrence)
        watch.ended_occurrence(occurrence, 0);
    if (any && watch.thread_ended)
        watch.thread_ended();
}

static void push(const void *domain, bool named)
{
    const uint32_t thread = this_thread();
    const char *name = named ? wanted_domain(domain) : NULL;
    const int64_t start_ns = name ? event_clock_ns() : 0;
    struct open_range range = {.thread = thread, .domain = domain, .domain_name = name, .start_ns = start_ns};
    lock();
    const bool is_open = name && open_range(&watch.pushed, &range);
    struct open_range *around = is_open ? NULL : innermost(thread, domain);
    if (around)
        around->inner++;
    unlock();
    if (is_open)
        tell_begin(&range);
    if (is_open && watch.has_key)
        pthread_setspecific(watch.thread, (void *)(uintptr_t)thread);
}

static void pop(const void *domain)
{
    const uint32_t thread = this_thread();
    struct open_range range;
    lock();
    struct open_range *last = innermost(thread, domain); /* NULL: its push was not ours, or came before we watched */
    const bool ends = last && !last->inner;
    if (ends)
        range = taken_out(&watch.pushed, last);
    else if (last)
        last->inner--;
    unlock();
    if (ends)
        end_range(&range);
}

static void start(const void *domain, bool named, const void *result)
{
    const char *name = named && result ? wanted_domain(domain) : NULL;
    if (!name)
        return;
    struct open_range range = {.thread = this_thread(), .domain_name = name, .start_ns = event_clock_ns()};
    memcpy(&range.id, result, sizeof range.id); /* nvtxRangeId_t */
    lock();
    const bool is_open = open_range(&watch.started, &range);
    unlock();
    if (is_open)
        tell_begin(&range);
}

static void end(uint64_t id)
{
    struct open_range range;
    bool ends = false;
    lock();
    for (size_t i = watch.started.count; i-- > 0 && !ends;)
        if (watch.started.items[i].id == id) {
            range = taken_out(&watch.started, &watch.started.items[i]);
            ends = true;
        }
    unlock();
    if (ends)
        end_range(&range);
}

bool nvtx_watch_is_open(void)
{
    lock();
    const bool open = watch.pushed.count || watch.started.count;
    unlock();
    return open;
}

/* ---- the calls ---- */

/* Returns the handle that an NVTX function returned. */
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
    char utf8[TEXT_MAX];
    if (call == CUPTI_CBID_NVTX_nvtxDomainCreateA) {
        remember_domain(((const nvtxDomainCreateA_params *)params)->name, returned_handle(result));
    } else if (call == CUPTI_CBID_NVTX_nvtxDomainCreateW) {
        const void *name = ((const nvtxDomainCreateA_params *)params)->name; /* CUPTI's header has no other */
        remember_domain(narrow(name, utf8), returned_handle(result));
    } else if (call == CUPTI_CBID_NVTX_nvtxDomainDestroy) {
        forget_domain(((const nvtxDomainDestroy_params *)params)->domain);
    } else if (call == CUPTI_CBID_NVTX_nvtxDomainRegisterStringA) {
        const nvtxDomainRegisterStringA_params *p = params;
        if (is_range(p->string))
            remember_string(p->domain, returned_handle(result));
    } else if (call == CUPTI_CBID_NVTX_nvtxDomainRegisterStringW) {
        const nvtxDomainRegisterStringW_params *p = params;
        const void *text = p->string; /* CUPTI's header declares it as a char */
        if (is_wide_range(text))
            remember_string(p->domain, returned_handle(result));
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

/* ---- what is kept ---- */

static bool take_ended(struct seen_range *out)
{
    if (watch.ended.taken == watch.ended.count) {
        watch.ended.count = watch.ended.taken = 0;
        return false;
    }
    *out = watch.ended.items[watch.ended.taken++];
    return true;
}

static bool take_open(struct open_ranges *list, struct seen_range *out)
{
    while (list->count) {
        const struct open_range range = taken_out(list, &list->items[list->count - 1]);
        if (!range.was_recorded)
            continue;
        *out = seen(&range, range.start_ns);
        out->is_unfinished = true;
        return true;
    }
    return false;
}

static bool next_range(bool all, struct seen_range *out)
{
    lock();
    const bool found = take_ended(out) || (all && (take_open(&watch.pushed, out) || take_open(&watch.started, out)));
    unlock();
    return found;
}

static uint64_t lost_ranges(void)
{
    lock();
    const uint64_t lost = watch.lost;
    watch.lost = 0;
    unlock();
    return lost;
}

/* ---- fork ---- */

/* A forked child does not have the other threads, nor their ranges. The caller holds the lock. */
static void keep_own_ranges(uint32_t from, uint32_t to)
{
    size_t kept = 0;
    for (size_t i = 0; i < watch.pushed.count; i++)
        if (watch.pushed.items[i].thread == from) {
            watch.pushed.items[kept] = watch.pushed.items[i];
            watch.pushed.items[kept].number = 0; /* it is the parent's */
            watch.pushed.items[kept++].thread = to;
        }
    watch.pushed.count = kept;
}

/* A child that is forked before CUDA starts may start it, and is watched like its parent. */
static void in_child(void)
{
    const uint32_t before = this_thread();
    thread_number = 0;
    watch.pid = getpid();
    keep_own_ranges(before, this_thread());
    if (watch.has_key && pthread_getspecific(watch.thread))
        pthread_setspecific(watch.thread, (void *)(uintptr_t)this_thread());
    watch.ended.count = watch.ended.taken = 0;
    watch.lost = watch.occurrences = 0;
    unlock();
}

void nvtx_watch_init(const char *range, const char *domain)
{
    watch.range = range;
    watch.domain = domain;
    watch.kept = (struct range_watch){.range = range, .domain = domain, .next = next_range, .lost = lost_ranges};
    watch.pid = getpid();
    watch.has_key = !pthread_key_create(&watch.thread, end_thread);
    strtab_init(&watch.domain_names);
    watch.domain_names.size_bytes_max = DOMAIN_NAME_BYTES_MAX;
    strtab_add(&watch.domain_names, domain); /* gets its id while there is room for names */
    pthread_atfork(lock, unlock, in_child);
}

const struct range_watch *nvtx_watch_keep(CUptiResult (*clock)(uint64_t *now_ns), void (*thread_ended)(void))
{
    watch.clock = clock;
    watch.thread_ended = thread_ended;
    return &watch.kept;
}

void nvtx_watch_occurrences(void (*began)(uint64_t number), void (*ended)(uint64_t number, int64_t length_ns))
{
    watch.began = began;
    watch.ended_occurrence = ended;
}

void nvtx_watch_recording(bool on)
{
    lock();
    watch.recording = on;
    for (size_t i = 0; i < watch.pushed.count && on; i++)
        watch.pushed.items[i].was_recorded = true;
    for (size_t i = 0; i < watch.started.count && on; i++)
        watch.started.items[i].was_recorded = true;
    unlock();
}
