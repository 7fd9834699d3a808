/* Whose counters are whose when arms are counted together? CUPTI and the device are
 * played here: a counter's value is the launch that it was read of. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/test.h"
#include <math.h>

#include "collector/profiler/counter_host.h"
#include "collector/profiler/pm_sampler.h"
#include "collector/profiler/range_profiler.h"
#include "collector/runner/l2_flush.h"
#include "collector/runner/runner.h"
#include "core/base/clock.h"

enum { ARMS_MAX = 80, PASSES = 2 };

/* ---- what is played ---- */

struct range_profiler {
    int opened;
};

static struct {
    size_t kernels[ARMS_MAX];            /* of a launch of each arm */
    size_t room;                         /* arms that the device has memory for */
    size_t room_to_launch, room_to_open; /* so many arms may be there when one is launched, and when counting begins */
    size_t there, most_there;            /* arms that are set up */
    size_t launches, launches_in_pass, kernels_in_pass;
    double value[RANGE_KERNELS_MAX]; /* 1000 * (arm + 1) + launch of it in this pass + kernel / 100 */
    size_t launched[ARMS_MAX], collections, opened;
    size_t plans_taken, plans_left;
    int unlike; /* kernel k of a launch counts 1 + k times this as much as the first one; 0: as noted above */
    int devices[ARMS_MAX];       /* that a launch of an arm runs on; 0: one */
    bool is_waiting;             /* a launch does not end */
    bool is_wrong;               /* what it computes */
    bool is_sampling_refused;    /* by CUPTI */
    bool counts_nothing;         /* CUPTI, of all instructions */
    int blind;                   /* a device of which nothing is counted */
    int sampled, sampled_device; /* devices that are being sampled, and the last of them */
    int poisoned;                /* outputs */
    size_t delayed;              /* an arm in which a mark waits, counted from 1; 0: none does */
} played;

static struct range_profiler profiler;

/* Time flies while a launch does not end. */
int64_t __real_clock_now_ns(void);
int64_t __wrap_clock_now_ns(void);
int64_t __wrap_clock_now_ns(void)
{
    static int64_t ahead_ns;
    ahead_ns += played.is_waiting ? 1000000000 : 0;
    return __real_clock_now_ns() + ahead_ns;
}

cudaError_t __wrap_cudaStreamQuery(cudaStream_t stream);
cudaError_t __wrap_cudaStreamQuery(cudaStream_t stream)
{
    (void)stream;
    return played.is_waiting ? cudaErrorNotReady : cudaSuccess;
}

cudaError_t __wrap_cudaStreamSynchronize(cudaStream_t stream);
cudaError_t __wrap_cudaStreamSynchronize(cudaStream_t stream)
{
    (void)stream;
    return cudaSuccess;
}

int cupti_api_load_pm(struct cupti_api *api, struct err *e)
{
    (void)e;
    *api = (struct cupti_api){.found = "played"};
    return 0;
}

void counter_host_load_begin(struct counter_host_loading *l, const struct cupti_api *api, int device,
                             const char *const *names, size_t count)
{
    *l = (struct counter_host_loading){
        .api = api, .device = device, .names = names, .count = count, .is_under_way = true};
}

void counter_host_load_end(struct counter_host_loading *l)
{
    l->is_planned |= l->is_under_way;
    l->is_under_way = false;
}

void counter_plan_release(struct counter_plan *plan)
{
    (void)plan;
    played.plans_left++;
}

int l2_flush_open(struct l2_flush *f, const struct device *d, struct err *e)
{
    (void)f, (void)d, (void)e;
    return 0;
}

void l2_flush_release(struct l2_flush *f)
{
    (void)f;
}

static void add_kernel(double value)
{
    if (played.kernels_in_pass < RANGE_KERNELS_MAX)
        played.value[played.kernels_in_pass] = value;
    played.kernels_in_pass++;
}

/* A kernel like any other, before all arms of a pass. */
int l2_flush_submit(const struct l2_flush *f, cudaStream_t stream, struct err *e)
{
    return l2_flush_submit_read(f, stream, e); /* one launch, as well */
}

void l2_flush_forbid_persisting(struct l2_flush *f)
{
    (void)f;
}

size_t l2_flush_let_persist(struct l2_flush *f)
{
    (void)f;
    return 0;
}

