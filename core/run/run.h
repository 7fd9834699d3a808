/* run.h - all measurements of a bundle, read once and joined once. Every question uses this. */
#ifndef CPPROF_RUN_H
#define CPPROF_RUN_H

#include "core/base/err.h"
#include "core/bundle/bundle.h"
#include "core/run/arm_table.h"
#include "core/run/counted_rows.h"
#include "core/run/counters.h"
#include "core/run/timing_arms.h"
#include "core/run/variant_launches.h"
#include "core/trace/event_stream.h"

struct run {
    struct arms arms; /* those of variants.csv first, then those that only other tables, a baseline or the trace name */
    struct arm_table tables[BUNDLE_TABLE_COUNT];
    struct timing_arms timing;
    struct counters_list counters; /* by kernel */
    struct counted_rows counted;   /* by counter */
    struct variant_launches launches;
    /* The trace, for the next reader; NULL: there is none, or it cannot be read. */
    struct event_stream *stream;
    char *trace_error; /* why it cannot be read; NULL when it can, or there is none */
};

void run_init(struct run *r);

/* Reads the open bundle, which must outlive the run and must not change. A trace that cannot be read is not an error:
 * the tables can still be used. */
int run_join(struct run *r, const struct bundle *bundle, struct err *e);
void run_release(struct run *r);

#endif
