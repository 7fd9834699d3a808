/* counted_beside_report.h - several tables of Nsight Compute side by side: each kernel's time and bound in each. */
#ifndef CPPROF_COUNTED_BESIDE_REPORT_H
#define CPPROF_COUNTED_BESIDE_REPORT_H

#include <stddef.h>

#include "analyzers/analysis.h"
#include "core/base/array.h"
#include "core/base/strtab.h"
#include "reports/document/document.h"

enum { BESIDE_FILES_MAX = 4 };

/* A kernel in a file. */
struct beside_cell {
    size_t launches;
    double duration_ns; /* of all; NAN: that of one is not known */
    char bound[64];     /* "memory-bound dram 91.2%"; "" of none, or where launches differ */
    bool differs;
};

struct beside_kernel {
    uint32_t name; /* id in `names`, as the file has it */
    struct beside_cell files[BESIDE_FILES_MAX];
};

struct counted_beside { /* starts zeroed */
    const char *paths[BESIDE_FILES_MAX];
    size_t file_count, left_out; /* those behind the first BESIDE_FILES_MAX are left out */
    struct strtab names;
    ARRAY_OF(struct beside_kernel) kernels; /* kernels[id - 1] */
};

void counted_beside_init(struct counted_beside *b);
void counted_beside_release(struct counted_beside *b);

/* Takes the launches of a file. `path` stays the caller's. */
int counted_beside_add(struct counted_beside *b, const char *path, const struct analysis *a, struct err *e);

/* The section, where there are two files and more. */
int report_counted_beside(const struct counted_beside *b, struct document *d, struct err *e);

#endif
