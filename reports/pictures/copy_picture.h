/* copy_picture.h - what ran beside the copy that is exposed most: lanes of its device, a stream each. */
#ifndef CPPROF_COPY_PICTURE_H
#define CPPROF_COPY_PICTURE_H

#include "analyzers/capture/exposed_copy.h"
#include "analyzers/capture/trace_window.h"
#include "core/base/arena.h"
#include "core/base/err.h"
#include "reports/document/document.h"
#include "reports/pictures/lanes_picture.h"
#include "reports/pictures/trace_measures.h"

/* Reads the trace twice more; nothing is added where no copy is exposed for long. */
int copy_picture_add(const struct trace_measures *m, struct document *d, struct err *e);

/* What is drawn, with texts in `arena`; false when the window takes no time. Release it even then. */
bool copy_picture_of(struct lanes_picture *out, const struct trace_measures *m, const struct trace_window *w,
                     const struct exposed_copy *copy, struct arena *arena);

#endif
