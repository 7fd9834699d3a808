/* replay_plan.h - which launches of a program should be replayed in a further run of it, so that the counters which no
 * sample shows are known of its kernels?
 *
 * Those kernels (name, grid, block) that take a hundredth of the kernels' time and more, most first, and of each the
 * launches whose durations are nearest to the median, the first and the last decile. A launch is named by its number
 * among those of its kernel, in the order of the calls. */
#ifndef CPPROF_REPLAY_PLAN_H
#define CPPROF_REPLAY_PLAN_H

#include <stddef.h>

#include "base/err.h"
#include "base/str.h"
#include "trace/event_stream.h"

enum { REPLAY_KERNELS_MAX = 16, REPLAY_LAUNCHES_PER_KERNEL = 3, REPLAY_TRACE_MAX = 4 * 1024 * 1024 };

/* Appends the list (collector/counters/chosen_launches.h), and gives the number of launches in it. With none, *why says
 * in a literal what speaks against a replay. The stream is rewound before. */
int replay_plan_make(struct str *list, size_t *launches, const char **why, struct event_stream *stream, struct err *e);

#endif
