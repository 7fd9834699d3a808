/* Which libcupti do we use, and does it have all that we need? */
#define _GNU_SOURCE
#include "collector/dynload/cupti_api.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#include "collector/dynload/cupti_search.h"

static int open_library(struct cupti_api *api, struct err *e)
{
    struct cupti_search s;
    int rc = 0;
    cupti_search(&s, false);
    if (s.taken) {
        api->library = s.taken->library;
        api->found = s.taken->kind;
    } else if (s.count) {
        rc = err_set(e, ERR_ENVIRONMENT, "no libcupti can be used of %zu that were found; the first (%s): %s", s.count,
                     s.places[0].kind, s.places[0].why);
    } else {
        rc = err_set(e, ERR_ENVIRONMENT,
                     "neither libcupti.so.13 nor libcupti.so.12 was found: install a CUDA toolkit's CUPTI, or set "
                     "CPPROF_CUPTI to the file");
    }
    cupti_search_release(&s);
    return rc;
}

static int too_old(const struct cupti_api *api, const char *lacks, const char *needs, struct err *e)
{
    const int cuda = cupti_cuda_of(api->version);
    char version[32] = "of unknown version";
    if (cuda)
        snprintf(version, sizeof version, "%d.%d", cuda / 100, cuda % 100);
    return err_set(e, ERR_ENVIRONMENT, "CUPTI %s (%s) %s%s: %s or newer", version, api->found,
                   lacks ? "lacks " : "is too old", lacks ? lacks : "", needs);
}

#define CUPTI_LOOK_UP(name)           *(void **)&api->name = dlsym(api->library, #name);
#define CUPTI_RESOLVE_OR(needs, name) CUPTI_LOOK_UP(name) if (!api->name) return too_old(api, #name, needs, e);
#define CUPTI_RESOLVE(name)           CUPTI_RESOLVE_OR("cpprof needs CUPTI 12.4", name)
#define CUPTI_RESOLVE_COUNTER(name)   CUPTI_RESOLVE_OR("counters need CUPTI 12.6", name)

int cupti_api_load_trace(struct cupti_api *api, struct err *e)
{
    memset(api, 0, sizeof *api);
    int rc = open_library(api, e);
    if (rc)
        return rc;
    CUPTI_RESOLVE(cuptiGetVersion)
    if (api->cuptiGetVersion(&api->version))
        return err_set(e, ERR_ENVIRONMENT, "libcupti (%s) does not say its version", api->found);
    CUPTI_TRACE_FUNCTIONS(CUPTI_RESOLVE)
    CUPTI_NEWER_FUNCTIONS(CUPTI_LOOK_UP)
    return api->version < CUPTI_VERSION_LEAST ? too_old(api, NULL, "cpprof needs CUPTI 12.4", e) : 0;
}

int cupti_api_load(struct cupti_api *api, struct err *e)
{
    int rc = cupti_api_load_trace(api, e);
    if (rc)
        return rc;
    if (!CUPTI_HAS_COUNTERS)
        return err_set(e, ERR_ENVIRONMENT,
                       "this build has no counters, whichever CUPTI is loaded: it was made with CUDA %d.%d; build "
                       "cpprof with CUDA 12.6 or newer",
                       CUDA_VERSION / 1000, CUDA_VERSION % 1000 / 10);
    CUPTI_COUNTER_FUNCTIONS(CUPTI_RESOLVE_COUNTER)
    cupti_load_counters_beside(api->library);
    return 0;
}

int cupti_api_load_lists(struct cupti_api *api, struct err *e)
{
    int rc = cupti_api_load(api, e);
    if (rc)
        return rc;
    CUPTI_LIST_FUNCTIONS(CUPTI_RESOLVE_COUNTER)
    return 0;
}

int cupti_api_load_pm(struct cupti_api *api, struct err *e)
{
    int rc = cupti_api_load_lists(api, e);
    if (rc)
        return rc;
    CUPTI_PM_FUNCTIONS(CUPTI_RESOLVE_COUNTER)
    return 0;
}

int cupti_api_load_pc(struct cupti_api *api, struct err *e)
{
    int rc = cupti_api_load_trace(api, e);
    if (rc)
        return rc;
    CUPTI_PC_FUNCTIONS(CUPTI_RESOLVE)
    cupti_load_counters_beside(api->library);
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
