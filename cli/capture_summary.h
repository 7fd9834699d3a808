/* capture_summary.h - the last lines of a capture: what is in it, what it cost, what to ask it. */
#ifndef CPPROF_CAPTURE_SUMMARY_H
#define CPPROF_CAPTURE_SUMMARY_H

#include <stdbool.h>

#include "core/base/err.h"

/* Reads the bundle again, as every other command will, and writes to standard error. */
int capture_summary(const char *path, bool is_profile, struct err *e);

#endif
