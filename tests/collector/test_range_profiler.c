/* Which counters are asked for, of a GPU that is one's own and of a part of one? CUPTI is played here. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "collector/profiler/range_profiler.h"
#include "tests/collector/played_host.h"
#include "tests/test.h"

enum { NAMES = 3, PASSES_OF_ALL = 4 };

/* A target that has begun with one takes others and counts by the first. */
static struct {
    size_t configured; /* names that the target counts; 0: none */
    int all_hosts, targets, enabled;
    int passes, all_passes, works;
    int availabilities;            /* that were asked for */
    bool knows_availability;       /* the host that configured last does */
    const char *refuses_the_whole; /* the call that fails for a configuration of the whole chip; "": none */
} cupti;

static CUptiResult refusal_of(const char *call)
{
    return !cupti.knows_availability && !strcmp(cupti.refuses_the_whole, call) ? CUPTI_ERROR_UNKNOWN : CUPTI_SUCCESS;
}

static CUptiResult CUPTIAPI availability(CUpti_Profiler_GetCounterAvailability_Params *p)
{
    p->counterAvailabilityImageSize = 1;
    cupti.availabilities += p->pCounterAvailabilityImage != NULL;
    return CUPTI_SUCCESS;
}

static CUptiResult CUPTIAPI host_open(CUpti_Profiler_Host_Initialize_Params *p)
{
    cupti.knows_availability = p->pCounterAvailabilityImage;
    if (refusal_of("host"))
        return CUPTI_ERROR_UNKNOWN;
    const CUptiResult result = played_host_open(p);
    cupti.all_hosts += !result;
    return result;
}

static CUptiResult CUPTIAPI add_metrics(CUpti_Profiler_Host_ConfigAddMetrics_Params *p)
{
    played_add_metrics(p);
    return refusal_of("metrics");
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
    assert_int_equal(p->range, CUPTI_AutoRange);
    assert_int_equal(p->replayMode, CUPTI_UserReplay);
    if (refusal_of("config"))
        return CUPTI_ERROR_UNKNOWN;
    if (!cupti.configured)
        cupti.configured = p->configSize;
    cupti.passes = 0;
    return CUPTI_SUCCESS;
}

