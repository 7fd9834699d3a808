/* entries.h - the entry point of each analyzer, for analyzer_table.c. */
#ifndef CPPROF_ENTRIES_H
#define CPPROF_ENTRIES_H

#include "analyzers/analysis.h"
#include "base/err.h"

int selection_analyze(struct analysis *a, struct err *e);
int program_selection_analyze(struct analysis *a, struct err *e);
int correctness_analyze(struct analysis *a, struct err *e);
int resources_analyze(struct analysis *a, struct err *e);
int timing_analyze(struct analysis *a, struct err *e);
int witness_analyze(struct analysis *a, struct err *e);
int compare_analyze(struct analysis *a, struct err *e);
int slowdown_analyze(struct analysis *a, struct err *e);
int sweep_analyze(struct analysis *a, struct err *e);
int overlap_analyze(struct analysis *a, struct err *e);
int program_work_analyze(struct analysis *a, struct err *e);
int launch_analyze(struct analysis *a, struct err *e);
int bound_analyze(struct analysis *a, struct err *e);
int roofline_analyze(struct analysis *a, struct err *e);
int prediction_analyze(struct analysis *a, struct err *e);
int hotspots_analyze(struct analysis *a, struct err *e);
int gain_trend_analyze(struct analysis *a, struct err *e);
int signals_analyze(struct analysis *a, struct err *e);
int transition_analyze(struct analysis *a, struct err *e);
int latency_analyze(struct analysis *a, struct err *e);

#endif
