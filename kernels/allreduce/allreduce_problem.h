/* allreduce_problem.h - one all-reduce as its kernels see it, and what is known of each before it runs. */
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
    ALLREDUCE_THREADS = 256,
    ALLREDUCE_SHAPE_COUNT = 16,
    ALLREDUCE_WIDE = 16,                                      /* bytes of the widest access */
    ALLREDUCE_BEGIN_BYTES = 256,                              /* messages begin behind a multiple of this */
    ALLREDUCE_SLOT_BYTES = ALLREDUCE_THREADS * ALLREDUCE_WIDE /* the least that a ring's slot has of a rank */
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

/* In each rank's memory. Nothing here is ever set back: epochs only count up, so that a launch, or a graph that is
 * replayed, goes on where the one before ended. */
struct allreduce_signals {
    uint32_t arrived[ALLREDUCE_CTAS_MAX]
                    [ALLREDUCE_RANKS_MAX]; /* [block][peer]: the epoch that this peer's block has reached */
    uint32_t epoch[ALLREDUCE_CTAS_MAX];    /* that this rank's own block has reached; its own business */
    uint32_t broken;                       /* somebody waited too long: nothing is exchanged any more */
};

/* What a kernel gets. Pointers of all ranks, so that each can read its peers. */
struct allreduce_problem {
    const void *in[ALLREDUCE_RANKS_MAX];
    void *out[ALLREDUCE_RANKS_MAX];
    struct allreduce_signals *signals[ALLREDUCE_RANKS_MAX];
    char *staging[ALLREDUCE_RANKS_MAX]; /* of a kernel that is sent to: what each rank has sent to this one, twice, in
                                           turn */
    size_t staged_bytes;                /* of one rank, once */
    uint64_t *failure; /* in the host's memory: who waited for whom in vain (allreduce_barrier.cuh); 0: nobody */
    uint64_t wait_ns;  /* longest wait for a peer */
    size_t count;      /* values of a message */
    size_t vectors;    /* whole vectors of the kernel's width at its beginning; the rest goes value by value */
    int ranks;
    int first_rank; /* of this launch, which has a row of blocks for each of its ranks */
    int buffered;   /* of a ring: the ranks whose values go through it, one or all */
    int pieces;     /* of a ring: vectors that a thread has in a slot, of each of those ranks */
};

typedef void (*allreduce_function)(struct allreduce_problem problem);

/* Which kernel a variant launches, and how. */
struct allreduce_pick {
    allreduce_function function;
    int vector_bytes;    /* widest access; a message that does not begin at a multiple of it goes value by value */
    int tile_vectors;    /* what a block takes at a time */
    int parts;           /* into how many parts the message is cut before blocks share it */
    size_t shared_bytes; /* dynamic */
    int is_early;        /* may start before the kernel before it has ended (and is not launched cooperatively then) */
    int staged_vector,
        staged_value; /* bytes that a vector, and a value behind them, take in a peer's staging; 0: nothing is sent */
};

/* What a variant adds. `pick` is asked once in setup, with everything but vectors in the problem. */
struct allreduce_kernel {
    struct allreduce_pick (*pick)(const struct allreduce_problem *problem, const struct cpprof_config *config);
    size_t (*shared_bytes)(const struct cpprof_config *config); /* of a block, static and dynamic */
};

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
/* Holds for every variant: where ranks share a device, times say nothing; else data must come over NVLink, where the
 * devices have it. The second one is for rings of cp.async: a message without vectors has nothing for them to copy. The
 * third one is for what goes by way of the host. */
void allreduce_declare(const struct cpprof_config *config, struct cpprof_declaration *declaration);
void allreduce_declare_naive(const struct cpprof_config *config, struct cpprof_declaration *declaration);
void allreduce_declare_ring(const struct cpprof_config *config, struct cpprof_declaration *declaration);
/* Devices that the machine has, the current one first; 1 when there are fewer than ranks. */
int allreduce_devices(const struct cpprof_config *config, int device[ALLREDUCE_RANKS_MAX]);
/* The same as a variant says it. */
int allreduce_variant_devices(const struct cpprof_config *config, int *device, int devices_max);

#ifdef __cplusplus
}
#endif

#define ALLREDUCE_LDGSTS   "sm__sass_inst_executed_op_ldgsts.sum"
#define ALLREDUCE_RECEIVED "nvlrx__bytes_data_user.sum"

#endif
