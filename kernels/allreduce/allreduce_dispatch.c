/* Which kernel does which all-reduce? */
#include "kernels/allreduce/allreduce_dispatch.h"

#include <stdbool.h>
#include <string.h>

#define KIB ((uint64_t)1 << 10)
#define MIB ((uint64_t)1 << 20)

enum { RANKS_MOST = 8, WIDEST = 16 };

static const char *const names[ALLREDUCE_KERNELS] = {
    "1stage",     "1stage-cpasync2", "1stage-cpasync3", "1stage-cpasync4", "2stage",      "2stage-cpasync",
    "1stage-tma", "1stage-pdl",      "1stage-push",     "1stage-ll",       "2stage-push", "2stage-send",
};

/* The first row that fits a message decides; limits are inclusive. The last row takes all. Rows that need compute
 * capability 9.0 are measured (two and four H200); the others have the thresholds of the investigation. */
static const struct {
    int needs_9;
    int ranks_most;
    uint64_t bytes_most;
    int alignment_least;
    enum allreduce_kernel_id kernel;
} table[] = {
    {1, 2, 128 * KIB, WIDEST, ALLREDUCE_IS_1STAGE_LL},
    {1, 2, 4 * MIB, WIDEST, ALLREDUCE_IS_1STAGE_PUSH},
    {1, 2, UINT64_MAX, WIDEST, ALLREDUCE_IS_2STAGE_SEND},
    {1, 4, 256 * KIB, WIDEST, ALLREDUCE_IS_1STAGE_PUSH},
    {1, RANKS_MOST, 128 * KIB, WIDEST, ALLREDUCE_IS_1STAGE_PUSH},
    {1, RANKS_MOST, 4 * MIB, WIDEST, ALLREDUCE_IS_2STAGE_PUSH},
    {1, RANKS_MOST, UINT64_MAX, WIDEST, ALLREDUCE_IS_2STAGE_SEND},
    {0, RANKS_MOST, 256 * KIB, 4, ALLREDUCE_IS_1STAGE}, /* one chunk per block: nothing to prefetch */
    {0, 2, 8 * MIB, WIDEST, ALLREDUCE_IS_1STAGE_CPASYNC3},
    {0, RANKS_MOST, 4 * MIB, WIDEST,
     ALLREDUCE_IS_1STAGE_CPASYNC3}, /* one shot reads all n messages, so its advantage ends earlier */
    {0, RANKS_MOST, 64 * MIB, WIDEST, ALLREDUCE_IS_2STAGE_CPASYNC},
    {0, RANKS_MOST, UINT64_MAX, WIDEST, ALLREDUCE_IS_2STAGE},
    {0, RANKS_MOST, UINT64_MAX, 1, ALLREDUCE_IS_1STAGE}, /* the only one with narrower vectors */
};

static bool fits(const struct allreduce_message *m, size_t row)
{
    return m->is_9 >= table[row].needs_9 && m->ranks <= table[row].ranks_most && m->bytes <= table[row].bytes_most &&
           m->alignment >= table[row].alignment_least;
}

const char *allreduce_kernel_name(enum allreduce_kernel_id kernel)
{
    return names[kernel];
}

static enum allreduce_kernel_id by_table(const struct allreduce_message *m)
{
    size_t row = 0;
    while (row + 1 < sizeof table / sizeof table[0] && !fits(m, row))
        row++;
    return table[row].kernel;
}

int allreduce_choose(const struct allreduce_message *message, const char *forced, enum allreduce_kernel_id *kernel)
{
    enum allreduce_kernel_id chosen = ALLREDUCE_IS_1STAGE;
    if (forced && *forced)
        while (chosen < ALLREDUCE_KERNELS && strcmp(names[chosen], forced) != 0)
            chosen++;
    else
        chosen = by_table(message);
    if (chosen == ALLREDUCE_KERNELS)
        return -1;
    *kernel = chosen;
    return 0;
}
