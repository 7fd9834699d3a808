/* event_member.h - stores whole numbers from tables in events by offset and size, so that a reader can describe its
 * columns in a table. */
#ifndef CPPROF_EVENT_MEMBER_H
#define CPPROF_EVENT_MEMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cpprof/event.h"

struct event_member {
    size_t offset;
    size_t bytes; /* 2, 4 or 8 */
    int64_t max;  /* the largest value that fits */
};

#define EVENT_MEMBER_MAX(x)                                                                                            \
    _Generic((x), int16_t : INT16_MAX, uint16_t : UINT16_MAX, uint32_t : UINT32_MAX, uint64_t : INT64_MAX)
#define EVENT_MEMBER(member)                                                                                           \
    {                                                                                                                  \
        offsetof(struct cpprof_event, member), sizeof((struct cpprof_event *)0)->member,                               \
            EVENT_MEMBER_MAX(((struct cpprof_event *)0)->member)                                                       \
    }

/* Of a column whose number goes nowhere. */
#define NO_MEMBER                                                                                                      \
    {                                                                                                                  \
        0, 0, 0                                                                                                        \
    }

/* Stores the value. Returns false, and stores nothing, when it is below 0 or does not fit. */
bool event_member_set(struct cpprof_event *event, struct event_member member, int64_t value);

/* Times since 1970 fit (73 years); larger values are not times. */
#define EVENT_TIME_NS_MAX (INT64_C(1) << 61)
static inline bool event_times_are_sane(int64_t start_ns, int64_t end_ns)
{
    return start_ns >= -EVENT_TIME_NS_MAX && start_ns <= end_ns && end_ns <= EVENT_TIME_NS_MAX;
}

/* Do they fit, in whatever order? An end before its start is judged later (core/trace/plausible/plausible_times.h). */
static inline bool event_times_fit(int64_t start_ns, int64_t end_ns)
{
    return start_ns >= -EVENT_TIME_NS_MAX && start_ns <= EVENT_TIME_NS_MAX && end_ns >= -EVENT_TIME_NS_MAX &&
           end_ns <= EVENT_TIME_NS_MAX;
}

/* No reader says that times may be off by more: 18 minutes. */
#define EVENT_TIME_ERROR_NS_MAX (INT64_C(1) << 40)

#endif
