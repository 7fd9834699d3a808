/* How much does a device count while some work runs? */
#define _GNU_SOURCE
#include "collector/profiler/pm_sampler.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "collector/profiler/counter_host.h"
#include "core/base/array.h"
#include "core/gpu/chips.h"

/* A sample has the counts of one time step, so the length of a step only decides how many there are: 0.2 ms, and room
 * for 2 s. Some samples pass before the work and after it. */
enum { STEP_NS = 200000, STEPS_BESIDE = 5, SAMPLES_MAX = 10000 };
#define BUFFER_BYTES (UINT64_C(256) << 20)

/* A series has a value for each step. With 11 names one took 52 KB of CUPTI's memory (H200, CUDA 13.0). */
enum { SERIES_SAMPLES_MAX = 12000 };
#define SERIES_BUFFER_BYTES (UINT64_C(512) << 20)

/* Names that the hardware counts at the same time. */
struct pass {
    struct counter_plan plan;
    size_t first; /* index of the first one in `kept` */
};

struct pm_sampler {
    const struct cupti_api *api;
    int device;
    uint64_t step_ns, buffer_bytes;
    uint64_t step_cycles; /* the least step of a chip that samples by cycles alone; 0: by time. Steps are as many cycles
                           * as they would be nanoseconds: what they take is in the samples. */
    size_t samples_max;
    CUpti_PmSampling_Object *target;
    size_t count;      /* as the caller gave them */
    const char **kept; /* those that can be sampled */
    size_t *slots;     /* the index of each in the caller's list */
    size_t kept_count;
    struct {
        struct pass *items;
        size_t count, capacity;
    } passes;
    uint8_t *image; /* image of the decoded samples */
    size_t image_bytes;
};

/* Not every counter that CUPTI offers counts: l1tex__t_bytes.sum and lts__t_bytes.sum read 0 while kernels load (H200,
 * CUDA 13.0). These were seen to be right. */
static bool is_known_to_count(const char *name)
{
    static const char *const units[] = {"nvlrx__bytes",      "nvltx__bytes", "pcie__read_bytes",
                                        "pcie__write_bytes", "dram__bytes",  "smsp__inst_executed.sum"};
    const size_t length = strlen(name);
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (!strncmp(name, units[i], strlen(units[i])))
            return !strcmp(name + length - 4, ".sum");
    return false;
}

/* Sampling has only one pass. Names that do not fit together in one are split into halves, and a name that does not
 * work alone is left out. */
static int plan_passes(struct pm_sampler *p, size_t first, size_t count, struct err *e)
{
    struct pass pass = {.first = first};
    const bool is_one =
        !counter_plan_make(&pass.plan, p->api, p->device, COUNTERS_OF_SAMPLES, p->kept + first, count, NULL, NULL) &&
        pass.plan.config.passes == 1;
    struct pass *slot = is_one ? ARRAY_PUSH(&p->passes) : NULL;
    if (slot) {
        *slot = pass;
        return 0;
    }
    counter_plan_release(&pass.plan);
    if (is_one)
        return err_memory(e);
    if (count == 1)
        return 0;
    int rc = plan_passes(p, first, count / 2, e);
    return rc ? rc : plan_passes(p, first + count / 2, count - count / 2, e);
}

/* Finds the names that the chip knows, and which of them fit together. */
static int plan(struct pm_sampler *p, const char *const *names, struct err *e)
{
    struct counter_host host = {0};
    const char *chip = NULL;
    int rc = counter_host_chip(p->api, p->device, &chip, e);
    if (!rc)
        rc = counter_host_open(&host, p->api, chip, COUNTERS_OF_SAMPLES, NULL, e);
    for (size_t i = 0; i < p->count && !rc; i++)
        if (is_known_to_count(names[i]) && counter_host_knows(&host, names[i])) {
            p->kept[p->kept_count] = names[i];
            p->slots[p->kept_count++] = i;
        }
    counter_host_close(&host);
    if (!rc && p->kept_count)
        rc = plan_passes(p, 0, p->kept_count, e);
    return rc || p->passes.count ? rc
                                 : err_set(e, ERR_USAGE, "none of the metrics asked for is a sum that can be sampled");
}

