/* counter_absence.h - why does a run not say what a counter of a variant is? */
#ifndef CPPROF_COUNTER_ABSENCE_H
#define CPPROF_COUNTER_ABSENCE_H

#include "analyzers/run_facts.h"
#include "core/base/arena.h"

/* Returns one sentence, without a full stop, for a counter whose fact_metric is NAN: nobody knows the name, the chip
 * lacks it, it was not counted, one reading is not credible, or it is one for each of several kernels. It is in the
 * arena; NULL without memory. */
const char *counter_absence(const struct analysis *a, const struct fact_place *place, const char *variant,
                            struct arena *arena);

#endif
