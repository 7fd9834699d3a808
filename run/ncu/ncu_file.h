/* ncu_file.h - a file of Nsight Compute, from its path to its launches. */
#ifndef CPPROF_NCU_FILE_H
#define CPPROF_NCU_FILE_H

#include "base/err.h"
#include "run/imported_launches.h"

/* Reads Nsight Compute's CSV, any of its pages, plain or gzip; "-" is standard
 * input. What is good of a damaged file is read, and a caveat says the rest;
 * ERR_INPUT when nothing is, with what the file is and what to do. */
int imported_launches_read(struct imported_launches *out, const char *path, struct err *e);

#endif
