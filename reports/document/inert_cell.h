/* inert_cell.h - a stranger's text in a cell of a CSV that people open. */
#ifndef CPPROF_INERT_CELL_H
#define CPPROF_INERT_CELL_H

#include <stddef.h>

#include "core/base/str.h"

/* Appends the text as a spreadsheet and a terminal may have it, not yet quoted: control characters are visible, and
 * before what a spreadsheet would calculate (=, +, - or @ at the beginning) stands an apostrophe. */
void inert_cell_add(struct str *out, const char *text, size_t length);

#endif
