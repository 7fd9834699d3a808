/* inside_records.h - what an arm recorded of its inside (docs/inside.md), sorted and checked. What is missing or
 * contradicts itself is counted, and never read as 0. */
#ifndef CPPROF_INSIDE_RECORDS_H
#define CPPROF_INSIDE_RECORDS_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/array.h"
#include "core/base/err.h"
#include "core/run/run.h"

#define INSIDE_NOT_PASSED (-1) /* a mark that is not there */

/* A row of the kernel's table; the texts are the bundle's. */
struct inside_phase {
    int role, mark, until, ahead;
    enum cpprof_phase_kind kind;
    const char *role_name, *name;
};

struct inside_tile {
    int64_t tile;
    int64_t marks[CPPROF_MARKS_MAX]; /* ascending where they were passed */
};

/* Cycles count from the earliest warp of the launch on this SM, which is one of its device. */
struct inside_warp {
    int64_t launch, device, sm, block, role, warp;
    int64_t tile_count; /* that it went through, recorded or not */
    int64_t begin_ns, end_ns, begin_cycle, end_cycle;
    const struct inside_tile *tiles; /* recorded, ascending */
    size_t recorded;
};

/* What speaks against the records, each a number of rows. */
struct inside_damage {
    size_t homeless;   /* tiles of a warp that is not listed */
    size_t surplus;    /* tiles behind the last one that the warp went through, and tiles that are there twice */
    size_t disordered; /* tiles with marks before an earlier one, or outside the time of the warp */
    size_t missing;    /* tiles that others recorded, or that belong to a window of 8 that was begun */
    size_t silent;     /* warps without a tile, and blocks without a role that others have */
};

struct inside_records {
    ARRAY_OF(struct inside_phase) phases; /* of roles that a warp has, by role and mark */
    ARRAY_OF(struct inside_warp) warps;   /* by launch, device, sm, block, role, warp */
    ARRAY_OF(struct inside_tile) tiles;
    struct inside_damage damage;
};

/* Reads those of one arm; the run must outlive them. Release them even after an error. */
int inside_records_read(struct inside_records *out, const struct run *run, const struct arm *arm, struct err *e);
void inside_records_release(struct inside_records *r);

size_t inside_damage_total(const struct inside_damage *d);

/* Do two warps share an SM in the same launch? */
bool inside_on_same_sm(const struct inside_warp *a, const struct inside_warp *b);

/* When does the phase that begins at a mark of the tile at `index` end? INSIDE_NOT_PASSED when that is not recorded, or
 * the phase did not begin. */
int64_t inside_phase_end(const struct inside_warp *w, size_t index, const struct inside_phase *phase);

/* Returns the first and the last mark of a tile; INSIDE_NOT_PASSED when none was passed. */
int64_t inside_tile_first(const struct inside_tile *t);
int64_t inside_tile_last(const struct inside_tile *t);

#endif
