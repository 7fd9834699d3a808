/* metrics.h - the counters that have a role: their names in CUPTI, their units, and the sets that collect them. */
#ifndef CPPROF_METRICS_H
#define CPPROF_METRICS_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/units.h"

enum metric_role {
    METRIC_PLAIN,   /* evidence, not a share of a peak */
    METRIC_COMPUTE, /* share of peak of a compute pipe, over elapsed cycles */
    METRIC_MEMORY,  /* share of peak of a memory unit, over elapsed cycles */
    METRIC_STALL,   /* warps stalled for this reason per issued instruction */
    METRIC_FLOP,    /* operations of a precision; each counts as metric_flop floating-point operations */
    METRIC_PEAK     /* highest rate of bytes or operations, at the clocks of the run */
};

/* What `run` can collect at once; core/gpu/metric_sets.h describes each. */
enum metric_set_id {
    METRIC_SET_BOUND, /* the default of a run */
    METRIC_SET_STALLS,
    METRIC_SET_MEMORY,
    METRIC_SET_FLOPS,
    METRIC_SET_NVLINK,
    METRIC_SET_NONE,
    METRIC_SET_COUNT
};

struct metric {
    const char *id;   /* ours: "dram_share" */
    const char *name; /* CUPTI's: "dram__throughput.avg.pct_of_peak_sustained_elapsed" */
    enum unit unit;   /* after conversion to base units (percent becomes a ratio) */
    enum metric_role role;
    unsigned sets; /* 1u << METRIC_SET_... */
    /* The unit's name in a verdict for compute and memory ("fma", "dram"), the reason for stalls, the precision for
     * flop ("fp32", "tensor_bf16"), the group that it is the ceiling of for peak. */
    const char *group;
    const char *meaning;
};

const char *metric_role_name(enum metric_role role); /* "compute"; "" for METRIC_PLAIN */

/* Returns all counters that have an id. core/gpu/metric_sets.h has the sets that collect them. */
const struct metric *metrics_known(size_t *count);
const struct metric *metric_by_id(const char *id);
const struct metric *metric_by_name(const char *cupti_name); /* by any of its names; NULL when unknown */

/* Returns CUPTI's names of a counter in the order of preference, from 0; NULL after the last. A chip knows at most one
 * of them. */
enum { METRIC_NAMES_MAX = 4 };
const char *metric_name(const struct metric *metric, size_t preference);
double metric_flop(const struct metric *metric);        /* for METRIC_FLOP and its ceilings; 0 for others */
bool metric_is_of_tcgen05(const struct metric *metric); /* a unit that only chips with tcgen05 have, none of whose work
                                                           another counter of its group sees */
bool metric_has_others(const char *cupti_name);         /* does the counter have other names on other chips? */

/* Gives CUPTI's counters that a name of ours or CUPTI's stands for: one, those that it is the sum of ("dram_bytes"), or
 * those of which the largest that the chip has counts ("tensor_cycles"). Returns how many. An unknown name stands for
 * itself. */
enum { METRIC_PARTS_MAX = 2 };
size_t metric_parts(const char *name, const char *parts[METRIC_PARTS_MAX]);
bool metric_is_largest(const char *name); /* of its parts, which may count the same work; else it is their sum */
const char *metric_sum_id(size_t i);      /* the ids of sums, from 0; NULL after the last */

/* Converts CUPTI's value of a metric to base units: a name with .pct is divided by 100. */
double metric_to_base(const char *cupti_name, double value);
enum unit metric_unit(const char *cupti_name); /* for unknown names: derived from the end of the name */

