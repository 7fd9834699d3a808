/* Which counts do these launches have? */
#define _GNU_SOURCE
#include "collector/profiler/range_profiler.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/clock.h"

enum { PASSES_MAX = 256 };

struct range_profiler {
    struct range_profiler_request request; /* its plan was moved to `plan` */
    const struct cupti_api *api;
    struct counter_plan plan;
    CUpti_RangeProfiler_Object *target;
    uint8_t *image; /* CUPTI points to it until the next one is set */
    size_t image_bytes;
    bool has_begun; /* a pass was started, so the device accepts the configuration */
    int64_t spent_ns[RANGE_PROFILER_STEPS];
    int64_t lap_ns; /* when the last step ended */
};

const char *range_profiler_step_name(enum range_profiler_step step)
{
    static const char *const names[RANGE_PROFILER_STEPS] = {
        [RANGE_AVAILABILITY] = "availability",
        [RANGE_HOST] = "host",
        [RANGE_ENABLE] = "enable",
        [RANGE_WARM] = "warm-up",
        [RANGE_CONFIGURE] = "configure",
        [RANGE_BEGIN] = "begin",
        [RANGE_PASSES] = "passes",
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

/* The time since the last step ended is charged to this one. */
static void end_lap(struct range_profiler *p, enum range_profiler_step step)
{
    const int64_t before_ns = p->lap_ns;
    begin_lap(p);
    p->spent_ns[step] += p->lap_ns - before_ns;
}

static int availability(const struct cupti_api *api, CUcontext context, uint8_t **image, struct err *e)
{
    CUpti_Profiler_GetCounterAvailability_Params p = {.structSize =
                                                          CUpti_Profiler_GetCounterAvailability_Params_STRUCT_SIZE};
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

static int make_plan(struct range_profiler *p, bool asks, struct err *e)
{
    const struct range_profiler_request *r = &p->request;
    uint8_t *image = NULL;
    int rc = asks ? availability(p->api, r->context, &image, e) : 0;
    end_lap(p, RANGE_AVAILABILITY);
    if (rc)
        free(image);
    else
        rc = counter_plan_make(&p->plan, p->api, r->device, COUNTERS_OF_RANGES, r->names, r->count, image, e);
    end_lap(p, RANGE_HOST);
    return rc;
}

/* Finds the plan: the caller's or, for a part of a GPU (MIG), one from what the device itself allows. */
static int find_plan(struct range_profiler *p, struct err *e)
{
    if (p->request.plan) {
        p->plan = *p->request.plan;
        *p->request.plan = (struct counter_plan){0};
        p->request.plan = NULL;
    }
    if (p->request.is_whole_gpu && (p->plan.host.object || !make_plan(p, false, NULL)))
        return 0;
    counter_plan_release(&p->plan);
    return make_plan(p, true, e);
}

static int enable_target(struct range_profiler *p, struct err *e)
{
    CUpti_RangeProfiler_Enable_Params enable = {.structSize = CUpti_RangeProfiler_Enable_Params_STRUCT_SIZE};
    enable.ctx = p->request.context;
    CUptiResult result = p->api->cuptiRangeProfilerEnable(&enable);
    p->target = enable.pRangeProfilerObject;
    return result ? cupti_error(p->api, result, "open the counters", e) : 0;
}

static void disable_target(struct range_profiler *p)
{
    CUpti_RangeProfiler_Disable_Params disable = {.structSize = CUpti_RangeProfiler_Disable_Params_STRUCT_SIZE};
    disable.pRangeProfilerObject = p->target;
    if (p->target)
        p->api->cuptiRangeProfilerDisable(&disable);
    p->target = NULL;
}

int range_profiler_new(struct range_profiler **out, const struct range_profiler_request *request, bool *accepted,
                       struct err *e)
{
    *out = NULL;
    struct range_profiler *p = calloc(1, sizeof *p);
    if (!p)
        return err_memory(e);
    p->request = *request;
    p->api = request->api;
    begin_lap(p);
    CUpti_Profiler_Initialize_Params init = {.structSize = CUpti_Profiler_Initialize_Params_STRUCT_SIZE};
    const CUptiResult result = p->api->cuptiProfilerInitialize(&init);
    int rc = result ? cupti_error(p->api, result, "start the profiler", e) : find_plan(p, e);
    if (!rc)
        rc = enable_target(p, e);
    end_lap(p, RANGE_ENABLE);
    memset(accepted, 0, request->count * sizeof *accepted);
    for (size_t i = 0; i < p->plan.accepted; i++)
        accepted[p->plan.slots[i]] = true;
    if (!rc) {
        *out = p;
        return 0;
    }
    counter_host_explain(p->api, request->device, e);
    range_profiler_free(p);
    return rc;
}

void range_profiler_free(struct range_profiler *p)
{
    if (!p)
        return;
    disable_target(p);
    counter_plan_release(&p->plan);
    free(p->image);
    free(p);
}

size_t range_profiler_passes(const struct range_profiler *p)
{
    return p->plan.config.passes;
}

/* Sets the image for the counter data, and the configuration that fills it. */
static int set_config(struct range_profiler *p, CUpti_ProfilerReplayMode replay, struct err *e)
{
    CUpti_RangeProfiler_GetCounterDataSize_Params size = {
        .structSize = CUpti_RangeProfiler_GetCounterDataSize_Params_STRUCT_SIZE};
    size.pRangeProfilerObject = p->target;
    size.pMetricNames = p->plan.names;
    size.numMetrics = p->plan.accepted;
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
    config.configSize = p->plan.config.bytes;
    config.pConfig = p->plan.config.image;
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

static int configure_and_start(struct range_profiler *p, CUpti_ProfilerReplayMode replay, struct err *e)
{
    int rc = set_config(p, replay, e);
    end_lap(p, RANGE_CONFIGURE);
    if (!rc)
        rc = start(p, e);
    end_lap(p, RANGE_BEGIN);
    return rc;
}

/* The device refused the whole chip's configuration before anything was counted, so it is asked what it allows. */
static int ask_and_start(struct range_profiler *p, CUpti_ProfilerReplayMode replay, struct err *e)
{
    disable_target(p);
    counter_plan_release(&p->plan);
    int rc = make_plan(p, true, e);
    if (!rc)
        rc = enable_target(p, e);
    end_lap(p, RANGE_ENABLE);
    return rc ? rc : configure_and_start(p, replay, e);
}

static int begin_first_pass(struct range_profiler *p, CUpti_ProfilerReplayMode replay, struct err *e)
{
    const bool may_be_less = !p->has_begun && !p->plan.availability;
    int rc = configure_and_start(p, replay, may_be_less ? NULL : e);
    if (rc && may_be_less)
        rc = ask_and_start(p, replay, e);
    p->has_begun |= !rc;
    return rc;
}

static int end_pass(struct range_profiler *p, range_work work, void *context, bool *last, struct err *e)
{
    int rc = work(context, e);
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
    double *row = malloc(p->plan.accepted * sizeof *row);
    if (!row)
        return err_memory(e);
    CUptiResult result = CUPTI_SUCCESS;
    for (size_t k = 0; k < kernels && !result; k++) {
        CUpti_Profiler_Host_EvaluateToGpuValues_Params evaluate = {
            .structSize = CUpti_Profiler_Host_EvaluateToGpuValues_Params_STRUCT_SIZE};
        evaluate.pHostObject = p->plan.host.object;
        evaluate.pCounterDataImage = p->image;
        evaluate.counterDataImageSize = p->image_bytes;
        evaluate.rangeIndex = k;
        evaluate.ppMetricNames = p->plan.names;
        evaluate.numMetrics = p->plan.accepted;
        evaluate.pMetricValues = row;
        result = p->api->cuptiProfilerHostEvaluateToGpuValues(&evaluate);
        for (size_t i = 0; i < p->plan.accepted && !result; i++)
            values[k * p->request.count + p->plan.slots[i]] = row[i];
    }
    free(row);
    return result ? cupti_error(p->api, result, "evaluate the counters", e) : 0;
}

/* Runs the passes; the first one has begun. */
static int run_passes(struct range_profiler *p, range_work work, void *context, struct err *e)
{
    bool last = false;
    int rc = end_pass(p, work, context, &last, e);
    for (size_t pass = 1; !rc && !last; pass++) {
        rc = pass == PASSES_MAX ? err_set(e, ERR_INTERNAL, "the counters ask for more than %d passes", PASSES_MAX)
                                : start(p, e);
        if (!rc)
            rc = end_pass(p, work, context, &last, e);
    }
    return rc;
}

/* Evaluates the image; the caller owns the values. */
static int read_values(struct range_profiler *p, double **values, size_t *kernel_count, struct err *e)
{
    int rc = decode(p, kernel_count, e);
    if (rc)
        return rc;
    *values = malloc((*kernel_count * p->request.count + 1) * sizeof **values);
    if (!*values)
        return err_memory(e);
    for (size_t i = 0; i < *kernel_count * p->request.count; i++)
        (*values)[i] = NAN;
    rc = evaluate(p, *kernel_count, *values, e);
    end_lap(p, RANGE_READ);
    return rc;
}

/* The work runs once beforehand, so that its modules are loaded. */
int range_profiler_collect(struct range_profiler *p, range_work work, void *context, double **values,
                           size_t *kernel_count, struct err *e)
{
    *values = NULL;
    *kernel_count = 0;
    begin_lap(p);
    int rc = work(context, e);
    end_lap(p, RANGE_WARM);
    if (!rc)
        rc = begin_first_pass(p, CUPTI_UserReplay, e);
    if (!rc)
        rc = run_passes(p, work, context, e);
    end_lap(p, RANGE_PASSES);
    return rc ? rc : read_values(p, values, kernel_count, e);
}

int range_profiler_begin(struct range_profiler *p, struct err *e)
{
    begin_lap(p);
    return begin_first_pass(p, CUPTI_KernelReplay, e);
}

int range_profiler_end(struct range_profiler *p, double **values, size_t *kernel_count, struct err *e)
{
    bool all_passes = false;
    *values = NULL;
    *kernel_count = 0;
    begin_lap(p);
    int rc = stop(p, &all_passes, e);
    if (!rc && !all_passes)
        rc = err_set(e, ERR_ENVIRONMENT, "CUPTI did not make all passes of a kernel by itself");
    return rc ? rc : read_values(p, values, kernel_count, e);
}
