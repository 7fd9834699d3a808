/* What is known of each chip? */
#include "core/gpu/chips.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/base/count_of.h"

/* Chips of one compute capability have the same SMs. An SM holds as many warps as the CUDA C++ Programming Guide says
 * ("Compute Capabilities"). Rates are those of one SM and cycle, FMAs as two:
 *
 * fp32, fp64: CUDA C++ Programming Guide, "Arithmetic Instructions", results per
 *   cycle and SM (of 8.0, 8.6, 8.9 and 9.0: 64, 128, 128, 128 and 32, 2, 2, 64; of 10.0, 10.3
 *   and 12.x: 128 and 64, 2, 2), times two.
 * tensor_fp16: dense, sums in FP32. NVIDIA's white papers: A100 312 TFLOP/s with 108 SMs at
 *   1.41 GHz, H100 SXM 989 with 132 at 1.83 GHz, L40S 362 with 142 at 2.52 GHz, A40 150 with 84
 *   at 1.74 GHz. B200 by its 2,250 TFLOP/s and 148 SMs: a power of two at some 1.9 GHz.
 *   GeForce cards of 8.6 and 8.9 do half of it.
 * l2_slice_bytes: A100's 40 MiB are 80 slices, which read 5,120 bytes a cycle (white paper): 64 each.
 *   GH100's 60 MiB are 96 slices of the same width: CUPTI gives an H200 46 bytes per cycle and SM.
 * link_bytes_per_s: one direction of one NVLink. NVIDIA's pages on NVLink: both ways A100 600 GB/s over
 *   12 links, H100 900 over 18, A40 112.5 over 4, B200 1,800 over 18. */
#define UNKNOWN_RATES                                                                                                  \
    {                                                                                                                  \
        NAN, NAN, NAN, NAN, NAN                                                                                        \
    }

/* Chips before GA102, and GA100, sample by cycles alone; Nsight Compute takes 20,000 of them there. */
enum { LEAST_SAMPLE_CYCLES = 20000 };
#define SAMPLES_BY_CYCLES .sample_cycles = LEAST_SAMPLE_CYCLES
#define SAMPLES_NOTHING   SAMPLES_BY_CYCLES, .lacks_samples = true

/* CUPTI says no capability of a chip. Cards have it in NVIDIA's list of GPUs; which chip a card has is common
 * knowledge. Nothing says it of GB110: it has the small FP64 pipe of 10.3, whose counters are those of GB20x. */
#define CC_7_0 .capability = "7.0", .alike = "GV100", .warps_per_sm = 64, .rates = UNKNOWN_RATES, SAMPLES_NOTHING
#define CC_7_2 .capability = "7.2", .alike = "GV11B", .warps_per_sm = 64, .rates = UNKNOWN_RATES, SAMPLES_NOTHING
#define CC_7_5 .capability = "7.5", .alike = "TU1??", .warps_per_sm = 32, .rates = UNKNOWN_RATES, SAMPLES_BY_CYCLES
#define CC_8_0                                                                                                         \
    .capability = "8.0", .alike = "GA100", .warps_per_sm = 64, .rates = {128, 64, 2048, 512 * 1024, 25e9},             \
    SAMPLES_BY_CYCLES
#define CC_8_6  .capability = "8.6", .alike = "GA10[2-7]", .warps_per_sm = 48, .rates = {256, 4, 1024, NAN, 112.5e9 / 8}
#define CC_8_7  .capability = "8.7", .alike = "GA10B", .warps_per_sm = 48, .rates = {256, 4, NAN, NAN, NAN}
#define CC_8_9  .capability = "8.9", .alike = "AD10?", .warps_per_sm = 48, .rates = {256, 4, 1024, NAN, NAN}
#define CC_9_0  .capability = "9.0", .alike = "GH100", .warps_per_sm = 64, .rates = {256, 128, 4096, 640 * 1024, 25e9}
#define CC_10_0 .capability = "10.0", .alike = "GB10[02]", .warps_per_sm = 64, .rates = {256, 128, 8192, NAN, 50e9}
#define CC_10_3 .capability = "10.3", .alike = "GB110", .warps_per_sm = 64, .rates = {256, 4, 8192, NAN, 50e9}
#define CC_11_0 .capability = "11.0", .alike = "GB10B", .warps_per_sm = 48, .rates = UNKNOWN_RATES
#define CC_12_0 .capability = "12.0", .alike = "GB20[2-7]", .warps_per_sm = 48, .rates = {256, 4, NAN, NAN, NAN}
#define CC_12_1 .capability = "12.1", .alike = "GB20B", .warps_per_sm = 48, .rates = {256, 4, NAN, NAN, NAN}

