/* metric_words.h - can what --metrics and --metric-set ask for be collected? */
#ifndef CPPROF_METRIC_WORDS_H
#define CPPROF_METRIC_WORDS_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/err.h"

struct metric_request {
    const char *const *words; /* sets, ids, CUPTI's names */
    size_t count;
    bool of_programs; /* counted by kernel replay in somebody else's process */
    long device;
};

/* Before anything runs. A word that is not ours is asked of the chip, through
 * cpprof-runner. ERR_USAGE names what is nearest. */
int metric_words_check(const struct metric_request *q, struct err *e);

#endif
