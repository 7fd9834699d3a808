/* imported_launches.h - launches of kernels that another tool counted: what a
 * bound is decided by, from a file instead of a bundle. */
#ifndef CPPROF_IMPORTED_LAUNCHES_H
#define CPPROF_IMPORTED_LAUNCHES_H

#include <stddef.h>

#include "base/caveat.h"
#include "base/err.h"
#include "base/strtab.h"
#include "run/counters.h"
#include "run/resource.h"

/* More than that is refused: 65,536 launches take 80 MB here; 0.3 GB in
 * all as text, 2.6 GB as JSON. */
enum { IMPORTED_LAUNCHES_MAX = 65536 };

/* Texts are those of the file, in the list's table; "" where it has none. */
struct imported_launch {
    const char *id; /* the tool's number */
    const char *kernel;
    const char *process_id, *process_name;
    const char *device;       /* the tool's ordinal */
    const char *grid, *block; /* "(1056, 1, 1)" */
    struct counters counters;
    /* By metric: a unit that was not counted is no busier than this, because a
     * counter that includes it says so; NAN where nothing does. */
    double busy_at_most[COUNTERS_METRICS_MAX];
    struct resource resource; /* unknown numbers are NAN */
    double sm_count;          /* NAN unknown */
    const char *ncu_rule;     /* headline of the speed-of-light rule whose text is in the file; NULL without one */
};

struct imported_launches {
    struct imported_launch *items; /* in the order of the file */
    size_t count, capacity;
    struct strtab texts;
    struct caveat_list caveats;
};

void imported_launches_init(struct imported_launches *list);
void imported_launches_release(struct imported_launches *list);

#endif
