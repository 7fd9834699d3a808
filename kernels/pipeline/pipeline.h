/* pipeline.h - the family `pipeline`: one tile computation, loaded in different ways. */
#ifndef CPPROF_PIPELINE_H
#define CPPROF_PIPELINE_H

#include "cpprof/variant.h"

enum { PIPELINE_VARIANT_COUNT = 5 };

#ifdef __cplusplus
extern "C"
#else
extern
#endif
    const struct cpprof_variant pipeline_variants[PIPELINE_VARIANT_COUNT];

#endif
