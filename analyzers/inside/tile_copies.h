/* tile_copies.h - of one block of a launch: when was the copy of each tile under way, and when did warps work? */
#ifndef CPPROF_TILE_COPIES_H
#define CPPROF_TILE_COPIES_H

#include <stdbool.h>

#include "analyzers/inside/cycle_spans.h"
#include "core/run/inside_records.h"

/* Cycles. A wait for a tile that is there is shorter than the first number, and by no more than the second one longer
 * than the shortest of its kind. No load arrives sooner than the third says. */
enum { SHORT_WAIT_MAX = 128, SHORT_WAIT_SPREAD = 40, FASTEST_LOAD = 200 };

/* When a tile arrived: at the earliest, most likely, and at the latest. */
enum arrival { ARRIVED_EARLY, ARRIVED_MIDDLE, ARRIVED_LATE, ARRIVALS };

/* Facts about all blocks of an arm. They are found first, and the copies of each block are read with them. */
struct wait_lengths {
    double *shortest; /* by phase; infinite for one that is no wait */
};
int wait_lengths_read(struct wait_lengths *out, const struct inside_records *r, struct err *e);
void wait_lengths_release(struct wait_lengths *w);

/* Was a tile there when it was asked for? */
bool wait_is_short(const struct wait_lengths *w, size_t phase, int64_t cycles);

/* The copy of one tile. When it was asked for before the tiles that all warps recorded in a row, `issue` is where these
 * begin. */
struct tile_copy {
    int64_t tile, issue;
    bool is_before, has_arrived, is_polled;
    int64_t early, late; /* it arrived in between; the same cycle where that was seen */
};

/* Sets of one block. Outside of `known` a copy may be under way that is not recorded; all others lie within it. */
struct block_copies {
    const struct inside_warp *warps; /* of the block */
    size_t warp_count;
    struct cycle_spans known, work;
    struct cycle_spans copy[ARRIVALS];   /* at least one copy under way */
    struct cycle_spans hidden[ARRIVALS]; /* ... and work on another tile than the one that it brings */
    ARRAY_OF(struct tile_copy) list;     /* the copies one by one */
    double copy_sum;                     /* of the copies one by one, in the middle of their intervals */
    size_t copies, windows, polled;
    size_t lost; /* copies without an issue or an arrival, where both should be recorded */
    size_t most; /* copies under way at once */
};

/* Starts zeroed; release it even after an error. */
int block_copies_read(struct block_copies *out, const struct inside_records *r, const struct wait_lengths *waits,
                      struct err *e);
void block_copies_release(struct block_copies *b);

#endif
