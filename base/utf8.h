/* utf8.h - strangers' bytes made safe to show: valid UTF-8, no control characters. */
#ifndef CPPROF_UTF8_H
#define CPPROF_UTF8_H

#include <stddef.h>

#include "base/str.h"

/* Appends `bytes` with every invalid sequence replaced by U+FFFD. */
void utf8_add_valid(struct str *out, const char *bytes, size_t count);

/* As utf8_add_valid, and control characters (C0, DEL, C1, line and paragraph
 * separators, bidirectional overrides) become a visible \xNN or \u{NNNN}:
 * inert on a terminal and in one-line contexts. */
void utf8_add_visible(struct str *out, const char *bytes, size_t count);

#endif
