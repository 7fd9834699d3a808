/* task.h - what is to be computed, and who computes it? A task owns the problem: shapes, inputs, float64 reference,
 * tolerance. A solution exports only how to launch. The runner makes a variant (variant.h) of a task and each of its
 * solutions, owns all buffers, and judges the outputs itself:
 *
 *   cpprof run --task ./libtask.so --solution v1=./libv1.so --solution v2=./libv2.so --baseline v1
 *
 *   prepare -> { launch } -> release
 *
 * A solution sees no seed, no reference and no verification. Each launch that counts has inputs that no launch had
 * before, but for constant ones, and must read all it needs from them. docs/tasks.md explains how to write both, and
 * docs/trust.md what the judge finds and what it cannot. */
#ifndef CPPROF_TASK_H
#define CPPROF_TASK_H

#include <math.h>
#include <string.h>

#include "cpprof/variant.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CPPROF_ARRAYS_MAX 16

enum cpprof_type { CPPROF_F32, CPPROF_F64, CPPROF_F16, CPPROF_BF16, CPPROF_I32, CPPROF_I64, CPPROF_U8, CPPROF_TYPES };

/* One input or output. */
struct cpprof_array {
    const char *name;
    enum cpprof_type type;
    size_t (*count)(const struct cpprof_config *config); /* values at this shape; 0 is possible */
};

/* What inputs look like. Random ones are drawn for every check and every timed launch, the others are verified too. */
enum cpprof_draw_kind {
    CPPROF_RANDOM,   /* uniform in [-1, 1) */
    CPPROF_CONSTANT, /* one random value everywhere */
    CPPROF_SORTED,   /* from -1 up to 1 */
    CPPROF_ONE_HOT,  /* zeros, and a one at a random place */
    CPPROF_LARGE,    /* a quarter of the largest number of the type, with either sign */
    CPPROF_SUBNORMAL /* below the smallest normal number of the type */
};
#define CPPROF_DRAW_KINDS (CPPROF_SUBNORMAL + 1)

struct cpprof_draw {
    uint64_t seed;
    enum cpprof_draw_kind kind;
};

/* A value passes when it is within absolute + relative |reference| of the reference. */
struct cpprof_tolerance {
    double absolute, relative;
    const char *why; /* the argument from the arithmetic, one line */
};

/* Fields may be added at the end, and the struct does not change otherwise. Fields beyond struct_bytes are absent. All
 * functions get host memory, and a config whose seed is 0. */
struct cpprof_task {
    uint32_t struct_bytes; /* sizeof(struct cpprof_task) when the task was compiled */
    uint32_t abi;          /* CPPROF_TASK_ABI */
    const char *name;      /* the family of its solutions, as in a variant's name */
    const char *summary;   /* one line */

    const struct cpprof_axis *axes; /* those of role CPPROF_AXIS_SHAPE; a solution sees the values in their order */
    size_t axis_count;
    const struct cpprof_shape *shapes; /* the first one is the default */
    size_t shape_count;
    const struct cpprof_array *inputs;
    size_t input_count;
    const struct cpprof_array *outputs;
    size_t output_count;

    /* Computes all outputs in float64 from the inputs. */
    void (*reference)(const struct cpprof_config *config, const void *const *inputs, double *const *outputs);
    struct cpprof_tolerance tolerance;

    /* These may be left out (NULL, 0). */

    /* Fills one input. NULL: the values of cpprof_drawn. */
    void (*fill)(const struct cpprof_config *config, const struct cpprof_draw *draw, size_t input, void *values);
    unsigned draws; /* 1u << kind of those that are meaningful beside random ones; 0: constant, sorted and one-hot */
    /* Changes the tolerance, which comes filled in, for this shape and output. */
    void (*tolerance_at)(const struct cpprof_config *config, size_t output, struct cpprof_tolerance *tolerance);
    /* Says in words which row, tile or stage a value belongs to. */
    void (*where)(const struct cpprof_config *config, size_t output, size_t index, char *text, size_t text_bytes);
    /* POSIX extended regular expression that the demangled name of every kernel must match: "^softmax" keeps the
     * kernels of a library out. NULL: what the solution says. */
    const char *kernels;
    const struct cpprof_expect *expect;
    size_t expect_count;
    /* Least work of a launch: operations, where the algorithm is fixed (NULL: not known), and bytes that must cross L2,
     * and DRAM when the caches are cold (NULL: every output and every input that is not constant, once). NAN: not known
     * at this shape. */
    double (*flops)(const struct cpprof_config *config);
    double (*bytes)(const struct cpprof_config *config);

    /* A collective: on how many GPUs a launch works, each with inputs and outputs of its own. The shape alone decides.
     * NULL, or 1: on the current one. `count` says how many values each rank has. Input i of rank r is number
     * r * input_count + i for `fill` and in the tables of `reference`, and outputs are counted alike. All of them
     * together are at most CPPROF_ARRAYS_MAX inputs and as many outputs. `flops` and `bytes` are those of one rank.
     * Read only where struct_bytes covers it. */
    int (*ranks)(const struct cpprof_config *config);
    /* Fewest bytes that each rank receives over NVLink in a launch. Counters must show them, at most `bytes` of them.
     * NULL, or a value not above 0: not known, and no counter shows that a collective did its work. */
    double (*link_bytes)(const struct cpprof_config *config);

