/* launching_code.h - which kernels of a cubin can launch work from the GPU?
 *
 * A kernel can when its code, or code that it can reach, refers to an entry of CUDA's device runtime that launches
 * kernels or graphs. Code is reached by calls, by addresses that are taken, in code or in constant data, and by
 * indirect calls of the same prototype. A cubin without such an entry costs one search of its symbols' names. */
#ifndef CPPROF_LAUNCHING_CODE_H
#define CPPROF_LAUNCHING_CODE_H

#include <stddef.h>

#include "core/base/err.h"

/* Calls `found` for each such kernel, with its symbol, which is valid during the call. Returns 0, also when there is
 * none. When the bytes are not a cubin that can be read, have more than the limits allow, or memory runs out, it fails:
 * then there may be more. */
int launching_code_find(const void *cubin, size_t bytes, void (*found)(void *context, const char *kernel),
                        void *context, struct err *e);

#endif
