/* Which counters show what bounds a kernel, and what does CUPTI call them? */
#define _POSIX_C_SOURCE 200809L
#include "core/gpu/metrics.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define ELAPSED       ".avg.pct_of_peak_sustained_elapsed"
#define STALL(reason) "smsp__average_warps_issue_stalled_" reason "_per_issue_active.ratio"
#define THREADS(op)   "smsp__sass_thread_inst_executed_op_" op "_pred_on.sum"
#define TENSOR(kind)  "sm__ops_path_tensor_" kind ".sum"
#define PEAK          ".peak_sustained_elapsed.per_second"

enum {
    BOUND = 1u << METRIC_SET_BOUND,
    STALLS = 1u << METRIC_SET_STALLS,
    MEMORY = 1u << METRIC_SET_MEMORY,
    FLOPS = 1u << METRIC_SET_FLOPS,
    NVLINK = 1u << METRIC_SET_NVLINK
};

/* The names of GH100 come first, then the names on other chips. core/gpu/chips.c has what each chip lacks and how many
 * passes a set takes. Shares are over elapsed cycles: a share over active cycles would ignore the SMs that a small grid
 * leaves empty. */
static const struct metric metrics[] = {
    /* The counters that Nsight Compute's speed-of-light rule uses. */
    {"sm_throughput", "sm__throughput" ELAPSED, UNIT_RATIO, METRIC_PLAIN, BOUND, "sm",
     "busiest part of the SM, issue slots included"},
    {"memory_throughput", "gpu__compute_memory_throughput" ELAPSED, UNIT_RATIO, METRIC_PLAIN, BOUND, "memory",
     "busiest part of the memory system as Nsight Compute counts it"},
    {"issue_share", "sm__inst_issued" ELAPSED, UNIT_RATIO, METRIC_PLAIN, BOUND, "issue", "issue slots used"},

    /* Compute side: the execution pipes. IMAD runs only on the heavy half of the FMA pipe, which can be full when the
     * whole pipe is half empty. */
    {"tensor_share", "sm__pipe_tensor_cycles_active" ELAPSED, UNIT_RATIO, METRIC_COMPUTE, BOUND | FLOPS, "tensor",
     "tensor cores busy"},
    {"tc_share", "sm__pipe_tc_cycles_active" ELAPSED, UNIT_RATIO, METRIC_COMPUTE, BOUND | FLOPS, "tensor",
     "tensor cores busy with tcgen05, which the row above may miss"},
    {"tmem_share", "sm__mem_tensor_cycles_active" ELAPSED, UNIT_RATIO, METRIC_COMPUTE, BOUND | MEMORY, "tmem",
     "tensor memory busy"},
    {"fma_share", "sm__pipe_fma_cycles_active" ELAPSED, UNIT_RATIO, METRIC_COMPUTE, BOUND, "fma",
     "FP32 FMA pipes busy"},
    {"fmaheavy_share", "sm__pipe_fmaheavy_cycles_active" ELAPSED, UNIT_RATIO, METRIC_COMPUTE, BOUND, "fma",
     "FMA pipe that also multiplies integers busy"},
    {"fp64_share", "sm__pipe_fp64_cycles_active" ELAPSED, UNIT_RATIO, METRIC_COMPUTE, BOUND, "fp64", "FP64 pipe busy"},
    {"xu_share", "sm__inst_executed_pipe_xu" ELAPSED, UNIT_RATIO, METRIC_COMPUTE, BOUND, "xu",
     "transcendental and conversion pipe used"},
    {"alu_share", "sm__pipe_alu_cycles_active" ELAPSED, UNIT_RATIO, METRIC_COMPUTE, BOUND, "alu",
     "integer and logic pipe busy"},

    /* Memory side. */
    {"dram_share", "dram__throughput" ELAPSED, UNIT_RATIO, METRIC_MEMORY, BOUND | MEMORY, "dram",
     "device memory bandwidth"},
    {"l2_share", "lts__throughput" ELAPSED, UNIT_RATIO, METRIC_MEMORY, BOUND, "l2", "busiest part of the L2 cache"},
    {"l1_share", "l1tex__throughput" ELAPSED, UNIT_RATIO, METRIC_MEMORY, BOUND, "l1", "busiest part of L1/TEX"},
    {"shared_share", "l1tex__data_pipe_lsu_wavefronts_mem_shared" ELAPSED, UNIT_RATIO, METRIC_MEMORY, BOUND | MEMORY,
     "shared", "shared-memory data stage used, bank conflicts included"},
    {"operands_share", "l1tex__data_pipe_tc_wavefronts_mem_shared" ELAPSED, UNIT_RATIO, METRIC_MEMORY, BOUND | MEMORY,
     "shared", "shared-memory data stage used by operands of tcgen05"},
    {"lsu_share", "sm__inst_executed_pipe_lsu" ELAPSED, UNIT_RATIO, METRIC_MEMORY, BOUND | MEMORY, "lsu",
     "load/store pipe instructions"},

    /* Time and amounts. */
    {"elapsed_cycles", "gpc__cycles_elapsed.max", UNIT_CYCLES, METRIC_PLAIN, BOUND | STALLS | MEMORY | FLOPS, "time",
     "cycles from start to end"},
    {"active_cycles", "sm__cycles_active.avg", UNIT_CYCLES, METRIC_PLAIN, BOUND, "time",
     "cycles with a warp on the SM, mean over SMs"},
    {"scheduler_elapsed", "smsp__cycles_elapsed.avg", UNIT_CYCLES, METRIC_PLAIN, BOUND | STALLS, "time",
     "cycles of a warp scheduler from start to end"},
    {"scheduler_active", "smsp__cycles_active.avg", UNIT_CYCLES, METRIC_PLAIN, BOUND | STALLS, "time",
     "cycles with a warp on the scheduler, mean over schedulers"},
    {"scheduler_issuing", "smsp__issue_active.avg", UNIT_CYCLES, METRIC_PLAIN, BOUND | STALLS, "issue",
     "cycles in which the scheduler issued, mean over schedulers"},
    {"sm_clock", "sm__cycles_elapsed.avg.per_second", UNIT_HZ, METRIC_PLAIN, BOUND | STALLS | MEMORY | FLOPS, "time",
     "clock of the SMs meanwhile"},
    {"duration", "gpu__time_duration.sum", UNIT_NS, METRIC_PLAIN, BOUND | STALLS | MEMORY | FLOPS | NVLINK, "time",
     "duration under the profiler"},
    {"dram_read", "dram__bytes_read.sum", UNIT_BYTES, METRIC_PLAIN, BOUND | MEMORY | FLOPS, "dram",
     "bytes read from device memory"},
    {"dram_write", "dram__bytes_write.sum", UNIT_BYTES, METRIC_PLAIN, BOUND | MEMORY | FLOPS, "dram",
     "bytes written to device memory"},
    {"l1_bytes", "l1tex__t_bytes.sum", UNIT_BYTES, METRIC_PLAIN, BOUND | MEMORY | FLOPS, "l1",
     "bytes asked of L1/TEX, whole sectors; shared memory apart"},
    {"l2_bytes", "lts__t_bytes.sum", UNIT_BYTES, METRIC_PLAIN, BOUND | MEMORY | FLOPS, "l2",
     "bytes asked of the L2 cache, whole sectors"},
    {"l1_hit_ratio", "l1tex__t_sector_hit_rate.pct", UNIT_RATIO, METRIC_PLAIN, BOUND | MEMORY, "l1",
     "L1 sector lookups that hit"},
    {"l2_hit_ratio", "lts__t_sector_hit_rate.pct", UNIT_RATIO, METRIC_PLAIN, BOUND | MEMORY, "l2",
     "L2 sector lookups that hit"},
    {"instructions", "smsp__inst_executed.sum", UNIT_COUNT, METRIC_PLAIN, BOUND | STALLS, "instructions",
     "warp instructions executed"},
    {"ldgsts", "sm__sass_inst_executed_op_ldgsts.sum", UNIT_COUNT, METRIC_PLAIN, BOUND | MEMORY, "instructions",
     "cp.async (LDGSTS) warp instructions executed"},
    {"tcgen05", "sm__inst_executed_pipe_tc.sum", UNIT_COUNT, METRIC_PLAIN, BOUND, "instructions",
     "tcgen05 warp instructions executed"},
    {"tcgen05_pairs", "sm__inst_executed_pipe_tc_scope_2cta.sum", UNIT_COUNT, METRIC_PLAIN, BOUND, "instructions",
     "tcgen05 warp instructions executed for a pair of blocks (cta_group::2)"},
    {"bank_conflicts", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum", UNIT_COUNT, METRIC_PLAIN, BOUND | MEMORY,
     "shared", "shared-memory bank conflicts"},
    {"bank_conflicts_ldgsts", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ldgsts.sum", UNIT_COUNT, METRIC_PLAIN,
     BOUND | MEMORY, "shared", "shared-memory bank conflicts of cp.async"},

    /* Operations, and how many floating-point operations each is. They count threads whose predicate is on; a packed
     * half instruction does two operations. */
    {"ffma_threads", THREADS("ffma"), UNIT_COUNT, METRIC_FLOP, BOUND | FLOPS, "fp32",
     "FP32 FMA thread instructions executed"},
    {"fadd_threads", THREADS("fadd"), UNIT_COUNT, METRIC_FLOP, BOUND | FLOPS, "fp32",
     "FP32 addition thread instructions executed"},
    {"fmul_threads", THREADS("fmul"), UNIT_COUNT, METRIC_FLOP, BOUND | FLOPS, "fp32",
     "FP32 multiplication thread instructions executed"},
    {"dfma_threads", THREADS("dfma"), UNIT_COUNT, METRIC_FLOP, BOUND | FLOPS, "fp64",
     "FP64 FMA thread instructions executed"},
    {"dadd_threads", THREADS("dadd"), UNIT_COUNT, METRIC_FLOP, BOUND | FLOPS, "fp64",
     "FP64 addition thread instructions executed"},
    {"dmul_threads", THREADS("dmul"), UNIT_COUNT, METRIC_FLOP, BOUND | FLOPS, "fp64",
     "FP64 multiplication thread instructions executed"},
    {"hfma_threads", THREADS("hfma"), UNIT_COUNT, METRIC_FLOP, BOUND | FLOPS, "fp16",
     "packed half FMA thread instructions executed"},
    {"hadd_threads", THREADS("hadd"), UNIT_COUNT, METRIC_FLOP, BOUND | FLOPS, "fp16",
     "packed half addition thread instructions executed"},
    {"hmul_threads", THREADS("hmul"), UNIT_COUNT, METRIC_FLOP, BOUND | FLOPS, "fp16",
     "packed half multiplication thread instructions executed"},
    {"tensor_fp16_ops", TENSOR("src_fp16"), UNIT_COUNT, METRIC_FLOP, BOUND | FLOPS, "tensor_fp16",
     "tensor-core operations on FP16"},
    {"tensor_fp16_acc16_ops", TENSOR("src_fp16_dst_fp16"), UNIT_COUNT, METRIC_FLOP, BOUND | FLOPS, "tensor_fp16",
     "tensor-core operations on FP16 that accumulate in FP16, where the row above counts FP32 accumulation only"},
    {"tensor_bf16_ops", TENSOR("src_bf16_dst_fp32"), UNIT_COUNT, METRIC_FLOP, BOUND | FLOPS, "tensor_bf16",
     "tensor-core operations on BF16"},
    {"tensor_tf32_ops", TENSOR("src_tf32_dst_fp32"), UNIT_COUNT, METRIC_FLOP, BOUND | FLOPS, "tensor_tf32",
     "tensor-core operations on TF32"},
    {"tensor_fp8_ops", TENSOR("src_fp8"), UNIT_COUNT, METRIC_FLOP, BOUND | FLOPS, "tensor_fp8",
     "tensor-core operations on FP8"},
    {"tensor_fp8_acc16_ops", TENSOR("src_fp8_dst_fp16"), UNIT_COUNT, METRIC_FLOP, BOUND | FLOPS, "tensor_fp8",
     "tensor-core operations on FP8 that accumulate in FP16, where the row above counts FP32 accumulation only"},
    {"tensor_fp6_ops", TENSOR("src_fp4_fp6_dst_fp32"), UNIT_COUNT, METRIC_FLOP, BOUND | FLOPS, "tensor_fp8",
     "tensor-core operations on FP6, and on FP4 at the rate of FP8, where no row above counts them"},
    {"tensor_fp6_acc16_ops", TENSOR("src_fp4_fp6_dst_fp16"), UNIT_COUNT, METRIC_FLOP, BOUND | FLOPS, "tensor_fp8",
     "the same that accumulate in FP16"},
    {"tensor_fp4_ops", TENSOR("src_fp4_dst_fp32"), UNIT_COUNT, METRIC_FLOP, BOUND | FLOPS, "tensor_fp4",
     "tensor-core operations on FP4 at its own rate"},
    {"tensor_fp64_ops", TENSOR("src_fp64"), UNIT_COUNT, METRIC_FLOP, BOUND | FLOPS, "tensor_fp64",
     "tensor-core operations on FP64"},
    {"tensor_int8_ops", TENSOR("src_int8"), UNIT_COUNT, METRIC_PLAIN, FLOPS, "tensor_int8",
     "tensor-core operations on INT8, which are no floating-point ones"},

    /* Theoretical ceilings of the units above at the clocks of the run. They need no pass of their own. */
    {"peak_dram", "dram__bytes.sum" PEAK, UNIT_BYTES_PER_S, METRIC_PEAK, BOUND | MEMORY | FLOPS, "dram",
     "most that device memory can move"},
    {"peak_l2", "lts__t_bytes.sum" PEAK, UNIT_BYTES_PER_S, METRIC_PEAK, BOUND | MEMORY | FLOPS, "l2",
     "most that the L2 cache can move"},
    {"peak_l1", "l1tex__t_bytes.sum" PEAK, UNIT_BYTES_PER_S, METRIC_PEAK, BOUND | MEMORY | FLOPS, "l1",
     "most that L1/TEX can move"},
    {"peak_ffma", THREADS("ffma") PEAK, UNIT_NONE, METRIC_PEAK, BOUND | FLOPS, "fp32",
     "most FP32 FMA thread instructions a second"},
    {"peak_dfma", THREADS("dfma") PEAK, UNIT_NONE, METRIC_PEAK, BOUND | FLOPS, "fp64",
     "most FP64 FMA thread instructions a second"},
    {"peak_hfma", THREADS("hfma") PEAK, UNIT_NONE, METRIC_PEAK, BOUND | FLOPS, "fp16",
     "most packed half FMA thread instructions a second"},
    {"peak_tensor_fp16", TENSOR("op_hgmma_src_fp16_sparsity_off") PEAK, UNIT_NONE, METRIC_PEAK, BOUND | FLOPS,
     "tensor_fp16", "most dense tensor-core operations on FP16 a second"},
    {"peak_tensor_bf16", TENSOR("op_hgmma_src_bf16_dst_fp32_sparsity_off") PEAK, UNIT_NONE, METRIC_PEAK, BOUND | FLOPS,
     "tensor_bf16", "most dense tensor-core operations on BF16 a second"},
    {"peak_tensor_tf32", TENSOR("op_hgmma_src_tf32_dst_fp32_sparsity_off") PEAK, UNIT_NONE, METRIC_PEAK, BOUND | FLOPS,
     "tensor_tf32", "most dense tensor-core operations on TF32 a second"},
    {"peak_tensor_fp8", TENSOR("src_fp8_sparsity_off") PEAK, UNIT_NONE, METRIC_PEAK, BOUND | FLOPS, "tensor_fp8",
     "most dense tensor-core operations on FP8 a second"},
    {"peak_tensor_fp4", TENSOR("op_utcomma_src_fp4_dst_fp32_sparsity_off") PEAK, UNIT_NONE, METRIC_PEAK, BOUND | FLOPS,
     "tensor_fp4", "most dense tensor-core operations on FP4 a second"},
    {"peak_tensor_fp64", TENSOR("src_fp64") PEAK, UNIT_NONE, METRIC_PEAK, BOUND | FLOPS, "tensor_fp64",
     "most tensor-core operations on FP64 a second"},

    /* Where the bytes go. */
    {"global_load_requests", "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", UNIT_COUNT, METRIC_PLAIN, MEMORY, "l1",
     "loads from global memory, a request a warp"},
    {"global_load_sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", UNIT_COUNT, METRIC_PLAIN, MEMORY, "l1",
     "sectors of 32 bytes that they touch"},
    {"global_store_requests", "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum", UNIT_COUNT, METRIC_PLAIN, MEMORY, "l1",
     "stores to global memory, a request a warp"},
    {"global_store_sectors", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum", UNIT_COUNT, METRIC_PLAIN, MEMORY, "l1",
     "sectors of 32 bytes that they touch"},
    {"l1_fill_bytes", "l1tex__m_xbar2l1tex_read_bytes.sum", UNIT_BYTES, METRIC_PLAIN, MEMORY, "l1",
     "bytes read from L2 into the SMs"},
    {"l1_write_bytes", "l1tex__m_l1tex2xbar_write_bytes.sum", UNIT_BYTES, METRIC_PLAIN, MEMORY, "l1",
     "bytes written from the SMs to L2"},
    {"l2_read_sectors", "lts__t_sectors_op_read.sum", UNIT_COUNT, METRIC_PLAIN, MEMORY, "l2", "sectors read in L2"},
    {"l2_write_sectors", "lts__t_sectors_op_write.sum", UNIT_COUNT, METRIC_PLAIN, MEMORY, "l2",
     "sectors written in L2"},
    {"shared_load_wavefronts", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum", UNIT_COUNT, METRIC_PLAIN, MEMORY,
     "shared", "cycles of the shared-memory data stage for loads"},
    {"shared_store_wavefronts", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum", UNIT_COUNT, METRIC_PLAIN,
     MEMORY, "shared", "cycles of the shared-memory data stage for stores"},
    {"shared_bytes", "sm__sass_data_bytes_mem_shared.sum", UNIT_BYTES, METRIC_PLAIN, MEMORY, "shared",
     "bytes that instructions asked of shared memory"},
    {"global_bytes", "sm__sass_data_bytes_mem_global.sum", UNIT_BYTES, METRIC_PLAIN, MEMORY, "l1",
     "bytes that instructions asked of global memory"},

    {"tmem_reads", "sm__mem_tensor_reads.sum", UNIT_COUNT, METRIC_PLAIN, MEMORY, "tmem", "reads of tensor memory"},
    {"tmem_writes", "sm__mem_tensor_writes.sum", UNIT_COUNT, METRIC_PLAIN, MEMORY, "tmem", "writes to tensor memory"},

    /* Links to other devices. */
    {"nvlink_received", "nvlrx__bytes.sum", UNIT_BYTES, METRIC_PLAIN, NVLINK, "nvlink",
     "bytes received over NVLink, protocol included"},
    {"nvlink_sent", "nvltx__bytes.sum", UNIT_BYTES, METRIC_PLAIN, NVLINK, "nvlink",
     "bytes sent over NVLink, protocol included"},
    {"nvlink_received_data", "nvlrx__bytes_data_user.sum", UNIT_BYTES, METRIC_PLAIN, NVLINK, "nvlink",
     "user bytes received over NVLink"},
    {"nvlink_sent_data", "nvltx__bytes_data_user.sum", UNIT_BYTES, METRIC_PLAIN, NVLINK, "nvlink",
     "user bytes sent over NVLink"},
    {"pcie_read", "pcie__read_bytes.sum", UNIT_BYTES, METRIC_PLAIN, NVLINK, "pcie", "bytes read over PCIe"},
    {"pcie_written", "pcie__write_bytes.sum", UNIT_BYTES, METRIC_PLAIN, NVLINK, "pcie", "bytes written over PCIe"},

    /* Warps: how many there are, and what they wait for. */
    {"achieved_occupancy", "sm__warps_active.avg.pct_of_peak_sustained_active", UNIT_RATIO, METRIC_PLAIN,
     BOUND | STALLS, "warps", "resident warps over the most an SM can hold, while active"},
    {"warps_per_sm", "sm__warps_active.avg.per_cycle_active", UNIT_NONE, METRIC_PLAIN, BOUND | STALLS, "warps",
     "resident warps per active SM"},
    {"issue_active", "smsp__issue_active.avg.pct_of_peak_sustained_active", UNIT_RATIO, METRIC_PLAIN, BOUND | STALLS,
     "issue", "active cycles in which a scheduler issued"},
    {"warp_latency", "smsp__average_warp_latency_per_inst_issued.ratio", UNIT_CYCLES, METRIC_PLAIN, BOUND | STALLS,
     "warps", "cycles of a warp per instruction it issues: the sum of all stall reasons and the issue itself"},
    {"stall_long_scoreboard", STALL("long_scoreboard"), UNIT_CYCLES, METRIC_STALL, BOUND | STALLS, "long_scoreboard",
     "waits for a load from global or local memory"},
    {"stall_short_scoreboard", STALL("short_scoreboard"), UNIT_CYCLES, METRIC_STALL, BOUND | STALLS, "short_scoreboard",
     "waits for shared memory or a special function"},
    {"stall_barrier", STALL("barrier"), UNIT_CYCLES, METRIC_STALL, BOUND | STALLS, "barrier",
     "waits for other warps at a barrier"},
    {"stall_wait", STALL("wait"), UNIT_CYCLES, METRIC_STALL, BOUND | STALLS, "wait",
     "waits a fixed time for the instruction before"},
    {"stall_math_pipe_throttle", STALL("math_pipe_throttle"), UNIT_CYCLES, METRIC_STALL, BOUND | STALLS,
     "math_pipe_throttle", "waits for an execution pipe"},
    {"stall_mio_throttle", STALL("mio_throttle"), UNIT_CYCLES, METRIC_STALL, BOUND | STALLS, "mio_throttle",
     "waits for a place in the shared-memory instruction queue"},
    {"stall_lg_throttle", STALL("lg_throttle"), UNIT_CYCLES, METRIC_STALL, BOUND | STALLS, "lg_throttle",
     "waits for a place in the load/store instruction queue"},
    {"stall_gmma", STALL("gmma"), UNIT_CYCLES, METRIC_STALL, BOUND | STALLS, "gmma", "waits for warpgroup matrix work"},
    {"stall_no_instruction", STALL("no_instruction"), UNIT_CYCLES, METRIC_STALL, BOUND | STALLS, "no_instruction",
     "waits for instruction fetch"},
    {"stall_not_selected", STALL("not_selected"), UNIT_CYCLES, METRIC_STALL, BOUND | STALLS, "not_selected",
     "ready, but the scheduler issued another warp"},
    {"stall_branch_resolving", STALL("branch_resolving"), UNIT_CYCLES, METRIC_STALL, BOUND | STALLS, "branch_resolving",
     "waits for the target of a branch"},
    {"stall_dispatch_stall", STALL("dispatch_stall"), UNIT_CYCLES, METRIC_STALL, BOUND | STALLS, "dispatch_stall",
     "chosen, but the dispatcher held it back"},
    {"stall_drain", STALL("drain"), UNIT_CYCLES, METRIC_STALL, BOUND | STALLS, "drain",
     "waits at its end for its stores"},
    {"stall_imc_miss", STALL("imc_miss"), UNIT_CYCLES, METRIC_STALL, BOUND | STALLS, "imc_miss",
     "waits for the constant cache"},
    {"stall_membar", STALL("membar"), UNIT_CYCLES, METRIC_STALL, BOUND | STALLS, "membar",
     "waits for a memory barrier"},
    {"stall_misc", STALL("misc"), UNIT_CYCLES, METRIC_STALL, BOUND | STALLS, "misc", "waits for something else"},
    {"stall_sleeping", STALL("sleeping"), UNIT_CYCLES, METRIC_STALL, BOUND | STALLS, "sleeping",
     "sleeps because it was told to"},
    {"stall_tex_throttle", STALL("tex_throttle"), UNIT_CYCLES, METRIC_STALL, BOUND | STALLS, "tex_throttle",
     "waits for a place in the texture instruction queue"},
    {"stall_selected", STALL("selected"), UNIT_CYCLES, METRIC_PLAIN, BOUND | STALLS, "selected",
     "no stall but the issue itself, 1 by definition; warp_latency is this and all stalls"},
};

