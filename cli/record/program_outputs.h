/* program_outputs.h - what programs computed: the arrays that they wrote to
 * $CPPROF_OUTPUT, each compared with that of the reference of the same block. */
#ifndef CPPROF_PROGRAM_OUTPUTS_H
#define CPPROF_PROGRAM_OUTPUTS_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/record/program_request.h"
#include "core/base/err.h"
#include "core/base/json.h"
#include "core/base/str.h"
#include "core/io/table.h"

struct program_outputs {
    const struct program_request *request;
    const char *folder; /* where the files are */
    size_t reference;   /* index of the baseline, else of the first arm */
    struct table verify, mismatches;
    long written[PROGRAM_ARMS_MAX], asked[PROGRAM_ARMS_MAX]; /* processes that could have written one, and did */
};

void program_outputs_init(struct program_outputs *o, const struct program_request *request, const char *folder);
void program_outputs_release(struct program_outputs *o);

/* "FOLDER/ARM-PROCESS.npy": the file of one process. */
const char *program_output_path(struct str *path, const struct program_outputs *o, size_t arm, long process);

/* After all arms of a block have run: `ran[arm]` says which did their work. The
 * reference is held against its own first output, the others against the
 * reference's. Files that are not needed any more are removed. */
int program_outputs_compare(struct program_outputs *o, long process, const bool *ran, struct err *e);

/* Writes verify.csv and mismatches.csv; what was not shown goes to "missing" of the manifest. */
int program_outputs_finish(struct program_outputs *o, const char *directory, json_t *manifest, struct err *e);

#endif
