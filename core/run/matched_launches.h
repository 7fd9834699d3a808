/* matched_launches.h - the launches that --kernels chooses in the trace of a program, in the order of their starts. */
#ifndef CPPROF_MATCHED_LAUNCHES_H
#define CPPROF_MATCHED_LAUNCHES_H

#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"
#include "core/base/strtab.h"

enum { MATCHED_LAUNCHES_MAX = 4 * 1024 * 1024 };

struct matched_launch {
    int64_t start_ns;
    uint32_t form, kernel; /* ids in `forms` and `kernels` */
    int16_t rank;
};

struct matched_launches {
    struct matched_launch *items; /* by rank and start */
    size_t count, capacity;
    struct strtab forms;   /* launch_form.h */
    struct strtab kernels; /* symbols */
};

/* Fills a zeroed one from a trace. ERR_INPUT for a trace that cannot be read, ERR_USAGE for what --kernels refuses. */
int matched_launches_read(struct matched_launches *out, const char *path, const char *kernels, struct err *e);
void matched_launches_release(struct matched_launches *launches);

#endif
