/* interval_set.h - sorted, disjoint, half-open [start, end) intervals in ns. */
#ifndef CPPROF_INTERVAL_SET_H
#define CPPROF_INTERVAL_SET_H

#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"

struct interval {
    int64_t start_ns;
    int64_t end_ns;
};

struct interval_set {
    struct interval *items;
    size_t count;
    size_t capacity;
};

void interval_set_init(struct interval_set *s);
void interval_set_release(struct interval_set *s);

/* Adds an interval that starts at or after the start of the last one added, as events do. Touching and overlapping
 * intervals join; empty ones are ignored. */
int interval_set_add(struct interval_set *s, int64_t start_ns, int64_t end_ns, struct err *e);

/* Computes the intersection. `out` is initialised and empty, and is neither a nor b. */
int interval_set_intersect(const struct interval_set *a, const struct interval_set *b, struct interval_set *out,
                           struct err *e);
int64_t interval_set_total_ns(const struct interval_set *s);
/* Returns the time of the set in [start_ns, end_ns); 0 when that interval is empty. */
int64_t interval_set_within_ns(const struct interval_set *s, int64_t start_ns, int64_t end_ns);

#endif
