/* How are any number of events put in order? */
#include "core/trace/event_spool.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/io/record_spool.h"

#define COMPARE(field)                                                                                                 \
    if (a->field != b->field)                                                                                          \
        return a->field < b->field ? -1 : 1;

int event_order(const struct cpprof_event *a, const struct cpprof_event *b)
{
    COMPARE(start_ns)
    COMPARE(end_ns)
    COMPARE(rank)
    COMPARE(device)
    COMPARE(stream)
    return 0;
}

/* Ids of names depend on which traces were read before, so the name comes last. */
int event_total_order(const void *a, const void *b)
{
    enum { NAME = offsetof(struct cpprof_event, name), BEHIND_NAME = offsetof(struct cpprof_event, device) };
    const char *left = a, *right = b;
    int order = event_order(a, b);
    if (!order)
        order = memcmp(left, right, NAME);
    if (!order)
        order = memcmp(left + BEHIND_NAME, right + BEHIND_NAME, sizeof(struct cpprof_event) - BEHIND_NAME);
    return order ? order : memcmp(left + NAME, right + NAME, BEHIND_NAME - NAME);
}

/* The inputs of the merge: the records that were added, and the sources. */
struct head {
    struct event_source *source; /* NULL: the added records */
    const struct cpprof_event *event;
};

/* Places in the order whose events get a flag. */
struct mark {
    int64_t from, to;
    uint16_t flag;
};

struct event_spool {
    struct record_spool *records;
    struct event_source *sources[SPOOL_SOURCES_MAX];
    size_t source_count;
    struct head heads[SPOOL_SOURCES_MAX + 1]; /* heads that are not at their end */
    size_t head_count;
    struct cpprof_event record; /* of the head of the added records */
    struct {
        struct mark *items;
        size_t count, capacity;
    } marks; /* in order from a rewind on */
    bool marks_are_new;
    size_t next_mark;
    int64_t place; /* of the next event */
};

int event_spool_new(struct event_spool **out, struct err *e)
{
    struct event_spool *s = calloc(1, sizeof *s);
    int rc = s ? record_spool_new(&s->records, sizeof(struct cpprof_event), SPOOL_RUN_EVENTS, event_total_order, e)
               : err_memory(e);
    if (rc) {
        free(s);
        s = NULL;
    }
    *out = s;
    return rc;
}

void event_spool_free(struct event_spool *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < s->source_count; i++)
        s->sources[i]->free(s->sources[i]);
    record_spool_free(s->records);
    free(s->marks.items);
    free(s);
}

void event_spool_swap(struct event_spool *a, struct event_spool *b)
{
    const struct event_spool held = *a;
    *a = *b;
    *b = held;
}

int event_spool_add(struct event_spool *s, const struct cpprof_event *event, struct err *e)
{
    return record_spool_add(s->records, event, e);
}

bool event_spool_add_source(struct event_spool *s, struct event_source *source)
{
    size_t window_events = source->window_events;
    for (size_t i = 0; i < s->source_count; i++)
        window_events += s->sources[i]->window_events;
    if (s->source_count == SPOOL_SOURCES_MAX || window_events > SPOOL_SOURCE_EVENTS)
        return false;
    s->sources[s->source_count++] = source;
    return true;
}

static int advance(struct event_spool *s, struct head *head, struct err *e)
{
    if (head->source)
        return head->source->next(head->source, &head->event, e);
    head->event = &s->record;
    return record_spool_next(s->records, &s->record, e);
}

/* Adds the head if it has an event. */
static int start_head(struct event_spool *s, struct event_source *source, struct err *e)
{
    struct head *head = &s->heads[s->head_count];
    head->source = source;
    int got = advance(s, head, e);
    if (got == 1)
        s->head_count++;
    return got < 0 ? got : 0;
}

int event_spool_mark(struct event_spool *s, int64_t from, int64_t to, uint16_t flag, struct err *e)
{
    struct mark *new = ARRAY_PUSH(&s->marks);
    if (!new)
        return err_memory(e);
    *new = (struct mark){from, to, flag};
    s->marks_are_new = true;
    return 0;
}

/* Of marks that begin at one place, false comes first. */
static int mark_order(const void *left, const void *right)
{
    const struct mark *a = left, *b = right;
    COMPARE(from)
    return (a->flag < b->flag) - (a->flag > b->flag);
}

/* Sorts them, so that none reaches into the next one. */
static void settle_marks(struct event_spool *s)
{
    size_t kept = 0;
    int64_t until = 0;
    qsort(s->marks.items, s->marks.count, sizeof *s->marks.items, mark_order);
    for (size_t i = 0; i < s->marks.count; i++) {
        struct mark mark = s->marks.items[i];
        if (mark.from < until)
            mark.from = until;
        if (mark.from >= mark.to)
            continue;
        until = mark.to;
        s->marks.items[kept++] = mark;
    }
    s->marks.count = kept;
    s->marks_are_new = false;
}

int event_spool_rewind(struct event_spool *s, struct err *e)
{
    if (s->marks_are_new)
        settle_marks(s);
    s->place = 0;
    s->next_mark = 0;
    s->head_count = 0;
    int rc = record_spool_rewind(s->records, e);
    if (!rc && s->source_count) /* added records alone need no merge */
        rc = start_head(s, NULL, e);
    for (size_t i = 0; !rc && i < s->source_count; i++) {
        rc = s->sources[i]->rewind(s->sources[i], e);
        if (!rc)
            rc = start_head(s, s->sources[i], e);
    }
    return rc;
}

void event_spool_rest(struct event_spool *s)
{
    s->head_count = 0;
    record_spool_rest(s->records);
}

static int next_merged(struct event_spool *s, struct cpprof_event *out, struct err *e)
{
    if (!s->head_count)
        return 0;
    struct head *least = &s->heads[0];
    for (size_t i = 1; i < s->head_count; i++)
        if (event_total_order(s->heads[i].event, least->event) < 0)
            least = &s->heads[i];
    *out = *least->event;
    int got = advance(s, least, e);
    if (!got)
        *least = s->heads[--s->head_count];
    return got < 0 ? got : 1;
}

static void apply_marks(struct event_spool *s, struct cpprof_event *event)
{
    const int64_t place = s->place++;
    while (s->next_mark < s->marks.count && s->marks.items[s->next_mark].to <= place)
        s->next_mark++;
    if (s->next_mark < s->marks.count && s->marks.items[s->next_mark].from <= place)
        event->flags |= s->marks.items[s->next_mark].flag;
}

int event_spool_next(struct event_spool *s, struct cpprof_event *out, struct err *e)
{
    const int got = s->source_count ? next_merged(s, out, e) : record_spool_next(s->records, out, e);
    if (got == 1 && s->marks.count)
        apply_marks(s, out);
    return got;
}

int64_t event_spool_count(const struct event_spool *s)
{
    int64_t count = record_spool_count(s->records);
    for (size_t i = 0; i < s->source_count; i++)
        count += s->sources[i]->count;
    return count;
}
