/* chart.h - pictures are gnuplot's work. */
#ifndef CPPROF_CHART_H
#define CPPROF_CHART_H

#include "base/err.h"
#include "base/str.h"

/* Appends the SVG that gnuplot draws by the script: CPPROF_GNUPLOT, else the one
 * in PATH. ERR_ENVIRONMENT when there is none, or it gives no picture in time. */
int chart_draw(const char *script, struct str *svg, struct err *e);

#endif