enum { KNOWN_MOST = sizeof metrics / sizeof metrics[0] };
static const size_t metric_count = KNOWN_MOST;

/* For chips that lack the name above: the closest counter that they have. */
static const struct {
    const char *id;
    const char *names[METRIC_NAMES_MAX - 1];
} instead[] = {
    {"dram_read", {"dram__bytes_op_read.sum"}},
    {"dram_write", {"dram__bytes_op_write.sum"}},
    {"tensor_fp16_ops", {TENSOR("src_fp16_dst_fp32"), TENSOR("src_fp16_bf16_tf32_dst_fp32")}},
    {"tensor_fp8_ops", {TENSOR("src_fp8_dst_fp32"), TENSOR("src_fp4_fp6_fp8_dst_fp32")}},
    {"tensor_fp8_acc16_ops", {TENSOR("src_fp4_fp6_fp8_dst_fp16")}},
    {"peak_tensor_fp16",
     {TENSOR("src_fp16_dst_fp32_sparsity_off") PEAK, TENSOR("op_utchmma_src_fp16_dst_fp32_sparsity_off") PEAK}},
    {"peak_tensor_bf16",
     {TENSOR("src_bf16_dst_fp32_sparsity_off") PEAK, TENSOR("op_utchmma_src_bf16_dst_fp32_sparsity_off") PEAK}},
    {"peak_tensor_tf32",
     {TENSOR("src_tf32_dst_fp32_sparsity_off") PEAK, TENSOR("op_utchmma_src_tf32_dst_fp32_sparsity_off") PEAK}},
    {"peak_tensor_fp8",
     {TENSOR("src_fp8_dst_fp32_sparsity_off") PEAK, TENSOR("op_utcqmma_src_fp8_dst_fp32_sparsity_off") PEAK,
      TENSOR("op_utcqmma_src_fp4_fp6_fp8_dst_fp32_sparsity_off") PEAK}},
    {"peak_tensor_fp4", {TENSOR("src_fp4_dst_fp32_sparsity_off") PEAK}},
};

