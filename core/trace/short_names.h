/* short_names.h - the shortest form of each name that no other name has.
 *
 * "void ns::tile<3>(float *)" becomes "ns::tile" when no other name does. If "void ns::tile<4>(float *)" exists, it is
 * "ns::tile<3>". The full name is used where that is shared, too. A general name keeps the argument that says what the
 * kernel does (core/trace/kernel_names.h). */
#ifndef CPPROF_SHORT_NAMES_H
#define CPPROF_SHORT_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"
#include "core/base/strtab.h"

enum name_style { NAMES_SHORT, NAMES_FULL, NAMES_MANGLED };

enum { SHORT_NAME_LEVELS = 3 };

struct short_name;

struct short_names {
    struct strtab full;
    struct short_name *items; /* one for each id of full, from 1 */
    size_t count, capacity;
    struct {
        struct strtab texts;
        uint32_t *owners; /* how many full names share a text */
        size_t count, capacity;
    } levels[SHORT_NAME_LEVELS]; /* short, compact (core/trace/kernel_names.h), with all template arguments */
};

void short_names_init(struct short_names *n);
void short_names_release(struct short_names *n);

/* Adds a demangled name and returns its id: the same id for the same name, counting from 1 in the order of adding. 0
 * when memory is out. */
uint32_t short_names_add(struct short_names *n, const char *full);

/* Adds the name of a CUDA API call without the version that CUPTI appends: "cudaLaunchKernel_v7000" becomes
 * cudaLaunchKernel, as in other tools. */
uint32_t short_names_add_call(struct short_names *n, const char *name);
size_t call_name_length(const char *name); /* without the version */

/* Returns the shortest text that no other name added so far has. Valid until release. */
const char *short_names_text(const struct short_names *n, uint32_t id);
const char *short_names_full(const struct short_names *n, uint32_t id);

#endif
