/* When was a named NVTX range open? */
#define _GNU_SOURCE
#include "core/trace/range_occurrences.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/trace/range_name.h"

void range_occurrences_release(struct range_occurrences *r)
{
    free(r->items);
    *r = (struct range_occurrences){0};
}

static int by_rank_and_start(const void *left, const void *right)
{
    const struct range_occurrence *a = left, *b = right;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    if (a->start_ns != b->start_ns)
        return a->start_ns < b->start_ns ? -1 : 1;
    return a->end_ns > b->end_ns ? -1 : a->end_ns < b->end_ns; /* the outer one first */
}

/* A range that begins while another one is open belongs to that one. */
static void join_nested(struct range_occurrences *r)
{
    size_t kept = 0;
    for (size_t i = 0; i < r->count; i++) {
        struct range_occurrence *before = kept ? &r->items[kept - 1] : NULL;
        if (!before || before->rank != r->items[i].rank || before->end_ns <= r->items[i].start_ns) {
            r->items[kept++] = r->items[i];
            continue;
        }
        r->is_shared |= before->thread != r->items[i].thread;
        r->is_crossed |= r->items[i].end_ns > before->end_ns;
        if (r->items[i].end_ns > before->end_ns)
            before->end_ns = r->items[i].end_ns;
    }
    r->count = kept;
}

/* Which ranges are read: by their exact name, or by a mark for each string id. */
struct range_choice {
    const char *wanted;
    const bool *takes;
    size_t count;
    int (*next)(struct event_stream *s, struct cpprof_event *out, struct err *e);
};

static bool is_chosen(const struct range_choice *c, const struct cpprof_event *range, const struct strtab *names)
{
    if (c->takes)
        return range->name < c->count && c->takes[range->name];
    return range_name_matches(c->wanted, strtab_text(names, range->name), strtab_text(names, range->detail));
}

static int read(struct range_occurrences *out, struct event_stream *stream, const struct range_choice *choice,
                struct err *e)
{
    const struct strtab *names = event_stream_strings(stream);
    struct cpprof_event event;
    int rc = event_stream_rewind(stream, e);
    while (!rc && (rc = choice->next(stream, &event, e)) == 1) {
        rc = 0;
        if (event.kind != CPPROF_EVENT_RANGE || event.flags & CPPROF_EVENT_UNFINISHED ||
            !is_chosen(choice, &event, names))
            continue;
        if (out->count == RANGE_OCCURRENCES_MAX)
            return err_set(e, ERR_INPUT, "the range '%s' occurs more than %d times", choice->wanted,
                           RANGE_OCCURRENCES_MAX);
        struct range_occurrence *slot = ARRAY_PUSH(out);
        if (!slot)
            return err_memory(e);
        *slot = (struct range_occurrence){event.start_ns, event.end_ns, event.thread, event.rank};
    }
    if (out->count)
        qsort(out->items, out->count, sizeof *out->items, by_rank_and_start);
    join_nested(out);
    return rc;
}

int range_occurrences_read(struct range_occurrences *out, struct event_stream *stream, const char *wanted,
                           struct err *e)
{
    return read(out, stream, &(struct range_choice){wanted, NULL, 0, event_stream_next}, e);
}

int range_occurrences_read_marked(struct range_occurrences *out, struct event_stream *stream, const char *wanted,
                                  const bool *takes, size_t count, struct err *e)
{
    return read(out, stream, &(struct range_choice){wanted, takes, count, event_stream_next}, e);
}

int range_occurrences_read_unscoped(struct range_occurrences *out, struct event_stream *stream, const char *wanted,
                                    const bool *takes, size_t count, struct err *e)
{
    return read(out, stream, &(struct range_choice){wanted, takes, count, event_stream_next_unscoped}, e);
}

size_t range_occurrences_at(const struct range_occurrences *r, int16_t rank, int64_t time_ns)
{
    const struct range_occurrence wanted = {.start_ns = time_ns, .end_ns = INT64_MIN, .rank = rank};
    size_t low = 0, high = r->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (by_rank_and_start(&r->items[middle], &wanted) <= 0)
            low = middle + 1;
        else
            high = middle;
    }
    const struct range_occurrence *found = low ? &r->items[low - 1] : NULL;
    return found && found->rank == rank && time_ns < found->end_ns ? low - 1 : SIZE_MAX;
}
