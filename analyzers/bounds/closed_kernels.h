/* closed_kernels.h - kernels whose source nobody but their vendor has. They are called, not changed. */
#ifndef CPPROF_CLOSED_KERNELS_H
#define CPPROF_CLOSED_KERNELS_H

#include "analyzers/bound_decision.h"
#include "core/base/arena.h"

/* Returns the library that a kernel is of, by its name (mangled or not); NULL of one that may be the user's. */
const char *closed_kernel_library(const char *kernel);

/* What to try against this bound without the kernel's source; NULL where the general advice changes no kernel. */
const char *closed_kernel_advice(enum bound_class class_, const char *library, struct arena *arena);

#endif
