/* cubin_lines.h - which instruction is this, and from which source line was it compiled? For machine code that CUDA
 * loads while this watches. */
#ifndef CPPROF_CUBIN_LINES_H
#define CPPROF_CUBIN_LINES_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/dynload/cupti_api.h"
#include "core/base/err.h"
#include "core/base/str.h"

/* Keeps a copy of each cubin that is loaded from now on. One watcher per process. */
int cubin_lines_start(const struct cupti_api *api, struct err *e);
void cubin_lines_clear(void);

struct cubin_source {
    struct str folder, name; /* as the compiler knew the file */
    uint32_t line;
};

void cubin_source_init(struct cubin_source *s);
void cubin_source_release(struct cubin_source *s);

/* Fills an empty one. Returns false when it was compiled without line information (nvcc -lineinfo), or the module was
 * not seen. */
bool cubin_lines_source(uint64_t cubin_crc, const char *symbol, uint64_t offset, struct cubin_source *out);

/* The sizes of the source files with this name, without folders, when the module was compiled. Returns how many; 0 when
 * they are not known. */
size_t cubin_lines_sizes(uint64_t cubin_crc, const char *name, uint64_t *out, size_t max);

/* Returns the instruction's text; "" when unknown. A module is disassembled when it is first needed; `e` gets the
 * reason if that fails, once. */
const char *cubin_lines_instruction(uint64_t cubin_crc, const char *symbol, uint64_t offset, struct err *e);

#endif
