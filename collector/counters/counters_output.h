/* counters_output.h - what was counted, and what was not: metrics-<pid>.csv and
 * counters-<pid>.json (docs/formats.md). One thread at a time. */
#ifndef CPPROF_COUNTERS_OUTPUT_H
#define CPPROF_COUNTERS_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/json.h"
#include "base/strtab.h"

/* The counters of one launch, as CUPTI says them. */
struct counted_launch {
    uint32_t kernel; /* id in kernels */
    long launch;     /* which of that kernel's, from 0 */
    double *values;  /* one for each metric; NAN for one that the chip does not know; ours */
};

struct counters_output {
    char *directory;
    char *const *metrics;
    size_t metric_count;
    struct strtab kernels;
    struct {
        struct counted_launch *items;
        size_t count, capacity;
    } launches;
    json_t *report;
    bool changed; /* since it was written */
};

/* The metrics must stay; the directory is copied. */
int counters_output_init(struct counters_output *o, const char *directory, char *const *metrics, size_t metric_count,
                         struct err *e);

/* Takes the values, to be freed with free(). */
int counters_output_add(struct counters_output *o, uint32_t kernel, long launch, double *values, struct err *e);

/* What could not be had, and why; the same twice is told once. */
void counters_output_missing(struct counters_output *o, const char *what, const char *why);

/* Facts of a kernel: an object whose reference is taken. */
void counters_output_kernel(struct counters_output *o, uint32_t kernel, json_t *facts);

/* Writes both files anew, when anything has changed. The very first launch that was counted is left out
 * where another one of its kernel was: CUPTI writes to the device at its first
 * start, which that one is charged with. */
int counters_output_write(struct counters_output *o, struct err *e);

#endif
