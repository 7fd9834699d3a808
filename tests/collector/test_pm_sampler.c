/* What is summed up of a device's samples, and which counters go together? CUPTI is played here. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "collector/profiler/pm_sampler.h"
#include "tests/collector/played_host.h"
#include "tests/test.h"

enum { STEP_NS = 200000, CYCLES_TAKE_NS = 142000, SAMPLES_MAX = 16 };

/* The device's clock goes on with each sample. */
static struct {
    size_t at_once; /* names that take one pass together */
    size_t configured;
    int enabled, started, all_works;
    uint64_t now_ns; /* in the middle of a step */
    size_t samples;
    struct {
        uint64_t start_ns, end_ns;
        double value; /* of each counter, times the length of its name */
    } sample[SAMPLES_MAX];
    bool is_full, overflows, fails_to_start, fails_to_work, fails_to_say_time;
    size_t lost;       /* the sample that is not there; 0: none */
    uint64_t interval; /* as it was configured */
    bool is_in_cycles;
    int ends_early; /* so many samples are not there at the end */
    CUptiResult decoded;
} cupti;

static CUptiResult CUPTIAPI chip_name(CUpti_Device_GetChipName_Params *p)
{
    assert_int_equal(p->deviceIndex, 3);
    return played_chip_name(p);
}

static CUptiResult CUPTIAPI host_open(CUpti_Profiler_Host_Initialize_Params *p)
{
    assert_int_equal(p->profilerType, CUPTI_PROFILER_TYPE_PM_SAMPLING);
    return played_host_open(p);
}

static CUptiResult CUPTIAPI properties(CUpti_Profiler_Host_GetMetricProperties_Params *p)
{
    return strstr(p->pMetricName, "unknown") ? CUPTI_ERROR_INVALID_METRIC_NAME : CUPTI_SUCCESS;
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
    cupti.interval = p->samplingInterval;
    cupti.is_in_cycles = p->triggerMode == CUPTI_PM_SAMPLING_TRIGGER_MODE_GPU_SYSCLK_INTERVAL;
    return CUPTI_SUCCESS;
}

static CUptiResult CUPTIAPI data_size(CUpti_PmSampling_GetCounterDataSize_Params *p)
{
    assert_int_equal(p->numMetrics, cupti.configured);
    p->counterDataSize = 8;
    return CUPTI_SUCCESS;
}

/* The next step, in which so much was counted. */
static void add_sample(double value)
{
    const uint64_t end_ns = cupti.samples ? cupti.sample[cupti.samples - 1].end_ns : cupti.now_ns;
    const uint64_t taken_ns = cupti.is_in_cycles ? CYCLES_TAKE_NS : STEP_NS;
    assert_in_range(cupti.samples, 0, SAMPLES_MAX - 1);
    cupti.sample[cupti.samples].start_ns = end_ns;
    cupti.sample[cupti.samples].end_ns = end_ns + taken_ns;
    cupti.sample[cupti.samples++].value = value;
    cupti.now_ns = end_ns + taken_ns + taken_ns / 2;
}

/* The first sample holds what was before, and ends right after sampling has begun. */
static CUptiResult CUPTIAPI start(CUpti_PmSampling_Start_Params *p)
{
    (void)p;
    if (cupti.fails_to_start)
        return CUPTI_ERROR_UNKNOWN;
    cupti.started++;
    cupti.samples = 0;
    cupti.sample[0].start_ns = 1;
    cupti.sample[0].end_ns = cupti.now_ns + 10 * STEP_NS;
    cupti.sample[0].value = 1000000;
    cupti.samples = 1;
    cupti.now_ns = cupti.sample[0].end_ns + (cupti.is_in_cycles ? CYCLES_TAKE_NS : STEP_NS) / 2;
    return CUPTI_SUCCESS;
}

static CUptiResult CUPTIAPI stop(CUpti_PmSampling_Stop_Params *p)
{
    (void)p;
    add_sample(0);
    cupti.samples -= (size_t)cupti.ends_early;
    cupti.started--;
    return CUPTI_SUCCESS;
}

static CUptiResult CUPTIAPI timestamp(uint64_t *out)
{
    *out = cupti.fails_to_say_time ? 0 : cupti.now_ns;
    return cupti.fails_to_say_time ? CUPTI_ERROR_UNKNOWN : CUPTI_SUCCESS;
}

