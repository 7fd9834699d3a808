/* inside_words.h - why may what a kernel recorded not be believed, in words? */
#ifndef CPPROF_INSIDE_WORDS_H
#define CPPROF_INSIDE_WORDS_H

#include "analyzers/inside/inside_rows.h"

enum { INSIDE_COST_BYTES = 80 };

/* "4.98% (4.94 to 5.02%)": near the limit of the cost with a digit more, so that it shows why it is beyond.
 * Returns `out`, which holds INSIDE_COST_BYTES. The interval stands between `before` and `behind`. */
char *inside_cost_words(char *out, struct bounded cost, const char *before, const char *behind);

#endif
