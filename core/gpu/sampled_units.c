/* Which counters can be sampled together? */
#include "core/gpu/sampled_units.h"

#define SHARE ".avg.pct_of_peak_sustained_elapsed"

/* Not every name that CUPTI offers counts in samples: sm__inst_executed_pipe_lsu read 0 beside a busy data stage of L1
 * (H100, CUDA 13.0), so there is no lsu.
 *
 * The names of GH100 come first; one pass of it, and of GB100, has room for all. There the busy cycles of the FMA pipe
 * take a pass of their own; its instructions stand in for them: its peak is one a cycle and scheduler. */
static const struct sampled_unit units[SAMPLED_UNIT_COUNT] = {
    [SAMPLED_ACTIVE] = {"active", {"sm__cycles_active" SHARE}},
    [SAMPLED_TENSOR] = {"tensor",
                        {"TPC.TriageCompute.sm__pipe_tensor_cycles_active_realtime" SHARE,
                         "sm__pipe_tensor_cycles_active_realtime" SHARE, "sm__pipe_tensor_cycles_active" SHARE}},
    [SAMPLED_L1_REQUEST] = {"l1_request",
                            {"SM_A.TriageCompute.l1tex__m_l1tex2xbar_req_cycles_active_realtime" SHARE,
                             "l1tex__m_l1tex2xbar_req_cycles_active" SHARE}},
    [SAMPLED_FMA] = {"fma",
                     {"TPC.TriageCompute.sm__inst_executed_pipe_fma_realtime" SHARE,
                      "TPC.TriageCompute.sm__pipe_fma_cycles_active_realtime" SHARE,
                      "sm__inst_executed_pipe_fma_realtime" SHARE, "sm__pipe_fma_cycles_active" SHARE}},
    [SAMPLED_L1_FILL] = {"l1_fill",
                         {"SM_A.TriageCompute.l1tex__m_xbar2l1tex_read_sectors_realtime" SHARE,
                          "l1tex__m_xbar2l1tex_read_sectors_realtime" SHARE}},
    [SAMPLED_ISSUE] = {"issue",
                       {"TPC.TriageCompute.sm__inst_executed_realtime" SHARE,
                        "SM_A.TriageTop.sm__inst_executed_realtime" SHARE, "sm__inst_executed_realtime" SHARE}},
    [SAMPLED_XU] = {"xu",
                    {"SM_A.TriageCompute.sm__inst_executed_pipe_xu_realtime" SHARE,
                     "SM_A.TriageTop.sm__inst_executed_pipe_xu_realtime" SHARE,
                     "sm__inst_executed_pipe_xu_realtime" SHARE}},
    [SAMPLED_L2] = {"l2",
                    {"LTS.TriageCompute.lts__t_sector_throughput" SHARE, "LTS.TriageAC.lts__t_sector_throughput" SHARE,
                     "lts__t_sectors_realtime" SHARE, "lts__t_sectors" SHARE}},
    [SAMPLED_DRAM_READ] = {"dram_read",
                           {"FBSP.TriageCompute.dramc__read_throughput" SHARE,
                            "FBSP.TriageCompute.dram__read_throughput" SHARE,
                            "FBSP.TriageAC.dramc__read_throughput" SHARE, "dram__read_throughput" SHARE}},
    [SAMPLED_DRAM] = {"dram",
                      {"FBSP.TriageCompute.dramc__throughput" SHARE, "FBSP.TriageCompute.dram__throughput" SHARE,
                       "FBSP.TriageAC.dramc__throughput" SHARE, "dram__throughput" SHARE}},
    [SAMPLED_ALU] = {"alu",
                     {"TPC.TriageCompute.sm__inst_executed_pipe_alu_realtime" SHARE,
                      "SM_A.TriageAC.sm__inst_executed_pipe_alu_realtime" SHARE,
                      "SM_A.TriageTop.sm__inst_executed_pipe_alu_realtime" SHARE,
                      "sm__inst_executed_pipe_alu_realtime" SHARE}},
    [SAMPLED_FP64] = {"fp64",
                      {"TPC.TriageCompute.sm__pipe_fp64_cycles_active_realtime" SHARE,
                       "sm__pipe_fp64_cycles_active" SHARE}},
    [SAMPLED_L1] = {"l1",
                    {"SM_A.TriageCompute.l1tex__data_pipe_lsu_wavefronts" SHARE,
                     "l1tex__data_pipe_lsu_wavefronts" SHARE}},
    [SAMPLED_SHARED] = {"shared",
                        {"SM_A.TriageCompute.l1tex__data_pipe_lsu_wavefronts_mem_shared" SHARE,
                         "SM_A.TriageAC.l1tex__data_pipe_lsu_wavefronts_mem_shared_realtime" SHARE,
                         "SM_A.TriageTop.l1tex__data_pipe_lsu_wavefronts_mem_shared_realtime" SHARE,
                         "l1tex__data_pipe_lsu_wavefronts_mem_shared" SHARE}},
    [SAMPLED_FMAHEAVY] = {"fmaheavy",
                          {"TPC.TriageCompute.sm__inst_executed_pipe_fmaheavy_realtime" SHARE,
                           "sm__inst_executed_pipe_fmaheavy_realtime" SHARE, "sm__pipe_fmaheavy_cycles_active" SHARE}},
    [SAMPLED_TEX] = {"tex",
                     {"SM_A.TriageCompute.l1tex__data_pipe_tex_wavefronts" SHARE,
                      "l1tex__data_pipe_tex_wavefronts_realtime" SHARE, "l1tex__data_pipe_tex_wavefronts" SHARE}},
    [SAMPLED_LINK_SENT] = {"link_sent", {"nvltx__bytes" SHARE}},
    [SAMPLED_LINK_RECEIVED] = {"link_received", {"nvlrx__bytes" SHARE}},
    [SAMPLED_LINK_DATA_SENT] = {"sent_data", {"nvltx__bytes_data_user.sum.per_second"}, SAMPLED_BYTES_PER_S},
    [SAMPLED_LINK_DATA_RECEIVED] = {"received_data", {"nvlrx__bytes_data_user.sum.per_second"}, SAMPLED_BYTES_PER_S},
};

const struct sampled_unit *sampled_unit(enum sampled_unit_id id)
{
    return &units[id];
}

bool sampled_unit_misses_work(enum sampled_unit_id id, const struct chip *chip)
{
    return id == SAMPLED_TENSOR && chip && chip_has_tcgen05(chip);
}
