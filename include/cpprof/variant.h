/* variant.h - what must a kernel variant tell cpprof-runner about itself?
 *
 * A variant is one implementation of a computation; variants of one family
 * compute the same function of the same inputs, so any can be the baseline of
 * any other (but for the family `truth`, which is for bounds). The runner calls, in this order and on one thread:
 *
 *   setup -> { poison, launch, verify } -> { launch ... } -> { poison, launch ..., verify } -> teardown
 *
 * All work goes to the stream that is passed in. Functions return 0 or a
 * cudaError_t; the runner turns that into a message with the variant's name.
 *
 * A user's own variants are in a shared library that exports cpprof_variants(),
 * below; docs/variants.md tells how to write one.
 */
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

/* One integer that a variant can be run at: a dimension of the problem
 * (chosen with --shape) or a knob of the implementation (--set). */
enum cpprof_axis_role { CPPROF_AXIS_SHAPE, CPPROF_AXIS_PARAMETER };

struct cpprof_axis {
    const char *name;
    const char *help; /* with its unit */
    enum cpprof_axis_role role;
    int64_t min;
    int64_t max;
    int64_t value; /* default */
};

/* A named problem size: values of the shape axes in their order. */
struct cpprof_shape {
    const char *name;
    int64_t values[CPPROF_AXES_MAX];
    int ragged; /* also verified, untimed, whenever the variant runs */
};

/* What the counters must say if the variant that ran is the one that was meant. */
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

/* What holds of a variant at one config. Pointers stay valid until the process ends. */
struct cpprof_declaration {
    const char *kernel_pattern;
    const struct cpprof_expect *expect;
    size_t expect_count;
    char chosen[160];     /* of a variant that chooses a kernel: which, and for what; of one that is a library's: which;
                             else empty */
    char no_verdict[160]; /* why times at this config say nothing of the variant; empty: they do */
};

struct cpprof_mismatch {
    uint64_t index;  /* in the output array */
    double expected; /* float64 reference */
    double got;
    char where[160]; /* the family's words: tile, stage, coordinates */
};

struct cpprof_verification {
    double max_abs_err;
    double bad_ratio; /* share of output values outside their tolerance, NaN and unwritten included */
    uint64_t values;  /* how many were compared */
    uint64_t
        output_hash; /* order-independent hash of the output's bits, equal for bitwise equal outputs; 0: not known */
    uint32_t mismatch_count;                                  /* filled entries below */
    struct cpprof_mismatch mismatches[CPPROF_MISMATCHES_MAX]; /* lowest index first */
    char hint[160]; /* what the pattern of the mismatches suggests; empty if nothing */
};

/* Fields may be added at the end and never change otherwise: what lies behind
 * struct_bytes is not there. Those up to teardown have always been. */
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

    /* NULL, or: 0 when the current device can run it, else fills `why` ("needs
     * compute capability 9.0"). Asked before setup. */
    int (*refuse)(const struct cpprof_config *config, char *why, size_t why_bytes);
    size_t (*shared_bytes)(const struct cpprof_config *config); /* per block, static + dynamic */
    double (*flops)(
        const struct cpprof_config *config); /* floating-point operations that a launch executes; NAN: not known */
    double (*bytes)(const struct cpprof_config *config); /* fewest that must cross DRAM per launch; NAN: not known */

    int (*setup)(const struct cpprof_config *config, struct CUstream_st *stream, void **state);
    int (*poison)(void *state, struct CUstream_st *stream);
    int (*launch)(void *state, struct CUstream_st *stream);
    int (*verify)(void *state, struct CUstream_st *stream, struct cpprof_verification *result);
    void (*teardown)(void *state);

    /* What its counters should do beside those of what it improves on, written
     * down before it is measured: "stall_long_scoreboard down; dram_bytes flat 3%"
     * (docs/rules.md). NULL: nothing. Read only where struct_bytes covers it. */
    const char *signals;

    /* For a variant on several GPUs: bytes that each link carries for one of `bytes`, as
     * 2 (n - 1) / n of an all-reduce on n; its bus bandwidth is that times its rate.
     * NULL, or a value that is not above 0: none. Read only where struct_bytes covers it. */
    double (*bus_factor)(const struct cpprof_config *config);

    /* For a variant that is made for it: its bound by construction, a class and where it has one what
     * limits: "memory-bound dram", "latency-bound tail" (docs/bounds.md). NULL: not known. */
    const char *bound;

    /* The variant that `signals` were written beside, "family/variant" of the same family, such as
     * the rung below on a ladder: where it is in the run they are held against it. NULL, or it is
     * not counted: against the run's baseline. Read only where struct_bytes covers it. */
    const char *improves_on;

    /* For a variant on several GPUs: fork makes the streams that it has on each of them wait for `stream`, join makes
     * `stream` wait for those. A launch does both by itself. Where launches follow one another without a pause, in a
     * graph of many, the runner calls fork once before and join once behind all of them, and the launches between do
     * neither. Both, or NULL. Read only where struct_bytes covers them. */
    int (*fork)(void *state, struct CUstream_st *stream);
    int (*join)(void *state, struct CUstream_st *stream);

    /* For a variant on several GPUs: fills the ordinals of those that a launch runs on, the current one first,
     * devices_max of them at most, and returns how many there are. Their kernels may wait for each other: they are
     * not counted one by one, each GPU is sampled. NULL, or 1: the current one alone. Read only where struct_bytes
     * covers it. */
    int (*devices)(const struct cpprof_config *config, int *device, int devices_max);

    /* NULL, or changes what does not hold at this config: what comes in is what the members above say of all configs.
     * The current device is the one that runs it. Read only where struct_bytes covers it. */
    void (*declare)(const struct cpprof_config *config, struct cpprof_declaration *declaration);
};

