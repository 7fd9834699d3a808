/* status_words.h - words that say good, bad or unknown, in colour. */
#ifndef CPPROF_STATUS_WORDS_H
#define CPPROF_STATUS_WORDS_H

#include <stdbool.h>

#include "core/base/str.h"

/* Sequences of escape that every terminal with colours knows. */
#define STYLE_BOLD "\x1b[1m"
#define STYLE_OFF  "\x1b[0m"

/* Appends inert text; its words of status are green, red or yellow. `style` is what the text around them stands in: ""
 * or STYLE_BOLD. */
void status_words_add(struct str *out, const char *text, const char *style);
/* The same of a word that it begins with alone: of an answer, "pass, 4 of 4 checks". */
void status_words_add_first(struct str *out, const char *text);

/* A column whose cells are words of status. */
bool status_words_in_column(const char *title);

#endif
