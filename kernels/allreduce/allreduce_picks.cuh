/* allreduce_picks.cuh - which instance of a kernel's template fits a problem? */
#ifndef CPPROF_ALLREDUCE_PICKS_CUH
#define CPPROF_ALLREDUCE_PICKS_CUH

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "kernels/allreduce/allreduce_bench.h"

namespace allreduce
{

enum { LOADS_MOST = 8 }; /* vectors that a thread loads at once: of all ranks, times its items */

/* Returns as many items as were asked for, as long as the loads fit and all blocks have work; `ctas` is the kernel's
 * own number of them. */
static inline int items_for(const struct allreduce_problem *p, const struct cpprof_config *config, int parts,
                            int ctas = ALLREDUCE_CTAS)
{
    const size_t vectors = (size_t)config->value[ALLREDUCE_AXIS_BYTES] / 16 / (size_t)parts;
    const int64_t asked = config->value[ALLREDUCE_AXIS_CTAS];
    const size_t blocks = (size_t)(asked ? asked : ctas) * ALLREDUCE_THREADS;
    const int ranks = p->ranks <= 2 ? 2 : p->ranks <= 4 ? 4 : 8;
    int items = 1;
    while (2 * items <= (int)config->value[ALLREDUCE_AXIS_ITEMS] && 2 * items * ranks <= LOADS_MOST &&
           vectors >= blocks * (size_t)(2 * items))
        items *= 2;
    return items;
}

static inline size_t allreduce_no_shared(const struct cpprof_config *)
{
    return 0;
}

} // namespace allreduce

/* The instance of KERNEL<types..., RANKS, ITEMS> for this number of ranks, or more. */
#define BY_RANKS_AND_ITEMS(KERNEL, ranks, items, ...)                                                                  \
    ((ranks) > 4    ? KERNEL<__VA_ARGS__, 8, 1>                                                                        \
     : (ranks) > 2  ? ((items) > 1 ? KERNEL<__VA_ARGS__, 4, 2> : KERNEL<__VA_ARGS__, 4, 1>)                            \
     : (items) > 2  ? KERNEL<__VA_ARGS__, 2, 4>                                                                        \
     : (items) == 2 ? KERNEL<__VA_ARGS__, 2, 2>                                                                        \
                    : KERNEL<__VA_ARGS__, 2, 1>)

/* Calls FUNCTION<T>(...) for the type of the values. */
#define BY_DTYPE(FUNCTION, config, ...)                                                                                \
    ((config)->value[ALLREDUCE_AXIS_DTYPE] == ALLREDUCE_FP16   ? FUNCTION<__half>(__VA_ARGS__)                         \
     : (config)->value[ALLREDUCE_AXIS_DTYPE] == ALLREDUCE_BF16 ? FUNCTION<__nv_bfloat16>(__VA_ARGS__)                  \
                                                               : FUNCTION<float>(__VA_ARGS__))

#endif