/* Floating-point operations for one count. */
static const struct {
    const char *id;
    double flop;
} flops[] = {
    {"ffma_threads", 2},
    {"fadd_threads", 1},
    {"fmul_threads", 1},
    {"dfma_threads", 2},
    {"dadd_threads", 1},
    {"dmul_threads", 1},
    {"hfma_threads", 4},
    {"hadd_threads", 2},
    {"hmul_threads", 2},
    {"tensor_fp16_ops", 1},
    {"tensor_fp16_acc16_ops", 1},
    {"tensor_bf16_ops", 1},
    {"tensor_tf32_ops", 1},
    {"tensor_fp8_ops", 1},
    {"tensor_fp64_ops", 1},
    {"peak_ffma", 2},
    {"tensor_fp8_acc16_ops", 1},
    {"tensor_fp6_ops", 1},
    {"tensor_fp6_acc16_ops", 1},
    {"tensor_fp4_ops", 1},
    {"peak_tensor_fp4", 1},
    {"peak_dfma", 2},
    {"peak_hfma", 4},
    {"peak_tensor_fp16", 1},
    {"peak_tensor_bf16", 1},
    {"peak_tensor_tf32", 1},
    {"peak_tensor_fp8", 1},
    {"peak_tensor_fp64", 1},
};

