/* event_spool.h - sorts any number of events in bounded memory.
 *
 * Up to SPOOL_RUN_EVENTS stay in memory. More go as sorted runs to an unlinked temporary file. A run is extended while
 * events arrive in order, so sorted input is a single run. Events that are already in order in a file need not be
 * copied: a source reads them there. */
#ifndef CPPROF_EVENT_SPOOL_H
#define CPPROF_EVENT_SPOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"
#include "cpprof/event.h"

/* Flags that no file has: they say what was found of a row (plausible_times.h, stream_comm.h). */
enum {
    EVENT_OF_HIDDEN = 1u << 12,    /* kernels ran in its process that no record shows */
    EVENT_COMMUNICATES = 1u << 13, /* a copy between GPUs that is part of a collective */
    EVENT_IS_DOUBTFUL = 1u << 14,  /* its time may be false */
    EVENT_IS_FALSE = 1u << 15,     /* its time cannot be: no part of what is measured */
    EVENT_FOUND = EVENT_OF_HIDDEN | EVENT_COMMUNICATES | EVENT_IS_DOUBTFUL | EVENT_IS_FALSE
};

enum { SPOOL_RUN_EVENTS = 262144, SPOOL_SOURCES_MAX = 8, SPOOL_SOURCE_EVENTS = 131072 };

struct event_spool;

int event_spool_new(struct event_spool **out, struct err *e);
void event_spool_free(struct event_spool *s);
int event_spool_add(struct event_spool *s, const struct cpprof_event *event, struct err *e);

void event_spool_swap(struct event_spool *a, struct event_spool *b); /* exchanges what is in them */

/* Events from elsewhere, in the order of the merge. The owner embeds this struct as the first member of its own. */
struct event_source {
    int64_t count;
    size_t window_events; /* how many it keeps in memory */
    int (*rewind)(struct event_source *source, struct err *e);
    /* Gives the next event, which is valid until the next call. Returns 1, 0 at the end, or an error code. */
    int (*next)(struct event_source *source, const struct cpprof_event **out, struct err *e);
    void (*free)(struct event_source *source);
};

/* Takes ownership of the source. Returns false when SPOOL_SOURCES_MAX, or SPOOL_SOURCE_EVENTS in all windows, would be
 * exceeded: then the caller still owns it and copies its events. */
bool event_spool_add_source(struct event_spool *s, struct event_source *source);

/* Ends adding and goes to the first event. May be called again to start over. */
int event_spool_rewind(struct event_spool *s, struct err *e);
int event_spool_next(struct event_spool *s, struct cpprof_event *out, struct err *e);
/* From the next rewind on, events at the places [from, to) of the order have one of the flags above, too. Where both
 * are set EVENT_IS_FALSE holds. */
int event_spool_mark(struct event_spool *s, int64_t from, int64_t to, uint16_t flag, struct err *e);
/* Gives back memory until it is rewound. */
void event_spool_rest(struct event_spool *s);
int64_t event_spool_count(const struct event_spool *s);

/* Compares in the order of the merge: (start_ns, end_ns, rank, device, stream). */
int event_order(const struct cpprof_event *a, const struct cpprof_event *b);

/* Does the same for qsort, and compares the rest of the content after that. Only identical records are equal, so the
 * order does not depend on the C library. */
int event_total_order(const void *a, const void *b);

#endif
