/* size_sweep.h - "bytes=256KiB:512MiB:x2": one dimension at many sizes. */
#ifndef CPPROF_SIZE_SWEEP_H
#define CPPROF_SIZE_SWEEP_H

#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"

enum { SIZE_SWEEP_MAX = 128, SIZE_SWEEP_AXIS_BYTES = 32 };

struct size_sweep {
    char axis[SIZE_SWEEP_AXIS_BYTES];
    int64_t values[SIZE_SWEEP_MAX]; /* ascending */
    size_t count;
};

/* AXIS=FIRST:LAST:xFACTOR, AXIS=FIRST:LAST:+STEP or AXIS=SIZE,SIZE,...: whole
 * numbers, with units (KiB, MB) where the axis is called bytes or ends in _bytes.
 * LAST is included when it is met. ERR_USAGE says what is wrong. */
int size_sweep_parse(struct size_sweep *out, const char *text, struct err *e);

#endif