int l2_flush_submit_read(const struct l2_flush *f, cudaStream_t stream, struct err *e)
{
    (void)f, (void)stream, (void)e;
    assert_int_equal(played.kernels_in_pass, 0);
    add_kernel(-1);
    return 0;
}

int device_find(struct device *d, int ordinal, struct err *e)
{
    (void)ordinal, (void)e;
    d->properties.sharedMemPerBlockOptin = 1 << 20;
    return 0;
}

int device_open(struct device *d, int ordinal, struct err *e)
{
    return device_find(d, ordinal, e);
}

int device_context(CUcontext *context, struct err *e)
{
    (void)context, (void)e;
    return 0;
}

int device_error(int cuda_status, const char *doing, struct err *e)
{
    return err_set(e, ERR_ENVIRONMENT, "CUDA failed to %s: %d", doing, cuda_status);
}

int range_profiler_new(struct range_profiler **out, const struct range_profiler_request *request, bool *accepted,
                       struct err *e)
{
    assert_string_equal(request->api->found, "played");
    played.plans_taken += request->plan != NULL;
    if (played.there > played.room_to_open)
        return err_set(e, ERR_ENVIRONMENT, "no room to count");
    for (size_t i = 0; i < request->count; i++)
        accepted[i] = true;
    played.opened++;
    *out = &profiler;
    return 0;
}

void range_profiler_free(struct range_profiler *p)
{
    (void)p;
}

size_t range_profiler_passes(const struct range_profiler *p)
{
    (void)p;
    return PASSES;
}

const char *range_profiler_step_name(enum range_profiler_step step)
{
    (void)step;
    return "step";
}

int64_t range_profiler_spent_ns(const struct range_profiler *p, enum range_profiler_step step)
{
    (void)p, (void)step;
    return 0;
}

int range_profiler_collect(struct range_profiler *p, range_work work, void *context, double **values,
                           size_t *kernel_count, struct err *e)
{
    assert_ptr_equal(p, &profiler);
    int rc = 0;
    played.collections++;
    *values = NULL;
    *kernel_count = 0;
    for (int pass = 0; pass < PASSES && !rc; pass++) {
        memset(played.launched, 0, sizeof played.launched);
        played.kernels_in_pass = 0;
        rc = work(context, e);
    }
    if (rc)
        return rc;
    if (played.kernels_in_pass > RANGE_KERNELS_MAX)
        return err_set(e, ERR_ENVIRONMENT, "too many kernels");
    *kernel_count = played.kernels_in_pass;
    *values = malloc(sizeof played.value);
    memcpy(*values, played.value, sizeof played.value);
    return 0;
}

/* ---- sampling: of device D the sums are 100 * D + 7 ---- */

int pm_sampler_new(struct pm_sampler **out, const struct cupti_api *api, int device, const char *const *names,
                   size_t count, bool *accepted, struct err *e)
{
    assert_string_equal(api->found, "played");
    assert_int_equal(played.sampled, 0); /* one at a time */
    if (played.is_sampling_refused)
        return err_set(e, ERR_ENVIRONMENT, "CUPTI failed to open the device's counters");
    for (size_t i = 0; i < count; i++)
        accepted[i] = !strcmp(names[i], "smsp__inst_executed.sum");
    played.sampled++;
    played.sampled_device = device;
    *out = (struct pm_sampler *)&played;
    return 0;
}

void pm_sampler_free(struct pm_sampler *p)
{
    played.sampled -= p != NULL;
}

size_t pm_sampler_passes(const struct pm_sampler *p)
{
    (void)p;
    return 1;
}

int pm_sampler_sum(struct pm_sampler *p, pm_work work, void *context, double *values, struct err *e)
{
    assert_ptr_equal(p, &played);
    values[0] = played.counts_nothing || played.sampled_device == played.blind ? 0 : 100 * played.sampled_device + 7;
    return work(context, e);
}

/* ---- the arms: number N is variant "arm/N" ---- */

static int setup(const struct cpprof_config *config, struct CUstream_st *stream, void **state)
{
    (void)stream;
    if (played.there == played.room)
        return 2;
    played.there++;
    if (played.there > played.most_there)
        played.most_there = played.there;
    *state = (void *)(uintptr_t)(config->value[0] + 1);
    return 0;
}