/* The signals of a variant that may have been compiled before there were any; "" without. */
static inline const char *cpprof_variant_signals(const struct cpprof_variant *variant)
{
    const size_t needed = offsetof(struct cpprof_variant, signals) + sizeof variant->signals;
    return variant->struct_bytes >= needed && variant->signals ? variant->signals : "";
}

/* The bus factor of a variant that may have been compiled before there was one; 0 without. */
static inline double cpprof_variant_bus_factor(const struct cpprof_variant *variant, const struct cpprof_config *config)
{
    const size_t needed = offsetof(struct cpprof_variant, bus_factor) + sizeof variant->bus_factor;
    const double factor = variant->struct_bytes >= needed && variant->bus_factor ? variant->bus_factor(config) : 0;
    return factor > 0 ? factor : 0;
}

/* Its bound by construction; "" where none is stated. */
static inline const char *cpprof_variant_bound(const struct cpprof_variant *variant)
{
    const size_t needed = offsetof(struct cpprof_variant, bound) + sizeof variant->bound;
    return variant->struct_bytes >= needed && variant->bound ? variant->bound : "";
}

/* The variant that it improves on; "" where none is stated. */
static inline const char *cpprof_variant_improves_on(const struct cpprof_variant *variant)
{
    const size_t needed = offsetof(struct cpprof_variant, improves_on) + sizeof variant->improves_on;
    return variant->struct_bytes >= needed && variant->improves_on ? variant->improves_on : "";
}

/* Whether a series of its launches forks and joins once. */
static inline int cpprof_variant_forks_once(const struct cpprof_variant *variant)
{
    const size_t needed = offsetof(struct cpprof_variant, join) + sizeof variant->join;
    return variant->struct_bytes >= needed && variant->fork && variant->join;
}

/* On how many devices a launch runs, of which those that have room are filled in; 1 without, then nothing is. */
static inline int cpprof_variant_devices(const struct cpprof_variant *variant, const struct cpprof_config *config,
                                         int *device, int devices_max)
{
    const size_t needed = offsetof(struct cpprof_variant, devices) + sizeof variant->devices;
    const int count =
        variant->struct_bytes >= needed && variant->devices ? variant->devices(config, device, devices_max) : 1;
    return count > 1 ? count : 1;
}

/* Does it declare anything for single configs? */
static inline int cpprof_variant_declares(const struct cpprof_variant *variant)
{
    const size_t needed = offsetof(struct cpprof_variant, declare) + sizeof variant->declare;
    return variant->struct_bytes >= needed && variant->declare;
}

/* What holds of it at this config. */
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

/* Counts up when any other struct of this header changes; a library of another count is refused. */
#define CPPROF_VARIANT_ABI 1u

/* Pointers, so that variants of one library may have been compiled at different times. */
struct cpprof_variant_library {
    uint32_t struct_bytes; /* sizeof(struct cpprof_variant_library) */
    uint32_t abi;          /* CPPROF_VARIANT_ABI */
    const struct cpprof_variant *const *variants;
    size_t variant_count;
};

/* The one symbol that a library exports. Called once in each process, before a
 * GPU is looked at; what it returns stays as it is until the process ends. */
__attribute__((visibility("default"))) const struct cpprof_variant_library *cpprof_variants(void);

#ifdef __cplusplus
}
#endif

#endif