/* Do the first `count` of the names that are kept fit into one pass? Then that is the plan. */
static bool fits_one_pass(struct pm_sampler *p, size_t count, struct counter_plan *plan)
{
    struct counter_plan one;
    if (!count)
        return false;
    const bool fits = !counter_plan_make(&one, p->api, p->device, COUNTERS_OF_SAMPLES, p->kept, count, NULL, NULL) &&
                      one.config.passes == 1 && one.accepted == count;
    counter_plan_release(fits ? plan : &one);
    if (fits)
        *plan = one;
    return fits;
}

/* One pass alone: names that do not fit in with those before them are left out. Each plan takes a tenth of a second, so
 * all of them are tried first. */
static int plan_series(struct pm_sampler *p, const char *const *names, struct err *e)
{
    struct pass pass = {.first = 0};
    size_t known = 0;
    for (size_t i = 0; i < p->count; i++)
        if (names[i]) {
            p->kept[known] = names[i];
            p->slots[known++] = i;
        }
    if (fits_one_pass(p, known, &pass.plan))
        p->kept_count = known;
    for (size_t i = 0; i < known && p->kept_count != known; i++) {
        p->kept[p->kept_count] = p->kept[i];
        p->slots[p->kept_count] = p->slots[i];
        p->kept_count += fits_one_pass(p, p->kept_count + 1, &pass.plan);
    }
    if (!p->kept_count)
        return err_set(e, ERR_USAGE, "the chip can sample none of the counters asked for");
    struct pass *slot = ARRAY_PUSH(&p->passes);
    if (slot) {
        *slot = pass;
        return 0;
    }
    counter_plan_release(&pass.plan);
    return err_memory(e);
}

static int enable(struct pm_sampler *p, struct err *e)
{
    CUpti_PmSampling_Enable_Params params = {.structSize = CUpti_PmSampling_Enable_Params_STRUCT_SIZE};
    params.deviceIndex = (size_t)p->device;
    const CUptiResult result = p->api->cuptiPmSamplingEnable(&params);
    p->target = params.pPmSamplingObject;
    return result ? cupti_error(p->api, result, "open the device's counters", e) : 0;
}

/* NULL: no row tells of the chip; what it cannot do CUPTI will say. */
static int find_chip(const struct cupti_api *api, int device, const struct chip **chip, struct err *e)
{
    const char *name;
    const int rc = counter_host_chip(api, device, &name, e);
    *chip = rc ? NULL : chip_by_name(name);
    return rc;
}

static int choose_trigger(struct pm_sampler *p, struct err *e)
{
    const struct chip *chip;
    const int rc = find_chip(p->api, p->device, &chip, e);
    p->step_cycles = chip ? (uint64_t)chip->sample_cycles : 0;
    return rc;
}

/* What a new sampler is made from. */
struct request {
    struct pm_sampler as; /* copied */
    const char *const *names;
    int (*plan)(struct pm_sampler *p, const char *const *names, struct err *e);
};

static int make(struct pm_sampler **out, const struct request *request, bool *accepted, struct err *e)
{
    const size_t count = request->as.count;
    *out = NULL;
    memset(accepted, 0, count * sizeof *accepted);
    struct pm_sampler *p = calloc(1, sizeof *p);
    if (!p)
        return err_memory(e);
    *p = request->as;
    p->kept = calloc(count + 1, sizeof *p->kept);
    p->slots = calloc(count + 1, sizeof *p->slots);
    int rc = p->kept && p->slots ? choose_trigger(p, e) : err_memory(e);
    if (!rc)
        rc = request->plan(p, request->names, e);
    if (!rc)
        rc = enable(p, e);
    for (size_t i = 0; i < p->passes.count; i++)
        for (size_t k = 0; k < p->passes.items[i].plan.accepted; k++)
            accepted[p->slots[p->passes.items[i].first + k]] = true;
    if (!rc) {
        *out = p;
        return 0;
    }
    counter_host_explain(p->api, p->device, e);
    pm_sampler_free(p);
    return rc;
}

