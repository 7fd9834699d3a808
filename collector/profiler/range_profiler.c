/* What do the counters say about these launches? */
#define _GNU_SOURCE
#include "collector/profiler/range_profiler.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "collector/profiler/counter_host.h"

/* Runs before the first pass: the module is loaded, and what setup left dirty in
 * the L2 is written back before it would be counted. */
enum { PASSES_MAX = 256, WARM_RUNS = 3 };

struct range_profiler {
    const struct cupti_api *api;
    struct counter_host host;
    CUpti_RangeProfiler_Object *target;
    const char **names; /* accepted ones; the texts are the caller's */
    size_t *slots;      /* where each accepted name stands in the caller's list */
    size_t accepted;
    size_t asked;
    uint8_t *availability; /* the host object keeps pointing into it */
    struct counter_config config;
    uint8_t *image; /* the target keeps pointing to it until the next one is set */
    size_t image_bytes;
    bool primed; /* a first collection was made and thrown away */
    int64_t spent_ns[RANGE_PROFILER_STEPS];
    int64_t lap_ns; /* when the last step ended */
};

const char *range_profiler_step_name(enum range_profiler_step step)
{
    static const char *const names[RANGE_PROFILER_STEPS] = {
        [RANGE_AVAILABILITY] = "availability", [RANGE_HOST] = "host",     [RANGE_ENABLE] = "enable",
        [RANGE_CONFIGURE] = "configure",       [RANGE_PRIME] = "prime",   [RANGE_PASSES] = "passes",
        [RANGE_READ] = "read",
    };
    return names[step];
}

int64_t range_profiler_spent_ns(const struct range_profiler *p, enum range_profiler_step step)
{
    return p->spent_ns[step];
}

static void begin_lap(struct range_profiler *p)
{
    p->lap_ns = clock_now_ns();
}

/* What went by since the last step ended was spent on this one. */
static void end_lap(struct range_profiler *p, enum range_profiler_step step)
{
    const int64_t before_ns = p->lap_ns;
    begin_lap(p);
    p->spent_ns[step] += p->lap_ns - before_ns;
}

static int availability(const struct cupti_api *api, CUcontext context, uint8_t **image, struct err *e)
{
    CUpti_Profiler_GetCounterAvailability_Params p = {.structSize = CUpti_Profiler_GetCounterAvailability_Params_STRUCT_SIZE};
    p.ctx = context;
    CUptiResult result = api->cuptiProfilerGetCounterAvailability(&p);
    if (result)
        return cupti_error(api, result, "ask which counters are available", e);
    p.pCounterAvailabilityImage = *image = malloc(p.counterAvailabilityImageSize);
    if (!*image)
        return err_memory(e);
    result = api->cuptiProfilerGetCounterAvailability(&p);
    return result ? cupti_error(api, result, "ask which counters are available", e) : 0;
}

static int open_host(struct range_profiler *p, CUcontext context, int device, struct err *e)
{
    CUpti_Device_GetChipName_Params chip = {.structSize = CUpti_Device_GetChipName_Params_STRUCT_SIZE};
    chip.deviceIndex = (size_t)device;
    CUptiResult result = p->api->cuptiDeviceGetChipName(&chip);
    if (result)
        return cupti_error(p->api, result, "name the chip", e);
    int rc = availability(p->api, context, &p->availability, e);
    end_lap(p, RANGE_AVAILABILITY);
    return rc ? rc : counter_host_open(&p->host, p->api, chip.pChipName, p->availability, e);
}

/* One unknown name would poison the whole configuration: each is asked for first. */
static void accept_names(struct range_profiler *p, const char *const *names, size_t count, bool *accepted)
{
    for (size_t i = 0; i < count; i++) {
        accepted[i] = counter_host_knows(&p->host, names[i]);
        if (accepted[i]) {
            p->names[p->accepted] = names[i];
            p->slots[p->accepted++] = i;
        }
    }
}

static int enable_target(struct range_profiler *p, CUcontext context, struct err *e)
{
    CUpti_RangeProfiler_Enable_Params enable = {.structSize = CUpti_RangeProfiler_Enable_Params_STRUCT_SIZE};
    enable.ctx = context;
    CUptiResult result = p->api->cuptiRangeProfilerEnable(&enable);
    p->target = enable.pRangeProfilerObject;
    return result ? cupti_error(p->api, result, "open the counters", e) : 0;
}

