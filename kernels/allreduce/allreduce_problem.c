/* allreduce_problem.c - which all-reduces are there, what is known about each, and which can run here? No kernels. */
#include <cuda_runtime_api.h>
#include <math.h>
#include <stdio.h>

#include "kernels/allreduce/allreduce_problem.h"
#include "kernels/cuda_versions.h"
#include "kernels/kernel_code.h"

/* Bytes over NVLink: more than flags, and the most that other traffic adds meanwhile. */
enum { LARGE_BYTES = 65536, NOISE_BYTES = 4096 };

int allreduce_value_bytes(const struct cpprof_config *config)
{
    return config->value[ALLREDUCE_AXIS_DTYPE] == ALLREDUCE_FP32 ? 4 : 2;
}

int allreduce_devices(const struct cpprof_config *config, int device[ALLREDUCE_RANKS_MAX])
{
    int current = 0, count = 0;
    const int ranks = (int)config->value[ALLREDUCE_AXIS_GPUS];
    cudaGetDevice(&current);
    cudaGetDeviceCount(&count);
    for (int k = 0; k < ranks; k++)
        device[k] = count >= ranks ? (current + k) % count : current;
    return count >= ranks ? ranks : 1;
}

int allreduce_variant_devices(const struct cpprof_config *config, int *device, int devices_max)
{
    int all[ALLREDUCE_RANKS_MAX];
    const int count = allreduce_devices(config, all);
    for (int k = 0; k < count && k < devices_max; k++)
        device[k] = all[k];
    return count;
}

/* The fewest additions: one for each value. */
double allreduce_flops(const struct cpprof_config *config)
{
    const double values = (double)(config->value[ALLREDUCE_AXIS_BYTES] / allreduce_value_bytes(config));
    return values * (double)(config->value[ALLREDUCE_AXIS_GPUS] - 1);
}

/* The size of the message, by which all-reduces are compared. */
double allreduce_bytes(const struct cpprof_config *config)
{
    return (double)config->value[ALLREDUCE_AXIS_BYTES];
}

double allreduce_bus_factor(const struct cpprof_config *config)
{
    const double ranks = (double)config->value[ALLREDUCE_AXIS_GPUS];
    return 2 * (ranks - 1) / ranks;
}

int allreduce_has_vectors(const struct cpprof_config *config)
{
    return config->value[ALLREDUCE_AXIS_OFFSET] % ALLREDUCE_WIDE == 0 &&
           config->value[ALLREDUCE_AXIS_BYTES] >= ALLREDUCE_WIDE;
}

/* NVLink supports all native atomics, PCIe none or some. */
static int is_linked(int device, int peer)
{
    int all = 0, part = 0;
    return !cudaDeviceGetP2PAttribute(&all, cudaDevP2PAttrNativeAtomicSupported, device, peer) && all &&
           !only_partial_atomics(&part, device, peer) && !part;
}

/* Are all connected by NVLink, with a chip whose NVLink counters are known to be right? */
static int are_linked(const struct cpprof_config *config, const int *device, int devices)
{
    for (int k = 0; k < devices; k++)
        for (int peer = 0; peer < devices; peer++)
            if (peer != k && !is_linked(device[k], device[peer]))
                return 0;
    return allreduce_is_9(config);
}

/* On several devices instructions are not counted by kind, but links are (docs/metrics.md). Every rank receives at
 * least the size of a message; flags of the meetings, at most 28 KiB, come on top. */
static void expect_on_several(const struct cpprof_config *config, const struct cpprof_expect *all,
                              const struct cpprof_expect *some, struct cpprof_declaration *declaration)
{
    int device[ALLREDUCE_RANKS_MAX];
    const int is_known = are_linked(config, device, allreduce_devices(config, device));
    declaration->expect = config->value[ALLREDUCE_AXIS_BYTES] >= LARGE_BYTES ? all : some;
    declaration->expect_count = is_known ? 1 : 0;
}

void allreduce_declare(const struct cpprof_config *config, struct cpprof_declaration *declaration)
{
    static const struct cpprof_expect message[] = {{ALLREDUCE_RECEIVED, LARGE_BYTES, INFINITY}};
    static const struct cpprof_expect any[] = {{ALLREDUCE_RECEIVED, 1, INFINITY}};
    int device[ALLREDUCE_RANKS_MAX];
    if (allreduce_devices(config, device) > 1)
        expect_on_several(config, message, any, declaration);
    else
        snprintf(declaration->no_verdict, sizeof declaration->no_verdict,
                 "all %d ranks share one GPU: their times are those of one memory, and measure no link",
                 (int)config->value[ALLREDUCE_AXIS_GPUS]);
}

void allreduce_declare_ring(const struct cpprof_config *config, struct cpprof_declaration *declaration)
{
    static const struct cpprof_expect nothing_to_copy[] = {{ALLREDUCE_LDGSTS, 0, 0}};
    if (!allreduce_has_vectors(config)) {
        declaration->expect = nothing_to_copy;
        declaration->expect_count = 1;
    }
    allreduce_declare(config, declaration);
}

void allreduce_declare_naive(const struct cpprof_config *config, struct cpprof_declaration *declaration)
{
    static const struct cpprof_expect nothing[] = {{ALLREDUCE_RECEIVED, 0, NOISE_BYTES}};
    int device[ALLREDUCE_RANKS_MAX];
    allreduce_declare(config, declaration);
    if (allreduce_devices(config, device) > 1)
        expect_on_several(config, nothing, nothing, declaration);
}