static int launch(void *state, struct CUstream_st *stream)
{
    (void)stream;
    const size_t arm = (uintptr_t)state - 1;
    if (played.there > played.room_to_launch)
        return 2;
    for (size_t k = 0; k < played.kernels[arm]; k++)
        add_kernel((1000 * (double)(arm + 1) + (double)played.launched[arm]) * (1 + (double)k * played.unlike) +
                   (double)k / 100 * !played.unlike);
    played.launched[arm]++;
    played.launches++;
    return 0;
}

static void teardown(void *state)
{
    (void)state;
    played.there--;
}

static size_t shared_bytes(const struct cpprof_config *config)
{
    (void)config;
    return 0;
}

static int devices(const struct cpprof_config *config, int *device, int devices_max)
{
    const int count = played.devices[config->value[0]];
    for (int i = 0; i < count && i < devices_max; i++)
        device[i] = (3 + i) % 4;
    return count;
}

static int poison(void *state, struct CUstream_st *stream)
{
    (void)state, (void)stream;
    played.poisoned++;
    return 0;
}

static int verify(void *state, struct CUstream_st *stream, struct cpprof_verification *result)
{
    (void)state, (void)stream;
    result->bad_ratio = played.is_wrong;
    result->values = 1;
    return 0;
}

static const struct cpprof_variant variant = {.struct_bytes = sizeof variant,
                                              .name = "arm",
                                              .kernel_pattern = "arm",
                                              .shared_bytes = shared_bytes,
                                              .setup = setup,
                                              .launch = launch,
                                              .poison = poison,
                                              .verify = verify,
                                              .devices = devices,
                                              .teardown = teardown};

static const struct cpprof_inside waits = {.build = CPPROF_INSIDE_DELAY};
static const struct inside_build delayed = {&variant, &waits, 400};

static const char *metric_asked = "smsp__inst_executed.sum";

/* Counts `arms`, each `repeats` times; 0 or the role's error. */
static int count(struct runner *r, size_t arms, int64_t repeats)
{
    *r = (struct runner){.role = "count", .repeats = repeats, .report = json_object(), .start_ns = clock_now_ns()};
    r->metrics.items = &metric_asked;
    r->metrics.count = 1;
    r->cases.items = calloc(arms, sizeof *r->cases.items);
    r->cases.count = arms;
    for (size_t i = 0; i < arms; i++) {
        struct run_case *c = &r->cases.items[i];
        c->variant = &variant;
        c->build = played.delayed == i + 1 ? &delayed : NULL;
        c->config.value[0] = (int64_t)i;
        snprintf(c->name, sizeof c->name, "arm/%zu", i);
        snprintf(c->key, sizeof c->key, "small");
    }
    bundle_table_init(&r->tables[BUNDLE_METRICS], BUNDLE_METRICS);
    struct err e = {0};
    return role_count(r, &e);
}

static void release(struct runner *r)
{
    table_release(&r->tables[BUNDLE_METRICS]);
    json_decref(r->report);
    free(r->cases.items);
    assert_int_equal(played.there, 0);
}

static void play(size_t kernels)
{
    memset(&played, 0, sizeof played);
    played.room = played.room_to_launch = played.room_to_open = ARMS_MAX;
    played.blind = -1;
    for (size_t i = 0; i < ARMS_MAX; i++)
        played.kernels[i] = kernels;
}

/* Row by row: `launch` is the one that must have been read, kernel by kernel. */
static void expect_rows(const struct runner *r, size_t first_row, size_t arm, double launch_read)
{
    const struct table *t = &r->tables[BUNDLE_METRICS];
    for (size_t k = 0; k < played.kernels[arm]; k++) {
        char name[32];
        snprintf(name, sizeof name, "arm/%zu", arm);
        assert_string_equal(table_text(t, first_row + k, METRICS_VARIANT), name);
        assert_true(fabs(table_number(t, first_row + k, METRICS_VALUE) -
                         (1000 * (double)(arm + 1) + launch_read + (double)k / 100)) < 1e-9);
    }
}

/* ---- the tests ---- */

