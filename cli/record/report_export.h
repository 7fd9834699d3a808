/* report_export.h - has nsys and ncu export their own reports, for readers to read (core/io/input_export.h). */
#ifndef CPPROF_REPORT_EXPORT_H
#define CPPROF_REPORT_EXPORT_H

#include <stdio.h>

#include "core/base/err.h"
#include "core/io/input_export.h"

/* Runs the tool on the PATH, or the one that CPPROF_NSYS or CPPROF_NCU names; an empty variable forbids it. Says so on
 * standard error. What it writes has no name once this returns, however this returns. Whoever is asked to end meanwhile
 * (Ctrl-C) ends after that.
 *
 * ERR_INPUT with the command to run when there is no such tool, and with the tool's last line when it fails;
 * ERR_ENVIRONMENT when it cannot be started or takes longer than CPPROF_EXPORT_SECONDS (600). */
int report_export(const char *path, enum tool_report report, FILE **out, struct err *e);

#endif
