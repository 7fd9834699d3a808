/* Which counters does a chip have, and how many passes do they take? */
#define _GNU_SOURCE
#include "collector/profiler/counter_host.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"

int counter_host_open(struct counter_host *h, const struct cupti_api *api, const char *chip,
                      enum counter_reading reading, const uint8_t *availability, struct err *e)
{
    CUpti_Profiler_Host_Initialize_Params init = {.structSize = CUpti_Profiler_Host_Initialize_Params_STRUCT_SIZE};
    init.profilerType = (CUpti_ProfilerType)reading;
    init.pChipName = chip;
    init.pCounterAvailabilityImage = availability;
    const CUptiResult result = api->cuptiProfilerHostInitialize(&init);
    *h = (struct counter_host){api, result ? NULL : init.pHostObject};
    return result ? cupti_error(api, result, "load the chip's counter data", e) : 0;
}

void counter_host_close(struct counter_host *h)
{
    if (!h->object)
        return;
    CUpti_Profiler_Host_Deinitialize_Params close = {.structSize = CUpti_Profiler_Host_Deinitialize_Params_STRUCT_SIZE};
    close.pHostObject = h->object;
    h->api->cuptiProfilerHostDeinitialize(&close);
    h->object = NULL;
}

const char *counter_host_describe(const struct counter_host *h, const char *name)
{
    CUpti_Profiler_Host_GetMetricProperties_Params ask = {
        .structSize = CUpti_Profiler_Host_GetMetricProperties_Params_STRUCT_SIZE};
    ask.pHostObject = h->object;
    ask.pMetricName = name;
    if (h->api->cuptiProfilerHostGetMetricProperties(&ask))
        return NULL;
    return ask.pDescription ? ask.pDescription : "";
}

bool counter_host_knows(const struct counter_host *h, const char *name)
{
    return counter_host_describe(h, name);
}

static CUptiResult get_image(const struct counter_host *h, struct counter_config *config)
{
    CUpti_Profiler_Host_GetConfigImage_Params get = {.structSize =
                                                         CUpti_Profiler_Host_GetConfigImage_Params_STRUCT_SIZE};
    get.pHostObject = h->object;
    get.configImageSize = config->bytes;
    get.pConfigImage = config->image;
    CUptiResult result = h->api->cuptiProfilerHostGetConfigImage(&get);
    CUpti_Profiler_Host_GetNumOfPasses_Params passes = {.structSize =
                                                            CUpti_Profiler_Host_GetNumOfPasses_Params_STRUCT_SIZE};
    passes.configImageSize = config->bytes;
    passes.pConfigImage = config->image;
    if (!result)
        result = h->api->cuptiProfilerHostGetNumOfPasses(&passes);
    config->passes = passes.numOfPasses;
    return result;
}

int counter_host_configure(const struct counter_host *h, const char *const *names, size_t count,
                           struct counter_config *config, struct err *e)
{
    CUpti_Profiler_Host_ConfigAddMetrics_Params add = {.structSize =
                                                           CUpti_Profiler_Host_ConfigAddMetrics_Params_STRUCT_SIZE};
    add.pHostObject = h->object;
    add.ppMetricNames = (const char **)names; /* CUPTI's declaration lacks a const */
    add.numMetrics = count;
    *config = (struct counter_config){0};
    CUptiResult result = h->api->cuptiProfilerHostConfigAddMetrics(&add);
    CUpti_Profiler_Host_GetConfigImageSize_Params size = {
        .structSize = CUpti_Profiler_Host_GetConfigImageSize_Params_STRUCT_SIZE};
    size.pHostObject = h->object;
    if (!result)
        result = h->api->cuptiProfilerHostGetConfigImageSize(&size);
    if (result)
        return cupti_error(h->api, result, "configure the counters", e);
    config->bytes = size.configImageSize;
    config->image = malloc(config->bytes);
    if (!config->image)
        return err_memory(e);
    result = get_image(h, config);
    return result ? cupti_error(h->api, result, "configure the counters", e) : 0;
}

/* One unknown name would spoil the whole configuration, so each is checked first. */
static void accept_names(struct counter_plan *plan, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (counter_host_knows(&plan->host, names[i])) {
            plan->names[plan->accepted] = names[i];
            plan->slots[plan->accepted++] = i;
        }
}