const char *metric_role_name(enum metric_role role)
{
    static const char *const names[] = {
        [METRIC_PLAIN] = "",      [METRIC_COMPUTE] = "compute", [METRIC_MEMORY] = "memory",
        [METRIC_STALL] = "stall", [METRIC_FLOP] = "flop",       [METRIC_PEAK] = "peak"};
    return names[role];
}

const struct metric *metrics_known(size_t *count)
{
    *count = metric_count;
    return metrics;
}

const char *metric_name(const struct metric *metric, size_t preference)
{
    if (preference == 0)
        return metric->name;
    for (size_t i = 0; i < sizeof instead / sizeof instead[0] && preference < METRIC_NAMES_MAX; i++)
        if (!strcmp(instead[i].id, metric->id))
            return instead[i].names[preference - 1];
    return NULL;
}

/* ---- found by their words ---- */

struct word {
    const char *text;
    const struct metric *metric;
};

/* Sorted, made on first use. */
static struct {
    struct word ids[KNOWN_MOST], names[KNOWN_MOST * 2];
    size_t id_count, name_count;
} words;
static pthread_once_t words_once = PTHREAD_ONCE_INIT;

static int by_text(const void *left, const void *right)
{
    const struct word *a = left, *b = right;
    return strcmp(a->text, b->text);
}

