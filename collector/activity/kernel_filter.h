/* kernel_filter.h - which kernels does the user want? Each name is matched once, as long as there is room to remember
 * it. */
#ifndef CPPROF_KERNEL_FILTER_H
#define CPPROF_KERNEL_FILTER_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/err.h"
#include "core/base/strtab.h"

enum { KERNEL_FILTER_NAME_BYTES_MAX = 4 * 1024 * 1024 }; /* with 80 bytes per name, at most 52,428 names */

struct kernel_filter {
    struct kernel_pattern *pattern; /* NULL: every kernel is wanted */
    struct strtab names;
    char *verdicts; /* one for each name, by id */
    size_t verdict_capacity;
};

/* `pattern` is an extended regular expression for the demangled name; NULL: all kernels. */
int kernel_filter_init(struct kernel_filter *f, const char *pattern, struct err *e);
void kernel_filter_release(struct kernel_filter *f);

bool kernel_filter_wants(struct kernel_filter *f, const char *symbol);

#endif
