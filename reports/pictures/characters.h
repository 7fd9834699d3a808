/* characters.h - parts of pictures in characters: lines of at most CHARACTER_COLUMNS, from block elements. */
#ifndef CPPROF_CHARACTERS_H
#define CPPROF_CHARACTERS_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/str.h"

enum { CHARACTER_COLUMNS = 76 };

/* Appends a text as visible UTF-8 in exactly so many columns: filled with spaces behind it (or before it), or cut, and
 * then its end is "…". */
void characters_left(struct str *out, const char *text, size_t columns);
void characters_right(struct str *out, const char *text, size_t columns);

/* Appends a bar from `begin` to `end` on a line of `columns` columns; what is not empty is seen. Ends are exact to an
 * eighth of a column, begins to a half. Nothing is drawn outside, and nothing for what is not finite. */
void characters_bar(struct str *out, double begin, double end, size_t columns);

/* Appends one of the eight heights of a column for a share, 0 to 1: " " for 0 or NAN. */
void characters_height(struct str *out, double share);

#endif