int pm_sampler_new(struct pm_sampler **out, const struct cupti_api *api, int device, const char *const *names,
                   size_t count, bool *accepted, struct err *e)
{
    const struct request request = {{.api = api,
                                     .device = device,
                                     .count = count,
                                     .step_ns = STEP_NS,
                                     .samples_max = SAMPLES_MAX,
                                     .buffer_bytes = BUFFER_BYTES},
                                    names,
                                    plan};
    return make(out, &request, accepted, e);
}

static const char *name_on_chip(const struct counter_host *host, const struct sampled_unit *unit)
{
    size_t i = 0;
    while (unit->names[i] && !counter_host_knows(host, unit->names[i]))
        i++;
    return unit->names[unit->names[i] ? i : 0];
}

int pm_sampler_unit_names(const struct cupti_api *api, int device, const char *names[SAMPLED_UNIT_COUNT], struct err *e)
{
    const struct chip *known;
    const char *chip;
    struct counter_host host;
    int rc = find_chip(api, device, &known, e);
    if (!rc)
        rc = counter_host_chip(api, device, &chip, e);
    if (!rc && known && known->sample_cycles)
        rc = err_set(e, ERR_ENVIRONMENT,
                     "%s samples by cycles alone, %d at least: too long for what is inside of a kernel", chip,
                     known->sample_cycles);
    if (!rc)
        rc = counter_host_open(&host, api, chip, COUNTERS_OF_SAMPLES, NULL, e);
    if (rc)
        return rc;
    for (int i = 0; i < SAMPLED_UNIT_COUNT; i++)
        names[i] = sampled_unit_misses_work((enum sampled_unit_id)i, known)
                       ? NULL
                       : name_on_chip(&host, sampled_unit((enum sampled_unit_id)i));
    counter_host_close(&host);
    return 0;
}

int pm_sampler_new_series(struct pm_sampler **out, const struct cupti_api *api, int device, const char *const *names,
                          size_t count, bool *accepted, struct err *e)
{
    const struct request request = {{.api = api,
                                     .device = device,
                                     .count = count,
                                     .samples_max = SERIES_SAMPLES_MAX,
                                     .buffer_bytes = SERIES_BUFFER_BYTES},
                                    names,
                                    plan_series};
    return make(out, &request, accepted, e);
}

void pm_sampler_free(struct pm_sampler *p)
{
    if (!p)
        return;
    CUpti_PmSampling_Disable_Params disable = {.structSize = CUpti_PmSampling_Disable_Params_STRUCT_SIZE};
    disable.pPmSamplingObject = p->target;
    if (p->target)
        p->api->cuptiPmSamplingDisable(&disable);
    for (size_t i = 0; i < p->passes.count; i++)
        counter_plan_release(&p->passes.items[i].plan);
    free(p->passes.items);
    free(p->kept);
    free(p->slots);
    free(p->image);
    free(p);
}

size_t pm_sampler_passes(const struct pm_sampler *p)
{
    return p->passes.count;
}

static int empty_image(struct pm_sampler *p, struct err *e)
{
    CUpti_PmSampling_CounterDataImage_Initialize_Params init = {
        .structSize = CUpti_PmSampling_CounterDataImage_Initialize_Params_STRUCT_SIZE};
    init.pPmSamplingObject = p->target;
    init.counterDataSize = p->image_bytes;
    init.pCounterData = p->image;
    const CUptiResult result = p->api->cuptiPmSamplingCounterDataImageInitialize(&init);
    return result ? cupti_error(p->api, result, "prepare the counter data", e) : 0;
}

