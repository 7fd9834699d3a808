/* imported_launches.h - launches that another tool counted: the inputs of a bound, from a file instead of a bundle. */
#ifndef CPPROF_IMPORTED_LAUNCHES_H
#define CPPROF_IMPORTED_LAUNCHES_H

#include <stddef.h>

#include "core/base/caveat.h"
#include "core/base/err.h"
#include "core/base/strtab.h"
#include "core/run/counters.h"
#include "core/run/resource.h"

/* More launches are refused: 65,536 take 80 MB here; 0.3 GB in all as text, 2.6 GB as JSON. */
enum { IMPORTED_LAUNCHES_MAX = 65536 };

/* Texts come from the file and are owned by the list; "" where the file has none. */
struct imported_launch {
    const char *id; /* the tool's number */
    const char *kernel;
    const char *process_id, *process_name;
    const char *device;             /* the tool's ordinal */
    const char *compute_capability; /* "10.0" */
    const char *grid, *block;       /* "(1056, 1, 1)" */
    struct counters counters;
    /* An upper limit for each unit that was not counted, from a counter that includes it; NAN where there is none. */
    double busy_at_most[COUNTERS_METRICS_MAX];
    bool lacks[COUNTERS_METRICS_MAX]; /* of units and throughputs: other launches, of which the same was counted, have
                                         it */
    struct resource resource;         /* unknown numbers are NAN */
    double sm_count;                  /* NAN: unknown */
    bool recorded_nothing;            /* the file has cells for its counters, but no value in any */
    const char *ncu_rule;             /* headline of the speed-of-light rule in the file; NULL when it has none */
};

/* The tool's names of the numbers that were read, without those that each of its files has. */
struct counted_names {
    const char **items;
    size_t count, capacity;
};

struct imported_launches {
    struct imported_launch *items; /* in the order of the file */
    size_t count, capacity;
    struct counted_names names;
    bool has_sections; /* other numbers have names for people, in the sections of a set */
    struct strtab texts;
    struct caveat_list caveats;
};

void imported_launches_init(struct imported_launches *list);
void imported_launches_release(struct imported_launches *list);

#endif