TEST(arms_are_counted_together)
{
    struct runner r;
    play(1);
    assert_int_equal(count(&r, 6, 2), 0);
    assert_int_equal(played.opened, 1);
    assert_int_equal(played.collections, 2); /* one for each reading, not for each arm */
    assert_int_equal(played.launches, 2 * PASSES * 6 * 2);
    assert_int_equal(played.plans_taken, 1);
    assert_int_equal(played.plans_left, 0);
    assert_int_equal(table_rows(&r.tables[BUNDLE_METRICS]), 12);
    for (size_t row = 0; row < 12; row++)
        expect_rows(&r, row, row % 6, 1); /* the second launch: launches count from 0 */
    release(&r);
}

/* The counters of a kernel whose warps ask for the time again and again say nothing of it: the second of three arms is
 * not even set up. */
TEST(an_arm_that_waits_is_not_counted)
{
    struct runner r;
    play(1);
    played.delayed = 2;
    assert_int_equal(count(&r, 3, 1), 0);
    assert_int_equal(played.most_there, 2);
    assert_int_equal(table_rows(&r.tables[BUNDLE_METRICS]), 2);
    expect_rows(&r, 0, 0, 1);
    expect_rows(&r, 1, 2, 1);
    assert_null(json_object_get(r.report, "missing"));
    release(&r);
    play(1);
    played.delayed = 1;
    assert_int_equal(count(&r, 1, 1), 0);
    assert_int_equal(table_rows(&r.tables[BUNDLE_METRICS]), 0);
    release(&r);
}

/* 32 arms are one more than 64 kernels, one flush and two launches each, allow. */
TEST(more_arms_take_another_batch)
{
    struct runner r;
    play(1);
    assert_int_equal(count(&r, 32, 1), 0);
    assert_int_equal(played.most_there, 31);
    assert_int_equal(played.collections, 2);
    assert_int_equal(played.opened, 1);
    for (size_t row = 0; row < 32; row++)
        expect_rows(&r, row, row, 1);
    release(&r);
}

/* A room for two of five arms: 2 + 2 + 1. Where not even one finds room the error is told. */
TEST(memory_ends_a_batch)
{
    struct runner r;
    play(1);
    played.room = 2;
    assert_int_equal(count(&r, 5, 1), 0);
    assert_int_equal(played.collections, 3);
    assert_int_equal(table_rows(&r.tables[BUNDLE_METRICS]), 5);
    release(&r);
    play(1);
    played.room = 0;
    assert_int_equal(count(&r, 5, 1), ERR_ENVIRONMENT);
    release(&r);
}

/* Three arms find room beside each other, what a launch or CUPTI takes then does not: each is counted with the device
 * to itself, every reading. What fails with the device to itself is an error. */
TEST(what_fails_beside_others_is_counted_without_them)
{
    struct runner r;
    for (int opening = 0; opening < 2; opening++) {
        play(1);
        *(opening ? &played.room_to_open : &played.room_to_launch) = 1 - (size_t)opening;
        assert_int_equal(count(&r, 3, 2), 0);
        assert_int_equal(table_rows(&r.tables[BUNDLE_METRICS]), 6);
        assert_int_equal(played.plans_taken + played.plans_left, 1);
        for (size_t row = 0; row < 6; row++)
            expect_rows(&r, row, row % 3, 1);
        release(&r);
    }
    play(1);
    played.room_to_launch = 0;
    assert_int_equal(count(&r, 3, 1), ERR_ENVIRONMENT);
    assert_int_equal(table_rows(&r.tables[BUNDLE_METRICS]), 0);
    release(&r);
}

/* Three arms of which the second launches three kernels: 1 + 2 + 6 + 2 ranges where 7 were thought. The
 * first reading is made one by one (1 + 3 collections), the second together, by what was learned. */
TEST(kernels_of_a_launch_are_learned)
{
    struct runner r;
    play(1);
    played.kernels[1] = 3;
    assert_int_equal(count(&r, 3, 2), 0);
    assert_int_equal(played.collections, 1 + 3 + 1);
    assert_int_equal(table_rows(&r.tables[BUNDLE_METRICS]), 2 * (1 + 3 + 1));
    for (size_t repeat = 0; repeat < 2; repeat++) {
        expect_rows(&r, 5 * repeat, 0, 1);
        expect_rows(&r, 5 * repeat + 1, 1, 1);
        expect_rows(&r, 5 * repeat + 4, 2, 1);
    }
    release(&r);
}