static int configure(struct pm_sampler *p, const struct counter_plan *plan, struct err *e)
{
    CUpti_PmSampling_SetConfig_Params config = {.structSize = CUpti_PmSampling_SetConfig_Params_STRUCT_SIZE};
    config.pPmSamplingObject = p->target;
    config.configSize = plan->config.bytes;
    config.pConfig = plan->config.image;
    config.hardwareBufferSize = p->buffer_bytes;
    config.samplingInterval = p->step_cycles > p->step_ns ? p->step_cycles : p->step_ns; /* see step_cycles */
    config.triggerMode = p->step_cycles ? CUPTI_PM_SAMPLING_TRIGGER_MODE_GPU_SYSCLK_INTERVAL
                                        : CUPTI_PM_SAMPLING_TRIGGER_MODE_GPU_TIME_INTERVAL;
    CUptiResult result = p->api->cuptiPmSamplingSetConfig(&config);
    if (result)
        return cupti_error(p->api, result, "configure the device's counters", e);
    CUpti_PmSampling_GetCounterDataSize_Params size = {.structSize =
                                                           CUpti_PmSampling_GetCounterDataSize_Params_STRUCT_SIZE};
    size.pPmSamplingObject = p->target;
    size.pMetricNames = plan->names;
    size.numMetrics = plan->accepted;
    size.maxSamples = p->samples_max;
    result = p->api->cuptiPmSamplingGetCounterDataSize(&size);
    if (result)
        return cupti_error(p->api, result, "size the counter data", e);
    free(p->image);
    p->image_bytes = size.counterDataSize;
    p->image = calloc(1, p->image_bytes);
    return p->image ? empty_image(p, e) : err_memory(e);
}

int pm_sampler_start(struct pm_sampler *p, struct err *e)
{
    CUpti_PmSampling_Start_Params params = {.structSize = CUpti_PmSampling_Start_Params_STRUCT_SIZE};
    params.pPmSamplingObject = p->target;
    const CUptiResult result = p->api->cuptiPmSamplingStart(&params);
    return result ? cupti_error(p->api, result, "start sampling the device", e) : 0;
}

int pm_sampler_stop(struct pm_sampler *p, struct err *e)
{
    CUpti_PmSampling_Stop_Params params = {.structSize = CUpti_PmSampling_Stop_Params_STRUCT_SIZE};
    params.pPmSamplingObject = p->target;
    const CUptiResult result = p->api->cuptiPmSamplingStop(&params);
    return result ? cupti_error(p->api, result, "stop sampling the device", e) : 0;
}

/* The state while samples are summed. */
struct sums {
    const struct counter_plan *plan;
    uint64_t begin_ns, end_ns; /* time of the work */
    uint64_t last_ns;          /* end of the last sample that was added; 0: there was none */
    uint64_t taken_ns;         /* how long that one took */
    double *values, *one;
    const struct pm_watch *watch; /* who gets each sample instead; NULL: they are summed */
};

static CUptiResult time_of(const struct pm_sampler *p, size_t sample, uint64_t *start_ns, uint64_t *end_ns)
{
    CUpti_PmSampling_CounterData_GetSampleInfo_Params info = {
        .structSize = CUpti_PmSampling_CounterData_GetSampleInfo_Params_STRUCT_SIZE};
    info.pPmSamplingObject = p->target;
    info.pCounterDataImage = p->image;
    info.counterDataImageSize = p->image_bytes;
    info.sampleIndex = sample;
    const CUptiResult result = p->api->cuptiPmSamplingCounterDataGetSampleInfo(&info);
    *start_ns = info.startTimestamp;
    *end_ns = info.endTimestamp;
    return result;
}

static CUptiResult evaluate(const struct pm_sampler *p, size_t sample, const struct sums *s)
{
    CUpti_Profiler_Host_EvaluateToGpuValues_Params params = {
        .structSize = CUpti_Profiler_Host_EvaluateToGpuValues_Params_STRUCT_SIZE};
    params.pHostObject = s->plan->host.object;
    params.pCounterDataImage = p->image;
    params.counterDataImageSize = p->image_bytes;
    params.rangeIndex = sample;
    params.ppMetricNames = s->plan->names;
    params.numMetrics = s->plan->accepted;
    params.pMetricValues = s->one;
    return p->api->cuptiProfilerHostEvaluateToGpuValues(&params);
}

static CUptiResult add_sample(const struct pm_sampler *p, size_t sample, const struct sums *s)
{
    const CUptiResult result = evaluate(p, sample, s);
    for (size_t i = 0; i < s->plan->accepted && !result; i++)
        s->values[i] += s->one[i];
    return result;
}

/* Of cycles the clock says how long they take: a step is as long as the sample before. */
static uint64_t step_of(const struct pm_sampler *p, const struct sums *s, uint64_t taken_ns)
{
    return !p->step_cycles ? p->step_ns : s->taken_ns ? s->taken_ns : taken_ns;
}

