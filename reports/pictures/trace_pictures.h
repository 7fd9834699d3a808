/* trace_pictures.h - the pictures of a trace, wherever it comes from. */
#ifndef CPPROF_TRACE_PICTURES_H
#define CPPROF_TRACE_PICTURES_H

#include "analyzers/capture/capture_facts.h"
#include "core/base/err.h"
#include "reports/document/document.h"
#include "reports/pictures/trace_measures.h"

struct trace_measures trace_measures_of(const struct capture_facts *f);

/* Adds where the time of each device goes (device-time), the gap that matters most (largest-gap), the copy that
 * is exposed most (exposed-copy), and who waits for whom (ranks): each where there is something to show. Reads the
 * stream. */
int trace_pictures_add(const struct trace_measures *m, struct document *d, struct err *e);

#endif
