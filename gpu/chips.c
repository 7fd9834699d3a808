/* What is known of each chip? */
#include "gpu/chips.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Chips of one compute capability have the same SMs. An SM holds as many warps as the CUDA C++ Programming Guide says
 * ("Compute Capabilities"). Rates are those of one SM and cycle, FMAs as two:
 *
 * fp32, fp64: CUDA C++ Programming Guide, "Arithmetic Instructions", results per
 *   cycle and SM (of 8.0, 8.6, 8.9 and 9.0: 64, 128, 128, 128 and 32, 2, 2, 64), times two.
 * tensor_fp16: dense, sums in FP32. NVIDIA's white papers: A100 312 TFLOP/s with 108 SMs at
 *   1.41 GHz, H100 SXM 989 with 132 at 1.83 GHz, L40S 362 with 142 at 2.52 GHz, A40 150 with 84
 *   at 1.74 GHz. GeForce cards of 8.6 and 8.9 do half of it.
 * l2_slice_bytes: A100's 40 MiB are 80 slices, which read 5,120 bytes a cycle (white paper): 64 each.
 *   GH100's 60 MiB are 96 slices of the same width: CUPTI gives an H200 46 bytes per cycle and SM.
 * link_bytes_per_s: one direction of one NVLink. NVIDIA's pages on NVLink: both ways A100 600 GB/s over
 *   12 links, H100 900 over 18, A40 112.5 over 4. */
#define UNKNOWN_RATES                                                                                                  \
    {                                                                                                                  \
        NAN, NAN, NAN, NAN, NAN                                                                                        \
    }
#define CC_7_5  .capability = "7.5", .alike = "TU102", .warps_per_sm = 32, .rates = UNKNOWN_RATES
#define CC_8_0  .capability = "8.0", .alike = "GA100", .warps_per_sm = 64, .rates = {128, 64, 2048, 512 * 1024, 25e9}
#define CC_8_6  .capability = "8.6", .alike = "GA102", .warps_per_sm = 48, .rates = {256, 4, 1024, NAN, 112.5e9 / 8}
#define CC_8_9  .capability = "8.9", .alike = "AD10?", .warps_per_sm = 48, .rates = {256, 4, 1024, NAN, NAN}
#define CC_9_0  .capability = "9.0", .alike = "GH100", .warps_per_sm = 64, .rates = {256, 128, 4096, 640 * 1024, 25e9}
#define CC_10_0 .capability = "10.0", .alike = "GB100", .warps_per_sm = 64, .rates = UNKNOWN_RATES

/* As reported by CUPTI's API version 130001 (CUDA 13.0 Update 1). */
#define PASSES(bound, stalls, memory, flops, nvlink)                                                                   \
    .passes = {                                                                                                        \
        [METRIC_SET_BOUND] = bound, [METRIC_SET_STALLS] = stalls, [METRIC_SET_MEMORY] = memory,                        \
        [METRIC_SET_FLOPS] = flops, [METRIC_SET_NVLINK] = nvlink,                                                      \
    }
#define LACKS(ids) .missing = ids
#define NO_NVLINK  "nvlink_received nvlink_sent nvlink_received_data nvlink_sent_data "

static const struct chip chips[] = {
    {"GH100", "H100, H200", CC_9_0, LACKS("tensor_fp16_acc16_ops "), PASSES(20, 8, 9, 7, 1)},
    {"GB100", "", CC_10_0, LACKS("tensor_fp8_ops peak_tensor_fp8 stall_gmma stall_imc_miss "), PASSES(19, 7, 10, 7, 1)},
    {"GA100", "A100", CC_8_0, LACKS("fmaheavy_share tensor_fp8_ops peak_tensor_fp8 stall_gmma "),
     PASSES(16, 7, 11, 7, 1)},
    {"AD102", "", CC_8_9, LACKS(NO_NVLINK "stall_gmma "), PASSES(17, 6, 12, 8, 1)},
    {"AD103", "", CC_8_9, LACKS(NO_NVLINK "stall_gmma "), PASSES(17, 6, 12, 8, 1)},
    {"AD104", "", CC_8_9, LACKS(NO_NVLINK "stall_gmma "), PASSES(17, 6, 12, 8, 1)},
    {"AD106", "", CC_8_9, LACKS(NO_NVLINK "stall_gmma "), PASSES(17, 6, 12, 8, 1)},
    {"AD107", "", CC_8_9, LACKS(NO_NVLINK "stall_gmma "), PASSES(17, 6, 12, 8, 1)},
    {"GA102", "", CC_8_6, LACKS("bank_conflicts_ldgsts tensor_fp8_ops peak_tensor_fp8 stall_gmma "),
     PASSES(17, 6, 11, 7, 1)},
    {"TU102", "", CC_7_5,
     LACKS(
         "fmaheavy_share ldgsts bank_conflicts_ldgsts tensor_fp16_ops tensor_bf16_ops tensor_tf32_ops tensor_fp8_ops "
         "tensor_fp64_ops peak_tensor_fp16 peak_tensor_bf16 peak_tensor_tf32 peak_tensor_fp8 peak_tensor_fp64 stall_gmma "),
     PASSES(12, 6, 10, 3, 1)},
};

enum { CHIP_COUNT = sizeof chips / sizeof chips[0], FIRST_MAJOR_WITH_TMA = 9 };

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

bool chip_has_tma(const char *capability)
{
    return strtol(capability, NULL, 10) >= FIRST_MAJOR_WITH_TMA;
}
