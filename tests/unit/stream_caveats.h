/* stream_caveats.h - what a stream says against itself, for assertions. */
#ifndef CPPROF_STREAM_CAVEATS_H
#define CPPROF_STREAM_CAVEATS_H

#include <string.h>

#include "core/trace/event_stream.h"

/* The first caveat of a kind; "" when there is none. */
static inline const char *first_caveat(const struct event_stream *s, enum caveat_kind kind)
{
    const struct caveat_list *list = event_stream_caveats(s);
    for (size_t i = 0; i < list->count; i++)
        if (list->items[i].kind == kind)
            return list->items[i].text;
    return "";
}

/* Does any caveat of a kind say `part`? */
static inline bool has_caveat(const struct event_stream *s, enum caveat_kind kind, const char *part)
{
    const struct caveat_list *list = event_stream_caveats(s);
    for (size_t i = 0; i < list->count; i++)
        if (list->items[i].kind == kind && strstr(list->items[i].text, part))
            return true;
    return false;
}

#endif