/* CUPTI 13.0 crashes when this is called before the profiler is initialised. */
int counter_host_chip(const struct cupti_api *api, int device, const char **chip, struct err *e)
{
    CUpti_Profiler_Initialize_Params init = {.structSize = CUpti_Profiler_Initialize_Params_STRUCT_SIZE};
    CUptiResult result = api->cuptiProfilerInitialize(&init);
    if (result)
        return cupti_error(api, result, "start the profiler", e);
    CUpti_Device_GetChipName_Params name = {.structSize = CUpti_Device_GetChipName_Params_STRUCT_SIZE};
    name.deviceIndex = (size_t)device;
    result = api->cuptiDeviceGetChipName(&name);
    *chip = name.pChipName;
    if (result)
        return cupti_error(api, result, "name the chip", e);
    return *chip && **chip ? 0 : err_set(e, ERR_ENVIRONMENT, "this CUPTI has no name for the chip of GPU %d", device);
}

/* Without a list of its chips nothing is known. */
static bool lacks_chip(const struct cupti_api *api, const char *chip)
{
    CUpti_Profiler_Host_GetSupportedChips_Params p = {.structSize =
                                                          CUpti_Profiler_Host_GetSupportedChips_Params_STRUCT_SIZE};
    if (api->cuptiProfilerHostGetSupportedChips(&p) || !p.numChips)
        return false;
    for (size_t i = 0; i < p.numChips; i++)
        if (!strcmp(p.ppChipNames[i], chip))
            return false;
    return true;
}

void counter_host_explain(const struct cupti_api *api, int device, struct err *e)
{
    struct err nameless = {0};
    const char *chip = NULL;
    if (counter_host_chip(api, device, &chip, &nameless))
        err_set(e, nameless.code, "%s", nameless.text);
    else if (lacks_chip(api, chip))
        err_set(
            e, ERR_ENVIRONMENT,
            "this CUPTI does not know the counters of the chip '%s': a newer CUDA toolkit may, or $CPPROF_CUPTI names "
            "its library",
            chip);
}

int counter_plan_make(struct counter_plan *plan, const struct cupti_api *api, int device, enum counter_reading reading,
                      const char *const *names, size_t count, uint8_t *availability, struct err *e)
{
    const char *chip = NULL;
    *plan = (struct counter_plan){.availability = availability};
    plan->names = calloc(count + 1, sizeof *plan->names);
    plan->slots = calloc(count + 1, sizeof *plan->slots);
    int rc = plan->names && plan->slots ? counter_host_chip(api, device, &chip, e) : err_memory(e);
    if (!rc)
        rc = counter_host_open(&plan->host, api, chip, reading, availability, e);
    if (rc)
        return rc;
    accept_names(plan, names, count);
    return plan->accepted ? counter_host_configure(&plan->host, plan->names, plan->accepted, &plan->config, e)
                          : err_set(e, ERR_USAGE, "this chip knows none of the metrics asked for");
}

void counter_plan_release(struct counter_plan *plan)
{
    counter_host_close(&plan->host);
    free(plan->availability);
    free(plan->config.image);
    free(plan->names);
    free(plan->slots);
    *plan = (struct counter_plan){0};
}

/* CUPTI loads the data of its chips when it is asked for their names. A failure here is ignored: it happens again, and
 * is reported, when the caller makes the missing plan. */
static void *load(void *context)
{
    struct counter_host_loading *l = context;
    const int64_t begin_ns = clock_now_ns();
    CUpti_Profiler_Host_GetSupportedChips_Params chips = {.structSize =
                                                              CUpti_Profiler_Host_GetSupportedChips_Params_STRUCT_SIZE};
    l->api->cuptiProfilerHostGetSupportedChips(&chips);
    const int64_t loaded_ns = clock_now_ns();
    l->data_ns = loaded_ns - begin_ns;
    l->is_planned = !counter_plan_make(&l->plan, l->api, l->device, COUNTERS_OF_RANGES, l->names, l->count, NULL, NULL);
    if (!l->is_planned)
        counter_plan_release(&l->plan);
    l->plan_ns = clock_now_ns() - loaded_ns;
    return NULL;
}

void counter_host_load_begin(struct counter_host_loading *l, const struct cupti_api *api, int device,
                             const char *const *names, size_t count)
{
    *l = (struct counter_host_loading){.api = api, .device = device, .names = names, .count = count};
    l->is_under_way = !pthread_create(&l->thread, NULL, load, l);
}

void counter_host_load_end(struct counter_host_loading *l)
{
    if (l->is_under_way)
        pthread_join(l->thread, NULL);
    l->is_under_way = false;
}
