/* Which rates can this GPU reach at most? Kernels of the family truth, each limited by one unit, are verified and timed
 * -> ceilings.json (a GPU of cpprof.ceilings/1, docs/doctor.md) */
#include <math.h>
#include <stdlib.h>

#include "collector/profiler/range_profiler.h"
#include "collector/runner/block_timer.h"
#include "core/base/clock.h"
#include "core/base/str.h"
#include "core/gpu/ceilings.h"
#include "core/gpu/metrics.h"
#include "core/stats/statistics.h"

enum { SAMPLES = 40, FLOOD_LAUNCHES = 1000, FLOODS = 15, WARM_NS = 60 * 1000 * 1000, COUNTED_LAUNCHES = 3 };

enum way { WAY_SINGLE, WAY_GRAPH, WAY_FLOOD };

/* The amount of a launch is what the variant states: operations, bytes, or bytes per operation. In a cache of two
 * halves the counters see bytes twice that pass from one half to the other. For comparisons with counters those bytes
 * are counted, too. This comes last, because CUPTI stays in the process from then on. */
static const struct recipe {
    enum ceiling_id id;
    const char *variant;
    double per_flop, per_byte; /* 0 and 0: the time itself is the result */
    enum way way;
    const char *counter; /* counter of the amount; NULL: the stated amount */
} recipes[] = {
    {CEILING_DRAM, "truth/dram-stream", 0, 1, WAY_SINGLE, NULL},
    {CEILING_FP32, "truth/fma-peak", 1, 0, WAY_SINGLE, NULL},
    {CEILING_FP64, "truth/fp64-peak", 1, 0, WAY_SINGLE, NULL},
    {CEILING_TENSOR_MMA, "truth/tensor-mma", 1, 0, WAY_SINGLE, NULL},
    {CEILING_TENSOR_WGMMA, "truth/tensor-wgmma", 1, 0, WAY_SINGLE, NULL},
    {CEILING_LAUNCH, "truth/launch-flood", 0, 0, WAY_FLOOD, NULL},
    {CEILING_GRAPH_NODE, "truth/launch-flood", 0, 0, WAY_GRAPH, NULL},
    {CEILING_L2, "truth/l2-stream", sizeof(float), 0, WAY_SINGLE, "l2_bytes"}, /* an addition for each float read */
};

struct bench {
    struct runner *r;
    struct block_timer timer;
    struct timed_arm arm;
    double ns[SAMPLES]; /* of one launch */
    size_t count;
    struct nvml_moment moment;
    double counted; /* amount of a launch by the recipe's counter; NAN: not counted */
};

/* A kernel with wrong results proves nothing. */
static int check_results(struct bench *b, struct err *e)
{
    const struct cpprof_variant *v = b->arm.arm.run_case->variant;
    struct cpprof_verification result = {0};
    int status = v->poison(b->arm.arm.state, b->r->device.stream);
    int rc = status ? device_error(status, "clear the output", e) : arm_launch(b->r, &b->arm.arm, e);
    if (!rc)
        rc = arm_synchronize(b->r, &b->arm.arm, e);
    if (!rc && (status = v->verify(b->arm.arm.state, b->r->device.stream, &result)))
        rc = device_error(status, "compare the output", e);
    if (!rc && result.bad_ratio > 0)
        rc = err_set(e, ERR_ENVIRONMENT, "'%s' computes wrong results on this GPU", v->name);
    return rc;
}

/* Clocks rise within milliseconds of work. */
static int warm_up(struct bench *b, struct err *e)
{
    const int64_t end_ns = clock_now_ns() + WARM_NS;
    int rc = 0;
    while (!rc && clock_now_ns() < end_ns) {
        for (int i = 0; i < FLOODS && !rc; i++)
            rc = arm_launch(b->r, &b->arm.arm, e);
        if (!rc)
            rc = arm_synchronize(b->r, &b->arm.arm, e);
    }
    return rc;
}

