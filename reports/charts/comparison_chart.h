/* comparison_chart.h - the comparisons of a document as one picture. */
#ifndef CPPROF_COMPARISON_CHART_H
#define CPPROF_COMPARISON_CHART_H

#include "analyzers/analysis.h"
#include "reports/document/document.h"

/* Appends what gnuplot is to draw (an SVG on its standard output): for each
 * comparison the ratio with its interval, the ratios of its processes and the
 * margin. False when no comparison has a ratio. Names are inert in it. */
bool comparison_chart_script(const struct analysis *a, struct str *out);

/* The chart as a block of the document; nothing without a ratio. */
void comparison_chart_add(const struct analysis *a, struct document *d);

#endif
