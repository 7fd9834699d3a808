/* streams.h - the family `streams`: which work overlaps with which is known by construction. */
#ifndef CPPROF_STREAMS_H
#define CPPROF_STREAMS_H

#include "cpprof/variant.h"

enum { STREAMS_VARIANT_COUNT = 6, STREAMS_COLLECTIVE_COUNT = 3 };

#ifdef __cplusplus
extern "C" {
#endif

extern const struct cpprof_variant streams_variants[STREAMS_VARIANT_COUNT];
extern const struct cpprof_variant streams_collective_variants[STREAMS_COLLECTIVE_COUNT];

#ifdef __cplusplus
}
#endif

#endif
