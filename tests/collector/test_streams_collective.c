/* Is an all-reduce beside products put together of the two, and does neither wait for the other? Both are made up here,
 * and so are the calls of CUDA that order them: the linker puts ours in the place of CUDA's. */
#include <stdio.h>
#include <string.h>

#include "collector/runner/device.h"
#include "kernels/allreduce/allreduce_bench.h"
#include "kernels/streams/streams.h"
#include "tests/test.h"

enum { SUM, PRODUCTS, BOTH }; /* in the order of the variants */
enum { BYTES = 4096, RANKS = 2, ROUNDS = 5, CTAS = 16, SEED = 40, NOBODY = -1, LOG_BYTES = 512 };

static struct {
    int devices;                 /* of the machine */
    int device;                  /* the current one */
    int fails_on;                /* the device on which products cannot be set up */
    int streams, events, states; /* made so far */
    int alive;                   /* streams, events and states that are not destroyed */
    char log[LOG_BYTES];
} world;

static const cudaStream_t main_stream = (cudaStream_t)(uintptr_t)1;

static void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void say(const char *format, ...)
{
    const size_t length = strlen(world.log);
    va_list arguments;
    va_start(arguments, format);
    if (length)
        strncat(world.log, " ", sizeof world.log - length - 1);
    vsnprintf(world.log + strlen(world.log), sizeof world.log - strlen(world.log), format, arguments);
    va_end(arguments);
}

/* Streams count from 1, which is the runner's; events from 1. */
static int number(const void *handle)
{
    return (int)(uintptr_t)handle;
}

cudaError_t __wrap_cudaGetDevice(int *device);
cudaError_t __wrap_cudaGetDevice(int *device)
{
    *device = world.device;
    return cudaSuccess;
}

cudaError_t __wrap_cudaGetDeviceCount(int *count);
cudaError_t __wrap_cudaGetDeviceCount(int *count)
{
    *count = world.devices;
    return cudaSuccess;
}

cudaError_t __wrap_cudaSetDevice(int device);
cudaError_t __wrap_cudaSetDevice(int device)
{
    world.device = device;
    return cudaSuccess;
}

cudaError_t __wrap_cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags);
cudaError_t __wrap_cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned flags)
{
    assert_int_equal(flags, cudaStreamNonBlocking);
    *stream = (cudaStream_t)(uintptr_t)(2 + world.streams++);
    world.alive++;
    return cudaSuccess;
}

cudaError_t __wrap_cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags);
cudaError_t __wrap_cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags)
{
    assert_int_equal(flags, cudaEventDisableTiming);
    *event = (cudaEvent_t)(uintptr_t)(1 + world.events++);
    world.alive++;
    return cudaSuccess;
}

cudaError_t __wrap_cudaStreamDestroy(cudaStream_t stream);
cudaError_t __wrap_cudaStreamDestroy(cudaStream_t stream)
{
    (void)stream;
    world.alive--;
    return cudaSuccess;
}

cudaError_t __wrap_cudaEventDestroy(cudaEvent_t event);
cudaError_t __wrap_cudaEventDestroy(cudaEvent_t event)
{
    (void)event;
    world.alive--;
    return cudaSuccess;
}

cudaError_t __wrap_cudaEventRecord(cudaEvent_t event, cudaStream_t stream);
cudaError_t __wrap_cudaEventRecord(cudaEvent_t event, cudaStream_t stream)
{
    say("e%d@s%d", number(event), number(stream));
    return cudaSuccess;
}

cudaError_t __wrap_cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags);
cudaError_t __wrap_cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags)
{
    (void)flags;
    say("s%d<e%d", number(stream), number(event));
    return cudaSuccess;
}

static int new_state(void **state)
{
    *state = (void *)(uintptr_t)(1 + world.states++);
    world.alive++;
    return 0;
}

static void end_state(void *state)
{
    assert_non_null(state);
    world.alive--;
}

static int set_up_sum(const struct cpprof_config *config, struct CUstream_st *stream, void **state)
{
    assert_ptr_equal(stream, main_stream);
    assert_int_equal(config->value[ALLREDUCE_AXIS_BYTES], BYTES);
    assert_int_equal(config->value[ALLREDUCE_AXIS_GPUS], RANKS);
    assert_int_equal(config->value[ALLREDUCE_AXIS_CTAS], CTAS);
    assert_int_equal(config->value[ALLREDUCE_AXIS_ITEMS], allreduce_axes[ALLREDUCE_AXIS_ITEMS].value);
    assert_int_equal(config->seed, SEED);
    return new_state(state);
}

static int set_up_products(const struct cpprof_config *config, struct CUstream_st *stream, void **state)
{
    assert_ptr_not_equal(stream, main_stream);
    assert_int_equal(config->value[0], ROUNDS);
    assert_int_equal(config->seed, SEED + world.device);
    return world.device == world.fails_on ? cudaErrorMemoryAllocation : new_state(state);
}

static int poison_sum(void *state, struct CUstream_st *stream)
{
    (void)state;
    say("poison@s%d", number(stream));
    return 0;
}

static int launch_sum(void *state, struct CUstream_st *stream)
{
    (void)state;
    say("sum@s%d/%d", number(stream), world.device);
    return 0;
}

static int launch_products(void *state, struct CUstream_st *stream)
{
    (void)state;
    say("products@s%d/%d", number(stream), world.device);
    return 0;
}

