/* plausible_times.h - which rows of a trace have times that cannot be?
 *
 * One pass over the sorted events of a trace, where it is read and before anybody measures it. A row is false when it
 * ends before it begins, when its time was never filled in (0, or years away from all other rows), or when it is a
 * kernel or a copy that lasts across later kernels of its own stream. Users of a stream do not see false rows. Work
 * that begins before the call that started it is kept, as only the clocks may differ, and is doubtful. Both are caveats
 * of the trace (CAVEAT_TIMES), with the first row of each kind. */
#ifndef CPPROF_PLAUSIBLE_TIMES_H
#define CPPROF_PLAUSIBLE_TIMES_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/caveat.h"
#include "core/base/err.h"
#include "core/base/strtab.h"
#include "core/trace/event_spool.h"
#include "cpprof/event.h"

/* What is known of a trace besides its events. */
struct plausible_facts {
    const char *path;      /* not owned, as all of it */
    int64_t origin_ns;     /* where a time of 0 in the file is among the events */
    int64_t time_error_ns; /* event_stream_time_error_ns */
    bool has_streams;      /* every row says on which stream it ran */
};

/* Marks the rows in the spool (EVENT_IS_FALSE, EVENT_IS_DOUBTFUL), which must be rewound after that, and adds the
 * caveats. It takes O(n log n) for n events, and memory for streams, correlation ids (a bit each) and marked rows. */
int plausible_times_judge(struct event_spool *events, const struct plausible_facts *facts, const struct strtab *strings,
                          struct caveat_list *caveats, struct err *e);

struct plausible_times;

/* For events that are read once, on demand: takes one after the other. */
int plausible_times_new(struct plausible_times **out, const struct plausible_facts *facts, struct err *e);
void plausible_times_free(struct plausible_times *p);
int plausible_times_take(struct plausible_times *p, const struct cpprof_event *event, struct err *e);
/* Behind the last one. */
int plausible_times_finish(struct plausible_times *p, struct err *e);
/* May a row so far be false or doubtful? Then the trace must be read otherwise. */
bool plausible_times_is_suspicious(const struct plausible_times *p);

#endif
