/* Which counters answer "what bounds it", and what does CUPTI call them? */
#include "model/metrics.h"

#include <string.h>

#define ELAPSED       ".avg.pct_of_peak_sustained_elapsed"
#define STALL(reason) "smsp__average_warps_issue_stalled_" reason "_per_issue_active.ratio"

/* Names of GH100; docs/metrics.md says which exist on other chips and how many
 * passes the set takes. Shares are over elapsed cycles: a share over active
 * cycles says nothing about a grid that leaves SMs empty. */
static const struct metric metrics[] = {
    /* What Nsight Compute's speed-of-light rule looks at. */
    {"sm_throughput", "sm__throughput" ELAPSED, UNIT_RATIO, METRIC_PLAIN, "sm",
     "busiest part of the SM, issue slots included"},
    {"memory_throughput", "gpu__compute_memory_throughput" ELAPSED, UNIT_RATIO, METRIC_PLAIN, "memory",
     "busiest part of the memory system as Nsight Compute counts it"},
    {"issue_share", "sm__inst_issued" ELAPSED, UNIT_RATIO, METRIC_PLAIN, "issue", "issue slots used"},

    /* Compute side: the execution pipes. IMAD runs on the heavy half of the FMA
     * pipe alone, which can be full when the pipe as a whole is half empty. */
    {"tensor_share", "sm__pipe_tensor_cycles_active" ELAPSED, UNIT_RATIO, METRIC_COMPUTE, "tensor",
     "tensor cores busy"},
    {"fma_share", "sm__pipe_fma_cycles_active" ELAPSED, UNIT_RATIO, METRIC_COMPUTE, "fma", "FP32 FMA pipes busy"},
    {"fmaheavy_share", "sm__pipe_fmaheavy_cycles_active" ELAPSED, UNIT_RATIO, METRIC_COMPUTE, "fma",
     "FMA pipe that also multiplies integers busy"},
    {"fp64_share", "sm__pipe_fp64_cycles_active" ELAPSED, UNIT_RATIO, METRIC_COMPUTE, "fp64", "FP64 pipe busy"},
    {"xu_share", "sm__inst_executed_pipe_xu" ELAPSED, UNIT_RATIO, METRIC_COMPUTE, "xu",
     "transcendental and conversion pipe used"},
    {"alu_share", "sm__pipe_alu_cycles_active" ELAPSED, UNIT_RATIO, METRIC_COMPUTE, "alu",
     "integer and logic pipe busy"},

    /* Memory side. */
    {"dram_share", "dram__throughput" ELAPSED, UNIT_RATIO, METRIC_MEMORY, "dram", "device memory bandwidth"},
    {"l2_share", "lts__throughput" ELAPSED, UNIT_RATIO, METRIC_MEMORY, "l2", "busiest part of the L2 cache"},
    {"l1_share", "l1tex__throughput" ELAPSED, UNIT_RATIO, METRIC_MEMORY, "l1", "busiest part of L1/TEX"},
    {"shared_share", "l1tex__data_pipe_lsu_wavefronts_mem_shared" ELAPSED, UNIT_RATIO, METRIC_MEMORY, "shared",
     "shared-memory data stage used, bank conflicts included"},
    {"lsu_share", "sm__inst_executed_pipe_lsu" ELAPSED, UNIT_RATIO, METRIC_MEMORY, "lsu",
     "load/store pipe instructions"},

    /* Time and amounts. */
    {"elapsed_cycles", "gpc__cycles_elapsed.max", UNIT_CYCLES, METRIC_PLAIN, "time", "cycles from start to end"},
    {"active_cycles", "sm__cycles_active.avg", UNIT_CYCLES, METRIC_PLAIN, "time",
     "cycles with a warp on the SM, mean over SMs"},
    {"duration", "gpu__time_duration.sum", UNIT_NS, METRIC_PLAIN, "time", "duration under the profiler"},
    {"dram_read", "dram__bytes_read.sum", UNIT_BYTES, METRIC_PLAIN, "dram", "bytes read from device memory"},
    {"dram_write", "dram__bytes_write.sum", UNIT_BYTES, METRIC_PLAIN, "dram", "bytes written to device memory"},
    {"l2_hit_ratio", "lts__t_sector_hit_rate.pct", UNIT_RATIO, METRIC_PLAIN, "l2", "L2 sector lookups that hit"},
    {"instructions", "smsp__inst_executed.sum", UNIT_COUNT, METRIC_PLAIN, "instructions", "warp instructions executed"},
    {"ffma_threads", "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum", UNIT_COUNT, METRIC_PLAIN, "instructions",
     "FP32 FMA thread instructions executed"},
    {"ldgsts", "sm__sass_inst_executed_op_ldgsts.sum", UNIT_COUNT, METRIC_PLAIN, "instructions",
     "cp.async (LDGSTS) warp instructions executed"},
    {"bank_conflicts", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum", UNIT_COUNT, METRIC_PLAIN, "shared",
     "shared-memory bank conflicts"},
    {"bank_conflicts_ldgsts", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ldgsts.sum", UNIT_COUNT, METRIC_PLAIN,
     "shared", "shared-memory bank conflicts of cp.async"},

    /* Warps: how many there are, and what they wait for. */
    {"achieved_occupancy", "sm__warps_active.avg.pct_of_peak_sustained_active", UNIT_RATIO, METRIC_PLAIN, "warps",
     "resident warps over the most an SM can hold, while active"},
    {"warps_per_sm", "sm__warps_active.avg.per_cycle_active", UNIT_NONE, METRIC_PLAIN, "warps",
     "resident warps per active SM"},
    {"issue_active", "smsp__issue_active.avg.pct_of_peak_sustained_active", UNIT_RATIO, METRIC_PLAIN, "issue",
     "active cycles in which a scheduler issued"},
    {"warp_latency", "smsp__average_warp_latency_per_inst_issued.ratio", UNIT_CYCLES, METRIC_PLAIN, "warps",
     "cycles of a warp per instruction it issues: the sum of all stall reasons and the issue itself"},
    {"stall_long_scoreboard", STALL("long_scoreboard"), UNIT_CYCLES, METRIC_STALL, "long_scoreboard",
     "waits for a load from global or local memory"},
    {"stall_short_scoreboard", STALL("short_scoreboard"), UNIT_CYCLES, METRIC_STALL, "short_scoreboard",
     "waits for shared memory or a special function"},
    {"stall_barrier", STALL("barrier"), UNIT_CYCLES, METRIC_STALL, "barrier", "waits for other warps at a barrier"},
    {"stall_wait", STALL("wait"), UNIT_CYCLES, METRIC_STALL, "wait", "waits a fixed time for the instruction before"},
    {"stall_math_pipe_throttle", STALL("math_pipe_throttle"), UNIT_CYCLES, METRIC_STALL, "math_pipe_throttle",
     "waits for an execution pipe"},
    {"stall_mio_throttle", STALL("mio_throttle"), UNIT_CYCLES, METRIC_STALL, "mio_throttle",
     "waits for a place in the shared-memory instruction queue"},
    {"stall_lg_throttle", STALL("lg_throttle"), UNIT_CYCLES, METRIC_STALL, "lg_throttle",
     "waits for a place in the load/store instruction queue"},
    {"stall_gmma", STALL("gmma"), UNIT_CYCLES, METRIC_STALL, "gmma", "waits for warpgroup matrix work"},
    {"stall_no_instruction", STALL("no_instruction"), UNIT_CYCLES, METRIC_STALL, "no_instruction",
     "waits for instruction fetch"},
    {"stall_not_selected", STALL("not_selected"), UNIT_CYCLES, METRIC_STALL, "not_selected",
     "ready, but the scheduler issued another warp"},
};

