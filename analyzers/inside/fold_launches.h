/* fold_launches.h - which of the launches that were sampled can be laid on one axis of time, and where did each begin
 * inside its first sample? */
#ifndef CPPROF_FOLD_LAUNCHES_H
#define CPPROF_FOLD_LAUNCHES_H

#include "analyzers/inside/inside_rows.h"
#include "core/base/array.h"
#include "core/base/err.h"
#include "core/run/run.h"

struct fold_launch {
    size_t first, count; /* its samples, as places among the rows of the arm */
    double origin_ns;    /* its begin, by the clock of its samples */
    double end_ns;       /* the end of its last sample, since its begin: all SMs idle then */
    double first_share;  /* part of its first sample that lies behind its begin */
    double length_ns;    /* as if all SMs ended at once */
};

struct fold_launches {
    const struct table *table;
    struct arm_places rows;
    double window_ns;                   /* mean length of a sample */
    double length_ns, length_spread_ns; /* mean of those that are folded, and the standard deviation */
    double gap_ns;                      /* the widest part of a sample in which no launch began */
    int64_t launches;                   /* all that were sampled */
    ARRAY_OF(struct fold_launch) items; /* those that are folded */
};

/* The begin of a launch is known to within this. Stamps of samples are multiples of 32 ns, and SMs that begin a little
 * later than others move it by up to 1% of a sample. */
double fold_begin_error_ns(const struct fold_launches *l);

/* Since the begin of a launch: when do all SMs idle again, at the latest? Launches that are alike end at the same time,
 * but for their spread, and the last sample of some ends soon after. */
double fold_latest_end_ns(const struct fold_launches *l);

/* Reads those of an arm without marks; none for NULL. *reason: why they cannot be folded. Release
 * them even after an error. */
int fold_launches_read(struct fold_launches *out, const struct run *run, const struct arm *off,
                       enum inside_reason *reason, struct err *e);
void fold_launches_release(struct fold_launches *l);

#endif
