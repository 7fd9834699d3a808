/* run_screen.h - the first screen of a run's report (run_screen.c), and its sentences (run_why.c). */
#ifndef CPPROF_RUN_SCREEN_H
#define CPPROF_RUN_SCREEN_H

#include "reports/run/run_report.h"

/* Why it is faster or not, whether the copying is hidden, what there is to try. */
void run_why_add(const struct analysis *a, struct document *d);

/* As many of the parts of a text as a line has room for: those between `between`. */
void screen_beginning(struct document *d, const char *text, const char *between);

#endif
