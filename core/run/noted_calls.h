/* noted_calls.h - what the runner itself noted of the calls of an arm (witness.csv), summed over processes. */
#ifndef CPPROF_NOTED_CALLS_H
#define CPPROF_NOTED_CALLS_H

#include "core/run/run.h"

/* Returns how often `place` called the function that launches (WITNESS_MEASURE, WITNESS_GRAPH ...); NAN: not noted. */
double noted_calls(const struct run *run, const struct arm *arm, const char *place);

/* Returns how many kernels a call has in the graph that is timed, by its nodes; NAN: no graph is timed. */
double noted_graph_kernels(const struct run *run, const struct arm *arm);

#endif
