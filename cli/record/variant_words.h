/* variant_words.h - what did a word mean that names no variant, shape or
 * parameter? */
#ifndef CPPROF_VARIANT_WORDS_H
#define CPPROF_VARIANT_WORDS_H

#include "cli/record/run_session.h"
#include "core/base/err.h"
#include "core/base/json.h"
#include "core/base/nearest_word.h"

/* The variants that look like `pattern`, or families, as patterns for all of
 * them. `variants`: the answer of cpprof-runner's role "list". */
struct nearest_word variant_near(const json_t *variants, const char *pattern);

/* Puts "did you mean" behind the runner's refusal of a request that has a word
 * which it does not know, where that looks like one that it knows. Other errors
 * stay as they are, whatever words they quote. */
void variant_words_suggest(const struct run_request *q, struct err *e);

#endif
