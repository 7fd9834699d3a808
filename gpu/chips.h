/* chips.h - what is known of each chip before anything runs on it: one row a chip. What CUPTI says of it a ctest asks
 * CUPTI, which knows the chips without having one. */
#ifndef CPPROF_CHIPS_H
#define CPPROF_CHIPS_H

#include <stdbool.h>
#include <stddef.h>

#include "gpu/metrics.h"

/* NAN: nobody wrote it down. */
struct chip_rates {
    double fp32, fp64, tensor_fp16; /* operations per cycle and SM, FMAs as two; of tensor cores dense, sums in FP32 */
    double l2_slice_bytes;
    double link_bytes_per_s; /* one direction of one NVLink */
};

struct chip {
    const char *name;       /* as CUPTI says it: "GH100" */
    const char *cards;      /* some that carry it; "" */
    const char *capability; /* "9.0" */
    const char *alike;      /* a pattern of the names of the chips of its capability: "AD10?" */
    int warps_per_sm;       /* that can be resident */
    struct chip_rates rates;
    const char *missing; /* ids of counters that it lacks, a blank after each */
    int passes[METRIC_SET_COUNT];
};

const struct chip *chips_known(size_t *count);
const struct chip *chip_by_name(const char *name);             /* case does not matter; NULL when not listed */
const struct chip *chip_by_capability(const char *capability); /* the first one that has it; NULL */
bool chip_lacks(const struct chip *chip, const char *id);

/* Can GPUs of this compute capability load tiles by TMA? All do from 9.0 on, also those that are not listed. */
bool chip_has_tma(const char *capability);

#endif
