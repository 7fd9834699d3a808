/* run.h - what a bundle measured, read once and joined once: every question finds it here. */
#ifndef CPPROF_RUN_H
#define CPPROF_RUN_H

#include "base/err.h"
#include "bundle/bundle.h"
#include "run/arm_table.h"
#include "run/counted_rows.h"
#include "run/counters.h"
#include "run/timing_arms.h"
#include "run/variant_launches.h"
#include "trace/event_stream.h"

struct run {
    struct arms arms; /* of variants.csv first, then what only other tables, a baseline or the trace names */
    struct arm_table tables[BUNDLE_TABLE_COUNT];
    struct timing_arms timing;
    struct counters_list counters; /* by kernel */
    struct counted_rows counted;   /* by counter */
    struct variant_launches launches;
    struct event_stream *stream; /* the trace, for whoever goes through it next; NULL: none, or none that can be read */
    char *trace_error;           /* why it cannot be read; NULL */
};

void run_init(struct run *r);

/* The bundle is open, must outlive it and stay as it is. A trace that cannot be read is no error: the tables still
 * speak. */
int run_join(struct run *r, const struct bundle *bundle, struct err *e);
void run_release(struct run *r);

#endif