int allreduce_refuse_size(const struct cpprof_config *config, char *why, size_t why_bytes)
{
    const int64_t bytes = config->value[ALLREDUCE_AXIS_BYTES], offset = config->value[ALLREDUCE_AXIS_OFFSET];
    const int value_bytes = allreduce_value_bytes(config);
    if (bytes % value_bytes == 0 && offset % value_bytes == 0)
        return 0;
    snprintf(why, why_bytes, "bytes=%lld and offset=%lld must be whole values of %d bytes", (long long)bytes,
             (long long)offset, value_bytes);
    return 1;
}

int allreduce_refuse(const struct cpprof_config *config, char *why, size_t why_bytes)
{
    int device[ALLREDUCE_RANKS_MAX];
    const int devices = allreduce_devices(config, device);
    if (allreduce_refuse_size(config, why, why_bytes))
        return 1;
    for (int k = 0; k < devices; k++)
        for (int peer = 0; peer < devices; peer++) {
            int can = 1;
            if (peer != k && !cudaDeviceCanAccessPeer(&can, device[k], device[peer]) && !can) {
                snprintf(why, why_bytes, "device %d cannot read the memory of device %d", device[k], device[peer]);
                return 1;
            }
        }
    return 0;
}

static int major_of(int device)
{
    int major = 0;
    return cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) ? 0 : major;
}

int allreduce_is_9(const struct cpprof_config *config)
{
    int device[ALLREDUCE_RANKS_MAX], all = 1;
    const int devices = allreduce_devices(config, device);
    for (int k = 0; k < devices; k++)
        all &= major_of(device[k]) == 9;
    return all;
}

int allreduce_runs_code_of_9(const struct cpprof_config *config)
{
    struct kernel_code code;
    return allreduce_is_9(config) && !kernel_code_find(&code) && code.source >= 90;
}

int allreduce_refuse_before_9(const char *what, const struct cpprof_config *config, char *why, size_t why_bytes)
{
    int device[ALLREDUCE_RANKS_MAX];
    if (allreduce_refuse(config, why, why_bytes))
        return 1;
    const int devices = allreduce_devices(config, device);
    for (int k = 0; k < devices; k++) {
        if (major_of(device[k]) >= 9)
            continue;
        snprintf(why, why_bytes, "needs %s, which compute capability 9.0 or newer has; device %d has %d.x", what,
                 device[k], major_of(device[k]));
        return 1;
    }
    return kernel_code_needs(90, what, why, why_bytes);
}

const struct cpprof_axis allreduce_axes[ALLREDUCE_AXIS_COUNT] = {
    {"bytes", "bytes of the message of each rank, whole values", CPPROF_AXIS_SHAPE, 2, (int64_t)512 << 20, 1 << 20},
    {"gpus", "ranks: each on a device of its own, or with fewer devices all on one (its times say nothing of links)",
     CPPROF_AXIS_SHAPE, 2, ALLREDUCE_RANKS_MAX, 2},
    {"dtype", "type of the values: 0 fp32, 1 fp16, 2 bf16", CPPROF_AXIS_SHAPE, 0, ALLREDUCE_DTYPES - 1, 0},
    {"offset", "bytes behind a boundary of 256 at which messages begin", CPPROF_AXIS_SHAPE, 0,
     ALLREDUCE_BEGIN_BYTES - 2, 0},
    {"peers", "of a ring: 0 only the first peer's values go through it, 1 those of all ranks", CPPROF_AXIS_PARAMETER, 0,
     1, 1},
    {"chunk", "of a ring: bytes of a rank in a slot, rounded down to a multiple of 4096", CPPROF_AXIS_PARAMETER,
     ALLREDUCE_SLOT_BYTES, 16 * ALLREDUCE_SLOT_BYTES, ALLREDUCE_SLOT_BYTES},
    {"ctas", "blocks of each rank at most, 0 the kernel's own number; fewer where there is less to do or no room",
     CPPROF_AXIS_PARAMETER, 0, ALLREDUCE_CTAS_MAX, 0},
    {"items", "without a ring: vectors of each rank that a thread loads at a time, at most; 8 / ranks is the limit",
     CPPROF_AXIS_PARAMETER, 1, 4, 4},
};

/* The ragged shapes end inside a vector, inside a tile and inside a part; have fewer vectors than ranks; have fewer
 * values than a vector; and begin where only narrower accesses are aligned. */
const struct cpprof_shape allreduce_shapes[ALLREDUCE_SHAPE_COUNT] = {
    {"mib1", {1 << 20, 2, 0, 0}, 0},
    {"small", {8 << 10, 2, 0, 0}, 0},
    {"kib64", {64 << 10, 2, 0, 0}, 0},
    {"kib256", {256 << 10, 2, 0, 0}, 0},
    {"mib4", {4 << 20, 2, 0, 0}, 0},
    {"mib16", {16 << 20, 2, 0, 0}, 0},
    {"mib64", {64 << 20, 2, 0, 0}, 0},
    {"one", {2, 2, 1, 0}, 1},
    {"few", {20, 8, 0, 0}, 1},
    {"ragged-fp32", {1048580, 2, 0, 0}, 1},
    {"ragged-fp16", {300006, 3, 1, 0}, 1},
    {"ragged-bf16", {700002, 4, 2, 0}, 1},
    {"ragged-8", {200010, 8, 2, 0}, 1},
    {"offset-8", {70008, 2, 1, 8}, 1},
    {"offset-4", {70004, 4, 0, 4}, 1},
    {"offset-2", {70002, 3, 2, 2}, 1},
};
