/* Did a kernel run that can launch others from the GPU? */
#define _GNU_SOURCE
#include "collector/inject/guest_launching.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/demangle.h"
#include "collector/activity/translate.h"
#include "collector/inject/launching_code.h"

enum { KERNELS_MAX = 100000 };

/* Buffers for which there is no room are counted on threads of CUPTI, the others decoded on the collector's. */
static struct {
    __typeof__(cuptiActivityGetNextRecord) *next_record; /* CUPTI's own */
    pthread_mutex_t lock;                                /* guards `kernels`, and `why` until `told` */
    ARRAY_OF(char *) kernels;                            /* symbols of those that can launch */
    atomic_bool has_kernels;
    struct err why;
    atomic_bool told;
} launching = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void add_kernel(void *unused, const char *symbol)
{
    (void)unused;
    pthread_mutex_lock(&launching.lock);
    char *copy = launching.kernels.count < KERNELS_MAX ? strdup(symbol) : NULL;
    char **slot = copy ? ARRAY_PUSH(&launching.kernels) : NULL;
    if (slot)
        *slot = copy;
    else
        free(copy);
    atomic_store(&launching.has_kernels, true);
    pthread_mutex_unlock(&launching.lock);
}

void guest_launching_take(const CUpti_ResourceData *resource)
{
    const CUpti_ModuleResourceData *module = resource->resourceDescriptor;
    if (module && module->pCubin)
        launching_code_find(module->pCubin, module->cubinSize, add_kernel, NULL);
}

/* The caller holds the lock. */
static void tell(const char *what, const char *name, const char *why)
{
    if (atomic_load(&launching.told))
        return;
    err_set(&launching.why, ERR_ENVIRONMENT, "%s '%.200s' %s", what, name, why);
    atomic_store(&launching.told, true);
}

static void tell_kernel(const char *symbol)
{
    struct str text;
    str_init(&text);
    demangle_short(&text, symbol);
    tell("the kernel", str_text(&text), "can launch kernels or graphs from the GPU, and CUPTI has no records of those");
    str_release(&text);
}

static void look_at_kernel(const char *symbol)
{
    pthread_mutex_lock(&launching.lock);
    for (size_t i = 0; i < launching.kernels.count && !atomic_load(&launching.told); i++)
        if (!strcmp(launching.kernels.items[i], symbol))
            tell_kernel(symbol);
    pthread_mutex_unlock(&launching.lock);
}

void guest_launching_unseen(const char *file, const char *why)
{
    pthread_mutex_lock(&launching.lock);
    tell("code that may launch kernels from the GPU is in", file, why);
    pthread_mutex_unlock(&launching.lock);
}

static bool is_kernel(const CUpti_Activity *record)
{
    return record->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL || record->kind == CUPTI_ACTIVITY_KIND_KERNEL;
}

static CUptiResult CUPTIAPI next_record(uint8_t *buffer, size_t valid_bytes, CUpti_Activity **record)
{
    const CUptiResult result = launching.next_record(buffer, valid_bytes, record);
    const char *name =
        !result && atomic_load_explicit(&launching.has_kernels, memory_order_relaxed) && is_kernel(*record)
            ? translate_kernel_name(*record)
            : NULL;
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
