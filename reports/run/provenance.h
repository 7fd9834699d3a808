/* provenance.h - where, with what and how was it measured, of bundles that are no runs. */
#ifndef CPPROF_PROVENANCE_H
#define CPPROF_PROVENANCE_H

#include "core/base/json.h"
#include "reports/document/document.h"

/* The tools, what was asked for, when, and the command to do it again. */
void provenance_capture_add(struct document *d, const json_t *manifest);

#endif
