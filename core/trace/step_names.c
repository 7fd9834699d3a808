/* Which range is open for most of the time, of those that follow one another? */
#include "core/trace/step_names.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/count_sum.h"
#include "core/base/strtab.h"

/* Steps fill so much of the time from the first to the last: what a library opens now and then is none of them. */
#define STEPS_FILL 0.5

/* Ranges of one name, in the process that has the first. */
struct named {
    int64_t total_ns, count, first_ns, last_ns;
    int16_t rank;
};

struct choosing {
    const struct strtab *strings;
    struct strtab stems;
    ARRAY_OF(struct named) named; /* by stem */
};

size_t step_names_stem(const char *name)
{
    const size_t whole = strlen(name);
    size_t length = whole;
    while (length && isdigit((unsigned char)name[length - 1]))
        length--;
    while (length && length < whole && name[length - 1] == ' ')
        length--;
    return length ? length : whole;
}

static int count_range(struct choosing *c, const struct cpprof_event *event, struct err *e)
{
    const char *name = strtab_text(c->strings, event->name);
    const uint32_t stem = strtab_add_bytes(&c->stems, name, step_names_stem(name));
    while (stem && c->named.count <= stem)
        if (!ARRAY_PUSH(&c->named))
            return err_memory(e);
    if (!stem)
        return err_memory(e);
    struct named *n = &c->named.items[stem];
    if (!n->count)
        *n = (struct named){.first_ns = event->start_ns, .last_ns = event->end_ns, .rank = event->rank};
    if (event->rank != n->rank)
        return 0;
    n->count++;
    n->last_ns = event->end_ns > n->last_ns ? event->end_ns : n->last_ns;
    count_add(&n->total_ns, event->end_ns - event->start_ns);
    return 0;
}

/* Those of a domain are a library's. */
static bool is_range(const struct cpprof_event *event)
{
    return event->kind == CPPROF_EVENT_RANGE && event->name && !event->detail &&
           !(event->flags & CPPROF_EVENT_UNFINISHED) && event->end_ns > event->start_ns;
}

static bool may_be_steps(const struct named *n)
{
    return n->count >= STEP_NAMES_MIN && (double)n->total_ns >= STEPS_FILL * ((double)n->last_ns - (double)n->first_ns);
}

/* Returns 0 when no name is that of steps. */
static uint32_t choose(const struct choosing *c)
{
    const uint32_t profiler = strtab_find(&c->stems, STEP_NAMES_PYTORCH);
    uint32_t best = 0;
    if (profiler)
        return profiler;
    for (uint32_t stem = 1; stem < c->named.count; stem++)
        if (may_be_steps(&c->named.items[stem]) &&
            (!best || c->named.items[stem].total_ns > c->named.items[best].total_ns))
            best = stem;
    return best;
}

int step_names_choose(struct str *stem, struct event_stream *stream, struct err *e)
{
    struct choosing c = {.strings = event_stream_strings(stream)};
    struct cpprof_event event;
    strtab_init(&c.stems);
    int rc = event_stream_rewind(stream, e);
    while (!rc && (rc = event_stream_next(stream, &event, e)) == 1)
        rc = is_range(&event) ? count_range(&c, &event, e) : 0;
    const uint32_t chosen = rc ? 0 : choose(&c);
    if (chosen)
        str_add(stem, strtab_text(&c.stems, chosen));
    strtab_release(&c.stems);
    free(c.named.items);
    return rc ? rc : stem->failed ? err_memory(e) : 0;
}
