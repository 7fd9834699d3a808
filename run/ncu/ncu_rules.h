/* ncu_rules.h - the numbers in the sentences of Nsight Compute's rules. The
 * details page says in words what it has no row for: which pipe is busiest, what
 * warps wait for, and the headline of the speed-of-light rule. */
#ifndef CPPROF_NCU_RULES_H
#define CPPROF_NCU_RULES_H

#include <stdbool.h>
#include <stddef.h>

/* What one sentence says; the texts and metrics are ours. */
struct ncu_said {
    const char *headline; /* of the speed-of-light rule: "High Throughput"; NULL when it is another rule */
    bool has_pipe;        /* the busiest pipe is known ... */
    const char *pipe;     /* ... and is this counter of gpu/metrics.c; NULL: one that we have no counter of */
    double pipe_share;
    bool pipe_over_active; /* a share over active cycles, not over elapsed ones */
    const char *stall;     /* a stall counter of gpu/metrics.c, or NULL */
    double stall_cycles;
    bool has_grid; /* the grid leaves SMs without a block: both numbers are known */
    double grid_blocks, sm_count;
};

struct ncu_said ncu_rule_read(const char *rule, const char *text);

#endif