int range_profiler_new(struct range_profiler **out, const struct cupti_api *api, CUcontext context, int device,
                       const char *const *names, size_t count, bool *accepted, struct err *e)
{
    *out = NULL;
    struct range_profiler *p = calloc(1, sizeof *p);
    if (!p)
        return err_memory(e);
    p->api = api;
    p->asked = count;
    p->names = calloc(count + 1, sizeof *p->names);
    p->slots = calloc(count + 1, sizeof *p->slots);
    int rc = p->names && p->slots ? 0 : err_memory(e);
    begin_lap(p);
    CUpti_Profiler_Initialize_Params init = {.structSize = CUpti_Profiler_Initialize_Params_STRUCT_SIZE};
    CUptiResult result = rc ? CUPTI_SUCCESS : api->cuptiProfilerInitialize(&init);
    if (!rc && result)
        rc = cupti_error(api, result, "start the profiler", e);
    if (!rc)
        rc = open_host(p, context, device, e);
    if (!rc) {
        accept_names(p, names, count, accepted);
        rc = p->accepted ? counter_host_configure(&p->host, p->names, p->accepted, &p->config, e)
                         : err_set(e, ERR_USAGE, "this chip knows none of the metrics asked for");
    }
    end_lap(p, RANGE_HOST);
    if (!rc)
        rc = enable_target(p, context, e);
    end_lap(p, RANGE_ENABLE);
    if (rc)
        range_profiler_free(p);
    else
        *out = p;
    return rc;
}

void range_profiler_free(struct range_profiler *p)
{
    if (!p)
        return;
    CUpti_RangeProfiler_Disable_Params disable = {.structSize = CUpti_RangeProfiler_Disable_Params_STRUCT_SIZE};
    disable.pRangeProfilerObject = p->target;
    if (p->target)
        p->api->cuptiRangeProfilerDisable(&disable);
    counter_host_close(&p->host);
    free(p->image);
    free(p->availability);
    free(p->config.image);
    free(p->names);
    free(p->slots);
    free(p);
}

size_t range_profiler_passes(const struct range_profiler *p)
{
    return p->config.passes;
}

/* The image that these counters are written to, and the configuration that says how. */
static int set_config(struct range_profiler *p, CUpti_ProfilerReplayMode replay, struct err *e)
{
    begin_lap(p);
    CUpti_RangeProfiler_GetCounterDataSize_Params size = {.structSize = CUpti_RangeProfiler_GetCounterDataSize_Params_STRUCT_SIZE};
    size.pRangeProfilerObject = p->target;
    size.pMetricNames = p->names;
    size.numMetrics = p->accepted;
    size.maxNumOfRanges = RANGE_KERNELS_MAX;
    size.maxNumRangeTreeNodes = RANGE_KERNELS_MAX;
    CUptiResult result = p->api->cuptiRangeProfilerGetCounterDataSize(&size);
    if (result)
        return cupti_error(p->api, result, "size the counter data", e);
    uint8_t *image = calloc(1, size.counterDataSize), *before = p->image;
    if (!image)
        return err_memory(e);
    p->image = image;
    p->image_bytes = size.counterDataSize;
    CUpti_RangeProfiler_CounterDataImage_Initialize_Params init = {
        .structSize = CUpti_RangeProfiler_CounterDataImage_Initialize_Params_STRUCT_SIZE};
    init.pRangeProfilerObject = p->target;
    init.counterDataSize = p->image_bytes;
    init.pCounterData = p->image;
    result = p->api->cuptiRangeProfilerCounterDataImageInitialize(&init);
    if (result)
        free(before);
    if (result)
        return cupti_error(p->api, result, "prepare the counter data", e);
    CUpti_RangeProfiler_SetConfig_Params config = {.structSize = CUpti_RangeProfiler_SetConfig_Params_STRUCT_SIZE};
    config.pRangeProfilerObject = p->target;
    config.configSize = p->config.bytes;
    config.pConfig = p->config.image;
    config.counterDataImageSize = p->image_bytes;
    config.pCounterDataImage = p->image;
    config.range = CUPTI_AutoRange;
    config.replayMode = replay;
    config.maxRangesPerPass = RANGE_KERNELS_MAX;
    config.numNestingLevels = 1;
    config.minNestingLevel = 1;
    config.targetNestingLevel = 1;
    result = p->api->cuptiRangeProfilerSetConfig(&config);
    free(before);
    end_lap(p, RANGE_CONFIGURE);
    return result ? cupti_error(p->api, result, "configure the counters", e) : 0;
}

static int start(struct range_profiler *p, struct err *e)
{
    CUpti_RangeProfiler_Start_Params params = {.structSize = CUpti_RangeProfiler_Start_Params_STRUCT_SIZE};
    params.pRangeProfilerObject = p->target;
    CUptiResult result = p->api->cuptiRangeProfilerStart(&params);
    return result ? cupti_error(p->api, result, "start counting", e) : 0;
}

static int stop(struct range_profiler *p, bool *last, struct err *e)
{
    CUpti_RangeProfiler_Stop_Params params = {.structSize = CUpti_RangeProfiler_Stop_Params_STRUCT_SIZE};
    params.pRangeProfilerObject = p->target;
    CUptiResult result = p->api->cuptiRangeProfilerStop(&params);
    *last = params.isAllPassSubmitted;
    return result ? cupti_error(p->api, result, "stop counting", e) : 0;
}

static int run_pass(struct range_profiler *p, range_work work, void *context, bool *last, struct err *e)
{
    int rc = start(p, e);
    if (rc)
        return rc;
    rc = work(context, e);
    int stopped = stop(p, last, rc ? NULL : e);
    return rc ? rc : stopped;
}