/* Adds the samples of the work. The very first sample covers the time since sampling last stopped, and ended before.
 * Each sample must begin where the one before ended, within a quarter of a step; otherwise the sum would lack what was
 * in between. */
static int add_samples(const struct pm_sampler *p, struct sums *s, size_t count, struct err *e)
{
    for (size_t sample = 0; sample < count; sample++) {
        uint64_t start_ns, end_ns;
        CUptiResult result = time_of(p, sample, &start_ns, &end_ns);
        if (!result && end_ns <= s->begin_ns)
            continue;
        const uint64_t expected_ns = s->last_ns ? s->last_ns : s->begin_ns;
        const uint64_t step_ns = step_of(p, s, end_ns - start_ns);
        if (!result && (start_ns > expected_ns + step_ns / 4 || end_ns > start_ns + 2 * step_ns))
            return err_set(e, ERR_ENVIRONMENT, "CUPTI lost samples of the device");
        if (!result)
            result = add_sample(p, sample, s);
        if (result)
            return cupti_error(p->api, result, "evaluate the samples", e);
        s->last_ns = end_ns;
        s->taken_ns = end_ns - start_ns;
    }
    return s->last_ns >= s->end_ns ? 0 : err_set(e, ERR_ENVIRONMENT, "CUPTI lost the last samples of the device");
}

/* Hands over all samples since the work began; what is missing shows in their times. */
static int show_samples(const struct pm_sampler *p, const struct sums *s, size_t count, struct err *e)
{
    int rc = 0;
    for (size_t sample = 0; sample < count && !rc; sample++) {
        uint64_t start_ns, end_ns;
        CUptiResult result = time_of(p, sample, &start_ns, &end_ns);
        if (!result && (end_ns <= s->begin_ns || end_ns <= start_ns))
            continue;
        if (!result)
            result = evaluate(p, sample, s);
        if (result)
            return cupti_error(p->api, result, "evaluate the samples", e);
        for (size_t i = 0; i < p->count; i++)
            s->values[i] = NAN;
        for (size_t i = 0; i < s->plan->accepted; i++)
            s->values[p->slots[i]] = s->one[i];
        rc = s->watch->see(s->watch->context, start_ns, end_ns, s->values, e);
    }
    return rc;
}

struct decoded {
    size_t count;
    bool is_full;        /* the image: there were more */
    bool has_overflowed; /* the hardware's buffer */
};

static CUptiResult decode(const struct pm_sampler *p, struct decoded *out)
{
    CUpti_PmSampling_DecodeData_Params params = {.structSize = CUpti_PmSampling_DecodeData_Params_STRUCT_SIZE};
    params.pPmSamplingObject = p->target;
    params.pCounterDataImage = p->image;
    params.counterDataImageSize = p->image_bytes;
    CUptiResult result = p->api->cuptiPmSamplingDecodeData(&params);
    *out = (struct decoded){
        .is_full = params.decodeStopReason == CUPTI_PM_SAMPLING_DECODE_STOP_REASON_COUNTER_DATA_FULL,
        .has_overflowed = params.overflow || result == CUPTI_ERROR_OUT_OF_MEMORY,
    };
    if (result)
        return result == CUPTI_ERROR_OUT_OF_MEMORY ? CUPTI_SUCCESS : result;
    CUpti_PmSampling_GetCounterDataInfo_Params info = {.structSize =
                                                           CUpti_PmSampling_GetCounterDataInfo_Params_STRUCT_SIZE};
    info.pCounterDataImage = p->image;
    info.counterDataImageSize = p->image_bytes;
    result = p->api->cuptiPmSamplingGetCounterDataInfo(&info);
    out->count = info.numCompletedSamples;
    return result;
}

static int read_samples(struct pm_sampler *p, struct sums *s, struct err *e)
{
    struct decoded d;
    const CUptiResult result = decode(p, &d);
    if (!result && (d.is_full || d.has_overflowed))
        return err_set(e, ERR_ENVIRONMENT, "it takes longer than there is room for samples, about %d s",
                       (int)(p->samples_max * p->step_ns / 1000000000));
    return result     ? cupti_error(p->api, result, "decode the samples", e)
           : s->watch ? show_samples(p, s, d.count, e)
                      : add_samples(p, s, d.count, e);
}

