/* line_table.h - how large were the source files when a cubin was compiled? The compiler leaves it in the table of
 * lines (nvcc -lineinfo). */
#ifndef CPPROF_LINE_TABLE_H
#define CPPROF_LINE_TABLE_H

#include <stddef.h>
#include <stdint.h>

/* Puts the sizes of all source files with this name, without folders, into `out`. Returns how many; 0 when the cubin
 * names none. The image may be damaged. */
size_t line_table_sizes(const void *image, size_t bytes, const char *name, uint64_t *out, size_t max);

#endif
