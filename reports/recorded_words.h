/* recorded_words.h - what did the condition of `--when` record, and why? */
#ifndef CPPROF_RECORDED_WORDS_H
#define CPPROF_RECORDED_WORDS_H

#include <stdbool.h>

#include "analyzers/capture/capture_facts.h"
#include "core/base/str.h"

/* Appends "occurrences 100 to 103 of range 'step', of 2,000 seen". Returns false, and appends nothing, for a capture
 * without a condition, and when no process has reported. */
bool words_recorded(const struct capture_facts *f, struct str *text);

#endif
