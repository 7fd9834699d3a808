/* ranks_rows.h - what is said of many ranks: the answer, groups of ranks that are alike, and what stands out. */
#ifndef CPPROF_RANKS_ROWS_H
#define CPPROF_RANKS_ROWS_H

#include "analyzers/ranks/rank_causes.h"
#include "analyzers/ranks/rank_links.h"

enum {
    RANK_ORIGINS_SHOWN = 10,
    RANK_COLUMNS_MAX = 60,
    RANK_STRIP_ROWS = 6,
    RANK_KERNELS_SHOWN = 3,
    RANK_SKEW_ALIKE_MIN = 5
};

/* A place, and what it costs the others. */
struct rank_row {
    uint32_t place;
    int64_t caused_ns;    /* sum of what others waited for it */
    int64_t uncertain_ns; /* by how much that may be off */
    int64_t last;         /* collectives at which it came last by more than nothing */
    int64_t judged;       /* collectives with a verdict that it took part in */
    uint32_t group;
};

/* Ranks whose parts of time are alike. */
struct rank_group {
    size_t count, first; /* places: `grouped[first]`, sorted */
    int64_t mean_ns[SPENT_KINDS];
};

/* How evenly a kernel is spread over the ranks. */
struct rank_imbalance {
    uint32_t name;
    size_t places;
    uint32_t worst; /* place */
    int64_t worst_ns;
    double mean_ns, ratio;
};

/* From the first arrival to the last: the largest median of collectives with one communicator, kernel and size. */
struct rank_skew {
    double ns;              /* NAN: no ranks compare */
    double low_ns, high_ns; /* between which values it lies; high: also a collective with too few of its kind */
    double all_ns;          /* median of all, of whatever size */
    bool is_of_alike;       /* false: too few are alike, so it is that of all */
    uint32_t communicator;
    int64_t bytes; /* -1: unknown */
    size_t collectives;
};

struct event_stream;

struct ranks {
    const struct event_stream *stream; /* that was read */
    const char *ranks_doubt;           /* why these may not be all ranks, each once; NULL or "": nothing says so */
    const struct strtab *strings;
    const char *comm_pattern; /* as it was asked for; NULL: by names that are known */
    struct rank_arrivals arrivals;
    struct rank_meetings_found meetings;
    struct rank_clocks clocks;
    struct rank_clocks majority; /* to say which clock contradicts the others; empty: `clocks` says it */
    struct rank_costs costs;
    ARRAY_OF(struct rank_row) rows;     /* as the places */
    ARRAY_OF(struct rank_group) groups; /* the largest first */
    uint32_t *grouped;
    ARRAY_OF(struct rank_imbalance) kernels; /* the one that costs most first */
    struct rank_links links;
    struct rank_skew skew;
    int64_t *strip_ns; /* of place r in column i: [r * columns + i]: what others wait for it */
    size_t columns;
    bool columns_are_steps;
    size_t steps_each; /* a column is so many steps */
    int64_t unmatched;
    int world_size;
    bool lacks_notes; /* some of what NCCL said of collectives is lost */
};

#endif
