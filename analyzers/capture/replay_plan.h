/* replay_plan.h - which launches of a program should be replayed in a further run of it, so that the counters which no
 * sample shows are known of its kernels? Of the kernels that take a hundredth of the kernels' time and more, most
 * first, those that stand for the others (traced_launches.h). */
#ifndef CPPROF_REPLAY_PLAN_H
#define CPPROF_REPLAY_PLAN_H

#include <stddef.h>

#include "core/base/err.h"
#include "core/base/str.h"
#include "core/trace/event_stream.h"

enum { REPLAY_KERNELS_MAX = 16 };

struct replay_plan {
    struct str list; /* collector/counters/chosen_launches.h */
    size_t kernels, launches;
    const char *why; /* without launches: what speaks against a replay, a literal */
};

/* Fills a plan, to be released even after an error. The stream is rewound before. */
int replay_plan_make(struct replay_plan *plan, struct event_stream *stream, struct err *e);
void replay_plan_release(struct replay_plan *plan);

#endif
