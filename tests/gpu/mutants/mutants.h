/* mutants.h - the variants of the runner that is only built for tests. */
#ifndef CPPROF_MUTANTS_H
#define CPPROF_MUTANTS_H

#include "cpprof/variant.h"

enum { MUTANT_COUNT = 5 };

#ifdef __cplusplus
extern "C"
#else
extern
#endif
    const struct cpprof_variant mutant_variants[MUTANT_COUNT];

#endif
