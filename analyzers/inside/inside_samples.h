/* inside_samples.h - how active were units of the GPU, sample by sample of one launch? For a picture: what follows from
 * all samples is in the rows (inside_rows.h). */
#ifndef CPPROF_INSIDE_SAMPLES_H
#define CPPROF_INSIDE_SAMPLES_H

#include "core/base/array.h"
#include "core/base/err.h"
#include "core/run/run.h"

/* Shares of the cycles, at most 1; NAN unknown. */
struct inside_sample {
    double begin_ns, taken_ns; /* from the begin of the launch */
    double tensor, fma, l1_request, dram;
};

struct inside_samples {
    int64_t launch;
    ARRAY_OF(struct inside_sample) items; /* of the first launch, in order */
};

/* Reads those of an arm without marks; none for NULL, and for an arm that was not sampled. Release them even after an
 * error. */
int inside_samples_read(struct inside_samples *out, const struct run *run, const struct arm *off, struct err *e);
void inside_samples_release(struct inside_samples *s);

#endif