/* Of three arms the first launches no kernel, the second two: as many as were thought, but the two are not alike. The
 * second reading goes by what was learned. */
TEST(none_and_two_are_not_one_and_one)
{
    struct runner r;
    play(1);
    played.kernels[0] = 0;
    played.kernels[1] = 2;
    played.unlike = 10; /* the second kernel has 11 times the instructions of the first */
    assert_int_equal(count(&r, 3, 2), 0);
    assert_int_equal(played.collections, 1 + 3 + 1);
    const struct table *t = &r.tables[BUNDLE_METRICS];
    assert_int_equal(table_rows(t), 2 * (2 + 1));
    for (size_t repeat = 0; repeat < 2; repeat++) {
        assert_string_equal(table_text(t, 3 * repeat, METRICS_VARIANT), "arm/1");
        assert_true(table_number(t, 3 * repeat, METRICS_VALUE) == 2001);
        assert_true(table_number(t, 3 * repeat + 1, METRICS_VALUE) == 11 * 2001);
        assert_string_equal(table_text(t, 3 * repeat + 2, METRICS_VARIANT), "arm/2");
        assert_true(table_number(t, 3 * repeat + 2, METRICS_VALUE) == 3001);
    }
    release(&r);
}

/* Two arms of 20 kernels: 81 ranges are too many together, 41 are not alone. Of 40 kernels two launches are too many
 * even then, and the launch before the only one is that of the pass before. */
TEST(too_many_kernels_are_counted_one_by_one)
{
    struct runner r;
    play(20);
    assert_int_equal(count(&r, 2, 2), 0);
    assert_int_equal(played.collections, 1 + 2 + 2);
    assert_int_equal(table_rows(&r.tables[BUNDLE_METRICS]), 80);
    expect_rows(&r, 60, 1, 1);
    release(&r);
    play(40);
    assert_int_equal(count(&r, 2, 1), 0);
    assert_int_equal(played.collections, 1 + 2 * 2);
    assert_int_equal(table_rows(&r.tables[BUNDLE_METRICS]), 80);
    expect_rows(&r, 40, 1, 0);
    release(&r);
    play(65);
    assert_int_equal(count(&r, 2, 1), ERR_ENVIRONMENT);
    release(&r);
}

/* Of three arms the second runs on devices 3 and 0: each of them has rows of its own, and the others are counted
 * together as if it were not there. */
TEST(several_gpus_are_counted_each)
{
    struct runner r;
    play(1);
    played.devices[1] = 2;
    assert_int_equal(count(&r, 3, 2), 0);
    const struct table *t = &r.tables[BUNDLE_METRICS];
    assert_int_equal(table_rows(t), 2 * 2 + 2 * 2);
    assert_int_equal(played.opened, 1);
    for (size_t repeat = 0; repeat < 2; repeat++) {
        expect_rows(&r, 2 * repeat, 0, 1);
        expect_rows(&r, 2 * repeat + 1, 2, 1);
        for (size_t gpu = 0; gpu < 2; gpu++) {
            const size_t row = 4 + 2 * gpu + repeat;
            assert_string_equal(table_text(t, row, METRICS_VARIANT), "arm/1");
            assert_string_equal(table_text(t, row, METRICS_KERNEL), gpu ? "gpu 3" : "gpu 0");
            assert_true(table_number(t, row, METRICS_VALUE) == (gpu ? 307 : 7));
            assert_true(table_number(t, row, METRICS_LAUNCH) == (double)repeat);
        }
    }
    assert_int_equal(played.sampled, 0);
    assert_int_equal(played.poisoned, 4); /* before each reading of each GPU */
    assert_null(json_object_get(r.report, "missing"));
    release(&r);
}

static const char *missing(const struct runner *r, size_t i, const char *key)
{
    return json_get_text(json_array_get(json_object_get(r->report, "missing"), i), key, "");
}