static int sample_blocks(struct bench *b, enum way way, struct err *e)
{
    int rc = way == WAY_GRAPH ? timed_arm_make_graph(&b->timer, &b->arm, BATCH_MOST, e) : 0;
    if (!rc)
        rc = block_timer_sample(&b->timer, &b->arm, CACHE_HOT, &b->moment, e);
    for (; b->count < b->timer.iterations && b->count < SAMPLES && !rc; b->count++)
        b->ns[b->count] = block_timer_sample_ns(&b->timer, &b->arm, CACHE_HOT, b->count);
    return rc;
}

/* Launches as fast as the host and the stream allow, between two events. */
static int sample_floods(struct bench *b, struct err *e)
{
    cudaEvent_t begin = b->timer.events[0], end = b->timer.events[1];
    float ms = NAN;
    int rc = 0;
    for (; b->count < FLOODS && !rc; b->count += !rc) {
        cudaError_t status = cudaEventRecord(begin, b->r->device.stream);
        for (int i = 0; i < FLOOD_LAUNCHES && !rc && !status; i++)
            rc = arm_launch(b->r, &b->arm.arm, e);
        if (!rc && !status)
            status = cudaEventRecord(end, b->r->device.stream);
        if (!rc && !status)
            rc = arm_synchronize(b->r, &b->arm.arm, e);
        if (!rc && !status)
            status = cudaEventElapsedTime(&ms, begin, end);
        if (!rc && status)
            rc = device_error(status, "time launches", e);
        b->ns[b->count] = (double)ms * 1e6 / FLOOD_LAUNCHES;
    }
    return rc;
}

/* The last launch is counted, so the cache is as the launch before left it, and not as CUPTI did. */
static int launch_for_counters(void *context, struct err *e)
{
    struct bench *b = context;
    int rc = 0;
    for (int i = 0; i < COUNTED_LAUNCHES && !rc; i++)
        rc = arm_launch(b->r, &b->arm.arm, e);
    return rc ? rc : arm_synchronize(b->r, &b->arm.arm, e);
}

/* Without counters the amount stays as the variant states it. */
static void count_amount(struct bench *b, const char *counter)
{
    const char *name[] = {metric_by_id(counter)->name};
    struct err refused = {0};
    struct cupti_api api;
    struct range_profiler *p = NULL;
    CUcontext context = NULL;
    bool accepted[1];
    double *values = NULL;
    size_t kernels = 0;
    int rc = cupti_api_load(&api, &refused);
    if (!rc)
        rc = device_context(&context, &refused);
    if (!rc)
        rc = range_profiler_new(&p,
                                &(struct range_profiler_request){.api = &api,
                                                                 .context = context,
                                                                 .device = b->r->device.ordinal,
                                                                 .names = name,
                                                                 .count = 1,
                                                                 .is_whole_gpu = nvml_is_whole_gpu(&b->r->device.nvml)},
                                accepted, &refused);
    if (!rc)
        rc = range_profiler_collect(p, launch_for_counters, b, &values, &kernels, &refused);
    if (!rc && kernels == COUNTED_LAUNCHES && values[kernels - 1] > 0)
        b->counted = values[kernels - 1];
    free(values);
    range_profiler_free(p);
}

static double amount_of(const struct bench *b, const struct recipe *recipe)
{
    const struct run_case *c = b->arm.arm.run_case;
    if (b->counted > 0)
        return b->counted;
    if (recipe->per_flop > 0)
        return recipe->per_flop * c->variant->flops(&c->config);
    return recipe->per_byte > 0 ? recipe->per_byte * c->variant->bytes(&c->config) : 0;
}

static json_t *result_json(const struct bench *b, const struct recipe *recipe)
{
    const double amount = amount_of(b, recipe);
    double values[SAMPLES], best = NAN;
    for (size_t i = 0; i < b->count; i++) {
        values[i] = amount > 0 ? amount / (b->ns[i] * 1e-9) : b->ns[i];
        best = amount > 0 ? fmax(best, values[i]) : fmin(best, values[i]);
    }
    const struct ceiling_kind *kind = ceiling_kind(recipe->id);
    return json_pack("{ss ss ss ss so so sI so}", "id", kind->id, "unit", unit_name(kind->unit), "kernel",
                     recipe->variant, "amount", recipe->counter ? b->counted > 0 ? "counted" : "asked" : "stated",
                     "best", json_number_or_null(best), "median", json_number_or_null(median(values, b->count)),
                     "repeats", (json_int_t)b->count, "sm_clock_hz",
                     b->moment.sm_clock_mhz > 0 ? json_integer(b->moment.sm_clock_mhz * 1000000) : json_null());
}

