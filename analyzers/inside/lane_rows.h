/* lane_rows.h - a few windows of tiles of one SM as a picture: which warp was in which phase, and which copies were
 * under way? */
#ifndef CPPROF_LANE_ROWS_H
#define CPPROF_LANE_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/array.h"

/* No two spans of a lane overlap. */
struct lane {
    int64_t block, warp;
    const char *role_name; /* NULL: the copies of the block */
    size_t line;           /* 0 for the first lane of its warp, or of the copies */
};

/* Times count from the begin of the launch. */
struct lane_span {
    size_t lane;
    const char *name, *kind;
    int64_t tile, begin_ns, end_ns, cycles;
    /* Of a copy: it was issued before the first tile that is recorded, and arrived at some time between the two. */
    bool is_copy, is_before, is_censored;
    int64_t earliest_ns, latest_ns;
};

/* One arm. Texts are the bundle's and the arms' of the run. */
struct inside_lanes {
    const char *variant, *config;
    int64_t launch, sm;
    int64_t device;                   /* -1: all of the arm was recorded on one */
    int64_t first_tile, last_tile;    /* that are in the picture */
    int64_t tiles, tiles_left_out;    /* recorded ones, in the picture and not: of all warps, SMs and launches */
    ARRAY_OF(struct lane) lanes;      /* by block, warps before copies */
    ARRAY_OF(struct lane_span) spans; /* by lane and time */
};

struct inside_lanes_list {
    ARRAY_OF(struct inside_lanes) arms;
};

#endif
