/* embedded_thresholds.h - what holds for an unknown chip, for tests that judge without an analysis. */
#ifndef CPPROF_EMBEDDED_THRESHOLDS_H
#define CPPROF_EMBEDDED_THRESHOLDS_H

#include "core/gpu/thresholds.h"

static inline const struct thresholds *embedded_thresholds(void)
{
    static struct thresholds embedded;
    thresholds_resolve(&embedded, NULL, NULL);
    return &embedded;
}

#endif
