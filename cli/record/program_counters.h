/* program_counters.h - what the guest's counters library left of one process of a
 * program, as rows of the run. */
#ifndef CPPROF_PROGRAM_COUNTERS_H
#define CPPROF_PROGRAM_COUNTERS_H

#include "cli/record/program_request.h"
#include "core/base/err.h"
#include "core/base/json.h"
#include "core/base/str.h"

/* The counters to ask for, with commas: those of the command line, else the set "bound". */
int program_counters_names(struct str *out, const struct program_request *q, struct err *e);

/* Writes the list of launches to count (collector/counters/chosen_launches.h) where names do not tell them: there are
 * several groups, or a filter by size. */
int program_counters_list(const char *path, const struct work_choice *choice, const struct program_samples *first,
                          bool *is_listed, struct err *e);

/* Reads metrics-<pid>.csv and counters-<pid>.json of `from` (docs/formats.md) and
 * appends metrics.csv in `directory`, kernels in the order of `order`. *kernels is
 * a new array of what the device says of each kernel; "gpu" and "missing" of the
 * manifest get what is new, `why_none` when there is nothing. */
int program_counters_merge(const char *from, const char *directory, const char *variant,
                           const struct program_samples *order, const char *why_none, json_t *manifest,
                           json_t **kernels, struct err *e);

/* Enters into "missing" of the manifest that something could not be had. */
int program_missing(json_t *manifest, const char *what, const char *variant, const char *why, struct err *e);

#endif
