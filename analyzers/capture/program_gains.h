/* program_gains.h - what would the whole program gain, if its kernels kept their busiest units busy all the time, if
 * its copies took no time, or if the host were never late? What could go, by the samples and records of one run, times
 * how much of a saving reaches the program: by the delays of another run, or else by the recorded graph of what waited
 * for what, run again with shorter work. */
#ifndef CPPROF_PROGRAM_GAINS_H
#define CPPROF_PROGRAM_GAINS_H

#include <stdbool.h>
#include <stddef.h>

#include "analyzers/capture/kernel_windows.h"
#include "analyzers/causal/causal_rows.h"
#include "analyzers/dependencies/dependency_rows.h"
#include "core/base/err.h"
#include "core/trace/short_names.h"

enum gain_kind { GAIN_KERNEL, GAIN_COPY, GAIN_HOST };

struct program_gain {
    enum gain_kind kind;
    uint32_t name; /* in the short names: the kernel, the copies of one kind; of the host: what follows */
    int device;    /* of a kernel */
    int64_t launches;
    double share;    /* its time, of that from the first work to the last; of the host: idle before them */
    double headroom; /* what of its time could go: all of it but in kernels */
    const struct causal_row *causal; /* of the first target that it belongs to; NULL: by the graph */
    struct bounded criticality;      /* how much of the saving reaches the program; NAN: not known */
    struct bounded gain;             /* share of the time from the device's first work to its last; NAN: not known */
    struct step_gain step;           /* the same of a step, by the graph; NAN: not known */
    const char *reason;              /* why it is not known: the key of a measurement or of the graph; "" */
    bool is_beyond; /* a launch would save more than the longest delay that was tried: so far it is not known */
};

struct program_gains {          /* starts zeroed */
    struct program_gain *items; /* most gain first; unknown ones last */
    size_t count;
};

/* Rows are for kernels that have headroom: all that were delayed, and the others among the first PROGRAM_GAINS_MAX; for
 * copies of each kind that take DEPENDENCY_COPY_MIN of the time, or were delayed; and for the host before what it
 * was delayed before. There are none where nothing was sampled and nothing delayed. A target that was delayed in
 * several processes has no measured gain. `causal`: NULL, nothing was delayed. Its rows must outlive it. */
enum { PROGRAM_GAINS_MAX = 20 };
int program_gains_make(struct program_gains *g, const struct kernel_windows *windows, struct short_names *names,
                       const struct causal *causal, const struct dependencies *dependencies, struct err *e);
void program_gains_release(struct program_gains *g);

/* A kernel with all of its grids, a kind of copies, or the host. */
struct gain_of_all {
    const struct program_gain *most; /* its row that gains most; NULL: of nothing is it known */
    size_t rows;
    struct bounded gain; /* of all its rows */
};

/* Gives what gains most. */
struct gain_of_all program_gains_most(const struct program_gains *g);

#endif
