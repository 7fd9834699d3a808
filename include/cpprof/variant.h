/* variant.h - what must a kernel variant tell cpprof-runner about itself?
 *
 * A variant is one implementation of a computation. The variants of one family compute the same function of the same
 * inputs, so any can be the baseline of any other (except in the family `truth`, which is for bounds). The runner
 * calls, in this order and on one thread:
 *
 *   setup -> { poison, launch, verify } -> { launch ... } -> { poison, launch ..., verify } -> teardown
 *
 * All work goes to the stream that is passed in. Functions return 0 or a cudaError_t, which the runner turns into a
 * message with the variant's name.
 *
 * A user's own variants are in a shared library that exports cpprof_variants(), below. docs/variants.md explains how to
 * write one. */
#ifndef CPPROF_VARIANT_H
#define CPPROF_VARIANT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CPPROF_AXES_MAX       16
#define CPPROF_MISMATCHES_MAX 8

struct CUstream_st; /* cudaStream_t without including CUDA */

/* An integer that a variant can be run with: a dimension of the problem (chosen with --shape) or a parameter of the
 * implementation (--set). */
enum cpprof_axis_role { CPPROF_AXIS_SHAPE, CPPROF_AXIS_PARAMETER };

struct cpprof_axis {
    const char *name;
    const char *help; /* with its unit */
    enum cpprof_axis_role role;
    int64_t min;
    int64_t max;
    int64_t value; /* default */
};

/* A named problem size: values of the shape axes, in their order. */
struct cpprof_shape {
    const char *name;
    int64_t values[CPPROF_AXES_MAX];
    int ragged; /* also verified, not timed, whenever the variant runs */
};

/* The range in which a counter must lie if the intended kernel really ran. */
struct cpprof_expect {
    const char *metric; /* CUPTI metric name */
    double min;         /* inclusive, in the metric's base unit */
    double max;         /* inclusive; INFINITY for no limit */
};

/* The values that one run uses: value[i] belongs to axes[i]. */
struct cpprof_config {
    int64_t value[CPPROF_AXES_MAX];
    uint64_t seed;
};

/* What a variant declares for one config. Pointers stay valid until the process ends. */
struct cpprof_declaration {
    const char *kernel_pattern;
    const struct cpprof_expect *expect;
    size_t expect_count;
    /* Which kernel was chosen, and for what, if the variant chooses one or belongs to a library; else empty. */
    char chosen[160];
    /* Why times at this config must not be judged; empty: they may. */
    char no_verdict[160];
};

struct cpprof_mismatch {
    uint64_t index;  /* in the output array */
    double expected; /* float64 reference */
    double got;
    char where[160]; /* in the family's words: tile, stage, coordinates */
};

struct cpprof_verification {
    double max_abs_err;
    double bad_ratio; /* share of output values outside their tolerance, NaN and unwritten included */
    uint64_t values;  /* how many were compared */
    /* A hash of the output's bits that does not depend on their order: equal for bitwise equal outputs. 0: not known.
     */
    uint64_t output_hash;
    uint32_t mismatch_count;                                  /* how many entries below are filled */
    struct cpprof_mismatch mismatches[CPPROF_MISMATCHES_MAX]; /* lowest index first */
    char hint[160]; /* what the pattern of the mismatches suggests; empty if nothing */
};

/* Fields may be added at the end, and the struct does not change otherwise. Fields beyond struct_bytes are absent.
 * Those up to teardown have always been there. */
struct cpprof_variant {
    uint32_t struct_bytes;      /* sizeof(struct cpprof_variant) when the variant was compiled */
    const char *name;           /* "family/variant" */
    const char *summary;        /* one line */
    const char *kernel_pattern; /* POSIX extended regex; must match the demangled name of each kernel launched */

    const struct cpprof_axis *axes;
    size_t axis_count;
    const struct cpprof_shape *shapes; /* the first one is the default */
    size_t shape_count;
    const struct cpprof_expect *expect;
    size_t expect_count;

    /* NULL, or a function that returns 0 when the current device can run the variant, and else fills `why` ("needs
     * compute capability 9.0"). Called before setup. */
    int (*refuse)(const struct cpprof_config *config, char *why, size_t why_bytes);
    size_t (*shared_bytes)(const struct cpprof_config *config); /* per block, static + dynamic */
    /* Floating-point operations that a launch executes; NAN: not known. */
    double (*flops)(const struct cpprof_config *config);
    /* Fewest bytes that must cross DRAM per launch; NAN: not known. */
    double (*bytes)(const struct cpprof_config *config);

    int (*setup)(const struct cpprof_config *config, struct CUstream_st *stream, void **state);
    int (*poison)(void *state, struct CUstream_st *stream);
    int (*launch)(void *state, struct CUstream_st *stream);
    int (*verify)(void *state, struct CUstream_st *stream, struct cpprof_verification *result);
    void (*teardown)(void *state);

    /* The changes of counters that are expected, compared with the variant that this one improves on, written down
     * before they are measured: "stall_long_scoreboard down; dram_bytes flat 3%" (docs/rules.md). NULL: no expectation.
     * Read only where struct_bytes covers it. */
    const char *signals;

    /* For a variant on several GPUs: the bytes that each link carries per one of `bytes`, such as 2 (n - 1) / n for an
     * all-reduce on n GPUs. The bus bandwidth is this factor times the variant's rate. NULL, or a value not above 0:
     * there is no bus bandwidth. Read only where struct_bytes covers it. */
    double (*bus_factor)(const struct cpprof_config *config);