static const size_t metric_count = sizeof metrics / sizeof metrics[0];

const struct metric *metrics_default(size_t *count)
{
    *count = metric_count;
    return metrics;
}

const struct metric *metric_by_id(const char *id)
{
    for (size_t i = 0; i < metric_count; i++)
        if (!strcmp(metrics[i].id, id))
            return &metrics[i];
    return NULL;
}

const struct metric *metric_by_name(const char *cupti_name)
{
    for (size_t i = 0; i < metric_count; i++)
        if (!strcmp(metrics[i].name, cupti_name))
            return &metrics[i];
    return NULL;
}

/* Other names, of what people ask for. */
static const struct {
    const char *id;
    const char *parts[METRIC_PARTS_MAX]; /* ids above */
} sums[] = {
    {"dram_bytes", {"dram_read", "dram_write"}},
    {"tensor_cycles", {"tensor_share"}},
};

size_t metric_parts(const char *name, const char *parts[METRIC_PARTS_MAX])
{
    const struct metric *ours = metric_by_id(name);
    size_t count = 0;
    parts[0] = ours ? ours->name : name;
    for (size_t i = 0; i < sizeof sums / sizeof sums[0]; i++)
        for (; !strcmp(sums[i].id, name) && count < METRIC_PARTS_MAX && sums[i].parts[count]; count++)
            parts[count] = metric_by_id(sums[i].parts[count])->name;
    return count ? count : 1;
}

/* ".pct" as a whole component or as the start of ".pct_of_peak_...". */
static int is_percent(const char *cupti_name)
{
    const char *pct = strstr(cupti_name, ".pct");
    return pct && (pct[4] == '\0' || pct[4] == '_');
}

double metric_to_base(const char *cupti_name, double value)
{
    return is_percent(cupti_name) ? value / 100.0 : value;
}

static int ends_with(const char *text, const char *ending)
{
    size_t length = strlen(text), tail = strlen(ending);
    return length >= tail && !strcmp(text + length - tail, ending);
}

/* What a counter counts stands in its name before the first dot. */
static int counts(const char *cupti_name, const char *what)
{
    const char *dot = strchr(cupti_name, '.');
    const char *found = strstr(cupti_name, what);
    return found && (!dot || found < dot);
}

enum unit metric_unit(const char *cupti_name)
{
    const struct metric *known = metric_by_name(cupti_name);
    if (known)
        return known->unit;
    if (is_percent(cupti_name))
        return UNIT_RATIO;
    if (ends_with(cupti_name, ".per_second"))
        return counts(cupti_name, "bytes") ? UNIT_BYTES_PER_S : counts(cupti_name, "cycles") ? UNIT_HZ : UNIT_NONE;
    if (ends_with(cupti_name, ".ratio") || strstr(cupti_name, ".per_") || strstr(cupti_name, ".peak_"))
        return UNIT_NONE;
    return counts(cupti_name, "time_duration") ? UNIT_NS
           : counts(cupti_name, "bytes")       ? UNIT_BYTES
           : counts(cupti_name, "cycles")      ? UNIT_CYCLES
                                               : UNIT_COUNT;
}
