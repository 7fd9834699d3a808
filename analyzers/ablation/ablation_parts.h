/* ablation_parts.h - the parts of the answer about one variant whose work was left out in part. */
#ifndef CPPROF_ABLATION_PARTS_H
#define CPPROF_ABLATION_PARTS_H

#include "analyzers/ablation/ablation_rows.h"
#include "analyzers/analysis.h"

/* What leaving out a part changes for the rest cannot be measured; as a share of what could be hidden. Where E is known
 * to be 0, 14 points were read (pipeline/sync, one block an SM, on an H200). */
#define ABLATION_ERROR 0.15

/* Without math the copies follow each other more closely. Where they use more of DRAM than this they take longer for
 * it: up to 81 points too much were read of copies that reach full load, 3 of loads that do not (docs/inside.md). */
#define ABLATION_DRAM_MOST 0.5

/* Times of a launch as shares of that of the variant, each with its interval. */
struct ablation_times {
    struct bounded without[LEFT_OUT_COUNT]; /* by what is left out; the first one is not read */
};

/* hidden over what either takes alone, whichever is shorter, and over the copy; then the parts in shares of a launch.
 * NAN where copies or math take no time that can be told from none. */
struct ablation_shares {
    struct bounded copy, compute, hidden, h, e;
};
struct ablation_shares ablation_shares_of(const struct ablation_times *times);

/* Times and receipts; then, from all that is there, the status, and what the recorder says of the same. */
int ablation_judge(struct ablation *out, struct analysis *a, struct err *e);

/* Returns half a sentence for the reason of a row; the reason itself when it is not known. */
const char *ablation_reason_words(const char *reason);

#endif
