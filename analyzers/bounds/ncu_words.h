/* ncu_words.h - Nsight Compute's speed-of-light rule beside our verdict. */
#ifndef CPPROF_NCU_WORDS_H
#define CPPROF_NCU_WORDS_H

#include "analyzers/analysis.h"
#include "core/base/str.h"

/* Does the rule's text in the file say what the rule says of these numbers? 1,
 * 0, or -1 when the file or the numbers do not tell. */
int ncu_agrees(const struct bound *b);

/* Appends sentences: what the rule says, whether the file has it so, and where
 * it and our verdict point in different directions, why. Nothing without a rule. */
void ncu_words_add(struct str *out, const struct thresholds *t, const struct bound *b);

/* Says of a bundle's bound where the rule and our verdict point in different directions, and why. */
void ncu_words_add_difference(struct str *out, const struct bound *b);

#endif
