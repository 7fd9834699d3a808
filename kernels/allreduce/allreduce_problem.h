/* allreduce_problem.h - one all-reduce as its kernels see it, and what is known about each kernel before it runs. */
#ifndef CPPROF_ALLREDUCE_PROBLEM_H
#define CPPROF_ALLREDUCE_PROBLEM_H

#include <stddef.h>
#include <stdint.h>

#include "cpprof/variant.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    ALLREDUCE_RANKS_MAX = 8,
    ALLREDUCE_CTAS_MAX = 256,
    ALLREDUCE_CTAS = 128, /* blocks of a rank, unless the kernel or a parameter says otherwise */
    ALLREDUCE_THREADS = 256,
    ALLREDUCE_SHAPE_COUNT = 16,
    ALLREDUCE_WIDE = 16,                                      /* bytes of the widest access */
    ALLREDUCE_BEGIN_BYTES = 256,                              /* messages begin at an offset from a multiple of this */
    ALLREDUCE_SLOT_BYTES = ALLREDUCE_THREADS * ALLREDUCE_WIDE /* the least of one rank in a ring's slot */
};
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

/* In each rank's memory. These values are never reset: epochs only increase, so that a launch, or a replayed graph,
 * continues where the one before ended. */
struct allreduce_signals {
    uint32_t arrived[ALLREDUCE_CTAS_MAX]
                    [ALLREDUCE_RANKS_MAX]; /* [block][peer]: the epoch that this peer's block has reached */
    uint32_t epoch[ALLREDUCE_CTAS_MAX];    /* that this rank's own block has reached; only this rank uses it */
    uint32_t broken;                       /* somebody waited too long, and nothing is exchanged any more */
};

/* The parameters of a kernel. It gets the pointers of all ranks, so that each can read its peers. */
struct allreduce_problem {
    const void *in[ALLREDUCE_RANKS_MAX];
    void *out[ALLREDUCE_RANKS_MAX];
    struct allreduce_signals *signals[ALLREDUCE_RANKS_MAX];
    char *staging[ALLREDUCE_RANKS_MAX]; /* for kernels that send: what each rank has sent to this one, in two halves
                                           that alternate */
    size_t staged_bytes;                /* size of what one rank sends in one launch */
    uint64_t *failure; /* in the host's memory: who waited in vain for whom (allreduce_barrier.cuh); 0: nobody */
    uint64_t wait_ns;  /* longest wait for a peer */
    size_t count;      /* number of values in a message */
    size_t vectors;    /* number of whole vectors of the kernel's width; the rest is added value by value */
    int ranks;
    int first_rank; /* of this launch, which has a row of blocks for each of its ranks */
    int buffered;   /* for a ring: how many ranks' values go through it, one or all */
    int pieces;     /* for a ring: vectors that a thread has in a slot for each of those ranks */
};

/* A build with marks has one parameter more (cpprof/record.cuh), so it is launched by its address alone. */
typedef void (*allreduce_function)(struct allreduce_problem problem);

/* The kernel of a variant's launch, and how it is launched. */
struct allreduce_pick {
    allreduce_function function;
    int vector_bytes;    /* widest access; a message that does not begin at a multiple of it is added value by value */
    int tile_vectors;    /* what a block takes at a time */
    int parts;           /* how many parts the message is cut into before blocks share it */
    size_t shared_bytes; /* dynamic shared memory */
    int is_early;        /* it may start before the previous kernel has ended, and then is not launched cooperatively */
    int staged_vector,
        staged_value; /* bytes of a vector, and of a single value, in a peer's staging, which holds a message twice */
    int staged_tiles; /* or it is a ring with this number of tiles of each block */
    int ctas;         /* blocks with which it is fastest; 0: ALLREDUCE_CTAS */
};

/* The functions of a variant. `pick` is called once in setup, with everything but vectors in the problem. */
struct allreduce_kernel {
    struct allreduce_pick (*pick)(const struct allreduce_problem *problem, const struct cpprof_config *config);
    size_t (*shared_bytes)(const struct cpprof_config *config); /* of a block, static and dynamic */
};

double allreduce_flops(const struct cpprof_config *config);
double allreduce_bytes(const struct cpprof_config *config);
double allreduce_bus_factor(const struct cpprof_config *config);
int allreduce_refuse(const struct cpprof_config *config, char *why, size_t why_bytes);
/* The same for a variant that needs no access from device to device. */
int allreduce_refuse_size(const struct cpprof_config *config, char *why, size_t why_bytes);
/* Do all of its devices have compute capability 9.0? */
int allreduce_is_9(const struct cpprof_config *config);
/* Are they, and is the code that they run compiled for 9.0, not made of older PTX? */
int allreduce_runs_code_of_9(const struct cpprof_config *config);
/* Like allreduce_refuse, and also needs compute capability 9.0 or newer on every device for `what`, and code that was
 * compiled for it. */
int allreduce_refuse_before_9(const char *what, const struct cpprof_config *config, char *why, size_t why_bytes);
int allreduce_value_bytes(const struct cpprof_config *config);
/* Does a message have vectors of 16 bytes that begin at a multiple of 16? */
int allreduce_has_vectors(const struct cpprof_config *config);
/* Declarations of the variants. Where ranks share a device, times must not be judged; elsewhere data must cross NVLink
 * if the devices have it. The second one is for rings of cp.async: a message without vectors gives them nothing to
 * copy. The third one is for variants that go through the host. */
void allreduce_declare(const struct cpprof_config *config, struct cpprof_declaration *declaration);
void allreduce_declare_naive(const struct cpprof_config *config, struct cpprof_declaration *declaration);
void allreduce_declare_ring(const struct cpprof_config *config, struct cpprof_declaration *declaration);
/* Fills in the machine's devices, the current one first, and returns how many; 1 when there are fewer than ranks. */
int allreduce_devices(const struct cpprof_config *config, int device[ALLREDUCE_RANKS_MAX]);
/* The same with the signature that a variant needs. */
int allreduce_variant_devices(const struct cpprof_config *config, int *device, int devices_max);

#ifdef __cplusplus
}
#endif

#define ALLREDUCE_LDGSTS   "sm__sass_inst_executed_op_ldgsts.sum"
#define ALLREDUCE_RECEIVED "nvlrx__bytes_data_user.sum"

#endif
