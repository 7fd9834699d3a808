/* streams_collective.c - what does it bring to run an all-reduce beside matrix products, and what does it cost?
 *
 * Two variants of other families, put together by what every variant has (setup, poison, launch, verify):
 *
 *   allreduce       allreduce/1stage of few blocks, over as many ranks as `gpus`
 *   gemm            truth/tensor-mma on each of their GPUs, on a stream of its own
 *   allreduce-gemm  both at once: neither waits for the other
 *
 * so that `cpprof overlap --cost` has its three traces: A, B, and both. All three are refused by the same machines and
 * use the same GPUs. With fewer GPUs than ranks all ranks are on one, with one launch of products beside them.
 *
 * Blocks of an all-reduce wait for each other and must all be there at once. Two blocks of the products take a quarter
 * of an SM's threads and half of its registers, and the all-reduce has less than a block for each SM: whichever of the
 * two a GPU takes up first, there is room for the other. Products keep their operands in registers; what both compete
 * for is the SMs' time and the power, not memory.
 */
#include <cuda_runtime_api.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/allreduce/allreduce.h"
#include "kernels/registry.h"
#include "kernels/streams/streams.h"

enum axis { AXIS_BYTES, AXIS_GPUS, AXIS_ROUNDS, AXIS_CTAS, AXIS_COUNT };
enum content { HAS_SUM = 1, HAS_PRODUCTS = 2, HAS_BOTH = 3 };
enum { WHOSE_BYTES = 32 };

#define SUM_KERNEL      "allreduce_1stage<"
#define PRODUCTS_KERNEL "^truth_mma\\("

struct collective {
    const struct cpprof_variant *sum, *products;            /* NULL: not part of it */
    void *sum_state, *products_states[ALLREDUCE_RANKS_MAX]; /* of each device */
    int devices;
    int device[ALLREDUCE_RANKS_MAX];         /* the current one first */
    cudaStream_t sides[ALLREDUCE_RANKS_MAX]; /* of the products */
    cudaEvent_t fork, joins[ALLREDUCE_RANKS_MAX];
};

static const struct cpprof_variant *sum_variant(void)
{
    return variant_by_name("allreduce/1stage");
}

static const struct cpprof_variant *products_variant(void)
{
    return variant_by_name("truth/tensor-mma");
}

static struct cpprof_config sum_config(const struct cpprof_config *config)
{
    struct cpprof_config own = {.seed = config->seed};
    for (size_t i = 0; i < ALLREDUCE_AXIS_COUNT; i++)
        own.value[i] = allreduce_axes[i].value;
    own.value[ALLREDUCE_AXIS_BYTES] = config->value[AXIS_BYTES];
    own.value[ALLREDUCE_AXIS_GPUS] = config->value[AXIS_GPUS];
    own.value[ALLREDUCE_AXIS_CTAS] = config->value[AXIS_CTAS];
    return own;
}

/* Each device has inputs of its own. */
static struct cpprof_config products_config(const struct cpprof_config *config, int k)
{
    return (struct cpprof_config){.value = {config->value[AXIS_ROUNDS]}, .seed = config->seed + (uint64_t)k};
}

static int devices_of(const struct cpprof_config *config, int *device, int devices_max)
{
    const struct cpprof_config own = sum_config(config);
    return allreduce_variant_devices(&own, device, devices_max);
}

static cudaError_t enter(const struct collective *c, int k)
{
    return c->devices > 1 ? cudaSetDevice(c->device[k]) : cudaSuccess;
}

static void go_home(const struct collective *c)
{
    if (c->devices > 1)
        cudaSetDevice(c->device[0]);
}

static void teardown(void *opaque)
{
    struct collective *c = opaque;
    if (!c)
        return;
    if (c->sum_state)
        c->sum->teardown(c->sum_state);
    for (int k = 0; k < c->devices; k++) {
        enter(c, k);
        if (c->products_states[k])
            c->products->teardown(c->products_states[k]);
        if (c->sides[k])
            cudaStreamDestroy(c->sides[k]);
        if (c->joins[k])
            cudaEventDestroy(c->joins[k]);
    }
    go_home(c);
    if (c->fork)
        cudaEventDestroy(c->fork);
    free(c);
}

static int set_up_sum(struct collective *c, const struct cpprof_config *config, struct CUstream_st *stream)
{
    const struct cpprof_config own = sum_config(config);
    c->sum = sum_variant();
    const int status = c->sum->setup(&own, stream, &c->sum_state);
    if (status)
        c->sum_state = NULL; /* a setup that fails has cleaned up */
    return status;
}

static int set_up_products_on(struct collective *c, int k, const struct cpprof_config *config)
{
    const struct cpprof_config own = products_config(config, k);
    int status = enter(c, k);
    if (!status)
        status = cudaStreamCreateWithFlags(&c->sides[k], cudaStreamNonBlocking);
    if (!status)
        status = cudaEventCreateWithFlags(&c->joins[k], cudaEventDisableTiming);
    if (!status && (status = c->products->setup(&own, c->sides[k], &c->products_states[k])))
        c->products_states[k] = NULL;
    return status;
}

