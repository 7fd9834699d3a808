/* rank_starts.h - when does each rank begin, and which kinds of events were recorded of it? Ranks have clocks of their
 * own, so a time from the beginning counts from the rank's first event. Each rank may also have been traced in a
 * different way. */
#ifndef CPPROF_RANK_STARTS_H
#define CPPROF_RANK_STARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"
#include "cpprof/event.h"

struct rank_start;

struct rank_starts {
    struct rank_start *items; /* indexed by (uint16_t)rank; NULL before the first note */
    size_t count;             /* number of ranks noted */
    int16_t first;            /* the rank noted first */
    int16_t least, most;      /* of those noted */
};

/* Notes an event. Events of a rank come in the order of their starts, and the first one gives the start. A list starts
 * as zeros. */
int rank_starts_note(struct rank_starts *starts, const struct cpprof_event *event, struct err *e);
void rank_starts_release(struct rank_starts *starts);

/* What is known of a rank, for another list. */
struct rank_facts {
    int64_t first_ns;
    uint32_t kinds; /* bit k: it has events of kind k; more bits are for rank_starts.c to know */
    int16_t rank;
    int16_t zero; /* no padding: it is written as bytes */
};

/* Puts those of all ranks into `out`, which has room for starts->count, in the order in which they were noted. */
void rank_starts_facts(const struct rank_starts *starts, struct rank_facts *out);
/* Adds a rank that was not noted yet. */
int rank_starts_add(struct rank_starts *starts, const struct rank_facts *facts, struct err *e);
bool rank_facts_have_gpu_work(const struct rank_facts *facts);

/* Returns false, and sets *out to 0, when the rank has no event. */
bool rank_starts_get(const struct rank_starts *starts, int rank, int64_t *out);

/* Does the rank have an event of this kind (enum cpprof_event_kind)? */
bool rank_starts_has_kind(const struct rank_starts *starts, int rank, int kind);
/* Does the rank have calls that neither launch nor copy nor set nor wait? If not, only those kinds of calls were
 * recorded. */
bool rank_starts_has_other_calls(const struct rank_starts *starts, int rank);
/* Did kernels run in the rank's process that no record shows (EVENT_OF_HIDDEN)? */
bool rank_starts_hides_kernels(const struct rank_starts *starts, int rank);

/* Steps to the next rank with an event, by number. *rank is the previous one, INT16_MIN - 1 at first. Returns false
 * after the last. */
bool rank_starts_next(const struct rank_starts *starts, int *rank);

/* Gives the start of the only rank; returns false when there are several, or none. */
bool rank_starts_get_only(const struct rank_starts *starts, int64_t *out);

#endif
