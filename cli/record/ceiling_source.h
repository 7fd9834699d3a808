/* ceiling_source.h - ceilings of GPUs, measured by the runner or read from a file that
 * `doctor --ceilings` wrote. */
#ifndef CPPROF_CEILING_SOURCE_H
#define CPPROF_CEILING_SOURCE_H

#include "core/base/err.h"
#include "core/base/json.h"

/* The word of `run --ceilings` that means: now. */
#define CEILINGS_MEASURE "measure"

/* Measures every GPU that CUDA sees and, where there are several, the links between them; a few seconds a GPU.
 * `devices`: their number. What cannot be measured is in the document with its reason. The value is the caller's. */
int ceilings_measure_all(long devices, json_t **document, struct err *e);

/* Enters the ceilings of the run's GPU, which `plan` (a process's report) describes, into its manifest: as `asked`,
 * CEILINGS_MEASURE or a file. Measurements that fail are entered as missing; a file that
 * is none, or of another kind of GPU, is an error. */
int ceilings_enter(const char *asked, long device, const json_t *plan, json_t *manifest, struct err *e);

#endif
