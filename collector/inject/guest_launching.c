/* Did a kernel run that can launch others from the GPU? */
#define _GNU_SOURCE
#include "collector/inject/guest_launching.h"

#include <pthread.h>
#include <stdatomic.h>

#include "collector/activity/translate.h"
#include "collector/inject/launching_code.h"
#include "core/base/demangle.h"
#include "core/base/strtab.h"

enum { KERNELS_MAX = 100000 };

/* Buffers for which there is no room are counted on threads of CUPTI, the others decoded on the collector's. */
static struct {
    __typeof__(cuptiActivityGetNextRecord) *next_record; /* CUPTI's own */
    pthread_mutex_t lock;                                /* guards `kernels`, and `why` until `told` */
    struct strtab kernels;                               /* symbols of those that can launch */
    atomic_bool has_kernels;
    struct err why;
    atomic_bool told;
} launching = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* The caller holds the lock. */
static void tell(const struct err *why)
{
    if (atomic_load(&launching.told))
        return;
    launching.why = *why;
    atomic_store(&launching.told, true);
}

static void add_kernel(void *unused, const char *symbol)
{
    struct err e = {0};
    (void)unused;
    pthread_mutex_lock(&launching.lock);
    if (!strtab_find(&launching.kernels, symbol) &&
        (strtab_count(&launching.kernels) == KERNELS_MAX || !strtab_add(&launching.kernels, symbol))) {
        err_set(&e, ERR_ENVIRONMENT, "too many kernels can launch others from the GPU: which of them ran is not known");
        tell(&e);
    }
    atomic_store(&launching.has_kernels, true);
    pthread_mutex_unlock(&launching.lock);
}

void guest_launching_take(const CUpti_ResourceData *resource)
{
    const CUpti_ModuleResourceData *module = resource->resourceDescriptor;
    struct err e = {0};
    if (!module || !launching_code_find(module->pCubin, module->cubinSize, add_kernel, NULL, &e))
        return;
    err_context(&e, "which kernels of a module launch others from the GPU is not known");
    pthread_mutex_lock(&launching.lock);
    tell(&e);
    pthread_mutex_unlock(&launching.lock);
}

static void tell_kernel(const char *symbol)
{
    struct err e = {0};
    struct str text;
    str_init(&text);
    demangle_short(&text, symbol);
    err_set(&e, ERR_ENVIRONMENT,
            "the kernel '%.200s' can launch kernels or graphs from the GPU, and CUPTI has no records of those",
            str_text(&text));
    tell(&e);
    str_release(&text);
}

static void look_at_kernel(const char *symbol)
{
    pthread_mutex_lock(&launching.lock);
    if (strtab_find(&launching.kernels, symbol))
        tell_kernel(symbol);
    pthread_mutex_unlock(&launching.lock);
}

void guest_launching_unseen(const char *file, const char *why)
{
    struct err e = {0};
    err_set(&e, ERR_ENVIRONMENT, "code that may launch kernels from the GPU is in '%.200s' %s", file, why);
    pthread_mutex_lock(&launching.lock);
    tell(&e);
    pthread_mutex_unlock(&launching.lock);
}

static bool is_kernel(const CUpti_Activity *record)
{
    return record->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL || record->kind == CUPTI_ACTIVITY_KIND_KERNEL;
}

/* The first reason is enough. */
static bool is_wanted(const CUpti_Activity *record)
{
    return atomic_load_explicit(&launching.has_kernels, memory_order_relaxed) &&
           !atomic_load_explicit(&launching.told, memory_order_relaxed) && is_kernel(record);
}

static CUptiResult CUPTIAPI next_record(uint8_t *buffer, size_t valid_bytes, CUpti_Activity **record)
{
    const CUptiResult result = launching.next_record(buffer, valid_bytes, record);
    const char *name = !result && is_wanted(*record) ? translate_kernel_name(*record) : NULL;
    if (name)
        look_at_kernel(name);
    return result;
}

void guest_launching_init(struct cupti_api *api)
{
    launching.next_record = api->cuptiActivityGetNextRecord;
    api->cuptiActivityGetNextRecord = next_record;
}

const char *guest_launching_missing(void)
{
    return atomic_load(&launching.told) ? launching.why.text : NULL;
}
