/* rank_alike.h - which ranks are alike, and which kernels are spread unevenly? */
#ifndef CPPROF_RANK_ALIKE_H
#define CPPROF_RANK_ALIKE_H

#include "analyzers/ranks/ranks_rows.h"

/* Ranks are alike when none of their parts of time differs by more than a twentieth of the median span. */
int rank_alike_group(struct ranks *r, struct err *e);

/* Kernels of at least two ranks, by the time that the slowest rank takes longer than the mean. */
int rank_alike_kernels(struct ranks *r, struct err *e);

/* Which kernel makes an origin late, if one takes most of what it runs longer than the others? */
void rank_alike_explain(const struct ranks *r, struct rank_origin *origin);

#endif
