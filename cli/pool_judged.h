/* pool_judged.h - a recorded pool of `cpprof aa` with what it says of its
 * machine: what `aa` and `report` have in common. */
#ifndef CPPROF_POOL_JUDGED_H
#define CPPROF_POOL_JUDGED_H

#include "analyzers/compare/aa_pool.h"
#include "base/str.h"
#include "bundle/bundle.h"
#include "reports/aa_report.h"

enum { POOL_PROCESSES = 7 }; /* of one comparison, where nothing else is asked for */

struct pool_judged {
    struct bundle bundle;
    struct aa_pool pool;
    struct aa_result result;
    struct str name;         /* the last part of the path: the report is the same wherever the pool lies */
    struct aa_report report; /* of the four above */
};

/* Of a bundle that bundle_begin has begun; it moves in. ERR_INPUT when arms are wrong (verify.csv) or nothing was timed
 * twice. Release only after success. */
int pool_judged_open_begun(struct pool_judged *out, struct bundle *begun, size_t processes, struct err *e);
void pool_judged_release(struct pool_judged *p);

#endif
