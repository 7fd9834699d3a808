/* judged_aa_pool.h - what does a recorded pool of `cpprof aa` say of its machine? What `aa` and `report` have in
 * common. */
#ifndef CPPROF_JUDGED_AA_POOL_H
#define CPPROF_JUDGED_AA_POOL_H

#include "analyzers/compare/aa_comparisons.h"
#include "core/base/str.h"
#include "core/bundle/bundle.h"
#include "reports/aa_report.h"

enum { POOL_PROCESSES = 7 }; /* of one comparison, where nothing else is asked for */

struct judged_aa_pool {
    struct bundle bundle;
    struct aa_comparisons pool;
    struct aa_result result;
    struct str name;         /* the last part of the path: the report is the same wherever the pool lies */
    struct aa_report report; /* of the four above */
};

/* Judges a bundle that bundle_begin has begun; it moves in. ERR_INPUT when arms are wrong (verify.csv) or nothing was
 * timed twice. Release only after success. */
int judged_aa_pool_open_begun(struct judged_aa_pool *out, struct bundle *begun, size_t processes, struct err *e);
void judged_aa_pool_release(struct judged_aa_pool *p);

#endif
