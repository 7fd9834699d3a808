/* rank_lateness.h - who arrives last at each collective, and how long does each rank wait and spend otherwise? */
#ifndef CPPROF_RANK_LATENESS_H
#define CPPROF_RANK_LATENESS_H

#include "analyzers/ranks/rank_befores.h"
#include "analyzers/ranks/rank_clocks.h"

enum { RANK_FLOOR_NS = 2000 }; /* less is no lateness */

/* Sets the last rank, times and uncertainty of each meeting, and how long each arrival waits. No kernel of a
 * collective ends before its last rank has arrived: where one does, they are not the same one, which is named. Then
 * meetings have the order of time. */
int rank_lateness_find(struct rank_arrivals *a, const struct rank_clocks *clocks, int64_t time_error_ns,
                       struct rank_meetings_found *m, struct err *e);

/* Reads the stream again, from its start: what each place does between collectives, and at their side. What it does
 * before a collective that cannot be late is not kept. */
int rank_segments_measure(struct event_stream *stream, const struct rank_meetings_found *m, struct rank_arrivals *a,
                          struct rank_befores *befores, struct err *e);

/* The place of an attendance of a meeting. */
uint32_t rank_place_at(const struct rank_arrivals *a, const struct rank_meetings_found *m,
                       const struct rank_meeting *meeting, size_t index);
const struct rank_arrival *rank_arrival_at(const struct rank_arrivals *a, const struct rank_meetings_found *m,
                                           const struct rank_meeting *meeting, size_t index);

#endif
