/* gap_picture.h - what was around the gap that matters most: lanes of a device, a stream each. */
#ifndef CPPROF_GAP_PICTURE_H
#define CPPROF_GAP_PICTURE_H

#include "analyzers/capture/trace_window.h"
#include "core/base/arena.h"
#include "core/base/err.h"
#include "reports/document/document.h"
#include "reports/pictures/lanes_picture.h"
#include "reports/pictures/trace_measures.h"

/* Reads the trace once more; nothing is added where no device has a gap. */
int gap_picture_add(const struct trace_measures *m, struct document *d, struct err *e);

/* What is drawn, with texts in `arena`; false when the gap takes no time. Release it even then. */
bool gap_picture_of(struct lanes_picture *out, const struct trace_measures *m, const struct trace_window *w,
                    const struct idle_gap *gap, struct arena *arena);

#endif
