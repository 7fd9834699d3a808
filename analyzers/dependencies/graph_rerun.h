/* graph_rerun.h - when would a recorded program have ended, if some of its work had been shorter?
 *
 * Every node is run again at the earliest time that its edges allow, which is the recorded one where nothing is
 * shorter. Each source of an edge starts earlier than the node, so one pass in the recorded order is enough. */
#ifndef CPPROF_GRAPH_RERUN_H
#define CPPROF_GRAPH_RERUN_H

#include <stdbool.h>
#include <stdint.h>

#include "analyzers/dependencies/recorded_graph.h"

/* A re-run: which kernel, which kind of copies, or what of the host is shorter, and what is assumed where the trace
 * does not tell what was waited for. A node that may have waited for several others follows one of them. If it follows
 * the last one, and recorded order is kept, the program gains least; if it follows the first one, it gains most. */
struct rerun {
    uint32_t name;          /* of the kernels or copies that are shorter; 0: none */
    uint64_t grid_blocks;   /* only those of this grid; 0: all */
    double left;            /* what is left of their time, as a share */
    double host_gone;       /* what goes of the host's time between calls, as a share */
    bool gains_most;        /* else least */
    bool drops_unexplained; /* delays whose cause is not known are gone */
};

/* Times of all nodes in a re-run. */
struct rerun_times { /* starts zeroed */
    int64_t *call_start_ns, *call_end_ns, *work_start_ns, *work_end_ns;
    int64_t *meeting_ns;          /* the last arrival */
    int64_t *done_ns, *called_ns; /* by process: the last end of work and of calls so far */
    int64_t *launched_ns;         /* by launch, a Fenwick tree for each process: the last end of work up to there */
};

int rerun_times_new(struct rerun_times *t, const struct recorded_graph *g, struct err *e);
void rerun_times_release(struct rerun_times *t);

/* Returns the end of the last work. */
int64_t graph_rerun(const struct recorded_graph *g, const struct rerun *how, struct rerun_times *t);

#endif
