/* inside_parts.h - the parts of the answer about one arm that records, each in a file of its own. */
#ifndef CPPROF_INSIDE_PARTS_H
#define CPPROF_INSIDE_PARTS_H

#include "analyzers/analysis.h"
#include "analyzers/inside/inside_rows.h"
#include "core/run/inside_records.h"

/* Returns where the warps of the next block of a launch begin; r->warps.count behind the last. */
size_t inside_next_block(const struct inside_records *r, size_t first);

/* ... of the next SM of a launch. Its blocks share their path to memory, so they count as one in an interval. */
size_t inside_next_sm(const struct inside_records *r, size_t first);

/* Does a role compute or transform? */
bool inside_role_works(const struct inside_records *r, int64_t role);

/* above / below over SMs of launches, with its interval, which ends at `least` and `most`. */
struct bounded inside_share(const double *above, const double *below, size_t count, double least, double most);

/* Phases, waits, the clock, and the time of blocks. Rows of phases go to the arena. */
int inside_read_phases(struct inside *out, const struct inside_records *r, struct arena *arena, struct err *e);

/* Copies and work, in either scope. `resident` is how many blocks an SM has at once; 0: unknown, and there is no scope
 * sm. */
int inside_read_overlap(struct inside *out, const struct inside_records *r, double resident, struct err *e);

/* What samples of the GPU say of the arm without marks. */
void inside_read_series(struct inside *out, const struct run *run, const struct inside_records *r);

/* The samples of its launches on one axis of time. */
/* Why is the arm not proven? */
enum inside_reason inside_doubt_of_arm(const struct analysis *a, const struct arm *arm);

int inside_read_fold(struct inside *out, struct analysis *a, const struct inside_records *r, struct err *e);

/* Mean length of a tile, by the nanosecond timer, of the warps that work; NAN unknown. */
double inside_tile_ns(const struct inside_records *r);

/* Two units are active in these shares of some time: in which share of it both are, at least and at most? */
void inside_series_bounds(double copy, double work, double *least, double *most);

/* What is left of a wave of this period in means over a window; NAN when either is unknown. */
double inside_series_attenuation(double window_ns, double period_ns);

/* Cost and receipt; then, from all that is there, the status. */
int inside_judge(struct inside *out, const struct analysis *a, struct err *e);

#endif
