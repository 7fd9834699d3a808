/* roofline_picture.h - how far below which roof is each kernel? */
#ifndef CPPROF_ROOFLINE_PICTURE_H
#define CPPROF_ROOFLINE_PICTURE_H

#include "analyzers/analysis.h"
#include "reports/document/document.h"

/* All kernels that have operations and bytes, numbered, and the roofs; nothing without such a kernel. */
void roofline_picture_add(const struct analysis *a, struct document *d);

/* ---- for tests ---- */

struct canvas;

/* False when there is nothing to draw. */
bool roofline_picture_draw(const struct analysis *a, struct document *d, struct canvas *c);

#endif
