/* Did the host wait here? */
#include "core/trace/host_waits.h"

#include <string.h>

#include "core/trace/duration_groups.h"

bool host_waits_in(const struct cpprof_event *event)
{
    return event->kind == CPPROF_EVENT_API && event->detail == CPPROF_API_SYNC &&
           !(event->flags & CPPROF_EVENT_UNFINISHED);
}

/* Matches hipMemcpy, hipMemcpyWithStream, hipMemcpyDtoH ..., but no name with Async. */
static bool blocks_by_name(const char *call)
{
    return !strncmp(call, "hipMemcpy", 9) && !strstr(call, "Async");
}

static bool is_done(const struct host_wait_search *s, const struct launched *part)
{
    if (!part->kind || !part->has_call || part->call_detail != CPPROF_API_COPY)
        return false;
    if (part->call_end_ns >= part->end_ns)
        return true;
    return duration_ns(part->call_end_ns, part->end_ns) <= HOST_WAITS_SKEW_NS &&
           blocks_by_name(strtab_text(s->names, part->call_name));
}

bool host_waits_next(struct host_wait_search *s, const struct launched *part, struct launched *call)
{
    if (part && part->has_call && part->part > 0) {
        s->waited &= is_done(s, part);
        if (part->end_ns > s->call.end_ns)
            s->call.end_ns = part->end_ns;
        return false;
    }
    const bool found = s->waited;
    if (found)
        *call = s->call;
    s->waited = part && is_done(s, part);
    if (s->waited)
        s->call = *part;
    return found;
}
