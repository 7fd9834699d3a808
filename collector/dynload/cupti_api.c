/* Which libcupti do we use, and does it have all that we need? */
#define _GNU_SOURCE
#include "collector/dynload/cupti_api.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

static void *open_library(const char **found)
{
    static const struct {
        const char *path;
        const char *found;
        int flags;
    } places[] = {
        {"libcupti.so.13", "loaded already", RTLD_NOLOAD},
        {NULL, "CPPROF_CUPTI", 0},
        {"libcupti.so.13", "loader path", 0},
        {"/usr/local/cuda/lib64/libcupti.so.13", "toolkit folder", 0},
        {"/usr/local/cuda/extras/CUPTI/lib64/libcupti.so.13", "toolkit folder", 0},
        {"/usr/local/cuda-13.0/extras/CUPTI/lib64/libcupti.so.13", "toolkit folder", 0},
    };
    for (size_t i = 0; i < sizeof places / sizeof places[0]; i++) {
        const char *path = places[i].path ? places[i].path : secure_getenv("CPPROF_CUPTI");
        void *library = path && *path ? dlopen(path, RTLD_NOW | RTLD_LOCAL | places[i].flags) : NULL;
        if (library) {
            *found = places[i].found;
            return library;
        }
    }
    return NULL;
}

#define CUPTI_RESOLVE(name)                                                                                            \
    if (!(*(void **)&api->name = dlsym(api->library, #name)))                                                          \
        return err_set(e, ERR_ENVIRONMENT, "libcupti (%s) lacks %s: cpprof needs CUPTI 13", api->found, #name);

int cupti_api_load_trace(struct cupti_api *api, struct err *e)
{
    memset(api, 0, sizeof *api);
    api->library = open_library(&api->found);
    if (!api->library)
        return err_set(
            e, ERR_ENVIRONMENT,
            "libcupti.so.13 was not found: install the CUDA 13 toolkit's CUPTI, or set CPPROF_CUPTI to the file");
    CUPTI_TRACE_FUNCTIONS(CUPTI_RESOLVE)
    return api->cuptiGetVersion(&api->version)
               ? err_set(e, ERR_ENVIRONMENT, "libcupti (%s) does not say its version", api->found)
               : 0;
}

int cupti_api_load(struct cupti_api *api, struct err *e)
{
    int rc = cupti_api_load_trace(api, e);
    if (rc)
        return rc;
    CUPTI_COUNTER_FUNCTIONS(CUPTI_RESOLVE)
    return 0;
}

int cupti_api_load_lists(struct cupti_api *api, struct err *e)
{
    int rc = cupti_api_load(api, e);
    if (rc)
        return rc;
    CUPTI_LIST_FUNCTIONS(CUPTI_RESOLVE)
    return 0;
}

int cupti_api_load_pm(struct cupti_api *api, struct err *e)
{
    int rc = cupti_api_load_lists(api, e);
    if (rc)
        return rc;
    CUPTI_PM_FUNCTIONS(CUPTI_RESOLVE)
    return 0;
}

int cupti_api_load_pc(struct cupti_api *api, struct err *e)
{
    int rc = cupti_api_load_trace(api, e);
    if (rc)
        return rc;
    CUPTI_PC_FUNCTIONS(CUPTI_RESOLVE)
    return 0;
}

/* Returns what a person can do about a refusal. */
static const char *advice_for(CUptiResult result)
{
    static const struct {
        CUptiResult result;
        const char *advice;
    } table[] = {
        {CUPTI_ERROR_INSUFFICIENT_PRIVILEGES,
         "; counters need the right to profile: run as root, or load the driver with NVreg_RestrictProfilingToAdminUsers=0"},
        {CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED, "; this vGPU profile has profiling switched off"},
        {CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED, "; another profiler is attached to this process"},
        {CUPTI_ERROR_HARDWARE_BUSY, "; another profiler is using the counters: end it and try again"},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        if (table[i].result == result)
            return table[i].advice;
    return "";
}

int cupti_error(const struct cupti_api *api, CUptiResult result, const char *doing, struct err *e)
{
    const char *words = NULL;
    api->cuptiGetResultString(result, &words);
    return err_set(e, ERR_ENVIRONMENT, "CUPTI failed to %s: %s%s", doing, words ? words : "unknown error",
                   advice_for(result));
}