    /* 1u << i of each input that stays the same from launch to launch, as weights do when a model serves: a solution
     * may pack it ahead in `set_up`. Not all inputs. In a collective it is constant on each rank. */
    unsigned constant_inputs;
};

/* One GPU of a collective. Its kernels see the memory of all GPUs at addresses of their own: input i of rank r is
 * inputs[r * input_count + i]. */
struct cpprof_rank {
    int device; /* its ordinal */
    struct CUstream_st *stream;
    const void *const *inputs;
    void *const *outputs;
    void *const *workspaces; /* of each rank; NULL: none was asked for */
};

/* What a launch gets: device memory of the judge, aligned to 256 bytes. Outputs and workspace hold anything. Inputs
 * must not be written. All work must be part of `stream` in the end: what other streams do is joined to it. Fields may
 * be added at the end.
 *
 * In a collective one call launches on all ranks. The runner makes the streams of the ranks wait for `stream` before,
 * which is that of rank 0, and makes that wait for them behind the call. A call may leave another device current. The
 * members before `ranks` are as rank 0 sees them. */
struct cpprof_call {
    uint32_t struct_bytes;
    const struct cpprof_config *config;
    const void *const *inputs;
    void *const *outputs;
    void *workspace; /* NULL: none was asked for */
    struct CUstream_st *stream;
    int ranks;                      /* 1 where the task is no collective */
    const struct cpprof_rank *rank; /* ranks of them */
};

/* Functions return 0 or a cudaError_t. They are called on one thread. Fields may be added at the end. */
struct cpprof_solution {
    uint32_t struct_bytes; /* sizeof(struct cpprof_solution) when the solution was compiled */
    uint32_t abi;          /* CPPROF_TASK_ABI */
    int (*launch)(void *state, const struct cpprof_call *call);

    /* These may be left out (NULL). */
    const char *summary; /* one line */
    const char *kernels; /* as in a variant: must match the demangled name of each kernel; the task's goes first */
    size_t (*workspace)(const struct cpprof_config *config);          /* bytes of device memory that a launch needs */
    int (*prepare)(const struct cpprof_config *config, void **state); /* without data; *state is NULL before */
    void (*release)(void *state);                                     /* not called when the state is NULL */
    /* Packs constant inputs, on the stream of the call. It is called when they are there, and again when they changed:
     * then what a launch was recorded with must still be valid. Other inputs are NULL, outputs and workspace, too. Its
     * time is shown, and is no part of a launch. Not called where the task has no constant inputs. Read only where
     * struct_bytes covers it. */
    int (*set_up)(void *state, const struct cpprof_call *call);
};

/* Increases when any other struct of this header changes. A library with another value is refused. */
#define CPPROF_TASK_ABI 1u

/* A library exports one of them. What it returns must stay valid and unchanged until the process ends. */
__attribute__((visibility("default"))) const struct cpprof_task *cpprof_export_task(void);
__attribute__((visibility("default"))) const struct cpprof_solution *cpprof_export_solution(void);

/* CPPROF_TASK(.name = "scale", ...); at the end of a file is that function. */
#define CPPROF_TASK(...)                                                                                               \
    const struct cpprof_task *cpprof_export_task(void)                                                                 \
    {                                                                                                                  \
        static const struct cpprof_task task = {                                                                       \
            .struct_bytes = sizeof(struct cpprof_task), .abi = CPPROF_TASK_ABI, __VA_ARGS__};                          \
        return &task;                                                                                                  \
    }                                                                                                                  \
    struct cpprof_task

#define CPPROF_SOLUTION(...)                                                                                           \
    const struct cpprof_solution *cpprof_export_solution(void)                                                         \
    {                                                                                                                  \
        static const struct cpprof_solution solution = {                                                               \
            .struct_bytes = sizeof(struct cpprof_solution), .abi = CPPROF_TASK_ABI, __VA_ARGS__};                      \
        return &solution;                                                                                              \
    }                                                                                                                  \
    struct cpprof_solution

/* ---- numbers of all types, for references and inputs ---- */
/* CUDA C may call them on the GPU, too, with the same results. */
#ifdef __CUDACC__
#define CPPROF_NUMBER static inline __host__ __device__
#else
#define CPPROF_NUMBER static inline
#endif

CPPROF_NUMBER size_t cpprof_type_bytes(enum cpprof_type type)
{
    static const unsigned char bytes[] = {4, 8, 2, 2, 4, 8, 1};
    return bytes[type];
}

