/* bound_advice.h - for each kind of bound: what to try, and what will not help. */
#ifndef CPPROF_BOUND_ADVICE_H
#define CPPROF_BOUND_ADVICE_H

#include "analyzers/analysis.h"
#include "analyzers/bounds/gain_prediction.h"

/* The key of a kernel that is latency-bound by any stall, but short (bound_inputs_is_short). */
#define BOUND_ADVICE_SHORT    "short"
#define BOUND_ADVICE_OPERANDS "operands" /* of tcgen05, read from shared memory; ... */
#define BOUND_ADVICE_PAIRS    "pairs"    /* ... by pairs of blocks already */

struct bound_advice {
    enum bound_class class_;
    const char *key; /* unit, stall reason, "small-grid", "tail" or a BOUND_ADVICE; NULL for the rest of the class */
    const char *advice, *will_not_help;
    unsigned denies; /* bits of enum prediction_kind: changes that the last one speaks against */
};

/* The first line of the table that fits; NULL when there is nothing to say. */
const struct bound_advice *bound_advice_for(enum bound_class class_, const char *key);

/* The same advice where numbers rule out more stages; NULL when it asks for none. */
const char *bound_advice_without_stages(enum bound_class class_, const char *key);

#endif
