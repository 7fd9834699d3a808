/* What is summed up of a device's samples, and which counters go together? CUPTI is played here. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "collector/profiler/pm_sampler.h"

enum { NS = 1000 };

/* The device's clock goes on with each run of the work. Of each sample: when it ended, and what each counter counted. */
static struct {
    size_t at_once;       /* names that take one pass together */
    size_t added;         /* names of the host that configures: its configuration is as long */
    size_t configured;
    int hosts, enabled, started, all_works;
    uint64_t now_ns;
    size_t samples, room, decoded, read; /* of the hardware; of an image; read into images; in this image */
    uint64_t end_ns[8];
    bool overflows, fails_to_start, fails_to_work;
} cupti;

static CUptiResult CUPTIAPI ok(void *params)
{
    (void)params;
    return CUPTI_SUCCESS;
}

static CUptiResult CUPTIAPI chip_name(CUpti_Device_GetChipName_Params *p)
{
    assert_int_equal(p->deviceIndex, 3);
    p->pChipName = "GH100";
    return CUPTI_SUCCESS;
}

static CUptiResult CUPTIAPI host_open(CUpti_Profiler_Host_Initialize_Params *p)
{
    assert_int_equal(p->profilerType, CUPTI_PROFILER_TYPE_PM_SAMPLING);
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

static CUptiResult CUPTIAPI properties(CUpti_Profiler_Host_GetMetricProperties_Params *p)
{
    return strstr(p->pMetricName, "unknown") ? CUPTI_ERROR_INVALID_METRIC_NAME : CUPTI_SUCCESS;
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

static CUptiResult CUPTIAPI passes_of(CUpti_Profiler_Host_GetNumOfPasses_Params *p)
{
    p->numOfPasses = cupti.at_once ? (p->configImageSize + cupti.at_once - 1) / cupti.at_once : 2;
    return CUPTI_SUCCESS;
}

static CUptiResult CUPTIAPI enable(CUpti_PmSampling_Enable_Params *p)
{
    assert_int_equal(p->deviceIndex, 3);
    p->pPmSamplingObject = (CUpti_PmSampling_Object *)&cupti;
    cupti.enabled++;
    return CUPTI_SUCCESS;
}

static CUptiResult CUPTIAPI disable(CUpti_PmSampling_Disable_Params *p)
{
    (void)p;
    cupti.enabled--;
    return CUPTI_SUCCESS;
}

static CUptiResult CUPTIAPI set_config(CUpti_PmSampling_SetConfig_Params *p)
{
    assert_false(cupti.started);
    cupti.configured = p->configSize;
    return CUPTI_SUCCESS;
}

static CUptiResult CUPTIAPI data_size(CUpti_PmSampling_GetCounterDataSize_Params *p)
{
    assert_int_equal(p->numMetrics, cupti.configured);
    p->counterDataSize = 8;
    return CUPTI_SUCCESS;
}

static CUptiResult CUPTIAPI empty(CUpti_PmSampling_CounterDataImage_Initialize_Params *p)
{
    (void)p;
    cupti.read = 0;
    return CUPTI_SUCCESS;
}

static void add_sample(void)
{
    cupti.now_ns += NS;
    cupti.end_ns[cupti.samples++] = cupti.now_ns;
}

/* The first sample holds what was before. */
static CUptiResult CUPTIAPI start(CUpti_PmSampling_Start_Params *p)
{
    (void)p;
    if (cupti.fails_to_start)
        return CUPTI_ERROR_UNKNOWN;
    cupti.started++;
    cupti.samples = cupti.decoded = 0;
    add_sample();
    return CUPTI_SUCCESS;
}

static CUptiResult CUPTIAPI stop(CUpti_PmSampling_Stop_Params *p)
{
    (void)p;
    cupti.started--;
    return CUPTI_SUCCESS;
}

static CUptiResult CUPTIAPI timestamp(uint64_t *out)
{
    *out = cupti.now_ns;
    return CUPTI_SUCCESS;
}

/* As many as the image has room for. */
static CUptiResult CUPTIAPI decode(CUpti_PmSampling_DecodeData_Params *p)
{
    const size_t left = cupti.samples - cupti.decoded;
    assert_int_equal(cupti.read, 0);
    cupti.read = left < cupti.room ? left : cupti.room;
    cupti.decoded += cupti.read;
    p->decodeStopReason = left > cupti.room ? CUPTI_PM_SAMPLING_DECODE_STOP_REASON_COUNTER_DATA_FULL
                                            : CUPTI_PM_SAMPLING_DECODE_STOP_REASON_END_OF_RECORDS;
    p->overflow = cupti.overflows;
    return CUPTI_SUCCESS;
}

static CUptiResult CUPTIAPI info(CUpti_PmSampling_GetCounterDataInfo_Params *p)
{
    p->numCompletedSamples = cupti.read;
    return CUPTI_SUCCESS;
}

static size_t of_hardware(size_t sample)
{
    return cupti.decoded - cupti.read + sample;
}

static CUptiResult CUPTIAPI sample_info(CUpti_PmSampling_CounterData_GetSampleInfo_Params *p)
{
    p->endTimestamp = cupti.end_ns[of_hardware(p->sampleIndex)];
    return CUPTI_SUCCESS;
}

static CUptiResult CUPTIAPI evaluate(CUpti_Profiler_Host_EvaluateToGpuValues_Params *p)
{
    assert_int_equal(p->numMetrics, cupti.configured);
    for (size_t i = 0; i < p->numMetrics; i++)
        p->pMetricValues[i] = strlen(p->ppMetricNames[i]) + (of_hardware(p->rangeIndex) == 0 ? 1000000 : 0);
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
    OK(cuptiProfilerInitialize), OK(cuptiProfilerHostGetConfigImage),
    .cuptiGetResultString = result_text,
    .cuptiGetTimestamp = timestamp,
    .cuptiDeviceGetChipName = chip_name,
    .cuptiProfilerHostInitialize = host_open,
    .cuptiProfilerHostDeinitialize = host_close,
    .cuptiProfilerHostGetMetricProperties = properties,
    .cuptiProfilerHostConfigAddMetrics = add_metrics,
    .cuptiProfilerHostGetConfigImageSize = image_size,
    .cuptiProfilerHostGetNumOfPasses = passes_of,
    .cuptiProfilerHostEvaluateToGpuValues = evaluate,
    .cuptiPmSamplingEnable = enable,
    .cuptiPmSamplingDisable = disable,
    .cuptiPmSamplingSetConfig = set_config,
    .cuptiPmSamplingGetCounterDataSize = data_size,
    .cuptiPmSamplingCounterDataImageInitialize = empty,
    .cuptiPmSamplingStart = start,
    .cuptiPmSamplingStop = stop,
    .cuptiPmSamplingDecodeData = decode,
    .cuptiPmSamplingGetCounterDataInfo = info,
    .cuptiPmSamplingCounterDataGetSampleInfo = sample_info,
};

/* Three samples long. */
static int work(void *context, struct err *e)
{
    (void)context;
    assert_int_equal(cupti.started, 1);
    cupti.all_works++;
    for (int i = 0; i < 3; i++)
        add_sample();
    return cupti.fails_to_work ? err_set(e, ERR_ENVIRONMENT, "it did not work") : 0;
}

/* Known, not a sum, a sum that is not known to count, unknown, and four that are known. */
static const char *const names[] = {"nvlrx__bytes_data_user.sum",    "dram__bytes_read.sum.per_second",
                                    "lts__t_bytes.sum",              "nvlrx__bytes_unknown.sum",
                                    "nvltx__bytes_data_user.sum",    "smsp__inst_executed.sum",
                                    "pcie__read_bytes.sum",          "dram__bytes_read.sum"};
enum { NAMES = sizeof names / sizeof names[0] };

static bool is_sampled(size_t i)
{
    return i == 0 || i >= 4;
}

static void play(size_t at_once, size_t room)
{
    memset(&cupti, 0, sizeof cupti);
    cupti.at_once = at_once;
    cupti.room = room;
}

/* Opens, sums up twice, closes. */
static int sum_up(size_t *passes, struct err *e)
{
    struct pm_sampler *p;
    bool accepted[NAMES];
    double values[NAMES];
    int rc = pm_sampler_new(&p, &api, 3, names, NAMES, accepted, e);
    *passes = rc ? 0 : pm_sampler_passes(p);
    for (int reading = 0; reading < 2 && !rc; reading++) {
        rc = pm_sampler_sum(p, work, NULL, values, e);
        for (size_t i = 0; i < NAMES && !rc; i++) {
            assert_int_equal(accepted[i], is_sampled(i));
            if (is_sampled(i))
                assert_true(values[i] == 3.0 * (double)strlen(names[i]));
            else
                assert_true(isnan(values[i]));
        }
    }
    pm_sampler_free(p);
    assert_int_equal(cupti.hosts, 0);
    assert_int_equal(cupti.enabled, 0);
    assert_int_equal(cupti.started, 0);
    return rc;
}

/* What was counted before the work began is left out, however many images the samples take, and names that do not go
 * together take a run each half. */
static void samples_of_the_work_are_summed_up(void **state)
{
    (void)state;
    static const struct {
        size_t at_once, room, passes;
    } cases[] = {{5, 8, 1}, {5, 4, 1}, {5, 3, 1}, {5, 1, 1}, {4, 8, 2}, {3, 2, 2}, {1, 1, 5}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct err e = {0};
        size_t passes;
        play(cases[i].at_once, cases[i].room);
        assert_int_equal(sum_up(&passes, &e), 0);
        assert_int_equal(passes, cases[i].passes);
        assert_int_equal(cupti.all_works, 2 * cases[i].passes);
    }
}

static void what_fails_leaves_nothing_open(void **state)
{
    (void)state;
    static const struct {
        bool overflows, fails_to_start, fails_to_work;
        const char *why;
    } cases[] = {{true, false, false, "it takes longer than the hardware has room for samples"},
                 {false, true, false, "CUPTI failed to start sampling the device: played"},
                 {false, false, true, "it did not work"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct err e = {0};
        size_t passes;
        play(5, 8);
        cupti.overflows = cases[i].overflows;
        cupti.fails_to_start = cases[i].fails_to_start;
        cupti.fails_to_work = cases[i].fails_to_work;
        assert_int_equal(sum_up(&passes, &e), ERR_ENVIRONMENT);
        assert_string_equal(e.text, cases[i].why);
    }
}

/* Each name takes two passes by itself. */
static void nothing_can_be_sampled(void **state)
{
    (void)state;
    struct err e = {0};
    size_t passes;
    play(0, 8);
    assert_int_equal(sum_up(&passes, &e), ERR_USAGE);
    assert_non_null(strstr(e.text, "none of the metrics"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(samples_of_the_work_are_summed_up),
                                       cmocka_unit_test(what_fails_leaves_nothing_open),
                                       cmocka_unit_test(nothing_can_be_sampled)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
