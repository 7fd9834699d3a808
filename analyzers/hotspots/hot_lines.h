/* hot_lines.h - samples by source line: collected row by row, then added up. */
#ifndef CPPROF_HOT_LINES_H
#define CPPROF_HOT_LINES_H

#include <stddef.h>

#include "analyzers/hotspots/hotspot_rows.h"
#include "core/base/arena.h"
#include "core/base/err.h"

/* Samples at one line with one stall reason. */
struct line_sample {
    size_t kernel; /* which of the kernels */
    const char *file, *text, *stall;
    double line, samples;
};

struct line_samples {
    struct line_sample *items;
    size_t count, capacity;
};

/* Gives each kernel its lines, the hottest first. Sorts the samples; texts are copied. */
int hot_lines_add(struct hotspots *kernels, struct line_samples *samples, struct arena *arena, struct err *e);

/* For qsort: the most frequent first. */
int hot_reasons_order(const void *a, const void *b);

#endif