static int set_up_products(struct collective *c, const struct cpprof_config *config)
{
    c->products = products_variant();
    int status = cudaEventCreateWithFlags(&c->fork, cudaEventDisableTiming);
    for (int k = 0; k < c->devices && !status; k++)
        status = set_up_products_on(c, k, config);
    go_home(c);
    return status;
}

static int setup(const struct cpprof_config *config, struct CUstream_st *stream, enum content content, void **out)
{
    struct collective *c = calloc(1, sizeof *c);
    int status = 0;
    *out = c;
    if (!c)
        return cudaErrorMemoryAllocation;
    c->devices = devices_of(config, c->device, ALLREDUCE_RANKS_MAX);
    if (content & HAS_SUM)
        status = set_up_sum(c, config, stream);
    if (!status && content & HAS_PRODUCTS)
        status = set_up_products(c, config);
    if (status) {
        teardown(c);
        *out = NULL;
    }
    return status;
}

static int setup_sum(const struct cpprof_config *config, struct CUstream_st *stream, void **out)
{
    return setup(config, stream, HAS_SUM, out);
}

static int setup_products(const struct cpprof_config *config, struct CUstream_st *stream, void **out)
{
    return setup(config, stream, HAS_PRODUCTS, out);
}

static int setup_both(const struct cpprof_config *config, struct CUstream_st *stream, void **out)
{
    return setup(config, stream, HAS_BOTH, out);
}

static int fork_from(const struct collective *c, struct CUstream_st *stream)
{
    cudaError_t status = c->products ? cudaEventRecord(c->fork, stream) : cudaSuccess;
    for (int k = 0; k < c->devices && c->products && !status; k++)
        status = cudaStreamWaitEvent(c->sides[k], c->fork, 0);
    return status;
}

static int join_to(const struct collective *c, struct CUstream_st *stream)
{
    cudaError_t status = cudaSuccess;
    for (int k = 0; k < c->devices && c->products && !status; k++) {
        status = cudaEventRecord(c->joins[k], c->sides[k]);
        if (!status)
            status = cudaStreamWaitEvent(stream, c->joins[k], 0);
    }
    return status;
}

/* poison or launch of each part. The products' fork stands before the all-reduce, so that they do not wait for it; it
 * is the all-reduce that is launched first, whose ranks wait for each other. */
static int do_parts(const struct collective *c, int (*of_sum)(void *, struct CUstream_st *),
                    int (*of_products)(void *, struct CUstream_st *), struct CUstream_st *stream)
{
    int status = fork_from(c, stream);
    if (!status && of_sum)
        status = of_sum(c->sum_state, stream);
    for (int k = 0; k < c->devices && of_products && !status; k++) {
        status = enter(c, k);
        if (!status)
            status = of_products(c->products_states[k], c->sides[k]);
    }
    go_home(c);
    return status ? status : join_to(c, stream);
}

static int poison(void *opaque, struct CUstream_st *stream)
{
    const struct collective *c = opaque;
    return do_parts(c, c->sum ? c->sum->poison : NULL, c->products ? c->products->poison : NULL, stream);
}

static int launch(void *opaque, struct CUstream_st *stream)
{
    const struct collective *c = opaque;
    return do_parts(c, c->sum ? c->sum->launch : NULL, c->products ? c->products->launch : NULL, stream);
}

/* The outputs of the parts stand one behind the other. */
static void add_verification(struct cpprof_verification *all, const struct cpprof_verification *part, const char *whose)
{
    const double bad = all->bad_ratio * (double)all->values + part->bad_ratio * (double)part->values;
    for (uint32_t i = 0; i < part->mismatch_count && all->mismatch_count < CPPROF_MISMATCHES_MAX; i++) {
        const struct cpprof_mismatch *from = &part->mismatches[i];
        struct cpprof_mismatch *to = &all->mismatches[all->mismatch_count++];
        *to = *from;
        to->index += all->values;
        snprintf(to->where, sizeof to->where, "%s: %.120s", whose, from->where);
    }
    if (part->hint[0] && !all->hint[0])
        snprintf(all->hint, sizeof all->hint, "%s: %.120s", whose, part->hint);
    if (!(part->max_abs_err <= all->max_abs_err))
        all->max_abs_err = part->max_abs_err;
    all->values += part->values;
    all->bad_ratio = all->values ? bad / (double)all->values : 0;
    all->output_hash = all->output_hash * 31 + part->output_hash;
}

