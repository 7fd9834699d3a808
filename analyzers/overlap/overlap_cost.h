/* overlap_cost.h - what did it bring to run A beside B, and what did it cost each?
 * From three traces: A alone, B alone, and both together. */
#ifndef CPPROF_OVERLAP_COST_H
#define CPPROF_OVERLAP_COST_H

#include <stdint.h>

/* Work is one side's when its kind and name occur in that side's trace alone and
 * not in the other's. */
struct cost_side {
    const char *name, *source; /* "A" or "B"; its trace as given, the stream's */
    int64_t span_ns;           /* of its trace: first start to last end of GPU work */
    int64_t events_alone, events_together;
    int64_t busy_alone_ns, busy_together_ns; /* union per device, summed */
    double slowdown;                         /* busy together over busy alone; NAN without work of its own */
};

struct overlap_cost {
    struct cost_side a, b;
    const char *source; /* of both together */
    int64_t span_ns;    /* of both together */
    int64_t ambiguous;  /* events of all three traces whose name is in A and in B: nobody's */
    int64_t unknown;    /* events of the third trace that are in neither */
    int64_t differing;  /* names whose events or bytes together are not those of A and B alone: the numbers above
                           are of different work, and say nothing */
    double gain;        /* (T_A + T_B - T_AB) / min(T_A, T_B): 1 is all, 0 is one after the other; NAN without a span */
};

#endif
