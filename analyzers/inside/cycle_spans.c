/* For how long does a set of cycles hold, and two at once? */
#include "analyzers/inside/cycle_spans.h"

#include <stdlib.h>

void cycle_spans_release(struct cycle_spans *s)
{
    free(s->items);
    *s = (struct cycle_spans){0};
}

int cycle_spans_add(struct cycle_spans *s, int64_t begin, int64_t end, struct err *e)
{
    if (end <= begin)
        return 0;
    struct cycle_span *span = ARRAY_PUSH(s);
    if (!span)
        return err_memory(e);
    *span = (struct cycle_span){begin, end};
    return 0;
}

int cycle_spans_add_all(struct cycle_spans *s, const struct cycle_spans *more, struct err *e)
{
    int rc = 0;
    for (size_t i = 0; i < more->count && !rc; i++)
        rc = cycle_spans_add(s, more->items[i].begin, more->items[i].end, e);
    return rc;
}

static int by_begin(const void *pa, const void *pb)
{
    const struct cycle_span *a = pa, *b = pb;
    return a->begin != b->begin ? (a->begin > b->begin) - (a->begin < b->begin) : (a->end > b->end) - (a->end < b->end);
}

void cycle_spans_join(struct cycle_spans *s)
{
    size_t kept = 0;
    if (s->count)
        qsort(s->items, s->count, sizeof *s->items, by_begin);
    for (size_t i = 0; i < s->count; i++) {
        const struct cycle_span span = s->items[i];
        if (kept && span.begin <= s->items[kept - 1].end) {
            if (span.end > s->items[kept - 1].end)
                s->items[kept - 1].end = span.end;
        } else {
            s->items[kept++] = span;
        }
    }
    s->count = kept;
}

int cycle_spans_common(const struct cycle_spans *a, const struct cycle_spans *b, struct cycle_spans *out, struct err *e)
{
    size_t i = 0, k = 0;
    int rc = 0;
    while (i < a->count && k < b->count && !rc) {
        const struct cycle_span x = a->items[i], y = b->items[k];
        rc = cycle_spans_add(out, x.begin > y.begin ? x.begin : y.begin, x.end < y.end ? x.end : y.end, e);
        if (x.end <= y.end)
            i++;
        else
            k++;
    }
    return rc;
}

int64_t cycle_spans_total(const struct cycle_spans *s)
{
    int64_t total = 0;
    for (size_t i = 0; i < s->count; i++)
        total += s->items[i].end - s->items[i].begin;
    return total;
}