static CUptiResult CUPTIAPI decode(CUpti_PmSampling_DecodeData_Params *p)
{
    p->decodeStopReason = cupti.is_full ? CUPTI_PM_SAMPLING_DECODE_STOP_REASON_COUNTER_DATA_FULL
                                        : CUPTI_PM_SAMPLING_DECODE_STOP_REASON_END_OF_RECORDS;
    p->overflow = cupti.overflows;
    return cupti.decoded;
}

static CUptiResult CUPTIAPI info(CUpti_PmSampling_GetCounterDataInfo_Params *p)
{
    p->numCompletedSamples = cupti.samples - (cupti.lost != 0);
    return CUPTI_SUCCESS;
}

/* The samples behind the lost one move up. */
static size_t of_hardware(size_t sample)
{
    return sample + (cupti.lost && sample >= cupti.lost);
}

static CUptiResult CUPTIAPI sample_info(CUpti_PmSampling_CounterData_GetSampleInfo_Params *p)
{
    p->startTimestamp = cupti.sample[of_hardware(p->sampleIndex)].start_ns;
    p->endTimestamp = cupti.sample[of_hardware(p->sampleIndex)].end_ns;
    return CUPTI_SUCCESS;
}

static CUptiResult CUPTIAPI evaluate(CUpti_Profiler_Host_EvaluateToGpuValues_Params *p)
{
    assert_int_equal(p->numMetrics, cupti.configured);
    for (size_t i = 0; i < p->numMetrics; i++)
        p->pMetricValues[i] = cupti.sample[of_hardware(p->rangeIndex)].value * (double)strlen(p->ppMetricNames[i]);
    return CUPTI_SUCCESS;
}

static const struct cupti_api api = {
    PLAYED_HOST,
    PLAYED_OK(cuptiPmSamplingCounterDataImageInitialize),
    .cuptiGetTimestamp = timestamp,
    .cuptiDeviceGetChipName = chip_name,
    .cuptiProfilerHostInitialize = host_open,
    .cuptiProfilerHostGetMetricProperties = properties,
    .cuptiProfilerHostConfigAddMetrics = played_add_metrics,
    .cuptiProfilerHostGetNumOfPasses = passes_of,
    .cuptiProfilerHostEvaluateToGpuValues = evaluate,
    .cuptiPmSamplingEnable = enable,
    .cuptiPmSamplingDisable = disable,
    .cuptiPmSamplingSetConfig = set_config,
    .cuptiPmSamplingGetCounterDataSize = data_size,
    .cuptiPmSamplingStart = start,
    .cuptiPmSamplingStop = stop,
    .cuptiPmSamplingDecodeData = decode,
    .cuptiPmSamplingGetCounterDataInfo = info,
    .cuptiPmSamplingCounterDataGetSampleInfo = sample_info,
};

/* Begins and ends in the middle of a step, and goes through three of them. */
static int work(void *context, struct err *e)
{
    (void)context;
    assert_int_equal(cupti.started, 1);
    cupti.all_works++;
    for (int i = 1; i <= 3; i++)
        add_sample(i);
    return cupti.fails_to_work ? err_set(e, ERR_ENVIRONMENT, "it did not work") : 0;
}

/* Known, not a sum, a sum that is not known to count, unknown, and four that are known. */
static const char *const names[] = {
    "nvlrx__bytes_data_user.sum", "dram__bytes_read.sum.per_second", "lts__t_bytes.sum",     "nvlrx__bytes_unknown.sum",
    "nvltx__bytes_data_user.sum", "smsp__inst_executed.sum",         "pcie__read_bytes.sum", "dram__bytes_read.sum"};
enum { NAMES = COUNT_OF(names) };

static bool is_sampled(size_t i)
{
    return i == 0 || i >= 4;
}

static void play(size_t at_once)
{
    memset(&cupti, 0, sizeof cupti);
    cupti.at_once = at_once;
    cupti.now_ns = 1000 * STEP_NS;
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
                assert_true(values[i] == 6.0 * (double)strlen(names[i]));
            else
                assert_true(isnan(values[i]));
        }
    }
    pm_sampler_free(p);
    assert_int_equal(played_host.open, 0);
    assert_int_equal(cupti.enabled, 0);
    assert_int_equal(cupti.started,
                     cupti.fails_to_work || cupti.fails_to_say_time); /* nothing waits for what may not end */
    return rc;
}