/* As reported by CUPTI's API version 130001 (CUDA 13.0 Update 1). */
#define PASSES(bound, stalls, memory, flops, nvlink)                                                                   \
    .passes = {                                                                                                        \
        [METRIC_SET_BOUND] = bound, [METRIC_SET_STALLS] = stalls, [METRIC_SET_MEMORY] = memory,                        \
        [METRIC_SET_FLOPS] = flops, [METRIC_SET_NVLINK] = nvlink,                                                      \
    }
#define LACKS(ids)  .missing = ids
#define NO_NVLINK   "nvlink_received nvlink_sent nvlink_received_data nvlink_sent_data "
#define NO_PCIE     "pcie_read pcie_written "
#define NO_DRAM     "dram_share dram_read dram_write peak_dram "
#define NO_CP_ASYNC "ldgsts bank_conflicts_ldgsts "
#define NO_TCGEN05  "tc_share tmem_share operands_share tcgen05 tcgen05_pairs tmem_reads tmem_writes "
#define NO_FP4      "tensor_fp4_ops peak_tensor_fp4 "
#define NO_FP6      "tensor_fp6_ops tensor_fp6_acc16_ops "
#define NO_FP8      "tensor_fp8_ops tensor_fp8_acc16_ops peak_tensor_fp8 "
#define ONLY_FP16                                                                                                      \
    "tensor_bf16_ops tensor_tf32_ops tensor_fp64_ops peak_tensor_fp16 peak_tensor_bf16 peak_tensor_tf32 "              \
    "peak_tensor_fp64 "
#define NO_DENSE_PEAKS "peak_tensor_fp16 peak_tensor_bf16 peak_tensor_tf32 "

/* What chips of one kind lack. */
#define OF_VOLTA     NO_TCGEN05 NO_FP4 NO_FP6 NO_FP8 ONLY_FP16 NO_CP_ASYNC "fmaheavy_share stall_gmma "
#define OF_AMPERE    NO_TCGEN05 NO_FP4 NO_FP6 NO_FP8 "stall_gmma "
#define OF_ADA       NO_TCGEN05 NO_FP4 NO_FP6 NO_NVLINK "tensor_fp8_acc16_ops stall_gmma "
#define OF_BLACKWELL "stall_gmma stall_imc_miss "
#define ON_SOC       NO_DRAM NO_NVLINK NO_PCIE

#define TURING(name, cards)                                                                                            \
    {                                                                                                                  \
        name, cards, CC_7_5, LACKS(OF_VOLTA), PASSES(12, 6, 10, 3, 1)                                                  \
    }
#define TURING_WITHOUT_TENSOR_CORES(name, cards)                                                                       \
    {                                                                                                                  \
        name, cards, CC_7_5, LACKS(OF_VOLTA NO_NVLINK "tensor_fp16_ops tensor_fp16_acc16_ops tensor_int8_ops "),       \
            PASSES(12, 6, 10, 3, 1)                                                                                    \
    }
#define AMPERE(name, cards)                                                                                            \
    {                                                                                                                  \
        name, cards, CC_8_6, LACKS(OF_AMPERE "bank_conflicts_ldgsts "), PASSES(17, 6, 11, 7, 1)                        \
    }
#define ADA(name, cards)                                                                                               \
    {                                                                                                                  \
        name, cards, CC_8_9, LACKS(OF_ADA), PASSES(17, 6, 12, 8, 1)                                                    \
    }
#define BLACKWELL_12(name, cards)                                                                                      \
    {                                                                                                                  \
        name, cards, CC_12_0, LACKS(OF_BLACKWELL NO_TCGEN05 NO_NVLINK NO_DENSE_PEAKS), PASSES(24, 7, 9, 11, 1)         \
    }

