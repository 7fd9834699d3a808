/* wrap.h - a long line as several. */
#ifndef CPPROF_WRAP_H
#define CPPROF_WRAP_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/str.h"

/* Appends `line`, which holds no newline, and a newline. Lines behind the first begin with `indent`; none is broken but
 * at a space, nor longer than `columns` where that can be; 0: no limit. `may_begin` says of the text behind a space
 * whether a line may begin with it; NULL: any may. Sequences of escape (colours) take no column. */
void wrap_add(struct str *out, const char *line, size_t columns, const char *indent,
              bool (*may_begin)(const char *text));

/* The same for a terminal: no line is longer than `columns`, which is not 0; a word that is gets broken. */
void wrap_add_broken(struct str *out, const char *line, size_t columns, const char *indent);

#endif
