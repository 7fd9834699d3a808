/* rank_blame.h - whose lateness is it that ranks wait at a collective?
 *
 * Each moment of waiting is shared by the ranks that have not arrived yet (undirected blame shifting: Tallent,
 * Mellor-Crummey, Porterfield: Analyzing Lock Contention in Multithreaded Applications, PPoPP 2010); ranks that arrive
 * within the uncertainty of the last one count as equally late. What each of them did more than the mean of the others
 * since the last collective of all ranks that meet is the reason; what it had waited for then is that of others. */
#ifndef CPPROF_RANK_BLAME_H
#define CPPROF_RANK_BLAME_H

#include "analyzers/ranks/rank_lateness.h"
#include "analyzers/ranks/rank_waits.h"

struct rank_blame {
    const struct rank_arrivals *a;
    struct rank_meetings_found *m;
    const struct rank_befores *befores; /* of the meeting that is looked at */
    struct rank_waits waits;
    struct rank_late_one *order; /* scratch, for the ranks of one meeting */
};

/* Release even after an error. */
int rank_blame_init(struct rank_blame *b, const struct rank_arrivals *a, struct rank_meetings_found *m,
                    const struct rank_befores *befores, struct err *e);
void rank_blame_release(struct rank_blame *b);

/* Adds the shares of a meeting, whose befores are loaded, and sets its origin and cause where one share is more than
 * half. Sets a doubt where most of the lateness has no origin, or is one rank's for several reasons. `late_ns` is
 * known. */
int rank_blame_find(struct rank_blame *b, struct rank_meeting *x, struct err *e);

/* Adds what its ranks waited, by the shares. Meetings come in the order of time. */
int rank_blame_keep(struct rank_blame *b, const struct rank_meeting *x, struct err *e);

#endif
