/* utf8.h - makes bytes from outside safe to show: valid UTF-8 without control characters. */
#ifndef CPPROF_UTF8_H
#define CPPROF_UTF8_H

#include <stddef.h>

#include "core/base/str.h"

/* Appends `bytes` with every invalid sequence replaced by U+FFFD. */
void utf8_add_valid(struct str *out, const char *bytes, size_t count);

/* Does the same, and writes control characters (C0, DEL, C1, line and paragraph separators, bidirectional overrides) as
 * a visible \xNN or \u{NNNN}. The result is inert on a terminal and fits on one line. */
void utf8_add_visible(struct str *out, const char *bytes, size_t count);

#endif