/* clang-format off */
static const struct chip chips[] = {
    {"GH100", "H100, H200, H800, H20, GH200", CC_9_0,
     LACKS(NO_TCGEN05 NO_FP4 NO_FP6 "tensor_fp16_acc16_ops tensor_fp8_acc16_ops "), PASSES(20, 8, 9, 7, 1)},
    {"GB100", "B200, GB200", CC_10_0, LACKS(OF_BLACKWELL NO_FP6), PASSES(19, 7, 11, 9, 1)},
    {"GB102", "", CC_10_0, LACKS(OF_BLACKWELL NO_FP6), PASSES(19, 7, 11, 9, 1)},
    {"GB110", "B300", CC_10_3, LACKS(OF_BLACKWELL), PASSES(20, 7, 11, 10, 1)},
    {"GB10B", "Thor", CC_11_0, LACKS(OF_BLACKWELL NO_FP6 ON_SOC), PASSES(20, 7, 11, 9, 1)},
    BLACKWELL_12("GB202", "RTX 5090"),
    BLACKWELL_12("GB203", "RTX 5070 Ti, RTX 5080"),
    BLACKWELL_12("GB205", "RTX 5070"),
    BLACKWELL_12("GB206", "RTX 5060"),
    BLACKWELL_12("GB207", "RTX 5050"),
    {"GB20B", "GB10", CC_12_1, LACKS(OF_BLACKWELL NO_TCGEN05 ON_SOC NO_DENSE_PEAKS), PASSES(24, 7, 9, 11, 1)},
    {"GA100", "A100, A30, A800", CC_8_0, LACKS(OF_AMPERE "fmaheavy_share "), PASSES(16, 7, 11, 7, 1)},
    AMPERE("GA102", "A10, A10G, A40, RTX A6000, RTX 3080, RTX 3090"),
    AMPERE("GA103", "RTX 3080 Ti Laptop"),
    AMPERE("GA104", "RTX 3070"),
    AMPERE("GA106", "RTX 3060"),
    AMPERE("GA107", "A2, A16, RTX 3050"),
    {"GA10B", "Orin", CC_8_7, LACKS(OF_AMPERE ON_SOC), PASSES(17, 6, 12, 7, 1)},
    ADA("AD102", "L40, L40S, RTX 6000 Ada, RTX 4090"),
    ADA("AD103", "RTX 4080"),
    ADA("AD104", "L4, RTX 4070"),
    ADA("AD106", "RTX 4060 Ti"),
    ADA("AD107", "RTX 4060"),
    TURING("TU102", "RTX 2080 Ti"),
    TURING("TU104", "T4, RTX 2080"),
    TURING("TU106", "RTX 2070"),
    TURING_WITHOUT_TENSOR_CORES("TU116", "GTX 1660"),
    TURING_WITHOUT_TENSOR_CORES("TU117", "GTX 1650"),
    {"GV100", "V100", CC_7_0, LACKS(OF_VOLTA "tensor_int8_ops "), PASSES(20, 7, 16, 3, 1)},
    {"GV11B", "Xavier", CC_7_2, LACKS(""), PASSES(0, 0, 0, 0, 0)}, /* CUPTI lists it, and opens none of its counters */
};
/* clang-format on */

enum { CHIP_COUNT = COUNT_OF(chips), FIRST_MAJOR_WITH_TMA = 9, FIRST_MAJOR_OF_VARIANTS = 8 };

const struct chip *chips_known(size_t *count)
{
    *count = CHIP_COUNT;
    return chips;
}

const struct chip *chip_by_name(const char *name)
{
    for (size_t i = 0; i < CHIP_COUNT; i++)
        if (!strcasecmp(chips[i].name, name))
            return &chips[i];
    return NULL;
}

const struct chip *chip_by_capability(const char *capability)
{
    for (size_t i = 0; i < CHIP_COUNT; i++)
        if (!strcmp(chips[i].capability, capability))
            return &chips[i];
    return NULL;
}

bool chip_lacks(const struct chip *chip, const char *id)
{
    const size_t length = strlen(id);
    for (const char *at = chip->missing; (at = strstr(at, id)); at += length)
        if ((at == chip->missing || at[-1] == ' ') && at[length] == ' ')
            return true;
    return false;
}

bool chip_has_counters(const struct chip *chip)
{
    return chip->passes[METRIC_SET_BOUND] > 0;
}

const char *chip_sampled_by(const struct chip *chip)
{
    return chip->lacks_samples ? "nothing" : chip->sample_cycles ? "cycles" : "time";
}

bool chip_runs_variants(const struct chip *chip)
{
    return strtol(chip->capability, NULL, 10) >= FIRST_MAJOR_OF_VARIANTS;
}

bool chip_has_tcgen05(const struct chip *chip)
{
    return chip_has_counters(chip) && !chip_lacks(chip, "tc_share");
}

bool chip_has_tma(const char *capability)
{
    return strtol(capability, NULL, 10) >= FIRST_MAJOR_WITH_TMA;
}
