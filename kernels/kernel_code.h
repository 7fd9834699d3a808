/* kernel_code.h - which of the codes of this build does the current device run? All kernels of a build are compiled for
 * the same compute capabilities (CPPROF_CUDA_CODE), so one kernel answers for all. Capabilities are numbers: 90 is
 * 9.0. */
#ifndef CPPROF_KERNEL_CODE_H
#define CPPROF_KERNEL_CODE_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

struct kernel_code {
    int source;      /* the capability that it was compiled for: a kernel has the parts that this one allows */
    int made_by_jit; /* the driver made the machine code, from PTX */
};

/* Returns 0, or the cudaError_t that says why there is no code for the current device. */
int kernel_code_find(struct kernel_code *code);

/* Returns what the build has: "sm_80, sm_90a, PTX". */
const char *kernel_code_built(void);

/* Returns 1 and fills `why` when the build has no code that the current device can run; else 0, also without a
 * device. */
int kernel_code_refuses(char *why, size_t why_bytes);

/* Returns 1 and fills `why` when `what` cannot run: the current device is older than `needs`, or the code that it runs
 * was compiled for an older one, in which `what` is left out. */
int kernel_code_needs(int needs, const char *what, char *why, size_t why_bytes);

/* The same for what only `needs` itself has: code with an `a`, which runs nowhere else. */
int kernel_code_needs_only(int needs, const char *what, char *why, size_t why_bytes);

#ifdef __cplusplus
}
#endif

#endif
