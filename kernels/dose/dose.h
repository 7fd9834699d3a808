/* dose.h - the family `dose`: work of known duration, for planted slowdowns. */
#ifndef CPPROF_DOSE_H
#define CPPROF_DOSE_H

#include "cpprof/variant.h"

enum { DOSE_VARIANT_COUNT = 1 };

#ifdef __cplusplus
extern "C"
#else
extern
#endif
    const struct cpprof_variant dose_variants[DOSE_VARIANT_COUNT];

#endif
