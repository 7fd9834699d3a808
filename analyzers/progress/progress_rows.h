/* progress_rows.h - where the warps of a launch are that did not end (docs/inside.md). */
#ifndef CPPROF_PROGRESS_ROWS_H
#define CPPROF_PROGRESS_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/run/arms.h"

/* Warps of one role with the same last mark, or that have all ended. */
struct hang_group {
    const char *state;     /* "begun", "marked" or "ended", as in inside_progress.csv */
    const char *role_name; /* in the kernel's words */
    const char *phase;     /* what begins at the mark; "" where nothing does */
    int64_t role;          /* -1: not known */
    int mark;              /* -1: of warps that have ended, or have passed none */
    size_t warps, moving;  /* those of which passed another mark while they were watched */
    int64_t first_tile;    /* of their last marks; -1: none */
    int64_t last_tile;     /* of the one that is furthest */
    int64_t device, block; /* of the first one that is behind all others */
    int64_t sm, warp;
};

/* One launch that did not end. */
struct hang {
    const struct arm *arm;        /* of the build with marks */
    const char *variant, *config; /* of the one without */
    double waited_ns;
    size_t warps, ended, moving; /* warps that began; of these */
    size_t absent;               /* GPUs on which none began */
    int64_t absent_device;       /* the first of them, a CUDA ordinal; -1: none */
    struct hang_group *groups;   /* in the arena of the analysis: most warps first, those that ended last */
    size_t group_count;
};

#endif
