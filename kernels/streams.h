/* streams.h - the family `streams`: what runs beside what, by construction. */
#ifndef CPPROF_STREAMS_H
#define CPPROF_STREAMS_H

#include "cpprof/variant.h"

enum { STREAMS_VARIANT_COUNT = 6 };

#ifdef __cplusplus
extern "C"
#else
extern
#endif
    const struct cpprof_variant streams_variants[STREAMS_VARIANT_COUNT];

#endif
