/* pattern.h - extended regular expressions that cannot eat the machine. */
#ifndef CPPROF_PATTERN_H
#define CPPROF_PATTERN_H

#include <regex.h>

#include "base/err.h"

/* Compiles a POSIX extended regular expression, without subexpressions, that
 * regexec searches for in time proportional to the text. Refuses
 * what the C library would need gigabytes or ages for: repetitions that
 * multiply (each + doubles what it repeats, {n} takes it n times) beyond
 * PATTERN_COST_MAX, and back references. The message of ERR_USAGE starts with
 * `what`, such as "range pattern". Free with regfree. */
enum { PATTERN_COST_MAX = 1 << 18 };
int pattern_compile(regex_t *out, const char *pattern, const char *what, struct err *e);

#endif
