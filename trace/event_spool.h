/* event_spool.h - events in any order become sorted runs in bounded memory.
 *
 * Up to SPOOL_RUN_EVENTS stay in memory; beyond that, sorted runs go to an
 * unlinked temporary file. A run is extended while the input stays in order,
 * so a sorted input is one run. Events that lie in order in a file anyway need
 * not be copied: a source reads them where they are. */
#ifndef CPPROF_EVENT_SPOOL_H
#define CPPROF_EVENT_SPOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "cpprof/event.h"

enum { SPOOL_RUN_EVENTS = 262144, SPOOL_SOURCES_MAX = 8, SPOOL_SOURCE_EVENTS = 131072 };

struct event_spool;

int event_spool_new(struct event_spool **out, struct err *e);
void event_spool_free(struct event_spool *s);
int event_spool_add(struct event_spool *s, const struct cpprof_event *event, struct err *e);

/* Events in the order of the merge, from elsewhere: the first member of whatever
 * the owner needs to read them. */
struct event_source {
    int64_t count;
    size_t window_events; /* that it keeps in memory */
    int (*rewind)(struct event_source *source, struct err *e);
    /* 1 and an event that stays until the next call, 0 at the end, or an error code. */
    int (*next)(struct event_source *source, const struct cpprof_event **out, struct err *e);
    void (*free)(struct event_source *source);
};

/* Takes the source over. False when SPOOL_SOURCES_MAX or SPOOL_SOURCE_EVENTS in
 * all windows would be passed: then it stays the caller's, to be copied. */
bool event_spool_add_source(struct event_spool *s, struct event_source *source);

/* Ends the adding; may be called again to start over from the first event. */
int event_spool_rewind(struct event_spool *s, struct err *e);
int event_spool_next(struct event_spool *s, struct cpprof_event *out, struct err *e);
int64_t event_spool_count(const struct event_spool *s);

/* The order of the merge: (start_ns, end_ns, rank, device, stream). */
int event_order(const struct cpprof_event *a, const struct cpprof_event *b);

/* The same for qsort, with ties broken by content: whatever still compares
 * equal is the same record, so the order does not depend on the C library. */
int event_total_order(const void *a, const void *b);

#endif
