/* run_headline.h - the first line of a run's report. */
#ifndef CPPROF_RUN_HEADLINE_H
#define CPPROF_RUN_HEADLINE_H

#include "reports/run/run_report.h"

void run_headline_add(const struct analysis *a, struct document *d);

/* Its parts: the comparisons, of which there is at least one, and what is not proven of a bundle. */
void run_headline_speed(const struct analysis *a, struct document *d);
/* Of programs: what their times are, and what the other measures say. */
void run_measures_write(const struct analysis *a, struct document *d);
/* A number is worth little while it is open which kernel it belongs to, whether that is right, or where a bundle is
 * damaged. */
struct headline_doubt {
    bool kernel, result, damaged;
    bool uncompared; /* the result, of programs whose results nobody compared */
};
struct headline_doubt run_headline_doubt(const struct analysis *a);
void run_headline_unproven(const struct analysis *a, struct document *d);

/* "not compared", why, and how that is accepted: of programs whose results nobody compared. */
void run_uncompared_write(const struct analysis *a, struct document *d);

/* The gravest contradiction between witnesses, with both numbers; false when there is none, and nothing is said. */
bool run_headline_contradicted(const struct analysis *a, struct document *d);

/* How many arms ran what was meant by the names of their kernels, while no counter confirms it. */
size_t run_selected_by_name(const struct analysis *a);

/* Of programs: is all that selection leaves open that some processes left no trace, while the others ran the work? */
bool run_selection_lacks_processes(const struct analysis *a);

#endif
