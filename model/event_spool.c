/* In which order do events come, however many there are? */
#include "model/event_spool.h"

#include <stdlib.h>
#include <string.h>

#include "model/record_spool.h"

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

/* Ties are broken by content: whatever still compares equal is the same record,
 * so the order does not depend on the C library's sort. */
static int total_order(const void *a, const void *b)
{
    int order = event_order(a, b);
    return order ? order : memcmp(a, b, sizeof(struct cpprof_event));
}

/* A record spool that knows its order. */
struct event_spool {
    struct record_spool *records;
};

int event_spool_new(struct event_spool **out, struct err *e)
{
    struct event_spool *s = calloc(1, sizeof *s);
    int rc = s ? record_spool_new(&s->records, sizeof(struct cpprof_event), SPOOL_RUN_EVENTS, total_order, e)
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
    if (s)
        record_spool_free(s->records);
    free(s);
}

int event_spool_add(struct event_spool *s, const struct cpprof_event *event, struct err *e)
{
    return record_spool_add(s->records, event, e);
}

int event_spool_rewind(struct event_spool *s, struct err *e)
{
    return record_spool_rewind(s->records, e);
}

int event_spool_next(struct event_spool *s, struct cpprof_event *out, struct err *e)
{
    return record_spool_next(s->records, out, e);
}

int64_t event_spool_count(const struct event_spool *s)
{
    return record_spool_count(s->records);
}