static CUptiResult CUPTIAPI start(CUpti_RangeProfiler_Start_Params *p)
{
    (void)p;
    return refusal_of("start");
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

static const struct cupti_api api = {
    PLAYED_HOST,
    PLAYED_OK(cuptiProfilerHostGetMetricProperties),
    PLAYED_OK(cuptiProfilerHostGetNumOfPasses),
    PLAYED_OK(cuptiRangeProfilerCounterDataImageInitialize),
    PLAYED_OK(cuptiRangeProfilerDecodeData),
    .cuptiRangeProfilerStart = start,
    .cuptiDeviceGetChipName = played_chip_name,
    .cuptiProfilerGetCounterAvailability = availability,
    .cuptiProfilerHostInitialize = host_open,
    .cuptiProfilerHostConfigAddMetrics = add_metrics,
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

static const char *const names[NAMES] = {"sm__throughput.avg.pct_of_peak_sustained_elapsed", "dram__bytes_read.sum",
                                         "smsp__inst_executed.sum"};

/* Twice, from opening to closing; the error of the first thing that fails. */
static int collect_twice(bool is_whole_gpu, const char *refuses_the_whole, struct counter_plan *plan)
{
    bool accepted[NAMES];
    struct range_profiler *p = NULL;
    struct err e = {0};
    memset(&cupti, 0, sizeof cupti);
    cupti.refuses_the_whole = refuses_the_whole;
    if (plan)
        assert_int_equal(counter_plan_make(plan, &api, 0, COUNTERS_OF_RANGES, names, NAMES, NULL, &e), 0);
    const struct range_profiler_request request = {
        .api = &api, .names = names, .count = NAMES, .is_whole_gpu = is_whole_gpu, .plan = plan};
    int rc = range_profiler_new(&p, &request, accepted, &e);
    for (int i = 0; i < 2 && !rc; i++) {
        double *values = NULL;
        size_t kernels = 0;
        rc = range_profiler_collect(p, work, NULL, &values, &kernels, &e);
        for (int j = 0; j < NAMES && !rc; j++) {
            assert_true(accepted[j]);
            assert_true(values[j] == 10 + j);
        }
        assert_int_equal(kernels, !rc);
        free(values);
    }
    range_profiler_free(p);
    assert_int_equal(played_host.open, 0);
    assert_int_equal(cupti.enabled, 0);
    return rc;
}

TEST(nothing_is_counted_in_vain)
{
    assert_int_equal(collect_twice(true, "", NULL), 0);
    assert_int_equal(cupti.targets, 1);
    assert_int_equal(cupti.all_passes, 2 * PASSES_OF_ALL);
    assert_int_equal(cupti.works, 2 * (1 + PASSES_OF_ALL)); /* one run before the first pass */
}

/* What a whole GPU allows is not asked, unless it refuses what its chip has; then once. */
TEST(availability_is_asked_where_it_must_be)
{
    static const struct {
        bool is_whole_gpu;
        const char *refuses_the_whole;
        int availabilities, targets;
    } cases[] = {{true, "", 0, 1},       {false, "", 1, 1},     {true, "host", 1, 1},  {true, "metrics", 1, 1},
                 {true, "config", 1, 2}, {true, "start", 1, 2}, {false, "start", 1, 1}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        assert_int_equal(collect_twice(cases[i].is_whole_gpu, cases[i].refuses_the_whole, NULL), 0);
        assert_int_equal(cupti.availabilities, cases[i].availabilities);
        assert_int_equal(cupti.targets, cases[i].targets);
    }
}

/* One that was made before is used, but of a GPU that may allow less; it is gone in any case. */
TEST(a_plan_is_taken_over)
{
    for (int is_whole_gpu = 0; is_whole_gpu < 2; is_whole_gpu++) {
        struct counter_plan plan;
        assert_int_equal(collect_twice(is_whole_gpu, "", &plan), 0);
        assert_null(plan.host.object);
        assert_int_equal(cupti.availabilities, !is_whole_gpu);
        assert_int_equal(cupti.all_hosts, 1 + !is_whole_gpu);
    }
}

/* Such a GPU says in words that it has no counters, whether it is whole or a part. A chip that is in CUPTI's list is
 * refused for another reason, which stays. */
TEST(an_unknown_chip_is_refused_in_words)
{
    static const struct {
        const char *chip;
        bool is_nameless;
        const char *why;
    } cases[] = {{"GX999", false, "does not know the counters of the chip 'GX999'"},
                 {"", false, "has no name for the chip of GPU 0"},
                 {NULL, true, "has no name for the chip of GPU 0"},
                 {"GA100", false, "CUPTI failed to load the chip's counter data: played"}};
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        for (int is_whole_gpu = 0; is_whole_gpu < 2; is_whole_gpu++) {
            struct range_profiler *p = (struct range_profiler *)&cupti;
            bool accepted[NAMES] = {true};
            struct err e = {0};
            memset(&cupti, 0, sizeof cupti);
            cupti.refuses_the_whole = "";
            played_host.chip = cases[i].chip;
            played_host.is_nameless = cases[i].is_nameless;
            played_host.is_lost = cases[i].chip && !strcmp(cases[i].chip, "GA100");
            const struct range_profiler_request request = {
                .api = &api, .names = names, .count = NAMES, .is_whole_gpu = is_whole_gpu};
            assert_int_equal(range_profiler_new(&p, &request, accepted, &e), ERR_ENVIRONMENT);
            assert_null(p);
            assert_false(accepted[0]);
            if (!strstr(e.text, cases[i].why))
                fail_msg("case %zu: %s", i, e.text);
            assert_int_equal(played_host.open, 0);
            assert_int_equal(cupti.enabled, 0);
        }
    played_host.chip = NULL;
    played_host.is_nameless = played_host.is_lost = false;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_counted_in_vain), cmocka_unit_test(availability_is_asked_where_it_must_be),
        cmocka_unit_test(a_plan_is_taken_over), cmocka_unit_test(an_unknown_chip_is_refused_in_words)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
