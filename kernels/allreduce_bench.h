/* allreduce_bench.h - what the variants of the family `allreduce` share: the problem, its inputs and their float64
 * sums, and the life of a variant.
 *
 *   out[r][i] = in[0][i] + in[1][i] + ... + in[n - 1][i]      on each rank r of n
 *
 * With as many devices as ranks each rank is a device of its own. With fewer, all ranks live on the current device:
 * one launch of ctas x n blocks, in which blockIdx.y is the rank. The kernels are the same; the pointers differ.
 *
 * Every kernel adds in the order of the ranks, in fp32: all ranks, and all variants, get the same bits.
 */
#ifndef CPPROF_ALLREDUCE_BENCH_H
#define CPPROF_ALLREDUCE_BENCH_H

#include <stddef.h>
#include <stdint.h>

#include "cpprof/variant.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { ALLREDUCE_RANKS_MAX = 8, ALLREDUCE_CTAS_MAX = 256, ALLREDUCE_THREADS = 256, ALLREDUCE_SHAPE_COUNT = 16,
       ALLREDUCE_WIDE = 16,         /* bytes of the widest access */
       ALLREDUCE_BEGIN_BYTES = 256, /* messages begin behind a multiple of this */
       ALLREDUCE_SLOT_BYTES = ALLREDUCE_THREADS * ALLREDUCE_WIDE /* the least that a ring's slot has of a rank */ };
enum allreduce_dtype { ALLREDUCE_FP32, ALLREDUCE_FP16, ALLREDUCE_BF16, ALLREDUCE_DTYPES };
enum allreduce_axis {
    ALLREDUCE_AXIS_BYTES,
    ALLREDUCE_AXIS_GPUS,
    ALLREDUCE_AXIS_DTYPE,
    ALLREDUCE_AXIS_OFFSET,
    ALLREDUCE_AXIS_PEERS,
    ALLREDUCE_AXIS_CHUNK,
    ALLREDUCE_AXIS_CTAS,
    ALLREDUCE_AXIS_ITEMS,
    ALLREDUCE_AXIS_COUNT
};

/* In each rank's memory. Nothing here is ever set back: epochs only count up, so that a launch, or a graph that is
 * replayed, goes on where the one before ended. */
struct allreduce_signals {
    uint32_t arrived[ALLREDUCE_CTAS_MAX][ALLREDUCE_RANKS_MAX]; /* [block][peer]: the epoch that this peer's block has reached */
    uint32_t epoch[ALLREDUCE_CTAS_MAX]; /* that this rank's own block has reached; its own business */
    uint32_t broken;                    /* somebody waited too long: nothing is exchanged any more */
};

/* What a kernel gets. Pointers of all ranks, so that each can read its peers. */
struct allreduce_problem {
    const void *in[ALLREDUCE_RANKS_MAX];
    void *out[ALLREDUCE_RANKS_MAX];
    struct allreduce_signals *signals[ALLREDUCE_RANKS_MAX];
    char *staging[ALLREDUCE_RANKS_MAX]; /* of a kernel that is sent to: what each rank has sent to this one, twice, in turn */
    size_t staged_bytes;                /* of one rank, once */
    uint64_t *failure;   /* in the host's memory: who waited for whom in vain (allreduce_barrier.cuh); 0: nobody */
    uint64_t wait_ns;    /* longest wait for a peer */
    size_t count;        /* values of a message */
    size_t vectors;      /* whole vectors of the kernel's width at its beginning; the rest goes value by value */
    int ranks;
    int first_rank;      /* of this launch, which has a row of blocks for each of its ranks */
    int buffered;        /* of a ring: the ranks whose values go through it, one or all */
    int pieces;          /* of a ring: vectors that a thread has in a slot, of each of those ranks */
};

typedef void (*allreduce_function)(struct allreduce_problem problem);

/* Of which kernel, and how, a variant makes a launch. */
struct allreduce_pick {
    allreduce_function function;
    int vector_bytes; /* widest access; a message that does not begin at a multiple of it goes value by value */
    int tile_vectors; /* what a block takes at a time */
    int parts;        /* into how many parts the message is cut before blocks share it */
    size_t shared_bytes; /* dynamic */
    int is_early;     /* may start before the kernel before it has ended (and is not launched cooperatively then) */
    int staged_vector, staged_value; /* bytes that a vector, and a value behind them, take in a peer's staging; 0: nothing is sent */
};

/* What a variant adds. `pick` is asked once in setup, with everything but vectors in the problem. */
struct allreduce_kernel {
    struct allreduce_pick (*pick)(const struct allreduce_problem *problem, const struct cpprof_config *config);
    size_t (*shared_bytes)(const struct cpprof_config *config); /* of a block, static and dynamic */
};

struct allreduce_run {
    struct allreduce_problem problem;
    struct allreduce_pick pick;
    enum allreduce_dtype dtype;
    int value_bytes;
    uint64_t seed;
    int step_is_rounded;  /* partial sums are rounded to the dtype, not only the last */
    int ctas;             /* per rank */
    int devices;          /* 1, or one per rank */
    int device[ALLREDUCE_RANKS_MAX];
    struct CUstream_st *side[ALLREDUCE_RANKS_MAX]; /* of each rank on a device of its own; else NULL */
    struct CUevent_st *fork, *join[ALLREDUCE_RANKS_MAX];
    void *memory_in[ALLREDUCE_RANKS_MAX], *memory_out[ALLREDUCE_RANKS_MAX]; /* where in and out begin without the offset */
    void *sums[ALLREDUCE_RANKS_MAX];   /* of the comparison */
    int is_failure_said;
    int is_forked;        /* within a series: fork and join are done around all of its launches */
    int launched;         /* in this series */
};