/* 2 of 100 values are wrong, and 1 of 50 on device 1. */
static int verify_sum(void *state, struct CUstream_st *stream, struct cpprof_verification *result)
{
    (void)state;
    assert_ptr_equal(stream, main_stream);
    *result = (struct cpprof_verification){.max_abs_err = 0.5,
                                           .bad_ratio = 0.02,
                                           .values = 100,
                                           .output_hash = 3,
                                           .mismatch_count = 1,
                                           .mismatches = {{.index = 7, .where = "rank 1"}}};
    return 0;
}

static int verify_products(void *state, struct CUstream_st *stream, struct cpprof_verification *result)
{
    (void)state;
    assert_ptr_not_equal(stream, main_stream);
    *result = (struct cpprof_verification){.values = 50, .output_hash = 5};
    if (world.device == 1)
        *result = (struct cpprof_verification){.max_abs_err = 2,
                                               .bad_ratio = 0.02,
                                               .values = 50,
                                               .output_hash = 5,
                                               .mismatch_count = 1,
                                               .mismatches = {{.index = 3, .where = "tile 0"}},
                                               .hint = "look at the tail"};
    return 0;
}

static const struct cpprof_variant sum = {
    .setup = set_up_sum, .poison = poison_sum, .launch = launch_sum, .verify = verify_sum, .teardown = end_state};
static const struct cpprof_variant products = {.setup = set_up_products,
                                               .poison = launch_products,
                                               .launch = launch_products,
                                               .verify = verify_products,
                                               .teardown = end_state};

const struct cpprof_variant *__wrap_variant_by_name(const char *name);
const struct cpprof_variant *__wrap_variant_by_name(const char *name)
{
    return !strcmp(name, "allreduce/1stage") ? &sum : !strcmp(name, "truth/tensor-mma") ? &products : NULL;
}

static const struct cpprof_config config = {.value = {BYTES, RANKS, ROUNDS, CTAS}, .seed = SEED};

static void *set_up(int which, int devices)
{
    void *state;
    memset(&world, 0, sizeof world);
    world.devices = devices;
    world.fails_on = NOBODY;
    assert_int_equal(streams_collective_variants[which].setup(&config, main_stream, &state), 0);
    assert_int_equal(world.device, 0);
    world.log[0] = '\0';
    return state;
}

/* Stream 1 is the runner's, the products' are 2 and 3; event 1 is the fork, 2 and 3 the joins. The products wait for
 * the fork, which stands before the all-reduce. */
static void neither_waits_for_the_other(void **unused)
{
    (void)unused;
    static const struct {
        int which, devices;
        const char *calls;
    } rows[] = {
        {SUM, 2, "sum@s1/0"},
        {PRODUCTS, 2, "e1@s1 s2<e1 s3<e1 products@s2/0 products@s3/1 e2@s2 s1<e2 e3@s3 s1<e3"},
        {BOTH, 2, "e1@s1 s2<e1 s3<e1 sum@s1/0 products@s2/0 products@s3/1 e2@s2 s1<e2 e3@s3 s1<e3"},
        {BOTH, 1, "e1@s1 s2<e1 sum@s1/0 products@s2/0 e2@s2 s1<e2"}, /* fewer devices than ranks: all on one */
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const struct cpprof_variant *v = &streams_collective_variants[rows[i].which];
        void *state = set_up(rows[i].which, rows[i].devices);
        assert_int_equal(v->launch(state, main_stream), 0);
        assert_string_equal(world.log, rows[i].calls);
        assert_int_equal(world.device, 0);
        v->teardown(state);
        assert_int_equal(world.alive, 0);
    }
}

static void both_outputs_are_poisoned(void **unused)
{
    (void)unused;
    void *state = set_up(BOTH, 1);
    assert_int_equal(streams_collective_variants[BOTH].poison(state, main_stream), 0);
    assert_string_equal(world.log, "e1@s1 s2<e1 poison@s1 products@s2/0 e2@s2 s1<e2");
    streams_collective_variants[BOTH].teardown(state);
}

/* 100 values of the sum, then 50 of each device: 2 and 0 and 1 wrong, and the last at 100 + 50 + 3. */
static void both_results_are_verified(void **unused)
{
    (void)unused;
    struct cpprof_verification result;
    void *state = set_up(BOTH, 2);
    assert_int_equal(streams_collective_variants[BOTH].verify(state, main_stream, &result), 0);
    assert_int_equal(result.values, 200);
    assert_true(result.bad_ratio > 0.0149 && result.bad_ratio < 0.0151); /* 3 of 200 */
    assert_true(result.max_abs_err == 2);
    assert_int_equal(result.mismatch_count, 2);
    assert_int_equal(result.mismatches[0].index, 7);
    assert_string_equal(result.mismatches[0].where, "all-reduce: rank 1");
    assert_int_equal(result.mismatches[1].index, 153);
    assert_string_equal(result.mismatches[1].where, "products of device 1: tile 0");
    assert_string_equal(result.hint, "products of device 1: look at the tail");
    assert_int_equal(result.output_hash, (3 * 31 + 5) * 31 + 5);
    assert_int_equal(world.device, 0);
    streams_collective_variants[BOTH].teardown(state);
}

static void a_setup_that_fails_leaves_nothing(void **unused)
{
    (void)unused;
    void *state = &world;
    memset(&world, 0, sizeof world);
    world.devices = 2;
    world.fails_on = 1;
    assert_int_equal(streams_collective_variants[BOTH].setup(&config, main_stream, &state), cudaErrorMemoryAllocation);
    assert_null(state);
    assert_int_equal(world.states, 2); /* the sum's, and that of the first device */
    assert_int_equal(world.alive, 0);
    assert_int_equal(world.device, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(neither_waits_for_the_other),
        cmocka_unit_test(both_outputs_are_poisoned),
        cmocka_unit_test(both_results_are_verified),
        cmocka_unit_test(a_setup_that_fails_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
