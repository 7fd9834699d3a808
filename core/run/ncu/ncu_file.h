/* ncu_file.h - reads a file of Nsight Compute: from its path to its launches. */
#ifndef CPPROF_NCU_FILE_H
#define CPPROF_NCU_FILE_H

#include "core/base/err.h"
#include "core/run/imported_launches.h"

/* Reads Nsight Compute's CSV, any of its pages, plain or compressed with gzip; "-" is standard input. A report in ncu's
 * own format is read where ncu exports it (core/io/input_export.h). The good part of a damaged file is read, and a
 * caveat describes the rest. Returns ERR_INPUT when there is no good part, with a message that states what the file is
 * and what to do. */
int imported_launches_read(struct imported_launches *out, const char *path, struct err *e);

#endif
