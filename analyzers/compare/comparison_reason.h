/* comparison_reason.h - why is a comparison called what it is called? One code a
 * reason, and one sentence for people. docs/statistics.md has the table. */
#ifndef CPPROF_COMPARISON_REASON_H
#define CPPROF_COMPARISON_REASON_H

#include <stddef.h>

struct comparison_reason {
    const char *code;
    const char *sentence; /* without numbers */
};

extern const struct comparison_reason comparison_reasons[];
extern const size_t comparison_reason_count;

/* "" for a code that is not in the table. */
const char *comparison_reason_sentence(const char *code);

#endif
