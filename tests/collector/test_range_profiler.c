/* What is counted first, and thrown away, before anything is? CUPTI is played here. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "collector/profiler/range_profiler.h"

enum { NAMES = 3, PASSES_OF_ALL = 4 };

/* A configuration is as long as it has names; a target has one. */
static struct {
    size_t added;          /* names of the host that configures */
    size_t configured;     /* names of the target's configuration; 0: none */
    bool refuses_a_change; /* of a target's configuration */
    int hosts, targets, enabled;
    int passes, works, passes_of_one, passes_of_all;
    const char *first;     /* name of the configuration of one */
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
    if (p->numMetrics == 1)
        cupti.first = p->ppMetricNames[0];
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
    if (cupti.refuses_a_change && cupti.configured && cupti.configured != p->configSize)
        return CUPTI_ERROR_INVALID_OPERATION;
    cupti.configured = p->configSize;
    cupti.passes = 0;
    return CUPTI_SUCCESS;
}

static CUptiResult CUPTIAPI stop(CUpti_RangeProfiler_Stop_Params *p)
{
    const bool one = cupti.configured == 1;
    *(one ? &cupti.passes_of_one : &cupti.passes_of_all) += 1;
    p->isAllPassSubmitted = ++cupti.passes == (one ? 1 : PASSES_OF_ALL);
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
        p->pMetricValues[i] = (double)(10 + i);
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

/* Collects twice, and looks at what was counted. */
static void collect_twice(bool refuses_a_change)
{
    static const char *const names[NAMES] = {"sm__throughput.avg.pct_of_peak_sustained_elapsed", "dram__bytes_read.sum",
                                             "smsp__inst_executed.sum"};
    bool accepted[NAMES];
    struct range_profiler *p = NULL;
    struct err e = {0};
    memset(&cupti, 0, sizeof cupti);
    cupti.refuses_a_change = refuses_a_change;
    assert_int_equal(range_profiler_new(&p, &api, NULL, 0, names, NAMES, accepted, &e), 0);
    for (int i = 0; i < 2; i++) {
        double *values = NULL;
        size_t kernels = 0;
        assert_int_equal(range_profiler_collect(p, work, NULL, &values, &kernels, &e), 0);
        assert_int_equal(kernels, 1);
        assert_true(values[0] == 10 && values[2] == 12);
        free(values);
    }
    range_profiler_free(p);
    assert_int_equal(cupti.hosts, 0);
    assert_int_equal(cupti.enabled, 0);
    assert_string_equal(cupti.first, "dram__bytes_read.sum"); /* a sum, though it does not come first */
    assert_int_equal(cupti.passes_of_one, 1);
}

static void one_counter_is_thrown_away(void **state)
{
    (void)state;
    collect_twice(false);
    assert_int_equal(cupti.targets, 1);
    assert_int_equal(cupti.passes_of_all, 2 * PASSES_OF_ALL);
    assert_int_equal(cupti.works, 1 + 2 * (3 + PASSES_OF_ALL)); /* three runs before the first pass */
}

static void all_are_where_a_target_keeps_its_configuration(void **state)
{
    (void)state;
    collect_twice(true);
    assert_int_equal(cupti.targets, 2);
    assert_int_equal(cupti.passes_of_all, 3 * PASSES_OF_ALL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_counter_is_thrown_away),
        cmocka_unit_test(all_are_where_a_target_keeps_its_configuration),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