/* CUPTI refuses, or the result is wrong: that arm is missing, with the reason, and the other one is there. */
TEST(an_arm_on_several_gpus_may_be_missing)
{
    static const struct {
        bool is_refused, is_wrong, counts_nothing;
        const char *why;
    } cases[] = {{true, false, false, "CUPTI failed to open the device's counters"},
                 {false, true, false, "what it computed while it was counted is wrong"},
                 {false, false, true, "CUPTI counted no instruction on GPU 0 while it ran"}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct runner r;
        play(1);
        played.devices[0] = 2;
        played.is_sampling_refused = cases[i].is_refused;
        played.is_wrong = cases[i].is_wrong;
        played.counts_nothing = cases[i].counts_nothing;
        assert_int_equal(count(&r, 2, 1), 0);
        assert_int_equal(table_rows(&r.tables[BUNDLE_METRICS]), 1);
        expect_rows(&r, 0, 1, 1);
        assert_int_equal(json_array_size(json_object_get(r.report, "missing")), 1);
        assert_string_equal(missing(&r, 0, "what"), "counters of arm/0 at small on GPU 0");
        assert_string_equal(missing(&r, 0, "why"), cases[i].why);
        release(&r);
    }
}

/* One of two GPUs counts nothing: what the other one has counted would be taken for both. */
TEST(half_of_the_gpus_is_nothing)
{
    struct runner r;
    play(1);
    played.devices[0] = 2;
    played.blind = 3;
    assert_int_equal(count(&r, 1, 2), 0);
    const struct table *t = &r.tables[BUNDLE_METRICS];
    assert_int_equal(table_rows(t), 2);
    for (size_t row = 0; row < 2; row++) {
        assert_string_equal(table_text(t, row, METRICS_KERNEL), "gpu 0");
        assert_true(isnan(table_number(t, row, METRICS_VALUE)));
    }
    assert_string_equal(missing(&r, 0, "what"), "counters of arm/0 at small on GPU 3");
    assert_int_equal(played.sampled, 0);
    release(&r);
}

/* A name that somebody asked for, and that only kernels are counted for, is said to be missing once. */
TEST(what_cannot_be_sampled_is_said)
{
    struct runner r;
    play(1);
    played.devices[0] = 2;
    metric_asked = "sm__throughput.avg.pct_of_peak_sustained_elapsed";
    assert_int_equal(count(&r, 1, 1), 0);
    metric_asked = "smsp__inst_executed.sum";
    assert_int_equal(table_rows(&r.tables[BUNDLE_METRICS]), 2); /* the witness */
    assert_int_equal(json_array_size(json_object_get(r.report, "missing")), 1);
    assert_string_equal(missing(&r, 0, "what"), "sm__throughput.avg.pct_of_peak_sustained_elapsed");
    release(&r);
}

/* What was read before stays; nothing is called that would wait for the kernel, not even the teardown. */
TEST(an_end_that_does_not_come_is_not_waited_for)
{
    struct runner r;
    play(1);
    played.devices[0] = played.devices[2] = 2;
    played.is_waiting = true;
    assert_int_equal(count(&r, 3, 1), ERR_ENVIRONMENT);
    assert_int_equal(table_rows(&r.tables[BUNDLE_METRICS]), 1);
    assert_string_equal(missing(&r, 0, "what"), "counters of arm/0 at small on GPU 0");
    assert_non_null(strstr(missing(&r, 0, "why"), "it was not done within 30 s"));
    assert_int_equal(json_array_size(json_object_get(r.report, "missing")), 2); /* and all that comes after it */
    assert_int_equal(played.there, 1);
    played.there = 0;
    release(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arms_are_counted_together),
        cmocka_unit_test(an_arm_that_waits_is_not_counted),
        cmocka_unit_test(more_arms_take_another_batch),
        cmocka_unit_test(memory_ends_a_batch),
        cmocka_unit_test(what_fails_beside_others_is_counted_without_them),
        cmocka_unit_test(kernels_of_a_launch_are_learned),
        cmocka_unit_test(too_many_kernels_are_counted_one_by_one),
        cmocka_unit_test(none_and_two_are_not_one_and_one),
        cmocka_unit_test(an_end_that_does_not_come_is_not_waited_for),
        cmocka_unit_test(several_gpus_are_counted_each),
        cmocka_unit_test(an_arm_on_several_gpus_may_be_missing),
        cmocka_unit_test(half_of_the_gpus_is_nothing),
        cmocka_unit_test(what_cannot_be_sampled_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
