/* run_bundle.h - a new bundle from its plan to its seal: what `run` and `aa` have
 * in common. */
#ifndef CPPROF_RUN_BUNDLE_H
#define CPPROF_RUN_BUNDLE_H

#include "cli/record/run_session.h"
#include "core/base/err.h"
#include "core/base/json.h"
#include "core/base/str.h"

/* Where it goes: as asked for, without slashes at its end; without a wish
 * ("pipeline/cpasync3") pipeline-cpasync3.cpprof, then -2, -3, ... The text is in `out`. */
const char *run_bundle_path(struct str *out, const char *asked, const char *variant);

/* What is known before anything ran; the caller's. NULL when memory is out. */
json_t *run_bundle_manifest(const char *kind, int word_count, const char *const *words, const struct run_texts *seeds);

/* Plans, measures, seals. A plan that is refused leaves nothing behind and
 * replaces nothing; a bundle that is replaced is gone only when the new one is sealed. */
int run_bundle_record(const struct run_request *request, const char *path, json_t *manifest, struct err *e);

#endif
