/* roofline_chart.h - kernels below their roofs, as one picture. */
#ifndef CPPROF_ROOFLINE_CHART_H
#define CPPROF_ROOFLINE_CHART_H

#include "analyzers/analysis.h"
#include "reports/document/document.h"

/* Appends what gnuplot is to draw (an SVG on its standard output): operations a second over operations a byte, both
 * logarithmic; the roofs as lines, each kernel as a point for each memory level. False when there is no such
 * kernel. Names are inert in it. */
bool roofline_chart_script(const struct analysis *a, struct str *out);

/* The chart as a block of the document; nothing without a kernel that has operations and bytes. */
void roofline_chart_add(const struct analysis *a, struct document *d);

#endif
