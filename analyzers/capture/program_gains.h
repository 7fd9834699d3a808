/* program_gains.h - what would the whole program gain, if its kernels kept their busiest units busy all the time? Their
 * headroom, by the samples of one run, times how much of a saving reaches the program: by the delays of another run, or
 * else by the recorded graph of what waited for what, run again with shorter kernels. */
#ifndef CPPROF_PROGRAM_GAINS_H
#define CPPROF_PROGRAM_GAINS_H

#include <stdbool.h>
#include <stddef.h>

#include "analyzers/capture/kernel_windows.h"
#include "analyzers/causal/causal_rows.h"
#include "analyzers/dependencies/dependency_rows.h"
#include "base/err.h"
#include "trace/short_names.h"

struct program_gain {
    const struct kernel_window *window;
    const struct causal_row *causal; /* of the first expression that matches the kernel; NULL: by the graph */
    struct bounded criticality;      /* how much of the saving reaches the program; NAN: not known */
    struct bounded gain;             /* share of the time from the device's first work to its last; NAN: not known */
    const char *reason;              /* why it is not known; "" */
    bool is_beyond; /* a launch would save more than the longest delay that was tried: so far it is not known */
};

struct program_gains {          /* starts zeroed */
    struct program_gain *items; /* most gain first; unknown ones last */
    size_t count;
};

/* Rows are for kernels that have headroom: all that were delayed, and the others among the first PROGRAM_GAINS_MAX. An
 * expression that was delayed in several processes has no measured gain. `causal`: NULL, nothing was delayed. Windows
 * and rows must outlive it. */
enum { PROGRAM_GAINS_MAX = 20 };
int program_gains_make(struct program_gains *g, const struct kernel_windows *windows, const struct short_names *names,
                       const struct causal *causal, const struct dependencies *dependencies, struct err *e);
void program_gains_release(struct program_gains *g);

#endif
