/* What should be tried against this bound, and what is a waste of time? */
#include "analyzers/bounds/bound_advice.h"

#include <string.h>

#include "core/base/count_of.h"

#define BIT(kind) (1u << (kind))
#define LOADING   (BIT(PREDICT_LOAD_AHEAD) | BIT(PREDICT_LOAD_FURTHER) | BIT(PREDICT_STAGE))

static const struct bound_advice advices[] = {
    {BOUND_LAUNCH, NULL, "launch fewer, larger kernels, or capture the sequence in a CUDA graph",
     "a faster kernel: in an iteration that is launched one by one the device already waits; in a graph the kernel's own time "
     "counts",
     0},
    {BOUND_COPY, NULL,
     "copy while kernels run (pinned memory, a stream of its own, two buffers), copy less, or keep the data on the device",
     "a CUDA graph or fewer launches: the device is not idle between them", 0},
    {BOUND_OTHER_WORK, NULL, "look at what runs between its launches (cpprof stats, cpprof gaps)",
     "a CUDA graph or fewer launches: the device is not idle between them", 0},
    {BOUND_LATENCY, "small-grid", "split the work into more blocks, or run it beside other work",
     "tuning the inner loop before every SM has a block", LOADING},
    {BOUND_LATENCY, "tail", "choose block and grid sizes that fill the last wave, or a persistent kernel",
     "more threads per block without a look at the last wave", 0},
    {BOUND_LATENCY, BOUND_ADVICE_SHORT,
     "launch less often: fuse it with its neighbours, or fewer launches of more work; a CUDA graph where the gaps count, too",
     "hiding loads better within it: for most of its time its SMs have no warps", LOADING},
    {BOUND_LATENCY, "long_scoreboard",
     "more loads in flight: prefetch with cp.async or TMA, more stages, more blocks per SM",
     "more arithmetic throughput: no pipe is busy", 0},
    {BOUND_LATENCY, "short_scoreboard",
     "fewer shared-memory round trips and bank conflicts; more warps where the SM has room",
     "more arithmetic throughput: no pipe is busy", 0},
    {BOUND_LATENCY, "barrier", "fewer barriers, smaller blocks, or stages that let warps run ahead",
     "more arithmetic throughput: no pipe is busy", 0},
    {BOUND_LATENCY, "wait", "independent chains of instructions per thread (unroll); more warps where the SM has room",
     "more memory bandwidth: no memory unit is busy", 0},
    {BOUND_LATENCY, NULL,
     "more independent work per SM: more instructions in flight per warp, more warps where there is room",
     "more peak throughput: no unit is busy", 0},
    {BOUND_COMPUTE, "tensor", "fewer matrix operations: sparsity, smaller types, less padding",
     "more prefetching or stages", LOADING},
    {BOUND_COMPUTE, "tmem",
     "fewer passes over tensor memory: wider tcgen05.ld, operand A from shared memory, larger tiles, an epilogue that reads each "
     "accumulator once",
     "more prefetching or stages", LOADING},
    {BOUND_COMPUTE, "fma", "fewer FP32 or integer-multiply instructions, packed types, tensor cores where they fit",
     "more prefetching or stages: memory is not the limit", LOADING},
    {BOUND_COMPUTE, "fp64", "single precision or mixed precision where the result allows", "more prefetching or stages",
     LOADING},
    {BOUND_COMPUTE, "xu", "cheaper transcendental functions and conversions, polynomials on the FMA pipe",
     "more prefetching or stages", LOADING},
    {BOUND_COMPUTE, "alu", "simpler index arithmetic, fewer predicates and bit operations",
     "more prefetching or stages", LOADING},
    {BOUND_COMPUTE, "issue",
     "fewer instructions for the same work: wider loads, packed types, less address arithmetic, loops unrolled",
     "more warps or more loads in flight: the schedulers issue already", LOADING | BIT(PREDICT_BLOCKS)},
    {BOUND_MEMORY, "dram", "move fewer bytes: reuse in shared memory or L2, smaller types, fused kernels",
     "more occupancy or stages: the memory is already busy", LOADING | BIT(PREDICT_BLOCKS)},
    {BOUND_MEMORY, "l2", "coalesce: fewer sectors per request; keep reused data in L1 or shared memory",
     "more DRAM bandwidth: DRAM is not the limit", 0},
    {BOUND_MEMORY, "l1", "wider, coalesced accesses; keep values in registers", "more DRAM bandwidth", 0},
    {BOUND_MEMORY, BOUND_ADVICE_OPERANDS,
     "pairs of blocks (cta_group::2), which read operand B once for both; larger tiles; operand A from tensor memory",
     "more DRAM bandwidth", 0},
    {BOUND_MEMORY, BOUND_ADVICE_PAIRS, "larger tiles; operand A from tensor memory", "more DRAM bandwidth", 0},
    {BOUND_MEMORY, "shared", "remove bank conflicts (padding, swizzle), wider shared accesses, values in registers",
     "more DRAM bandwidth", 0},
    {BOUND_MEMORY, "lsu", "wider loads and stores: fewer instructions for the same bytes", "more DRAM bandwidth", 0},
    {BOUND_BALANCED, NULL, "reduce both: work that overlaps compute and memory is already near its limit",
     "speeding up one side alone", BIT(PREDICT_COMPUTE_WORK) | BIT(PREDICT_MEMORY_TRAFFIC)},
};

/* What is left of advice above that asks for stages. */
static const struct {
    enum bound_class class_;
    const char *key, *advice;
} without_stages[] = {
    {BOUND_LATENCY, "long_scoreboard", "more, wider loads in flight per warp, more blocks per SM"},
    {BOUND_LATENCY, "barrier", "fewer barriers, smaller blocks"},
};

const struct bound_advice *bound_advice_for(enum bound_class class_, const char *key)
{
    for (size_t i = 0; i < COUNT_OF(advices); i++)
        if (advices[i].class_ == class_ && (!advices[i].key || !strcmp(advices[i].key, key)))
            return &advices[i];
    return NULL;
}

const char *bound_advice_without_stages(enum bound_class class_, const char *key)
{
    for (size_t i = 0; i < COUNT_OF(without_stages); i++)
        if (without_stages[i].class_ == class_ && !strcmp(without_stages[i].key, key))
            return without_stages[i].advice;
    return NULL;
}
