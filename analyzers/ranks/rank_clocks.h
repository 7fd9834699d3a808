/* rank_clocks.h - how do the clocks of traces differ?
 *
 * Ranks of one trace have one clock. Others are compared at small collectives in which every rank needs data of all:
 * they end everywhere within a step of their ring. An offset is known from anchors, which are the least disturbed ones
 * of many (those with the shortest kernels), and is linear between them. The further from an anchor, the less is
 * known: by as much as the drift may be off. */
#ifndef CPPROF_RANK_CLOCKS_H
#define CPPROF_RANK_CLOCKS_H

#include "analyzers/ranks/rank_matching.h"

enum {
    RANK_ANCHOR_BYTES_MAX = 64 * 1024,
    RANK_ANCHORS_MIN = 8,
    RANK_ANCHORS_EACH = 8,     /* that follow one another make a knot, from the half that is least disturbed */
    RANK_DRIFT_PPM_MAX = 1000, /* no clock gains as much */
    RANK_DRIFT_PPM = 200,      /* of one against another: crystals are off by less than 100 */
    RANK_UNCERTAIN_S_MAX = 60  /* a clock is not compared when it is less certain */
};

/* A clock is ahead by `ahead_ns` of the reference at `time_ns`, in its own time. */
struct rank_knot {
    int64_t time_ns;
    double ahead_ns;
    int64_t from_ns, to_ns; /* of its anchors, the first and the last */
    int64_t apart_ns;       /* of two anchors that follow one another, the most */
};

struct rank_clock {
    bool is_known; /* can be compared with the reference */
    bool is_reference;
    bool is_refused; /* what it was compared at does not belong together: it would gain too much, or be too uncertain */
    uint32_t first_place; /* that has it */
    size_t places;
    size_t reference; /* the clock that all are compared with; several, where no collective joins them */
    ARRAY_OF(struct rank_knot) knots;
    size_t anchors;
    double slope;         /* outside of the knots */
    double slope_error;   /* by how much the drift may be off */
    int64_t uncertain_ns; /* of 95 in 100 anchors, and at least a step of the ring; 0 of the reference */
};

struct rank_clocks {
    ARRAY_OF(struct rank_clock) items; /* as places count them */
};

/* Finds the offsets from the meetings. `time_error_ns` is by how much times may be rounded. Release even after an
 * error. */
int rank_clocks_find(const struct rank_arrivals *a, const struct rank_meetings_found *m, int64_t time_error_ns,
                     struct rank_clocks *out, struct err *e);
/* Where several clocks were refused, the reference may be of another run. Finds the clocks again with another
 * reference: fewer clocks contradict it, and at least one does. *out is empty where there is no such reference. It says
 * which clock contradicts the others; no collective may be judged with it. Release even after an error. */
int rank_clocks_find_majority(const struct rank_arrivals *a, const struct rank_meetings_found *m, int64_t time_error_ns,
                              const struct rank_clocks *found, struct rank_clocks *out, struct err *e);
void rank_clocks_release(struct rank_clocks *c);

/* Between a clock's own time and the common one. */
int64_t rank_clock_common(const struct rank_clock *c, int64_t own_ns);
int64_t rank_clock_own(const struct rank_clock *c, int64_t common_ns);

/* By how much the common time may be off: at an anchor as `uncertain_ns` says, and more the further it lies from
 * one. 0 of the reference. */
int64_t rank_clock_uncertain(const struct rank_clock *c, int64_t own_ns);

/* By how much a clock is ahead. */
double rank_clock_ahead(const struct rank_clock *c, int64_t own_ns);

#endif