static int decode(struct range_profiler *p, size_t *kernels, struct err *e)
{
    CUpti_RangeProfiler_DecodeData_Params decode = {.structSize = CUpti_RangeProfiler_DecodeData_Params_STRUCT_SIZE};
    decode.pRangeProfilerObject = p->target;
    CUptiResult result = p->api->cuptiRangeProfilerDecodeData(&decode);
    CUpti_RangeProfiler_GetCounterDataInfo_Params info = {
        .structSize = CUpti_RangeProfiler_GetCounterDataInfo_Params_STRUCT_SIZE};
    info.pCounterDataImage = p->image;
    info.counterDataImageSize = p->image_bytes;
    if (!result)
        result = p->api->cuptiRangeProfilerGetCounterDataInfo(&info);
    if (result)
        return cupti_error(p->api, result, "decode the counters", e);
    if (decode.numOfRangeDropped)
        return err_set(e, ERR_ENVIRONMENT, "the work launches more than %d kernels: too many to count one by one",
                       RANGE_KERNELS_MAX);
    *kernels = info.numTotalRanges;
    return 0;
}

static int evaluate(struct range_profiler *p, size_t kernels, double *values, struct err *e)
{
    double *row = malloc(p->accepted * sizeof *row);
    if (!row)
        return err_memory(e);
    CUptiResult result = CUPTI_SUCCESS;
    for (size_t k = 0; k < kernels && !result; k++) {
        CUpti_Profiler_Host_EvaluateToGpuValues_Params evaluate = {
            .structSize = CUpti_Profiler_Host_EvaluateToGpuValues_Params_STRUCT_SIZE};
        evaluate.pHostObject = p->host.object;
        evaluate.pCounterDataImage = p->image;
        evaluate.counterDataImageSize = p->image_bytes;
        evaluate.rangeIndex = k;
        evaluate.ppMetricNames = p->names;
        evaluate.numMetrics = p->accepted;
        evaluate.pMetricValues = row;
        result = p->api->cuptiProfilerHostEvaluateToGpuValues(&evaluate);
        for (size_t i = 0; i < p->accepted && !result; i++)
            values[k * p->asked + p->slots[i]] = row[i];
    }
    free(row);
    return result ? cupti_error(p->api, result, "evaluate the counters", e) : 0;
}

static int run_passes(struct range_profiler *p, range_work work, void *context, struct err *e)
{
    int rc = 0;
    bool last = false;
    for (size_t pass = 0; !rc && !last; pass++)
        rc = pass == PASSES_MAX ? err_set(e, ERR_INTERNAL, "the counters ask for more than %d passes", PASSES_MAX)
                                : run_pass(p, work, context, &last, e);
    return rc;
}

/* CUPTI writes some 20 MB to the device at its very first start (seen on an H200
 * with CUDA 13.0), which the first kernel counted would be charged with: one
 * whole collection is thrown away. One of a single counter would cost fewer passes, but a target that has
 * begun with one configuration takes the next without a word and counts nothing of it. */
static int prepare(struct range_profiler *p, range_work work, void *context, struct err *e)
{
    int rc = 0;
    if (!p->primed) {
        rc = set_config(p, CUPTI_UserReplay, e);
        if (!rc)
            rc = run_passes(p, work, context, e);
        p->primed = !rc;
        end_lap(p, RANGE_PRIME);
    }
    return rc ? rc : set_config(p, CUPTI_UserReplay, e);
}

/* What the image holds, as numbers for the caller. */
static int read_values(struct range_profiler *p, double **values, size_t *kernel_count, struct err *e)
{
    begin_lap(p);
    int rc = decode(p, kernel_count, e);
    if (rc)
        return rc;
    *values = malloc((*kernel_count * p->asked + 1) * sizeof **values);
    if (!*values)
        return err_memory(e);
    for (size_t i = 0; i < *kernel_count * p->asked; i++)
        (*values)[i] = NAN;
    rc = evaluate(p, *kernel_count, *values, e);
    end_lap(p, RANGE_READ);
    return rc;
}

int range_profiler_collect(struct range_profiler *p, range_work work, void *context, double **values,
                           size_t *kernel_count, struct err *e)
{
    *values = NULL;
    *kernel_count = 0;
    int rc = prepare(p, work, context, e);
    for (int i = 0; i < WARM_RUNS && !rc; i++)
        rc = work(context, e);
    if (!rc)
        rc = run_passes(p, work, context, e);
    end_lap(p, RANGE_PASSES);
    return rc ? rc : read_values(p, values, kernel_count, e);
}

int range_profiler_begin(struct range_profiler *p, struct err *e)
{
    int rc = set_config(p, CUPTI_KernelReplay, e);
    return rc ? rc : start(p, e);
}

int range_profiler_end(struct range_profiler *p, double **values, size_t *kernel_count, struct err *e)
{
    bool all_passes = false;
    *values = NULL;
    *kernel_count = 0;
    int rc = stop(p, &all_passes, e);
    if (!rc && !all_passes)
        rc = err_set(e, ERR_ENVIRONMENT, "CUPTI did not make all passes of a kernel by itself");
    return rc ? rc : read_values(p, values, kernel_count, e);
}
