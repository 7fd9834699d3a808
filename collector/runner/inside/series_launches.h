/* series_launches.h - which samples of the GPU belong to which launch, and which launches have all of theirs? */
#ifndef CPPROF_SERIES_LAUNCHES_H
#define CPPROF_SERIES_LAUNCHES_H

#include <stddef.h>
#include <stdint.h>

#include "core/base/array.h"
#include "core/base/err.h"
#include "core/bundle/bundle_tables.h"

/* From before the call of a launch until the GPU idles again, by the clock of the samples. */
struct series_stay {
    uint64_t begin_ns, end_ns;
};

struct series_sample {
    uint64_t begin_ns, end_ns;
    double values[INSIDE_SERIES_UNIT_COUNT]; /* the first is above 0 while an SM is active */
};

/* Gets the samples of a launch, from the first in which an SM is active to the last. */
typedef int (*series_keep)(void *context, const struct series_sample *samples, size_t count, struct err *e);

/* The first five are the caller's; the rest begins as 0. */
struct series_launches {
    const struct series_stay *stays;
    size_t count;
    uint64_t step_ns; /* of a sample */
    series_keep keep;
    void *context;
    size_t at;     /* the launch that the next sample may belong to */
    size_t gapped; /* launches that lack a sample, at either end or in between, or in which no SM was active */
    ARRAY_OF(struct series_sample) samples; /* of the launch `at` */
};

/* Takes the next sample. */
int series_launches_see(struct series_launches *s, const struct series_sample *sample, struct err *e);

/* There are no more samples: launches that had none lack them. */
int series_launches_end(struct series_launches *s, struct err *e);

void series_launches_release(struct series_launches *s);

#endif
