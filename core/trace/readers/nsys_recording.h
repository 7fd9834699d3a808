/* nsys_recording.h - how was an export of nsys recorded, by its own words? */
#ifndef CPPROF_NSYS_RECORDING_H
#define CPPROF_NSYS_RECORDING_H

#include "core/base/err.h"
#include "core/base/str.h"
#include "core/io/sqlite_rows.h"

/* Appends why there may be no work of the GPU: whether CUDA was traced, where, and what nsys warned of. */
int nsys_recording_describe(struct sqlite_file *file, struct str *out, struct err *e);

#endif
