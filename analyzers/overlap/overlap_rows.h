/* overlap_rows.h - what ran beside what on a device (struct timeline_device), as rows. docs/overlap.md has the
 * definitions. */
#ifndef CPPROF_OVERLAP_ROWS_H
#define CPPROF_OVERLAP_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/arena.h"
#include "core/trace/rank_starts.h"
#include "core/trace/timeline.h"

/* What the columns of a device take beside its row. */
struct overlap_context {
    const struct timeline_query *query;
    const enum event_class *classes; /* of the first class_count sets of the query */
    size_t class_count;
    const struct rank_starts *starts; /* of all ranks of the input: windows count from there */
    struct arena *arena;              /* for the rows inside a device */
};

struct overlap_class {
    const char *name;
    int64_t count, busy_ns, sum_ns, concurrency_max, together_ns, size_bytes; /* as in struct timeline_set */
};
struct overlap_class overlap_class_of(const struct overlap_context *c, const struct timeline_device *device,
                                      size_t set);

struct overlap_pair {
    const char *a, *b;
    int64_t a_busy_ns, b_busy_ns, overlap_ns;
};
/* `pair` is one of the query whose sets both have a class. */
struct overlap_pair overlap_pair_of(const struct overlap_context *c, const struct timeline_device *device, size_t pair);
bool overlap_pair_has_classes(const struct overlap_context *c, size_t pair);

/* How long so many operations ran at once. */
struct overlap_level {
    int64_t operations;
    bool or_more;
    int64_t time_ns, span_ns;
};
struct overlap_level overlap_level_of(const struct timeline_device *device, size_t level);

int64_t overlap_span_ns(const struct timeline_device *device);

/* |A n B| and |A|, of one device or of several. */
struct hidden_time {
    double busy_ns, hidden_ns;
};

/* One of several devices, or their sum. */
struct overlap_line {
    const char *where;
    double events, span_ns, busy_ns;
    struct hidden_time copies, comm; /* under kernels; under computation */
};

#endif