static void add_name(const char *name, const struct metric *metric)
{
    for (size_t i = 0; i < words.name_count; i++)
        if (!strcmp(words.names[i].text, name))
            return; /* the first one with the word stays */
    assert(words.name_count < sizeof words.names / sizeof words.names[0]);
    words.names[words.name_count++] = (struct word){name, metric};
}

static void gather_words(void)
{
    const char *name;
    for (size_t i = 0; i < metric_count; i++) {
        words.ids[words.id_count++] = (struct word){metrics[i].id, &metrics[i]};
        for (size_t k = 0; (name = metric_name(&metrics[i], k)); k++)
            add_name(name, &metrics[i]);
    }
    qsort(words.ids, words.id_count, sizeof words.ids[0], by_text);
    qsort(words.names, words.name_count, sizeof words.names[0], by_text);
}

static const struct metric *find_word(const struct word *sorted, size_t count, const char *text)
{
    const struct word wanted = {.text = text};
    const struct word *found = bsearch(&wanted, sorted, count, sizeof *sorted, by_text);
    return found ? found->metric : NULL;
}

const struct metric *metric_by_id(const char *id)
{
    pthread_once(&words_once, gather_words);
    return find_word(words.ids, words.id_count, id);
}

const struct metric *metric_by_name(const char *cupti_name)
{
    pthread_once(&words_once, gather_words);
    return find_word(words.names, words.name_count, cupti_name);
}

