/* list_settings.h - what 'cpprof list' says of counters and thresholds. */
#ifndef CPPROF_LIST_SETTINGS_H
#define CPPROF_LIST_SETTINGS_H

#include <stdbool.h>

#include "cli/output.h"
#include "core/base/err.h"

/* What these two know besides the formats of documents and JSON. */
extern const struct other_format list_settings_formats[];

/* Counters whose id or name the pattern matches (an extended regular expression
 * or the name of a set; NULL: all): ours, or with a chip all that it has, which
 * CUPTI is asked for. */
int list_counters(const char *pattern, const char *chip, const char *format, struct err *e);

/* The embedded thresholds. */
int list_thresholds(const char *format, struct err *e);

#endif
