/* words.h - a command line as words, cut as a shell cuts it, without a shell. */
#ifndef CPPROF_WORDS_H
#define CPPROF_WORDS_H

#include <stddef.h>

#include "base/err.h"

enum { WORDS_MAX = 4096 };

struct word_list {
    char **items; /* ends with NULL once something was split */
    size_t count, capacity;
};

/* Blanks part words; 'single' and "double" quotes and backslashes do what they do
 * in a POSIX shell; nothing is expanded, and | & ; < > are letters like others.
 * Fills a zeroed list. ERR_USAGE for a quote or backslash that is left open, for
 * no word at all and for more than WORDS_MAX. */
int words_split(struct word_list *out, const char *text, struct err *e);
void words_release(struct word_list *w); /* zeroed again */

#endif