/* The ids that code asks for by name; the first is a sum. */
#define METRIC_DRAM_BYTES               "dram_bytes"
#define METRIC_SM_THROUGHPUT            "sm_throughput"
#define METRIC_MEMORY_THROUGHPUT        "memory_throughput"
#define METRIC_ISSUE_SHARE              "issue_share"
#define METRIC_TENSOR_SHARE             "tensor_share"
#define METRIC_TC_SHARE                 "tc_share"
#define METRIC_TMEM_SHARE               "tmem_share"
#define METRIC_FMA_SHARE                "fma_share"
#define METRIC_FMAHEAVY_SHARE           "fmaheavy_share"
#define METRIC_FP64_SHARE               "fp64_share"
#define METRIC_XU_SHARE                 "xu_share"
#define METRIC_ALU_SHARE                "alu_share"
#define METRIC_DRAM_SHARE               "dram_share"
#define METRIC_L2_SHARE                 "l2_share"
#define METRIC_L1_SHARE                 "l1_share"
#define METRIC_SHARED_SHARE             "shared_share"
#define METRIC_OPERANDS_SHARE           "operands_share"
#define METRIC_LSU_SHARE                "lsu_share"
#define METRIC_ELAPSED_CYCLES           "elapsed_cycles"
#define METRIC_ACTIVE_CYCLES            "active_cycles"
#define METRIC_SM_CLOCK                 "sm_clock"
#define METRIC_DURATION                 "duration"
#define METRIC_DRAM_READ                "dram_read"
#define METRIC_DRAM_WRITE               "dram_write"
#define METRIC_L1_BYTES                 "l1_bytes"
#define METRIC_L2_BYTES                 "l2_bytes"
#define METRIC_L2_HIT_RATIO             "l2_hit_ratio"
#define METRIC_INSTRUCTIONS             "instructions"
#define METRIC_LDGSTS                   "ldgsts"
#define METRIC_TCGEN05                  "tcgen05"
#define METRIC_TCGEN05_PAIRS            "tcgen05_pairs"
#define METRIC_BANK_CONFLICTS           "bank_conflicts"
#define METRIC_FFMA_THREADS             "ffma_threads"
#define METRIC_FADD_THREADS             "fadd_threads"
#define METRIC_FMUL_THREADS             "fmul_threads"
#define METRIC_HFMA_THREADS             "hfma_threads"
#define METRIC_HADD_THREADS             "hadd_threads"
#define METRIC_HMUL_THREADS             "hmul_threads"
#define METRIC_TENSOR_INT8_OPS          "tensor_int8_ops"
#define METRIC_PEAK_DRAM                "peak_dram"
#define METRIC_PEAK_L2                  "peak_l2"
#define METRIC_L2_WRITE_SECTORS         "l2_write_sectors"
#define METRIC_NVLINK_RECEIVED          "nvlink_received"
#define METRIC_NVLINK_SENT              "nvlink_sent"
#define METRIC_NVLINK_RECEIVED_DATA     "nvlink_received_data"
#define METRIC_NVLINK_SENT_DATA         "nvlink_sent_data"
#define METRIC_ACHIEVED_OCCUPANCY       "achieved_occupancy"
#define METRIC_WARPS_PER_SM             "warps_per_sm"
#define METRIC_ISSUE_ACTIVE             "issue_active"
#define METRIC_WARP_LATENCY             "warp_latency"
#define METRIC_STALL_LONG_SCOREBOARD    "stall_long_scoreboard"
#define METRIC_STALL_SHORT_SCOREBOARD   "stall_short_scoreboard"
#define METRIC_STALL_BARRIER            "stall_barrier"
#define METRIC_STALL_WAIT               "stall_wait"
#define METRIC_STALL_MATH_PIPE_THROTTLE "stall_math_pipe_throttle"
#define METRIC_STALL_MIO_THROTTLE       "stall_mio_throttle"
#define METRIC_STALL_LG_THROTTLE        "stall_lg_throttle"
#define METRIC_STALL_NOT_SELECTED       "stall_not_selected"
#define METRIC_STALL_DISPATCH_STALL     "stall_dispatch_stall"

/* CUPTI's names of sectors that are written in L2, by operation; only the first is in a set of ours. */
#define METRIC_NAME_L2_WRITES     "lts__t_sectors_op_write.sum"
#define METRIC_NAME_L2_ATOMICS    "lts__t_sectors_op_atom.sum"
#define METRIC_NAME_L2_REDUCTIONS "lts__t_sectors_op_red.sum"

/* A counter that is never 0 for a launch on several GPUs that was counted as a whole. 0 means that nothing was
 * counted. */
#define COLLECTIVE_WITNESS "smsp__inst_executed.sum"

#endif
