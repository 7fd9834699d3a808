/* pattern.h - compiles regular expressions whose use of time and memory is bounded. */
#ifndef CPPROF_PATTERN_H
#define CPPROF_PATTERN_H

#include <regex.h>

#include "core/base/err.h"

/* Compiles a POSIX extended regular expression without subexpressions. regexec then searches in time proportional to
 * the text. Refuses patterns for which the C library would need gigabytes or ages: back references, and repetitions
 * whose product exceeds PATTERN_COST_MAX (each + doubles the cost of what it repeats, {n} multiplies it by n). The
 * message of ERR_USAGE starts with `what`, such as "range pattern". The caller frees `out` with regfree. */
enum { PATTERN_COST_MAX = 1 << 18 };
int pattern_compile(regex_t *out, const char *pattern, const char *what, struct err *e);

#endif