    /* For a variant with a bound by construction: the class and, where it has one, the limiting unit: "memory-bound
     * dram", "latency-bound tail" (docs/bounds.md). NULL: not known. */
    const char *bound;

    /* The variant that `signals` compare with, "family/variant" of the same family, such as the rung below on a ladder.
     * It is used when it is in the run and was counted; otherwise, and when this is NULL, the run's baseline is used.
     * Read only where struct_bytes covers it. */
    const char *improves_on;

    /* For a variant on several GPUs: fork makes its streams on all GPUs wait for `stream`, and join makes `stream` wait
     * for them. A launch does both by itself. When launches follow one another without a pause, in a graph of many, the
     * runner calls fork once before all of them and join once after all of them, and the launches in between do
     * neither. Either both are set or both are NULL. Read only where struct_bytes covers them. */
    int (*fork)(void *state, struct CUstream_st *stream);
    int (*join)(void *state, struct CUstream_st *stream);

    /* For a variant on several GPUs: fills in the ordinals of the GPUs that a launch runs on, the current one first, at
     * most devices_max, and returns how many there are. Their kernels may wait for each other, so they are not counted
     * one by one: each GPU is sampled. NULL, or 1: only the current one. Read only where struct_bytes covers it. */
    int (*devices)(const struct cpprof_config *config, int *device, int devices_max);

    /* NULL, or a function that changes the declaration for this config. `declaration` comes filled with what the
     * members above declare for all configs. The current device is the one that will run it. Read only where
     * struct_bytes covers it. */
    void (*declare)(const struct cpprof_config *config, struct cpprof_declaration *declaration);
};

/* Returns the signals of a variant that may have been compiled before the field existed; "" when it has none. */
static inline const char *cpprof_variant_signals(const struct cpprof_variant *variant)
{
    const size_t needed = offsetof(struct cpprof_variant, signals) + sizeof variant->signals;
    return variant->struct_bytes >= needed && variant->signals ? variant->signals : "";
}

/* Returns the bus factor of a variant that may have been compiled before the field existed; 0 when it has none. */
static inline double cpprof_variant_bus_factor(const struct cpprof_variant *variant, const struct cpprof_config *config)
{
    const size_t needed = offsetof(struct cpprof_variant, bus_factor) + sizeof variant->bus_factor;
    const double factor = variant->struct_bytes >= needed && variant->bus_factor ? variant->bus_factor(config) : 0;
    return factor > 0 ? factor : 0;
}

/* Returns its bound by construction; "" when it states none. */
static inline const char *cpprof_variant_bound(const struct cpprof_variant *variant)
{
    const size_t needed = offsetof(struct cpprof_variant, bound) + sizeof variant->bound;
    return variant->struct_bytes >= needed && variant->bound ? variant->bound : "";
}

/* Returns the variant that it improves on; "" when it states none. */
static inline const char *cpprof_variant_improves_on(const struct cpprof_variant *variant)
{
    const size_t needed = offsetof(struct cpprof_variant, improves_on) + sizeof variant->improves_on;
    return variant->struct_bytes >= needed && variant->improves_on ? variant->improves_on : "";
}

/* Can a series of its launches fork and join once? */
static inline int cpprof_variant_forks_once(const struct cpprof_variant *variant)
{
    const size_t needed = offsetof(struct cpprof_variant, join) + sizeof variant->join;
    return variant->struct_bytes >= needed && variant->fork && variant->join;
}

/* Returns on how many devices a launch runs and fills in as many as fit; 1 when it states none, and then fills in
 * none. */
static inline int cpprof_variant_devices(const struct cpprof_variant *variant, const struct cpprof_config *config,
                                         int *device, int devices_max)
{
    const size_t needed = offsetof(struct cpprof_variant, devices) + sizeof variant->devices;
    const int count =
        variant->struct_bytes >= needed && variant->devices ? variant->devices(config, device, devices_max) : 1;
    return count > 1 ? count : 1;
}

/* Does it have declarations for single configs? */
static inline int cpprof_variant_declares(const struct cpprof_variant *variant)
{
    const size_t needed = offsetof(struct cpprof_variant, declare) + sizeof variant->declare;
    return variant->struct_bytes >= needed && variant->declare;
}

/* Fills `declaration` with what the variant declares for this config. */
static inline void cpprof_variant_declare(const struct cpprof_variant *variant, const struct cpprof_config *config,
                                          struct cpprof_declaration *declaration)
{
    declaration->kernel_pattern = variant->kernel_pattern;
    declaration->expect = variant->expect;
    declaration->expect_count = variant->expect_count;
    declaration->chosen[0] = declaration->no_verdict[0] = '\0';
    if (cpprof_variant_declares(variant))
        variant->declare(config, declaration);
}

/* ---- a library of variants: cpprof run --load ./libmine.so ---- */

/* Increases when any other struct of this header changes. A library with another value is refused. */
#define CPPROF_VARIANT_ABI 1u

/* It holds pointers, so that the variants of one library may be compiled at different times. */
struct cpprof_variant_library {
    uint32_t struct_bytes; /* sizeof(struct cpprof_variant_library) */
    uint32_t abi;          /* CPPROF_VARIANT_ABI */
    const struct cpprof_variant *const *variants;
    size_t variant_count;
};

/* The only symbol that a library exports. It is called once in each process, before a GPU is used. The value that it
 * returns must stay valid and unchanged until the process ends. */
__attribute__((visibility("default"))) const struct cpprof_variant_library *cpprof_variants(void);

#ifdef __cplusplus
}
#endif

#endif
