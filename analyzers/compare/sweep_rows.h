/* sweep_rows.h - comparisons of one pair over sizes, and the line through its times. */
#ifndef CPPROF_SWEEP_ROWS_H
#define CPPROF_SWEEP_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyzers/compare/compare_rows.h"

/* A number with the ends of its 95% interval; NAN unknown, infinite ends open. */
struct bounded {
    double value, low, high;
};

/* The line t = fixed + bytes / bandwidth through the times of one arm. */
struct sweep_fit {
    struct bounded fixed_ns, bytes_per_s;
    size_t worst_point;     /* which the line misses by most ... */
    const char *worst_size; /* (of which size it is, where the points are those of a sweep) */
    double worst_residual;  /* ... by this share of the time measured there, more than the line says is positive */
};

struct sweep_point {
    const char *size;             /* the shape in the config, without its parameters: "n=262144", "mission" */
    const struct comparison *row; /* NULL of an arm that has nothing to compare with */
    double base_ns, cand_ns;      /* typical over the processes */
    double base_bytes, cand_bytes;
    double base_bus_factor, cand_bus_factor; /* NAN on one GPU */
};

/* One pair of arms, or one arm alone, over sizes: what else is in the config stays the same. */
struct sweep {
    const char *baseline, *candidate; /* candidate "" of one arm alone */
    const char *cache, *parameters;   /* "ctas_per_sm=1 work=256"; "" when there are none */
    struct sweep_point *points;       /* ascending in bytes where they are known; in the arena */
    size_t count;
    struct bounded average; /* geometric mean of the ratios of `averaged` points */
    size_t averaged;
    enum comparison_verdict verdict; /* of the average; not one of the table's */
    int64_t n_processes;             /* of the average */
    bool in_rounds;                  /* no process measured all sizes: these are rounds of several */
    bool has_fit;                    /* three sizes or more, of the same work per byte */
    bool work_varies;   /* no fit for that reason: the operations per byte that an arm states change with the size */
    bool timing_varies; /* no fit for that reason: some sizes are timed in graphs, others launch by launch */
    bool says_nothing; /* no fit for that reason: an arm declares that its times say nothing at too many of the sizes */
    struct sweep_fit base, cand;
    struct bounded fixed_change_ns;  /* candidate minus baseline */
    struct bounded bandwidth_factor; /* candidate over baseline */
};

#endif
