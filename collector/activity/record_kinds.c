/* Which records are worth their cost? */
#include "collector/activity/record_kinds.h"

#include "collector/activity/translate.h"

enum { CALLS_MAX = 2000, DEVICES_MAX = 64 };

enum when { ALWAYS, ALL_CALLS, CALLS_BY_KIND, WHOLE_GRAPHS, ANNOTATIONS };

/* Records of waits cost each operation of a program 0.75 us on an H200, even if it never waits. The calls that wait
 * carry the same information. */
static const struct {
    CUpti_ActivityKind kind;
    enum when when;
} kinds[] = {
    {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, ALWAYS},
    {CUPTI_ACTIVITY_KIND_MEMCPY, ALWAYS},
    {CUPTI_ACTIVITY_KIND_MEMCPY2, ALWAYS},
    {CUPTI_ACTIVITY_KIND_MEMSET, ALWAYS},
    {CUPTI_ACTIVITY_KIND_SYNCHRONIZATION, ALL_CALLS},
    {CUPTI_ACTIVITY_KIND_RUNTIME, CALLS_BY_KIND},
    {CUPTI_ACTIVITY_KIND_DRIVER, CALLS_BY_KIND},
    {CUPTI_ACTIVITY_KIND_GRAPH_TRACE, WHOLE_GRAPHS},
    {CUPTI_ACTIVITY_KIND_MARKER, ANNOTATIONS},
    {CUPTI_ACTIVITY_KIND_NAME, ANNOTATIONS},
    {CUPTI_ACTIVITY_KIND_OVERHEAD, ANNOTATIONS},
};

/* Without such a CUPTI whole kinds are asked for, and the decoder leaves out the rest. */
static bool can_choose_calls(const struct cupti_api *api)
{
    return api->cuptiActivityEnableRuntimeApi && api->cuptiActivityEnableDriverApi;
}

static bool chosen(const struct cupti_api *api, enum when when, const struct record_choice *choice)
{
    switch (when) {
    case ALL_CALLS: return choice->all_calls;
    case CALLS_BY_KIND: return !can_choose_calls(api) || choice->all_calls || choice->switches;
    case WHOLE_GRAPHS: return choice->whole_graphs;
    case ANNOTATIONS: return choice->annotations;
    default: return true;
    }
}

static bool is_of_work(const char *name)
{
    return translate_call_kind(name) != CPPROF_API_OTHER;
}

/* CUPTI refuses ids that it does not have; they are skipped. */
static void set_calls(const struct cupti_api *api, bool (*wanted)(const char *name), bool on)
{
    static const CUpti_CallbackDomain domains[] = {CUPTI_CB_DOMAIN_RUNTIME_API, CUPTI_CB_DOMAIN_DRIVER_API};
    if (!can_choose_calls(api))
        return;
    for (size_t d = 0; d < 2; d++)
        for (uint32_t id = 1; id < CALLS_MAX; id++) {
            const char *name = NULL;
            if (api->cuptiGetCallbackName(domains[d], id, &name) || !name || !wanted(name))
                continue;
            if (d)
                api->cuptiActivityEnableDriverApi(id, on);
            else
                api->cuptiActivityEnableRuntimeApi(id, on);
        }
}

/* A query that finds work unfinished is not a wait. */
static void leave_out_queries(const struct cupti_api *api)
{
    if (api->cuptiActivityEnableAllSyncRecords)
        api->cuptiActivityEnableAllSyncRecords(0);
}

int record_kinds_set(const struct cupti_api *api, const struct record_choice *choice, bool on, struct err *e)
{
    CUptiResult result = CUPTI_SUCCESS;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0] && !result; i++)
        if (chosen(api, kinds[i].when, choice))
            result = on ? api->cuptiActivityEnable(kinds[i].kind) : api->cuptiActivityDisable(kinds[i].kind);
    if (result)
        return cupti_error(api, result, on ? "start tracing" : "stop tracing", e);
    if (on && choice->all_calls)
        leave_out_queries(api);
    if (!chosen(api, CALLS_BY_KIND, choice))
        set_calls(api, is_of_work, on);
    return 0;
}

void record_kinds_watch_managed(const struct cupti_api *api)
{
    set_calls(api, translate_is_managed, true);
}

int record_kinds_migrations(const struct cupti_api *api, int devices, struct err *e)
{
    static const CUpti_ActivityUnifiedMemoryCounterKind counters[] = {
        CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_HTOD,
        CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_DTOH,
        CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_KIND_BYTES_TRANSFER_DTOD,
    };
    enum { COUNTERS = sizeof counters / sizeof counters[0] };
    CUpti_ActivityUnifiedMemoryCounterConfig configs[DEVICES_MAX * COUNTERS];
    uint32_t count = 0;
    for (int device = 0; device < devices && device < DEVICES_MAX; device++)
        for (size_t c = 0; c < COUNTERS; c++)
            configs[count++] = (CUpti_ActivityUnifiedMemoryCounterConfig){
                .scope = CUPTI_ACTIVITY_UNIFIED_MEMORY_COUNTER_SCOPE_PROCESS_SINGLE_DEVICE,
                .kind = counters[c],
                .deviceId = (uint32_t)device,
                .enable = 1};
    CUptiResult result = api->cuptiActivityConfigureUnifiedMemoryCounter(configs, count);
    if (!result)
        result = api->cuptiActivityEnable(CUPTI_ACTIVITY_KIND_UNIFIED_MEMORY_COUNTER);
    return result ? cupti_error(api, result, "trace unified memory", e) : 0;
}
