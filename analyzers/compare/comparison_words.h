/* comparison_words.h - how a gain, its interval and the case of a comparison are said. */
#ifndef CPPROF_COMPARISON_WORDS_H
#define CPPROF_COMPARISON_WORDS_H

#include <stdbool.h>

#include "analyzers/compare/compare_rows.h"
#include "core/base/str.h"
#include "core/base/units.h"

/* How a gain is said with its interval and its margin, in digits that tell them apart. Above GAIN_SATURATES times the
 * speed gains look alike (166x and 159x are 99.4% both), and the interval is that of the speedup. */
#define GAIN_SATURATES 3.0
struct gain_words {
    bool saturates;
    char gain[UNITS_TEXT_BYTES], margin[UNITS_TEXT_BYTES];
    char interval[2 * UNITS_TEXT_BYTES + 8]; /* "24.1% to 25.4%", "165.1x to 166.4x" */
};
void gain_words_of(struct gain_words *out, const struct comparison *c);

/* Appends "mission", "mission, cold L2". */
void case_words_add(struct str *out, const char *config, const char *cache);

#endif
