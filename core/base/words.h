/* words.h - words of a command line, split as a shell does and quoted again, and of a list with commas. */
#ifndef CPPROF_WORDS_H
#define CPPROF_WORDS_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/err.h"
#include "core/base/str.h"

enum { WORDS_MAX = 4096 };

struct word_list {
    char **items; /* ends with NULL once something was split */
    size_t count, capacity;
};

/* Fills a zeroed list. Blanks separate words. Single quotes, double quotes and backslashes work as in a POSIX shell.
 * Nothing is expanded, and | & ; < > are ordinary characters. Returns ERR_USAGE for a quote or backslash that is left
 * open, for a line without words, and for more than WORDS_MAX words. */
int words_split(struct word_list *out, const char *text, struct err *e);
void words_release(struct word_list *w); /* frees the words and zeroes the list */

/* Appends a word as a shell reads it back: in single quotes unless all of its characters are harmless. */
void words_add_quoted(struct str *out, const char *word);

/* Is the word one of a list with commas? NULL is an empty list. */
bool words_list_has(const char *list, const char *word);

/* Of "NAME=THING" gives the length of NAME, which has letters, digits and ._-+ alone; 0 when the text has no such
 * beginning, as "./a=b.so". */
size_t words_name_length(const char *text);

/* Of "FILE.py:FUNCTION", a function of a Python file, gives the length of FILE.py; 0 of anything else. */
size_t words_python_length(const char *text);

#endif
