/* rank_starts.h - when does each rank begin? Ranks have clocks of their own, so
 * a time that is counted from the beginning is counted from the rank's. */
#ifndef CPPROF_RANK_STARTS_H
#define CPPROF_RANK_STARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct rank_start;

struct rank_starts {
    struct rank_start *items; /* by (uint16_t)rank; NULL before the first note */
    size_t count;             /* of ranks noted */
    int16_t first;            /* the rank noted first */
};

/* The starts of a rank's events in their order; the first one counts. A list starts as zeros. */
int rank_starts_note(struct rank_starts *starts, int16_t rank, int64_t start_ns, struct err *e);
void rank_starts_release(struct rank_starts *starts);

/* False when the rank has no event; *out is then 0. */
bool rank_starts_get(const struct rank_starts *starts, int rank, int64_t *out);

/* That of the only rank; false when there are several, or none. */
bool rank_starts_get_only(const struct rank_starts *starts, int64_t *out);

#endif
