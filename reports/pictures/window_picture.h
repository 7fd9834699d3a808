/* window_picture.h - what a device did in a window of a trace: a lane for each stream, and one for the host. */
#ifndef CPPROF_WINDOW_PICTURE_H
#define CPPROF_WINDOW_PICTURE_H

#include <stdbool.h>

#include "analyzers/capture/trace_window.h"
#include "core/base/arena.h"
#include "reports/document/document.h"
#include "reports/pictures/lanes_picture.h"
#include "reports/pictures/trace_measures.h"

/* Lane 0 is left for the host where there is one: what is in it, and the bracket, is for the caller to add. Texts are
 * in `arena`. False when the window takes no time. Release it even then. */
bool window_picture_of(struct lanes_picture *out, const struct trace_measures *m, const struct trace_window *w,
                       bool has_host, struct arena *arena);

/* What is left out, if anything. */
void window_picture_caption(const struct trace_window *w, struct document *d);

#endif