/* What was counted before the work began is left out, and names that do not go together take a run each half. */
TEST(samples_of_the_work_are_summed_up)
{
    static const struct {
        size_t at_once, passes;
    } cases[] = {{5, 1}, {4, 2}, {3, 2}, {1, 5}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct err e = {0};
        size_t passes;
        play(cases[i].at_once);
        assert_int_equal(sum_up(&passes, &e), 0);
        assert_int_equal(passes, cases[i].passes);
        assert_int_equal(cupti.all_works, 2 * cases[i].passes);
    }
}

/* A sum that lacks a sample is none: in the middle, the first of the work, the last. */
TEST(lost_samples_are_noticed)
{
    static const struct {
        size_t lost;
        int ends_early;
        const char *why;
    } cases[] = {
        {1, 0, "CUPTI lost samples of the device"},          {2, 0, "CUPTI lost samples of the device"},
        {3, 0, "CUPTI lost samples of the device"},          {0, 1, "CUPTI lost the last samples of the device"},
        {0, 4, "CUPTI lost the last samples of the device"}, {0, 5, "CUPTI lost the last samples of the device"}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct err e = {0};
        size_t passes;
        play(5);
        cupti.lost = cases[i].lost;
        cupti.ends_early = cases[i].ends_early;
        assert_int_equal(sum_up(&passes, &e), ERR_ENVIRONMENT);
        assert_string_equal(e.text, cases[i].why);
    }
}

/* A100 samples by cycles, which take as long as the clock says. */
TEST(cycles_are_as_long_as_they_take)
{
    for (size_t lost = 0; lost <= 3; lost++) {
        struct err e = {0};
        size_t passes;
        play(5);
        played_host.chip = "GA100";
        cupti.lost = lost;
        const int rc = sum_up(&passes, &e);
        played_host.chip = NULL;
        assert_true(cupti.is_in_cycles);
        assert_int_equal(cupti.interval, STEP_NS);
        assert_int_equal(rc, lost ? ERR_ENVIRONMENT : 0);
        if (lost)
            assert_string_equal(e.text, "CUPTI lost samples of the device");
    }
}

/* What the samples of a chip would miss is not sampled, and steps of cycles are too long for the inside of a kernel. */
TEST(units_are_those_that_the_chip_can_show)
{
    static const struct {
        const char *chip;
        bool has_series, has_tensor;
    } cases[] = {{"GH100", true, true}, {"GB100", true, false}, {"GA100", false, false}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const char *units[SAMPLED_UNIT_COUNT] = {NULL};
        struct pm_sampler *p;
        bool accepted[SAMPLED_UNIT_COUNT];
        struct err e = {0};
        play(SAMPLED_UNIT_COUNT);
        played_host.chip = cases[i].chip;
        const int rc = pm_sampler_unit_names(&api, 3, units, &e);
        assert_int_equal(!rc, cases[i].has_series);
        if (!rc) {
            assert_int_equal(units[SAMPLED_TENSOR] != NULL, cases[i].has_tensor);
            assert_int_equal(pm_sampler_new_series(&p, &api, 3, units, SAMPLED_UNIT_COUNT, accepted, &e), 0);
            assert_int_equal(accepted[SAMPLED_TENSOR], cases[i].has_tensor);
            assert_true(accepted[SAMPLED_ACTIVE] && accepted[SAMPLED_DRAM]);
            pm_sampler_free(p);
        }
        played_host.chip = NULL;
        assert_int_equal(played_host.open, 0);
    }
}

