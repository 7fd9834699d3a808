/* ncu_rules.h - reads the numbers in the sentences of Nsight Compute's rules. Some facts are only in these sentences on
 * the details page: which pipe is busiest, what warps wait for, and the headline of the speed-of-light rule. */
#ifndef CPPROF_NCU_RULES_H
#define CPPROF_NCU_RULES_H

#include <stdbool.h>
#include <stddef.h>

/* The facts of one sentence. Texts and metrics are static. */
struct ncu_said {
    const char *headline; /* of the speed-of-light rule: "High Throughput"; NULL for another rule */
    bool has_pipe;        /* the busiest pipe is known ... */
    const char *pipe;     /* ... and is this counter of core/gpu/metrics.c; NULL when we have no counter for it */
    double pipe_share;
    bool pipe_over_active; /* a share over active cycles instead of elapsed ones */
    const char *stall;     /* a stall counter of core/gpu/metrics.c, or NULL */
    double stall_cycles;
    bool has_grid; /* the grid leaves SMs without a block: both numbers are known */
    double grid_blocks, sm_count;
};

/* Returns the facts of a sentence; all empty when it is not known. */
struct ncu_said ncu_rule_read(const char *rule, const char *text);

#endif
