/* rank_transfers.h - how long does the transfer of a collective take when nothing slows it down? */
#ifndef CPPROF_RANK_TRANSFERS_H
#define CPPROF_RANK_TRANSFERS_H

#include "analyzers/ranks/rank_lateness.h"

enum { RANK_ALIKE_MIN = 10 /* collectives that are alike, before the fastest tenth of them means anything */ };

/* Sets `expected_ns` of meetings that have at least RANK_ALIKE_MIN of their kind: the fastest tenth of the same
 * communicator, kernel and bytes. A meeting whose bytes nobody recorded has none: a long transfer may move more. */
int rank_transfers_expect(struct rank_meetings_found *m, struct err *e);

#endif
