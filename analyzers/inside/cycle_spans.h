/* cycle_spans.h - sets of spans of cycles [begin, end) of one SM, and for how long several of them hold at once. */
#ifndef CPPROF_CYCLE_SPANS_H
#define CPPROF_CYCLE_SPANS_H

#include <stdint.h>

#include "core/base/array.h"
#include "core/base/err.h"

struct cycle_span {
    int64_t begin, end;
};

struct cycle_spans {
    struct cycle_span *items;
    size_t count, capacity;
};

void cycle_spans_release(struct cycle_spans *s);

/* Adds a span; an empty one is left out. */
int cycle_spans_add(struct cycle_spans *s, int64_t begin, int64_t end, struct err *e);
int cycle_spans_add_all(struct cycle_spans *s, const struct cycle_spans *more, struct err *e);

/* Sorts the spans and joins those that touch or overlap: then it is a set. */
void cycle_spans_join(struct cycle_spans *s);

/* Adds what two sets share to an empty list, which is a set then. */
int cycle_spans_common(const struct cycle_spans *a, const struct cycle_spans *b, struct cycle_spans *out,
                       struct err *e);

/* Returns the sum of lengths. */
int64_t cycle_spans_total(const struct cycle_spans *s);

#endif
