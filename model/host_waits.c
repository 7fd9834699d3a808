/* Did the host wait here? */
#include "model/host_waits.h"

bool host_waits_in(const struct cpprof_event *event)
{
    return event->kind == CPPROF_EVENT_API && event->detail == CPPROF_API_SYNC &&
           !(event->flags & CPPROF_EVENT_UNFINISHED);
}

static bool is_done(const struct launched *part)
{
    return part->kind && part->has_call && part->call_detail == CPPROF_API_COPY && part->call_end_ns >= part->end_ns;
}

bool host_waits_next(struct host_wait_search *s, const struct launched *part, struct launched *call)
{
    if (part && part->has_call && part->part > 0) {
        s->waited &= is_done(part);
        return false;
    }
    const bool found = s->waited;
    if (found)
        *call = s->call;
    s->waited = part && is_done(part);
    if (s->waited)
        s->call = *part;
    return found;
}