static void let_steps_go_by(const struct pm_sampler *p)
{
    const uint64_t ns = STEPS_BESIDE * p->step_ns;
    nanosleep(&(struct timespec){(time_t)(ns / 1000000000), (long)(ns % 1000000000)}, NULL);
}

int pm_sampler_time(const struct pm_sampler *p, uint64_t *now_ns, struct err *e)
{
    const CUptiResult result = p->api->cuptiGetTimestamp(now_ns);
    return result ? cupti_error(p->api, result, "say the time", e) : 0;
}

/* When the work failed sampling is not stopped: the work may still run, and CUPTI would wait for it. */
static int run_pass(struct pm_sampler *p, struct sums *s, pm_work work, void *context, struct err *e)
{
    int rc = configure(p, s->plan, e);
    if (!rc)
        rc = pm_sampler_start(p, e);
    if (rc)
        return rc;
    let_steps_go_by(p);
    rc = pm_sampler_time(p, &s->begin_ns, e);
    if (!rc)
        rc = work(context, e);
    if (rc)
        return rc;
    rc = pm_sampler_time(p, &s->end_ns, e);
    let_steps_go_by(p);
    const int stopped = pm_sampler_stop(p, rc ? NULL : e);
    rc = rc ? rc : stopped;
    return rc ? rc : read_samples(p, s, e);
}

int pm_sampler_sum(struct pm_sampler *p, pm_work work, void *context, double *values, struct err *e)
{
    struct sums s = {.values = calloc(p->kept_count, sizeof *s.values), .one = calloc(p->kept_count, sizeof *s.one)};
    int rc = s.values && s.one ? 0 : err_memory(e);
    for (size_t i = 0; i < p->count; i++)
        values[i] = NAN;
    for (size_t i = 0; i < p->passes.count && !rc; i++) {
        const struct pass *pass = &p->passes.items[i];
        s.plan = &pass->plan;
        s.last_ns = 0;
        memset(s.values, 0, p->kept_count * sizeof *s.values);
        rc = run_pass(p, &s, work, context, e);
        for (size_t k = 0; k < pass->plan.accepted && !rc; k++)
            values[p->slots[pass->first + k]] = s.values[k];
    }
    free(s.values);
    free(s.one);
    return rc;
}

int pm_sampler_watch(struct pm_sampler *p, uint64_t step_ns, pm_work work, void *context, const struct pm_watch *watch,
                     struct err *e)
{
    struct sums s = {.plan = &p->passes.items[0].plan,
                     .values = calloc(p->count, sizeof *s.values),
                     .one = calloc(p->kept_count, sizeof *s.one),
                     .watch = watch};
    p->step_ns = step_ns;
    const int rc = s.values && s.one ? run_pass(p, &s, work, context, e) : err_memory(e);
    free(s.values);
    free(s.one);
    return rc;
}

int pm_sampler_configure(struct pm_sampler *p, uint64_t step_ns, size_t room, uint64_t buffer_bytes, struct err *e)
{
    p->step_ns = step_ns;
    p->samples_max = room;
    p->buffer_bytes = buffer_bytes;
    return configure(p, &p->passes.items[0].plan, e);
}

int pm_sampler_take(struct pm_sampler *p, const struct pm_watch *watch, bool *has_overflowed, struct err *e)
{
    struct sums s = {.plan = &p->passes.items[0].plan,
                     .values = calloc(p->count, sizeof *s.values),
                     .one = calloc(p->kept_count, sizeof *s.one),
                     .watch = watch};
    struct decoded d = {0};
    int rc = s.values && s.one ? 0 : err_memory(e);
    const CUptiResult result = rc ? CUPTI_SUCCESS : decode(p, &d);
    if (result)
        rc = cupti_error(p->api, result, "decode the samples", e);
    if (!rc)
        rc = show_samples(p, &s, d.count, e);
    if (!rc)
        rc = empty_image(p, e);
    *has_overflowed = d.has_overflowed;
    free(s.values);
    free(s.one);
    return rc;
}

size_t pm_sampler_room(const struct pm_sampler *p)
{
    return p->samples_max;
}
