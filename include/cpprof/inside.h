/* inside.h - what does an instrumented kernel tell of its inside, and how is that laid out in memory?
 *
 * A kernel is cut into *marks* (record.cuh): each warp of a role passes the marks of that role once a tile. Rows of
 * struct cpprof_phase say what begins at each mark. Only marks are measured. Which span is a copy, a wait or math, and
 * which spans overlap, is in these rows and costs the kernel nothing.
 *
 * In memory, all little-endian, zeroed before a launch:
 *
 *   struct cpprof_inside_warp  warps[blocks][seats_per_block]
 *   uint32_t                   records[blocks][seats_per_block][tiles][CPPROF_MARKS_MAX]
 *
 * A seat is the place of one warp: of the warps of a block that record, the first has seat 0. A record has the low
 * 32 bits of the SM's cycle counter at each mark, 0 where a mark was not passed. Cycles of warps of one SM compare
 * directly. Cycles of different SMs compare only through the two readings of the nanosecond timer of each warp.
 */
#ifndef CPPROF_INSIDE_H
#define CPPROF_INSIDE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { CPPROF_MARKS_MAX = 8, CPPROF_ROLES_MAX = 8, CPPROF_INSIDE_DEVICES_MAX = 16 };

/* What a translation unit was compiled as: -DCPPROF_INSIDE=... */
#define CPPROF_INSIDE_OFF      0 /* macros are empty: the machine code of a kernel without them */
#define CPPROF_INSIDE_DELAY    1 /* one mark waits */
#define CPPROF_INSIDE_RECORD   2 /* marks are recorded */
#define CPPROF_INSIDE_PROGRESS 4 /* the last mark of each warp can be read while the kernel runs */

enum cpprof_phase_kind {
    CPPROF_PHASE_OTHER,
    CPPROF_PHASE_ISSUE, /* a copy is asked for: it lasts from here until the wait for its tile is over */
    CPPROF_PHASE_WAIT,  /* for the data of a tile; at the next mark it has arrived */
    CPPROF_PHASE_TRANSFORM,
    CPPROF_PHASE_COMPUTE,
    CPPROF_PHASE_POLL /* of a warp that only asks: this mark is its last "not yet", the next its first "arrived" */
};

/* What begins at one mark of one role. A mark may have several rows, or none: then nothing begins there. */
struct cpprof_phase {
    const char *role_name, *name;
    int role, mark;
    enum cpprof_phase_kind kind;
    int until; /* the mark of the same tile that ends it; 0: the next mark that was passed */
    int ahead; /* it belongs to the tile that comes this many tiles later */
    /* Of several variants in a library, the glob of those that have this phase ("pipeline/ring?"); NULL: all. */
    const char *variants;
};

/* One warp, written when it ends its recorder. */
struct cpprof_inside_warp {
    uint64_t begin_ns, end_ns;       /* the nanosecond timer of the GPU ... */
    uint32_t begin_cycle, end_cycle; /* ... and the SM's cycle counter right behind it */
    uint32_t sm;
    uint32_t role;  /* counted from 1; 0: no warp of this seat recorded */
    uint32_t tiles; /* that it went through, recorded or not */
    uint32_t warp;  /* its number in the block */
};

/* A progress build writes `sm`, `role` and `warp` when a warp begins, and `end_ns`, which is 0 until then, when it
 * ends. Each mark writes `tiles`: 1 + tile * CPPROF_MARKS_MAX + mark; 0 before the first one. It writes nothing else.
 */

/* Tiles are recorded in windows of so many in a row. A copy counts when its issue and its arrival are in one window. */
#define CPPROF_WINDOW_TILES 8

/* What a launch is to do. Tile t is recorded when t < limit and (t / 8) & every_mask is 0: one window in
 * every_mask + 1, a power of two, the same in every role. `tiles` is a multiple of 8, and the limit is at most
 * tiles * (every_mask + 1): no tile behind it finds room. */
struct cpprof_inside_settings {
    struct cpprof_inside_warp *warps;
    uint32_t *records;
    uint32_t blocks, seats_per_block, tiles; /* room, in the order of the tables */
    uint32_t every_mask, limit;
    uint32_t warp_mask;   /* bit w: warp w of a block records; one of several that do the same is enough */
    int32_t delay_cycles; /* that the mark of a delay build waits at least; below 0: it does not wait */
};

/* Of the settings, the seats and the records: a build with another one is refused. */
#define CPPROF_INSIDE_LAYOUT 2

/* What an instrumented build says of itself. Each build of a source is a shared library of its own: the launch stubs of
 * a templated kernel have the same name in each, so a linker would keep one of them for all. */
struct cpprof_inside {
    uint32_t struct_bytes;
    int build;      /* CPPROF_INSIDE_DELAY, ..._RECORD or ..._PROGRESS */
    int delay_mark; /* role * CPPROF_MARKS_MAX + mark of the one that waits; -1 in a build where none does */
    const struct cpprof_phase *phases;
    size_t phase_count;
    /* For launches on the current device that follow, and for graphs that are captured from now on. Not for two threads
     * at a time. */
    int (*set)(const struct cpprof_inside_settings *settings);
    /* Of a delay build: how long the mark takes on the current device with this delay, in cycles, from a chain of them.
     * Returns 0 or a cudaError_t. NULL in another build. */
    int (*measure)(int32_t delay_cycles, double *cycles);
    int layout; /* CPPROF_INSIDE_LAYOUT */
};

/* What such a library exports. */
const struct cpprof_inside *cpprof_phases(void);

#ifdef __cplusplus
}
#endif

#endif