static int run_recipe(struct bench *b, const struct recipe *recipe, const struct run_case *c, struct err *e)
{
    char refusal[160];
    if (runner_refusal(b->r, c, refusal, sizeof refusal))
        return err_set(e, ERR_ENVIRONMENT, "%s", refusal);
    int rc = block_timer_open(&b->timer, b->r, 1, e);
    b->arm.ready = true;
    if (!rc)
        rc = arm_setup(b->r, &b->arm.arm, c, 0, e);
    if (!rc)
        rc = check_results(b, e);
    if (!rc)
        rc = warm_up(b, e);
    if (!rc)
        rc = recipe->way == WAY_FLOOD ? sample_floods(b, e) : sample_blocks(b, recipe->way, e);
    if (!rc && recipe->counter)
        count_amount(b, recipe->counter);
    return rc;
}

/* A ceiling that fails is noted as missing; the others are independent of it. */
static void measure(struct runner *r, const struct recipe *recipe, json_t *measured, json_t *missing)
{
    struct err why = {0};
    struct case_list cases = {0};
    struct bench b = {.r = r, .moment = nvml_moment_unknown, .counted = NAN};
    int rc = case_list_expand(
        &cases, &(struct case_request){.catalogue = &r->catalogue, .variants = &recipe->variant, .variant_count = 1},
        &why);
    if (!rc)
        rc = run_recipe(&b, recipe, &cases.items[0], &why);
    if (!rc)
        json_array_append_new(measured, result_json(&b, recipe));
    else
        json_array_append_new(missing,
                              json_pack("{ss so}", "what", ceiling_kind(recipe->id)->id, "why", json_text(why.text)));
    timed_arm_release(&b.arm);
    block_timer_release(&b.timer);
    case_list_release(&cases);
    cudaGetLastError(); /* for example of an allocation that failed */
}

/* Adds the widths and clocks that the theoretical rates are computed from; CUDA has kHz. */
static void add_limits(const struct device *d, json_t *gpu)
{
    static const struct {
        const char *key;
        enum cudaDeviceAttr attribute;
        json_int_t factor;
    } limits[] = {{"sm_clock_max_hz", cudaDevAttrClockRate, 1000},
                  {"memory_clock_max_hz", cudaDevAttrMemoryClockRate, 1000},
                  {"memory_bus_bits", cudaDevAttrGlobalMemoryBusWidth, 1}};
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
        int value = 0;
        const bool known = !cudaDeviceGetAttribute(&value, limits[i].attribute, d->ordinal) && value > 0;
        json_object_set_new(gpu, limits[i].key, known ? json_integer(value * limits[i].factor) : json_null());
    }
}

int role_ceilings(struct runner *r, struct err *e)
{
    json_t *description = json_object(), *measured = json_array(), *missing = json_array();
    r->iterations = SAMPLES;
    int rc = device_describe(&r->device, description, e);
    json_t *gpu = json_object_get(description, "gpu");
    for (size_t i = 0; i < sizeof recipes / sizeof recipes[0] && !rc; i++)
        measure(r, &recipes[i], measured, missing);
    if (!rc) {
        struct str path;
        str_init(&path);
        str_addf(&path, "%s/ceilings.json", r->directory);
        json_object_set_new(gpu, "ordinal", json_integer(r->device.ordinal));
        add_limits(&r->device, gpu);
        json_object_set(gpu, "ceilings", measured);
        json_object_set(gpu, "missing", missing);
        rc = json_write_file(str_text(&path), gpu, e);
        str_release(&path);
    }
    json_decref(measured);
    json_decref(missing);
    json_decref(description);
    return rc;
}