TEST(what_fails_leaves_nothing_open)
{
    static const struct {
        bool is_full, overflows, fails_to_start, fails_to_work, fails_to_say_time;
        CUptiResult decoded;
        const char *why;
    } cases[] = {
        {.overflows = true, .why = "it takes longer than there is room for samples, about 2 s"},
        {.is_full = true, .why = "it takes longer than there is room for samples, about 2 s"},
        {.decoded = CUPTI_ERROR_OUT_OF_MEMORY, .why = "it takes longer than there is room for samples, about 2 s"},
        {.decoded = CUPTI_ERROR_UNKNOWN, .why = "CUPTI failed to decode the samples: played"},
        {.fails_to_start = true, .why = "CUPTI failed to start sampling the device: played"},
        {.fails_to_say_time = true, .why = "CUPTI failed to say the time: played"},
        {.fails_to_work = true, .why = "it did not work"}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct err e = {0};
        size_t passes;
        play(5);
        cupti.is_full = cases[i].is_full;
        cupti.overflows = cases[i].overflows;
        cupti.decoded = cases[i].decoded;
        cupti.fails_to_start = cases[i].fails_to_start;
        cupti.fails_to_say_time = cases[i].fails_to_say_time;
        cupti.fails_to_work = cases[i].fails_to_work;
        assert_int_equal(sum_up(&passes, &e), ERR_ENVIRONMENT);
        assert_string_equal(e.text, cases[i].why);
    }
}

/* Each name takes two passes by itself. */
TEST(nothing_can_be_sampled)
{
    struct err e = {0};
    size_t passes;
    play(0);
    assert_int_equal(sum_up(&passes, &e), ERR_USAGE);
    assert_non_null(strstr(e.text, "none of the metrics"));
}

TEST(an_unknown_chip_is_refused_in_words)
{
    struct pm_sampler *sums, *series;
    bool accepted[NAMES];
    for (int is_nameless = 0; is_nameless < 2; is_nameless++) {
        const char *why = is_nameless ? "no name for the chip of GPU 3" : "the counters of the chip 'GX999'";
        struct err of_sums = {0}, of_series = {0};
        play(5);
        played_host.chip = "GX999";
        played_host.is_nameless = is_nameless;
        assert_int_not_equal(pm_sampler_new(&sums, &api, 3, names, NAMES, accepted, &of_sums), 0);
        assert_int_not_equal(pm_sampler_new_series(&series, &api, 3, names, NAMES, accepted, &of_series), 0);
        assert_null(sums);
        assert_null(series);
        assert_non_null(strstr(of_sums.text, why));
        assert_non_null(strstr(of_series.text, why));
        assert_int_equal(played_host.open, 0);
        assert_int_equal(cupti.enabled, 0);
    }
    played_host.chip = NULL;
    played_host.is_nameless = false;
}

/* Each sample since the work began, with its names where they were asked for; unknown ones have no value. */
static int see(void *context, uint64_t start_ns, uint64_t end_ns, const double *values, struct err *e)
{
    (void)e;
    int *seen = context;
    assert_true(end_ns > start_ns);
    if (values[2] > 0) {
        assert_true(isnan(values[3]));
        assert_true(values[2] == ++*seen * (double)strlen(names[2]));
    }
    return 0;
}

TEST(samples_are_shown_one_by_one)
{
    struct err e = {0};
    struct pm_sampler *p;
    bool accepted[NAMES];
    int seen = 0;
    play(5);
    assert_int_equal(pm_sampler_new_series(&p, &api, 3, names, NAMES, accepted, &e), 0);
    for (size_t i = 0; i < NAMES; i++)
        assert_int_equal(accepted[i], i < 6 && i != 3); /* five go together, whatever is known to count */
    assert_int_equal(pm_sampler_watch(p, STEP_NS, work, NULL, &(struct pm_watch){see, &seen}, &e), 0);
    assert_int_equal(seen, 3);
    cupti.is_full = true;
    assert_int_equal(pm_sampler_watch(p, STEP_NS, work, NULL, &(struct pm_watch){see, &seen}, &e), ERR_ENVIRONMENT);
    assert_int_equal(seen, 3);
    pm_sampler_free(p);
    assert_int_equal(played_host.open, 0);
    assert_int_equal(cupti.enabled, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_of_the_work_are_summed_up),   cmocka_unit_test(lost_samples_are_noticed),
        cmocka_unit_test(cycles_are_as_long_as_they_take),     cmocka_unit_test(units_are_those_that_the_chip_can_show),
        cmocka_unit_test(what_fails_leaves_nothing_open),      cmocka_unit_test(nothing_can_be_sampled),
        cmocka_unit_test(an_unknown_chip_is_refused_in_words), cmocka_unit_test(samples_are_shown_one_by_one)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