static int verify(void *opaque, struct CUstream_st *stream, struct cpprof_verification *result)
{
    const struct collective *c = opaque;
    struct cpprof_verification part = {0};
    int status = 0;
    *result = part;
    if (c->sum) {
        status = c->sum->verify(c->sum_state, stream, &part);
        if (!status)
            add_verification(result, &part, "all-reduce");
    }
    for (int k = 0; k < c->devices && c->products && !status; k++) {
        char whose[WHOSE_BYTES];
        snprintf(whose, sizeof whose, "products of device %d", c->device[k]);
        part = (struct cpprof_verification){0};
        status = enter(c, k);
        if (!status)
            status = c->products->verify(c->products_states[k], c->sides[k], &part);
        if (!status)
            add_verification(result, &part, whose);
    }
    go_home(c);
    return status;
}

static int refuse(const struct cpprof_config *config, char *why, size_t why_bytes)
{
    const struct cpprof_config own = sum_config(config);
    return allreduce_refuse(&own, why, why_bytes);
}

static size_t no_shared_memory(const struct cpprof_config *config)
{
    (void)config;
    return 0;
}

static double sum_flops(const struct cpprof_config *config)
{
    const struct cpprof_config own = sum_config(config);
    return allreduce_flops(&own);
}

static double sum_bytes(const struct cpprof_config *config)
{
    const struct cpprof_config own = sum_config(config);
    return allreduce_bytes(&own);
}

static double sum_bus_factor(const struct cpprof_config *config)
{
    const struct cpprof_config own = sum_config(config);
    return allreduce_bus_factor(&own);
}

/* For the parts with the all-reduce: ranks on one GPU measure no link. */
static void declare_sum(const struct cpprof_config *config, struct cpprof_declaration *declaration)
{
    const struct cpprof_config own = sum_config(config);
    allreduce_declare(&own, declaration);
}

static double products_flops(const struct cpprof_config *config)
{
    const struct cpprof_config own = products_config(config, 0);
    return devices_of(config, NULL, 0) * products_variant()->flops(&own);
}

static double products_bytes(const struct cpprof_config *config)
{
    const struct cpprof_config own = products_config(config, 0);
    return devices_of(config, NULL, 0) * products_variant()->bytes(&own);
}

static double both_flops(const struct cpprof_config *config)
{
    return sum_flops(config) + products_flops(config);
}

static double both_bytes(const struct cpprof_config *config)
{
    return sum_bytes(config) + products_bytes(config);
}

/* An all-reduce of 64 MiB between two H200 takes about 0.21 ms, by 32 blocks as by 128; 2048 rounds take half of what
 * truth/tensor-mma does, 0.22 ms. */
static const struct cpprof_axis axes[AXIS_COUNT] = {
    {"bytes", "bytes of the message of each rank, whole floats", CPPROF_AXIS_SHAPE, 4, (int64_t)512 << 20,
     (int64_t)64 << 20},
    {"gpus", "ranks: each on a device of its own, or with fewer devices all on one (its times say nothing of links)",
     CPPROF_AXIS_SHAPE, 2, ALLREDUCE_RANKS_MAX, 2},
    {"rounds", "times round the loop of the products", CPPROF_AXIS_SHAPE, 1, 1 << 16, 2048},
    {"ctas", "blocks of each rank at most: few leave the SMs to the products", CPPROF_AXIS_PARAMETER, 1,
     ALLREDUCE_CTAS_MAX, 32},
};

static const struct cpprof_shape shapes[] = {
    {"mib64", {(int64_t)64 << 20, 2, 2048}, 0}, {"small", {1 << 20, 2, 32}, 0}, {"ragged", {1048580, 3, 5}, 1}};

#define VARIANT(NAME, SUMMARY, PATTERN, FLOPS, BYTES, SETUP, BUS_FACTOR, DECLARE)                                      \
    {                                                                                                                  \
        .struct_bytes = sizeof(struct cpprof_variant), .name = "streams/" NAME, .summary = SUMMARY,                    \
        .kernel_pattern = PATTERN, .axes = axes, .axis_count = AXIS_COUNT, .shapes = shapes,                           \
        .shape_count = sizeof shapes / sizeof shapes[0], .refuse = refuse, .shared_bytes = no_shared_memory,           \
        .flops = FLOPS, .bytes = BYTES, .setup = SETUP, .poison = poison, .launch = launch, .verify = verify,          \
        .teardown = teardown, .bus_factor = BUS_FACTOR, .devices = devices_of, .declare = DECLARE                      \
    }

const struct cpprof_variant streams_collective_variants[STREAMS_COLLECTIVE_COUNT] = {
    VARIANT("allreduce", "an all-reduce of few blocks, alone" ALLREDUCE_ONE_GPU, SUM_KERNEL, sum_flops, sum_bytes,
            setup_sum, sum_bus_factor, declare_sum),
    VARIANT("gemm", "matrix products by mma.sync on each device, alone", PRODUCTS_KERNEL, products_flops,
            products_bytes, setup_products, NULL, NULL),
    VARIANT("allreduce-gemm", "the all-reduce and the products beside each other" ALLREDUCE_ONE_GPU,
            SUM_KERNEL "|" PRODUCTS_KERNEL, both_flops, both_bytes, setup_both, NULL, declare_sum),
};
