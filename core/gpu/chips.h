/* chips.h - what is known of each chip before anything runs on it? One row per chip. CUPTI knows chips that are not
 * installed, and a ctest compares the rows with it. */
#ifndef CPPROF_CHIPS_H
#define CPPROF_CHIPS_H

#include <stdbool.h>
#include <stddef.h>

#include "core/gpu/metrics.h"

/* NAN: not published. */
struct chip_rates {
    /* Operations per cycle and SM. An FMA counts as two; tensor cores: dense, with sums in FP32. */
    double fp32, fp64, tensor_fp16;
    double l2_slice_bytes;
    double link_bytes_per_s; /* one direction of one NVLink */
};

struct chip {
    const char *name;       /* as CUPTI names it: "GH100" */
    const char *cards;      /* some cards that have it; "" */
    const char *capability; /* "9.0" */
    const char *alike;      /* a pattern that matches the names of all chips of its capability: "AD10?" */
    int warps_per_sm;       /* resident at most */
    int sample_cycles;      /* the least step when it is sampled by cycles alone; 0: by time, from 1 us on */
    bool lacks_samples;     /* CUPTI samples none of its units */
    struct chip_rates rates;
    const char *missing; /* ids of counters that it lacks, each followed by a blank */
    int passes[METRIC_SET_COUNT];
};

const struct chip *chips_known(size_t *count);
const struct chip *chip_by_name(const char *name);             /* case does not matter; NULL when not listed */
const struct chip *chip_by_capability(const char *capability); /* the first one that has it; NULL when there is none */
bool chip_lacks(const struct chip *chip, const char *id);
bool chip_has_counters(const struct chip *chip); /* does CUPTI open any of them? */

/* What are its units sampled by: "time", "cycles" or "nothing"? Only by time are steps short enough for kernels. */
const char *chip_sampled_by(const struct chip *chip);

bool chip_runs_variants(const struct chip *chip); /* 'cpprof run' refuses GPUs below 8.0 */

/* Does it have the tensor cores that tcgen05 instructions use, with a memory of their own? */
bool chip_has_tcgen05(const struct chip *chip);

/* Can GPUs of this compute capability load tiles with TMA? All can from 9.0 on, also unlisted ones. */
bool chip_has_tma(const char *capability);

#endif
