/* witness.h - what is known of each arm of a run from several sides, joined once; each check holds two of them against
 * each other (docs/witnesses.md). */
#ifndef CPPROF_WITNESS_H
#define CPPROF_WITNESS_H

#include "analyzers/analysis.h"

/* What calls of the function that launches did. NAN: not known. */
struct seen_calls {
    double calls, kernels, blocks, copied_bytes; /* bytes of copies within a device count twice */
    double copies, memsets, moved_bytes;         /* each byte once */
    double streams;                              /* that its kernels are on, of each call */
    double grids; /* a number that is the same where as many kernels of each name have the same grids */
};

/* One arm. Sums are of one launch; NAN where nobody says. */
struct witnessed {
    const struct arm *arm;
    double bytes, flops, bus_factor;             /* as it declares */
    const char *no_verdict;                      /* why its times say nothing, as it declares; "" */
    struct seen_calls verified, measured, graph; /* traced, but for the graph that was timed */
    bool calls_differ;                           /* measured ones, among themselves */
    double busy_ns; /* of a measured call, so long at least was one device at work: the lower quartile of the calls */
    double own_ns;  /* the same, with the time that a call shares with the one before */
    double verified_ns;     /* of the verified call that took least, alike */
    double hot_ns, cold_ns; /* of a launch by events, typical over the processes */
    double counted_kernels, l2_bytes, l2_written_bytes;
    double operations, integer_operations; /* floating-point ones of all precisions; those of tensor cores on INT8 */
    bool has_other_operations;             /* there may be more than `operations`: nobody counted them */
    double peak_dram, peak_l2, peak_operations; /* the most a second */
    bool is_on_several;                         /* GPUs, each of which was counted */
    double link_bytes;                          /* received by the GPU that received least */
    double cold_dram_bytes, persisting_bytes;   /* of launches behind a flush */
    double timed_bad, before_bad; /* worst share of wrong values that the timed launches left, and that others did */
};

struct witnessing {
    struct analysis *a;
    struct witnessed *arms; /* of variants.csv */
    size_t count;
    size_t *places;                         /* of each arm of the run: its place above plus 1; 0 none */
    double flushed_bytes, flush_read_bytes; /* a buffer that was flushed, and what reading it again took from DRAM */
    double l2_size_bytes;
    const char *damage;   /* why nothing is held against anything; "" when the bundle is whole */
    const char *untraced; /* why the trace says nothing; "" when it does */
};

/* Reads the analysis' bundle. Release it even after an error. */
int witnessing_init(struct witnessing *w, struct analysis *a, struct err *e);
void witnessing_release(struct witnessing *w);

/* Adds findings about what is odd of an arm and no contradiction. */
int witness_note(struct witnessing *w, const struct witnessed *arm, struct err *e);

/* NULL of an arm that variants.csv does not name. */
struct witnessed *witnessed_find(struct witnessing *w, const struct arm *arm);

/* Parts of init. From the trace: verified, measured, busy_ns, own_ns, verified_ns; ... */
int witness_read_trace(struct witnessing *w, struct err *e);
/* ... from tables: everything else. */
int witness_read_tables(struct witnessing *w, struct err *e);

#endif