/* Memory, inputs, peer access, streams; no kernel yet. allreduce_close frees what is there. */
int allreduce_open(struct allreduce_run *run, const struct cpprof_config *config, struct CUstream_st *stream);
void allreduce_close(struct allreduce_run *run);
/* The inputs of a rank, drawn from `seed`, written on that rank's stream: its device is current. */
int allreduce_fill_rank(const struct allreduce_run *run, int rank, uint64_t seed, struct CUstream_st *own);
/* What `stream` has to do, all ranks wait for; and the other way round. Nothing where all ranks are on one device. */
int allreduce_fork(const struct allreduce_run *run, struct CUstream_st *stream);
int allreduce_join(const struct allreduce_run *run, struct CUstream_st *stream);
/* Both around a series of launches: what struct cpprof_variant calls fork and join. */
int allreduce_begin_series(void *opaque, struct CUstream_st *stream);
int allreduce_end_series(void *opaque, struct CUstream_st *stream);
/* The stream of a rank's work, with its device current; allreduce_home goes back. */
int allreduce_enter(const struct allreduce_run *run, int rank, struct CUstream_st *stream, struct CUstream_st **own);
void allreduce_home(const struct allreduce_run *run);
/* How many bytes of a message are real. */
size_t allreduce_message_bytes(const struct allreduce_run *run);

int allreduce_setup(const struct allreduce_kernel *kernel, const struct cpprof_config *config, struct CUstream_st *stream,
                    void **out);
int allreduce_poison(void *opaque, struct CUstream_st *stream);
int allreduce_launch(void *opaque, struct CUstream_st *stream);
int allreduce_verify(void *opaque, struct CUstream_st *stream, struct cpprof_verification *result);
void allreduce_teardown(void *opaque);

double allreduce_flops(const struct cpprof_config *config);
double allreduce_bytes(const struct cpprof_config *config);
double allreduce_bus_factor(const struct cpprof_config *config);
int allreduce_refuse(const struct cpprof_config *config, char *why, size_t why_bytes);
/* As above, but of a variant that needs no access from device to device. */
int allreduce_refuse_size(const struct cpprof_config *config, char *why, size_t why_bytes);
/* Do all of its devices have compute capability 9.0? */
int allreduce_is_9(const struct cpprof_config *config);
/* As allreduce_refuse, and needs compute capability 9.0 of every device for `what`: of newer ones the PTX is older. */
int allreduce_refuse_before_9(const char *what, const struct cpprof_config *config, char *why, size_t why_bytes);
int allreduce_value_bytes(const struct cpprof_config *config);
/* Does a message have vectors of 16 bytes that begin at a multiple of 16? */
int allreduce_has_vectors(const struct cpprof_config *config);
/* Of every variant: where ranks share a device, times say nothing; else data must come over NVLink, where the devices have
 * it. The second one is for rings of cp.async: a message without vectors has nothing for them to copy. The third one is
 * for what goes by way of the host. */
void allreduce_declare(const struct cpprof_config *config, struct cpprof_declaration *declaration);
void allreduce_declare_naive(const struct cpprof_config *config, struct cpprof_declaration *declaration);
void allreduce_declare_ring(const struct cpprof_config *config, struct cpprof_declaration *declaration);
/* Devices that the machine has, the current one first; 1 when there are fewer than ranks. */
int allreduce_devices(const struct cpprof_config *config, int device[ALLREDUCE_RANKS_MAX]);
/* The same as a variant says it. */
int allreduce_variant_devices(const struct cpprof_config *config, int *device, int devices_max);

extern const struct cpprof_axis allreduce_axes[ALLREDUCE_AXIS_COUNT];
extern const struct cpprof_shape allreduce_shapes[ALLREDUCE_SHAPE_COUNT];

#ifdef __cplusplus
}

template <const struct allreduce_kernel *KERNEL>
static int allreduce_setup_as(const struct cpprof_config *config, struct CUstream_st *stream, void **out)
{
    return allreduce_setup(KERNEL, config, stream, out);
}
#endif

#define ALLREDUCE_LDGSTS   "sm__sass_inst_executed_op_ldgsts.sum"
#define ALLREDUCE_RECEIVED "nvlrx__bytes_data_user.sum"

#define ALLREDUCE_VARIANT(NAME, SUMMARY, PATTERN, EXPECT, REFUSE, SHARED, SETUP, SIGNALS, IMPROVES_ON, DECLARE)            \
    {                                                                                                                   \
        sizeof(struct cpprof_variant), "allreduce/" NAME, SUMMARY, PATTERN, allreduce_axes, ALLREDUCE_AXIS_COUNT,          \
            allreduce_shapes, ALLREDUCE_SHAPE_COUNT, EXPECT, sizeof EXPECT / sizeof EXPECT[0], REFUSE, SHARED,           \
            allreduce_flops, allreduce_bytes, SETUP, allreduce_poison, allreduce_launch, allreduce_verify,               \
            allreduce_teardown, SIGNALS, allreduce_bus_factor, NULL, IMPROVES_ON,                                       \
            allreduce_begin_series, allreduce_end_series, allreduce_variant_devices, DECLARE                            \
    }

#endif
