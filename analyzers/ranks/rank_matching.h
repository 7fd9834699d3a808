/* rank_matching.h - which kernels of several ranks are one collective?
 *
 * Those with the same number in their communicator, where traces note numbers ("Seq"). Else the n-th of each rank, as
 * long as name, size and number agree: the first that differs, or is missing, is named, and what follows has no
 * meeting. */
#ifndef CPPROF_RANK_MATCHING_H
#define CPPROF_RANK_MATCHING_H

#include "analyzers/ranks/rank_arrivals.h"

enum rank_mismatch_kind {
    MISMATCH_FEWER,   /* a rank has fewer collectives than others */
    MISMATCH_KIND,    /* another kernel at the same place */
    MISMATCH_SIZE,    /* the same kernel with other bytes */
    MISMATCH_MISSING, /* no collective of that number */
    MISMATCH_APART,   /* its kernel ended before another one of the same collective began */
    MISMATCH_RANKS,   /* more or fewer ranks than the communicator has */
    MISMATCH_SIZES,   /* notes contradict one another on how many ranks it has */
    MISMATCH_MEMBER,  /* a rank that is none of those that its note lists */
    MISMATCH_NUMBER   /* at the same place in the order, with another number */
};

struct rank_mismatch {
    enum rank_mismatch_kind kind;
    uint32_t communicator;
    uint32_t place;                      /* the odd one */
    int64_t position;                    /* from 1, or the number that the trace notes */
    uint32_t expected, found;            /* names; 0: not of names */
    int64_t expected_count, found_count; /* collectives, bytes or ranks; -1: of none */
};

enum { RANK_MISMATCHES_KEPT = 64 };

/* Why is a collective not judged? */
enum rank_doubt {
    DOUBT_NONE,
    DOUBT_ROOTED,     /* not every rank needs the data of all */
    DOUBT_OPERATION,  /* who needs the data of whom is not known */
    DOUBT_INCOMPLETE, /* ranks of the communicator are not recorded, or it is not known which it has */
    DOUBT_MISMATCH,   /* at it, or before it */
    DOUBT_CLOCKS,     /* ranks have clocks that cannot be compared */
    DOUBT_PRECISION,  /* less than the clocks tell apart */
    DOUBT_SIZES,      /* its transfer is not compared: sizes are unknown, or too few are alike */
    DOUBT_NO_BEFORE,  /* the first of its communicator: why its last rank is late is not known */
    DOUBT_CAUSE,      /* the last rank's own time does not explain why it is late */
    DOUBT_UNRECORDED, /* it began before recording of all ranks had begun: that is why the others waited */
    DOUBT_TIMES,      /* rows have times that cannot be */
    DOUBT_HIDDEN,     /* kernels ran that are in no record */
    DOUBT_LOST,       /* a trace could not be read, or misses records */
    DOUBT_TWINS,      /* two traces state the same rank */
    DOUBT_UNNOTED,    /* some of what NCCL said of collectives is lost */
    DOUBTS
};

enum rank_verdict { RANK_INCONCLUSIVE, RANK_IN_TIME, RANK_LATE, RANK_SLOW, RANK_MIXED, RANK_VERDICTS };
enum rank_cause { CAUSE_UNKNOWN, CAUSE_KERNEL, CAUSE_HOST, CAUSE_COPY, CAUSE_MEMSET, CAUSE_MIGRATION, RANK_CAUSES };

/* A part of the lateness at a collective. */
struct rank_share {
    uint32_t place; /* whose it is */
    uint32_t cause; /* enum rank_cause */
    float part;     /* 0 to 1 */
};

enum { RANK_SHARES = 8 }; /* of a meeting, at most */

struct rank_meeting {
    uint32_t communicator, name;
    int64_t position, bytes;
    uint32_t first, count; /* attendances, by place: items[attendance[first]] of the arrivals */
    uint8_t operation, verdict, doubt, cause;
    bool is_beside_copy; /* a copy between GPUs ran meanwhile on one of its devices */
    bool is_early;       /* it began before all ranks of all traces were recorded */
    bool may_be_late;    /* its waits would make it late, if all of them were exposed */
    uint8_t share_count; /* of the shares, from first_share on; the largest first */
    uint32_t first_share;
    uint32_t last;            /* place */
    uint32_t origin;          /* place that has more than half of the lateness; RANK_PLACES_MAX: none */
    int64_t last_ns, end_ns;  /* last arrival and first end, on the common clock */
    int64_t uncertain_ns;     /* of the difference of two arrivals */
    int64_t apart_ns;         /* a part of that: from the first end to the last, unless it is numbered */
    int64_t skew_ns;          /* from the first arrival to the last */
    int64_t transfer_ns;      /* from the last arrival on */
    int64_t expected_ns;      /* the fastest tenth of the same; -1: unknown */
    int64_t late_ns, slow_ns; /* exposed, of a rank on average: what lateness and slowness cost */
};

struct rank_meetings_found {
    ARRAY_OF(struct rank_meeting) items; /* by communicator and position; later by time */
    ARRAY_OF(struct rank_mismatch) mismatches;
    int64_t mismatch_count; /* also of those that are not kept */
    uint32_t *attendance;
    ARRAY_OF(struct rank_share) shares;
};

/* Finds the meetings of at least two places. `strings` has the notes, `world_size` is that of the job; 0: unknown. Sets
 * `meeting` of arrivals. Release even after an error. */
int rank_matching_find(struct rank_arrivals *a, const struct strtab *strings, int world_size,
                       struct rank_meetings_found *out, struct err *e);
void rank_matching_release(struct rank_meetings_found *m);

/* Sets `meeting` of arrivals by the order that meetings have now. */
void rank_meetings_number(struct rank_arrivals *a, const struct rank_meetings_found *m);

const struct rank_share *rank_meeting_share(const struct rank_meetings_found *m, const struct rank_meeting *meeting,
                                            size_t index);

/* Are its arrivals compared? Else the last rank, the skew, the waits and the transfer are not known. */
bool rank_meeting_is_timed(const struct rank_meeting *meeting);

int rank_mismatch_add(struct rank_meetings_found *m, const struct rank_mismatch *x, struct err *e);

#endif
