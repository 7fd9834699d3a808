/* event_spool.h - events in any order become sorted runs in bounded memory.
 *
 * Up to SPOOL_RUN_EVENTS stay in memory; beyond that, sorted runs go to an
 * unlinked temporary file. A run is extended while the input stays in order,
 * so a sorted input is one run. */
#ifndef CPPROF_EVENT_SPOOL_H
#define CPPROF_EVENT_SPOOL_H

#include <stdint.h>

#include "base/err.h"
#include "cpprof/event.h"

enum { SPOOL_RUN_EVENTS = 262144 };

struct event_spool;

int event_spool_new(struct event_spool **out, struct err *e);
void event_spool_free(struct event_spool *s);
int event_spool_add(struct event_spool *s, const struct cpprof_event *event, struct err *e);

/* Ends the adding; may be called again to start over from the first event. */
int event_spool_rewind(struct event_spool *s, struct err *e);
int event_spool_next(struct event_spool *s, struct cpprof_event *out, struct err *e);
int64_t event_spool_count(const struct event_spool *s);

/* The order of the merge: (start_ns, end_ns, rank, device, stream). */
int event_order(const struct cpprof_event *a, const struct cpprof_event *b);

#endif
