/* rank_meetings.h - who is late at each collective, and how long does its transfer take?
 *
 * Ranks have clocks of their own, so starts of two ranks do not compare. But a collective in which every rank needs
 * data of all others (all-reduce, all-gather, reduce-scatter) ends everywhere at nearly the same time, right after the
 * transfer. So the rank that arrives last has the shortest kernel, which is the transfer, and what another rank's
 * kernel takes longer, it waited. */
#ifndef CPPROF_RANK_MEETINGS_H
#define CPPROF_RANK_MEETINGS_H

#include <stdint.h>

#include "core/base/array.h"
#include "core/base/err.h"
#include "core/trace/event_stream.h"

enum { MEETING_RANKS_MAX = 1024, MEETINGS_MAX = 1 << 20 /* kernels of all ranks */ };

struct meeting_rank {
    int32_t rank, device;
    int64_t kernels;   /* of collectives */
    int64_t waited_ns; /* sum */
    int64_t last;      /* meetings that it was the last to arrive at, often by nothing that matters */
    int64_t caused_ns; /* sum of what the others waited there */
};

struct meeting {
    uint32_t name;       /* of the kernel, a string id of the stream */
    int64_t transfer_ns; /* the shortest kernel */
    size_t last;         /* the rank that it belongs to */
};

enum meetings_doubt {
    MEETINGS_OK,
    MEETINGS_NONE,      /* fewer than two devices with collectives */
    MEETINGS_DIFFERENT, /* the ranks do not run the same collectives in the same order */
    MEETINGS_TOO_MANY
};

struct rank_meetings {
    enum meetings_doubt doubt;           /* unless it is OK, there are no meetings */
    ARRAY_OF(struct meeting_rank) ranks; /* by (rank, device) */
    ARRAY_OF(struct meeting) meetings;   /* in order */
    int64_t *kernel_ns;                  /* of meeting i at rank r: [i * ranks.count + r] */
};

/* Reads the stream from its start. The n-th collective of each rank is taken to be the same one. Release `out` even
 * after an error; it need not be initialised. */
int rank_meetings_read(struct event_stream *stream, struct rank_meetings *out, struct err *e);
void rank_meetings_release(struct rank_meetings *m);

/* How long a rank waited for the last one at a meeting. */
int64_t rank_meetings_waited_ns(const struct rank_meetings *m, size_t meeting, size_t rank);

#endif
