/* program_bundle.h - a new bundle of a run whose variants are programs, from its
 * first process to its seal. */
#ifndef CPPROF_PROGRAM_BUNDLE_H
#define CPPROF_PROGRAM_BUNDLE_H

#include "cli/record/program_request.h"
#include "core/base/err.h"
#include "core/base/json.h"

/* `manifest` is run_bundle_manifest's; what the programs add is entered. A run that
 * measured nothing leaves nothing behind and replaces nothing. */
int program_bundle_record(const struct program_request *request, const char *path, json_t *manifest, struct err *e);

#endif
