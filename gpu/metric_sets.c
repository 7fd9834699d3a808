/* Which counters go together, and what does each chip make of them? */
#include "gpu/metric_sets.h"

#include <string.h>
#include <strings.h>

static const struct metric_set sets[METRIC_SET_COUNT] = {
    [METRIC_SET_BOUND] = {"bound", "what a bound, lost time and the roofline need; of a run that names no set"},
    [METRIC_SET_STALLS] = {"stalls", "every reason that warps wait for, so that shares add up"},
    [METRIC_SET_MEMORY] = {"memory",
                           "requests, sectors, hit rates and bytes at L1, shared memory, L2 and device memory"},
    [METRIC_SET_FLOPS] = {"flops", "operations by precision, tensor cores included, and their ceilings"},
    [METRIC_SET_NVLINK] = {"nvlink", "bytes over NVLink and PCIe"},
    [METRIC_SET_NONE] = {"none", "no counters"},
};

const struct metric_set *metric_set(enum metric_set_id id)
{
    return &sets[id];
}

enum metric_set_id metric_set_by_name(const char *name)
{
    if (!strcmp(name, "default"))
        return METRIC_SET_BOUND;
    int id = 0;
    while (id < METRIC_SET_COUNT && strcmp(sets[id].name, name))
        id++;
    return (enum metric_set_id)id;
}

#define PASSES(bound, stalls, memory, flops, nvlink)                                                                   \
    {                                                                                                                  \
        [METRIC_SET_BOUND] = bound, [METRIC_SET_STALLS] = stalls, [METRIC_SET_MEMORY] = memory,                        \
        [METRIC_SET_FLOPS] = flops, [METRIC_SET_NVLINK] = nvlink,                                                      \
    }
#define NO_NVLINK "nvlink_received nvlink_sent nvlink_received_data nvlink_sent_data "

/* As CUPTI's API version 130001 (CUDA 13.0 Update 1) says. */
static const struct metric_chip chips[] = {
    {"GH100", "H100, H200", "9.0", "tensor_fp16_acc16_ops ", PASSES(20, 8, 9, 7, 1)},
    {"GB100", "", "10.0", "tensor_fp8_ops peak_tensor_fp8 stall_gmma stall_imc_miss ", PASSES(19, 7, 10, 7, 1)},
    {"GA100", "A100", "8.0", "fmaheavy_share tensor_fp8_ops peak_tensor_fp8 stall_gmma ", PASSES(16, 7, 11, 7, 1)},
    {"GA102", "", "8.6", "bank_conflicts_ldgsts tensor_fp8_ops peak_tensor_fp8 stall_gmma ", PASSES(17, 6, 11, 7, 1)},
    {"AD102", "", "8.9", NO_NVLINK "stall_gmma ", PASSES(17, 6, 12, 8, 1)},
    {"AD103", "", "8.9", NO_NVLINK "stall_gmma ", PASSES(17, 6, 12, 8, 1)},
    {"AD104", "", "8.9", NO_NVLINK "stall_gmma ", PASSES(17, 6, 12, 8, 1)},
    {"AD106", "", "8.9", NO_NVLINK "stall_gmma ", PASSES(17, 6, 12, 8, 1)},
    {"AD107", "", "8.9", NO_NVLINK "stall_gmma ", PASSES(17, 6, 12, 8, 1)},
    {"TU102", "", "7.5",
     "fmaheavy_share ldgsts bank_conflicts_ldgsts tensor_fp16_ops tensor_bf16_ops tensor_tf32_ops tensor_fp8_ops "
     "tensor_fp64_ops peak_tensor_fp16 peak_tensor_bf16 peak_tensor_tf32 peak_tensor_fp8 peak_tensor_fp64 stall_gmma ",
     PASSES(12, 6, 10, 3, 1)},
};

const struct metric_chip *metric_chips(size_t *count)
{
    *count = sizeof chips / sizeof chips[0];
    return chips;
}

const struct metric_chip *metric_chip_by_name(const char *name)
{
    for (size_t i = 0; i < sizeof chips / sizeof chips[0]; i++)
        if (!strcasecmp(chips[i].name, name))
            return &chips[i];
    return NULL;
}

const struct metric_chip *metric_chip_by_capability(const char *capability)
{
    for (size_t i = 0; i < sizeof chips / sizeof chips[0]; i++)
        if (!strcmp(chips[i].capability, capability))
            return &chips[i];
    return NULL;
}

bool metric_chip_lacks(const struct metric_chip *chip, const char *id)
{
    const size_t length = strlen(id);
    for (const char *at = chip->missing; (at = strstr(at, id)); at += length)
        if ((at == chip->missing || at[-1] == ' ') && at[length] == ' ')
            return true;
    return false;
}
