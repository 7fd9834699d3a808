/* code_hash.h - which machine code does a kernel consist of? Taken from the modules that CUDA loads, as CUPTI shows
 * them: the code that really runs, even if the driver compiled it from PTX. */
#ifndef CPPROF_CODE_HASH_H
#define CPPROF_CODE_HASH_H

#include <stddef.h>
#include <stdint.h>

#include "collector/dynload/cupti_api.h"
#include "core/base/err.h"

struct kernel_code {
    char *symbol;
    uint64_t hash; /* FNV-1a of the section .text.SYMBOL */
    uint64_t bytes;
};

/* Watches module loads from now on. One watcher per process. */
int code_hash_start(const struct cupti_api *api, struct err *e);

/* Returns NULL when the kernel's module was not seen, and when several modules have other kernels of this name: which
 * of them ran is not known. */
const struct kernel_code *code_hash_find(const char *symbol);

/* Adds the kernels of one cubin (an ELF64 image); anything else is ignored. */
void code_hash_add_cubin(const void *image, size_t bytes);
void code_hash_clear(void);

#endif
