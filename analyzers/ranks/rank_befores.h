/* rank_befores.h - what did each rank do before a collective that may be late?
 *
 * There may be millions. They are found in the order of the stream and needed in that of meetings, so they are sorted
 * in a temporary file. */
#ifndef CPPROF_RANK_BEFORES_H
#define CPPROF_RANK_BEFORES_H

#include "analyzers/ranks/rank_matching.h"
#include "core/io/record_spool.h"

/* What a place did before it arrived. Records are written as bytes: no padding. */
struct rank_before {
    int64_t spent_ns[SPENT_KINDS]; /* since the meeting `since` had ended */
    uint32_t meeting, place;       /* the meeting that it arrived at */
    uint32_t since;                /* and 1 more: the last one of all ranks of the meeting; 0: none */
    /* Waits of the place at meetings from the first on, and before the second, ended between these two moments. */
    uint32_t waits_from, waits_to;
    uint32_t overlap_first : 28; /* of the overlaps: at most 8 for each arrival */
    uint32_t overlap_count : 4;
};

/* Another collective that waited at the place when this one arrived, or when the meeting `since` ended. */
struct rank_overlap {
    uint32_t arrival;  /* the other one */
    bool is_before;    /* what it had waited is no part of what this one has spent; else it is a part */
    int64_t waited_ns; /* by then */
};

enum { RANK_OVERLAPS_MAX = 4 /* at once; where there are more, nothing is before */ };

struct rank_befores {
    struct record_spool *spool;
    ARRAY_OF(struct rank_overlap) overlaps;
    struct rank_before next; /* of the first meeting that is not loaded yet */
    bool has_next;
    struct rank_before *loaded; /* of one meeting, by attendance; `capacity` has room for them */
    size_t capacity;
};

/* Release even after an error. */
int rank_befores_init(struct rank_befores *b, struct err *e);
void rank_befores_release(struct rank_befores *b);

int rank_befores_add(struct rank_befores *b, const struct rank_before *before, struct err *e);

/* Ends adding. Then meetings are loaded in their order. */
int rank_befores_rewind(struct rank_befores *b, struct err *e);
int rank_befores_load(struct rank_befores *b, const struct rank_arrivals *a, const struct rank_meetings_found *m,
                      const struct rank_meeting *meeting, struct err *e);

/* What the rank of an attendance of the loaded meeting did; all 0 where no other meeting of all its ranks was before.
 */
const struct rank_before *rank_before_at(const struct rank_befores *b, size_t index);

#endif