double metric_flop(const struct metric *metric)
{
    for (size_t i = 0; i < sizeof flops / sizeof flops[0]; i++)
        if (!strcmp(flops[i].id, metric->id))
            return flops[i].flop;
    return 0;
}

bool metric_is_of_tcgen05(const struct metric *metric)
{
    static const char *const ids[] = {"tc_share", "tmem_share", "operands_share"};
    for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++)
        if (!strcmp(metric->id, ids[i]))
            return true;
    return false;
}

bool metric_has_others(const char *cupti_name)
{
    const struct metric *known = metric_by_name(cupti_name);
    return known && metric_name(known, 1);
}

/* Names for several counters that people ask for. */
static const struct {
    const char *id;
    const char *parts[METRIC_PARTS_MAX]; /* ids above */
    bool is_largest;
} sums[] = {
    {"dram_bytes", {"dram_read", "dram_write"}, false},
    {"tensor_cycles", {"tensor_share", "tc_share"}, true},
};

const char *metric_sum_id(size_t i)
{
    return i < sizeof sums / sizeof sums[0] ? sums[i].id : NULL;
}

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

bool metric_is_largest(const char *name)
{
    for (size_t i = 0; i < sizeof sums / sizeof sums[0]; i++)
        if (!strcmp(sums[i].id, name))
            return sums[i].is_largest;
    return false;
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

/* Does the counter's name have this before its first dot? That part names what is counted. */
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
