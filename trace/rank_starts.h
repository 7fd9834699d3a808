/* rank_starts.h - when does each rank begin, and what was recorded of it? Ranks
 * have clocks of their own, so a time that is counted from the beginning is
 * counted from the rank's; and each may be traced in another way. */
#ifndef CPPROF_RANK_STARTS_H
#define CPPROF_RANK_STARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "cpprof/event.h"

struct rank_start;

struct rank_starts {
    struct rank_start *items; /* by (uint16_t)rank; NULL before the first note */
    size_t count;             /* of ranks noted */
    int16_t first;            /* the rank noted first */
};

/* A rank's events in the order of their starts; the first one counts. A list starts as zeros. */
int rank_starts_note(struct rank_starts *starts, const struct cpprof_event *event, struct err *e);
void rank_starts_release(struct rank_starts *starts);

/* False when the rank has no event; *out is then 0. */
bool rank_starts_get(const struct rank_starts *starts, int rank, int64_t *out);

/* Whether an event of this kind (enum cpprof_event_kind) was noted of the rank. */
bool rank_starts_has_kind(const struct rank_starts *starts, int rank, int kind);
/* Calls that neither launch nor copy nor set nor wait: where there are none, only those that do were recorded. */
bool rank_starts_has_other_calls(const struct rank_starts *starts, int rank);

/* The next rank with an event, by number: *rank is the one before it, INT16_MIN - 1 at first. False behind the last. */
bool rank_starts_next(const struct rank_starts *starts, int *rank);

/* That of the only rank; false when there are several, or none. */
bool rank_starts_get_only(const struct rank_starts *starts, int64_t *out);

#endif
