/* rank_causes.h - was it a late arrival or a slow transfer, and whose lateness costs what?
 *
 * A collective costs what its ranks wait without a kernel at their side, up to the last arrival (lateness), and what
 * its transfer takes longer than the fastest tenth of the same communicator, kernel and bytes (slowness). Why the last
 * rank is late is what it spent, since the last collective of all ranks that meet, beyond the mean of the others. If
 * that is mostly waiting in other collectives, the origin is theirs, not the victim. */
#ifndef CPPROF_RANK_CAUSES_H
#define CPPROF_RANK_CAUSES_H

#include "analyzers/ranks/rank_lateness.h"

enum {
    RANK_CLEAR = 3,        /* one cost is so many times the other: the verdict is not mixed */
    RANK_SLOW_PERCENT = 25 /* more than the fastest tenth is slow */
};

/* What all ranks wait for one of them, for one reason. */
struct rank_origin {
    uint32_t place;
    enum rank_cause cause;
    int64_t collectives, victims; /* that it was the origin of; of them, those at which another rank came last */
    int64_t sum_ns;               /* of exposed waits, of all ranks */
    int64_t uncertain_ns;         /* by how much that may be off */
    /* What it did, beside the others, before those of these collectives that it took part in: */
    int64_t present; /* how many */
    double own_ns,
        usual_ns; /* time in kernels, without work or with copies, by the cause; and the mean of the others */
    /* The kernel that explains most of the additional time, in the whole trace: */
    uint32_t kernel;                   /* string id; 0: none */
    double kernel_ns, kernel_usual_ns; /* and the mean of the others */
    double kernel_count, kernel_usual_count;
};

struct rank_costs {
    ARRAY_OF(struct rank_origin) origins; /* the most expensive first */
    enum rank_verdict verdict;
    enum rank_doubt doubt;
    int64_t counts[RANK_VERDICTS]; /* collectives by verdict */
    int64_t compared, slow;        /* collectives with a verdict whose transfer is compared; of them, the slow ones */
    int64_t copied_beside[2];      /* of these: the slow ones, and the others, with a copy between GPUs meanwhile */
    int64_t doubts[DOUBTS];        /* those that are inconclusive, by reason */
    int64_t doubted_ns[DOUBTS];    /* their exposed time, of all ranks */
    int64_t late_ns, slow_ns;      /* sums of exposed time, of all ranks */
    int64_t unjudged_ns;           /* exposed communication without a verdict, of all ranks */
    int64_t unrecorded_ns;         /* none of that, and of no other time: DOUBT_UNRECORDED, of all ranks */
    int64_t unassigned_ns;         /* what may be waits for any rank: they have no origin */
    int64_t uncompared_ns;         /* exposed communication whose transfer is not compared, of all ranks */
    int64_t slow_low_ns;           /* slow_ns if each compared transfer were shorter by its uncertainty */
    int64_t slow_high_ns;          /* and longer by it */
    int64_t uncertain_ns;          /* by how much waits at collectives with a verdict may be off, of all ranks */
    int64_t span_ns;               /* of all places with collectives, added up */
};

/* A trace could not be read: a communicator may have a rank that is not there, unless notes say how many it has. */
void rank_causes_doubt_lost(const struct rank_arrivals *a, struct rank_meetings_found *m);
/* Two traces state the same rank: which one is whose is not known. */
void rank_causes_doubt_twins(struct rank_meetings_found *m);

/* Judges the meetings without a doubt, in the order of time. Release even after an error. */
int rank_causes_judge(struct rank_arrivals *a, struct rank_meetings_found *m, struct rank_befores *befores,
                      struct rank_costs *out, struct err *e);
void rank_causes_release(struct rank_costs *c);

#endif