/* 16 bits with `exponent_bits` bits of exponent and the rest for the fraction, as IEEE 754 has them. */
CPPROF_NUMBER double cpprof_widen(uint16_t bits, int exponent_bits)
{
    const int fraction_bits = 15 - exponent_bits, most = (1 << exponent_bits) - 1, bias = most >> 1;
    const int exponent = (bits >> fraction_bits) & most, fraction = bits & ((1 << fraction_bits) - 1);
    double value =
        ldexp(fraction + (exponent ? 1 << fraction_bits : 0), (exponent ? exponent : 1) - bias - fraction_bits);
    if (exponent == most)
        value = fraction ? (double)NAN : (double)INFINITY;
    return bits >> 15 ? -value : value;
}

/* Rounds to nearest, ties to even. */
CPPROF_NUMBER uint16_t cpprof_narrow(double value, int exponent_bits)
{
    const int fraction_bits = 15 - exponent_bits, most = (1 << exponent_bits) - 1, bias = most >> 1;
    const uint16_t sign = (uint16_t)(signbit(value) ? 0x8000 : 0);
    int exponent = 1 - bias;
    if (isnan(value))
        return (uint16_t)(sign | (most << fraction_bits) | 1 << (fraction_bits - 1));
    if (value != 0 && isfinite(value))
        frexp(value, &exponent);
    exponent = exponent - 1 < 1 - bias ? 1 - bias : exponent - 1;
    const double steps = isfinite(value) ? nearbyint(ldexp(fabs(value), fraction_bits - exponent)) : 0;
    /* A fraction that was rounded up to the next power of two carries into the exponent. */
    const double bits = isfinite(value) ? ldexp(exponent + bias - 1, fraction_bits) + steps : INFINITY;
    return (uint16_t)(sign | (bits < ldexp(most, fraction_bits) ? (uint16_t)bits : most << fraction_bits));
}

/* Gives values[index] of an array of that type. */
CPPROF_NUMBER double cpprof_value(enum cpprof_type type, const void *values, size_t index)
{
    switch (type) {
    case CPPROF_F32: return ((const float *)values)[index];
    case CPPROF_F64: return ((const double *)values)[index];
    case CPPROF_F16: return cpprof_widen(((const uint16_t *)values)[index], 5);
    case CPPROF_BF16: return cpprof_widen(((const uint16_t *)values)[index], 8);
    case CPPROF_I32: return ((const int32_t *)values)[index];
    case CPPROF_I64: return (double)((const int64_t *)values)[index];
    default: return ((const uint8_t *)values)[index];
    }
}

CPPROF_NUMBER void cpprof_set_value(enum cpprof_type type, void *values, size_t index, double value)
{
    switch (type) {
    case CPPROF_F32: ((float *)values)[index] = (float)value; return;
    case CPPROF_F64: ((double *)values)[index] = value; return;
    case CPPROF_F16: ((uint16_t *)values)[index] = cpprof_narrow(value, 5); return;
    case CPPROF_BF16: ((uint16_t *)values)[index] = cpprof_narrow(value, 8); return;
    case CPPROF_I32: ((int32_t *)values)[index] = (int32_t)value; return;
    case CPPROF_I64: ((int64_t *)values)[index] = (int64_t)value; return;
    default: ((uint8_t *)values)[index] = (uint8_t)value; return;
    }
}

/* splitmix64's finaliser (Steele, Lea, Flood 2014): each index gives an independent number. */
CPPROF_NUMBER uint64_t cpprof_bits(uint64_t seed, uint64_t index)
{
    uint64_t x = seed;
    for (int round = 0; round < 2; round++, x ^= index) {
        x += 0x9e3779b97f4a7c15u;
        x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
        x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
        x ^= x >> 31;
    }
    return x ^ index;
}

/* Returns a number uniform in [-1, 1) with 24 bits. */
CPPROF_NUMBER double cpprof_uniform(uint64_t seed, uint64_t index)
{
    return (double)(cpprof_bits(seed, index) >> 40) * (2.0 / 16777216.0) - 1.0;
}

/* Returns the value of an input of that type; whole numbers are from 0 to 100. */
CPPROF_NUMBER double cpprof_drawn(const struct cpprof_draw *draw, enum cpprof_type type, size_t index, size_t count)
{
    static const double largest[] = {3.4e38, 1.7e308, 65504, 3.38e38};
    static const double smallest[] = {1.17e-38, 2.2e-308, 6.1e-5, 1.17e-38};
    const int is_whole = type >= CPPROF_I32;
    const double one = cpprof_uniform(draw->seed, index), sign = one < 0 ? -1 : 1;
    double value = one;
    if (draw->kind == CPPROF_CONSTANT)
        value = cpprof_uniform(draw->seed, 0);
    else if (draw->kind == CPPROF_SORTED)
        value = 2 * ((double)index + 0.5) / (double)count - 1;
    else if (draw->kind == CPPROF_ONE_HOT)
        value = index == cpprof_bits(draw->seed, 0) % count;
    else if (draw->kind == CPPROF_LARGE && !is_whole)
        value = sign * largest[type] / 4;
    else if (draw->kind == CPPROF_SUBNORMAL && !is_whole)
        value = one * smallest[type];
    return !is_whole ? value : draw->kind == CPPROF_ONE_HOT ? value : floor(50 * (value + 1));
}

#ifdef __cplusplus
}
#endif

#endif
