/* What is counted first, and thrown away, before anything is? CUPTI is played here. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "collector/profiler/range_profiler.h"

enum { NAMES = 3, PASSES_OF_ALL = 4 };

/* A configuration is as long as it has names. A target that has begun with one takes others and counts by the first. */
static struct {
    size_t added;      /* names of the host that configures */
    size_t configured; /* names that the target counts; 0: none */
    int hosts, targets, enabled;
    int passes, all_passes, works;
} cupti;

static CUptiResult CUPTIAPI ok(void *params)
{
    (void)params;
    return CUPTI_SUCCESS;
}

static CUptiResult CUPTIAPI chip_name(CUpti_Device_GetChipName_Params *p)
{
    p->pChipName = "GH100";
    return CUPTI_SUCCESS;
}

static CUptiResult CUPTIAPI availability(CUpti_Profiler_GetCounterAvailability_Params *p)
{
    p->counterAvailabilityImageSize = 1;
    return CUPTI_SUCCESS;
}

static CUptiResult CUPTIAPI host_open(CUpti_Profiler_Host_Initialize_Params *p)
{
    assert_string_equal(p->pChipName, "GH100");
    p->pHostObject = (CUpti_Profiler_Host_Object *)&cupti;
    cupti.hosts++;
    return CUPTI_SUCCESS;
}

static CUptiResult CUPTIAPI host_close(CUpti_Profiler_Host_Deinitialize_Params *p)
{
    (void)p;
    cupti.hosts--;
    return CUPTI_SUCCESS;
}

static CUptiResult CUPTIAPI add_metrics(CUpti_Profiler_Host_ConfigAddMetrics_Params *p)
{
    cupti.added = p->numMetrics;
    return CUPTI_SUCCESS;
}

static CUptiResult CUPTIAPI image_size(CUpti_Profiler_Host_GetConfigImageSize_Params *p)
{
    p->configImageSize = cupti.added;
    return CUPTI_SUCCESS;
}

static CUptiResult CUPTIAPI enable(CUpti_RangeProfiler_Enable_Params *p)
{
    p->pRangeProfilerObject = (CUpti_RangeProfiler_Object *)&cupti;
    cupti.configured = 0;
    cupti.targets++;
    cupti.enabled++;
    return CUPTI_SUCCESS;
}

static CUptiResult CUPTIAPI disable(CUpti_RangeProfiler_Disable_Params *p)
{
    (void)p;
    cupti.enabled--;
    return CUPTI_SUCCESS;
}

static CUptiResult CUPTIAPI data_size(CUpti_RangeProfiler_GetCounterDataSize_Params *p)
{
    p->counterDataSize = 8;
    return CUPTI_SUCCESS;
}

static CUptiResult CUPTIAPI set_config(CUpti_RangeProfiler_SetConfig_Params *p)
{
    if (!cupti.configured)
        cupti.configured = p->configSize;
    cupti.passes = 0;
    return CUPTI_SUCCESS;
}

static CUptiResult CUPTIAPI stop(CUpti_RangeProfiler_Stop_Params *p)
{
    cupti.all_passes++;
    p->isAllPassSubmitted = ++cupti.passes == PASSES_OF_ALL;
    return CUPTI_SUCCESS;
}

static CUptiResult CUPTIAPI info(CUpti_RangeProfiler_GetCounterDataInfo_Params *p)
{
    p->numTotalRanges = 1;
    return CUPTI_SUCCESS;
}

static CUptiResult CUPTIAPI evaluate(CUpti_Profiler_Host_EvaluateToGpuValues_Params *p)
{
    for (size_t i = 0; i < p->numMetrics; i++)
        p->pMetricValues[i] = i < cupti.configured ? (double)(10 + i) : NAN;
    return CUPTI_SUCCESS;
}

static CUptiResult CUPTIAPI result_text(CUptiResult result, const char **text)
{
    (void)result;
    *text = "played";
    return CUPTI_SUCCESS;
}

#define OK(name) .name = (__typeof__(name) *)ok
static const struct cupti_api api = {
    .cuptiGetResultString = result_text,
    OK(cuptiProfilerInitialize), OK(cuptiProfilerHostGetMetricProperties), OK(cuptiProfilerHostGetConfigImage),
    OK(cuptiProfilerHostGetNumOfPasses), OK(cuptiRangeProfilerCounterDataImageInitialize), OK(cuptiRangeProfilerStart),
    OK(cuptiRangeProfilerDecodeData),
    .cuptiDeviceGetChipName = chip_name,
    .cuptiProfilerGetCounterAvailability = availability,
    .cuptiProfilerHostInitialize = host_open,
    .cuptiProfilerHostDeinitialize = host_close,
    .cuptiProfilerHostConfigAddMetrics = add_metrics,
    .cuptiProfilerHostGetConfigImageSize = image_size,
    .cuptiProfilerHostEvaluateToGpuValues = evaluate,
    .cuptiRangeProfilerEnable = enable,
    .cuptiRangeProfilerDisable = disable,
    .cuptiRangeProfilerGetCounterDataSize = data_size,
    .cuptiRangeProfilerSetConfig = set_config,
    .cuptiRangeProfilerStop = stop,
    .cuptiRangeProfilerGetCounterDataInfo = info,
};

static int work(void *context, struct err *e)
{
    (void)context, (void)e;
    cupti.works++;
    return 0;
}

static void one_collection_is_thrown_away(void **state)
{
    (void)state;
    static const char *const names[NAMES] = {"sm__throughput.avg.pct_of_peak_sustained_elapsed", "dram__bytes_read.sum",
                                             "smsp__inst_executed.sum"};
    bool accepted[NAMES];
    struct range_profiler *p = NULL;
    struct err e = {0};
    memset(&cupti, 0, sizeof cupti);
    assert_int_equal(range_profiler_new(&p, &api, NULL, 0, names, NAMES, accepted, &e), 0);
    for (int i = 0; i < 2; i++) {
        double *values = NULL;
        size_t kernels = 0;
        assert_int_equal(range_profiler_collect(p, work, NULL, &values, &kernels, &e), 0);
        assert_int_equal(kernels, 1);
        for (int j = 0; j < NAMES; j++)
            assert_true(values[j] == 10 + j);
        free(values);
    }
    range_profiler_free(p);
    assert_int_equal(cupti.hosts, 0);
    assert_int_equal(cupti.enabled, 0);
    assert_int_equal(cupti.targets, 1);
    assert_int_equal(cupti.all_passes, 3 * PASSES_OF_ALL);
    assert_int_equal(cupti.works, PASSES_OF_ALL + 2 * (3 + PASSES_OF_ALL)); /* three runs before the first pass */
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_collection_is_thrown_away)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
