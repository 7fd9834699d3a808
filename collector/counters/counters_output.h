/* counters_output.h - writes what was counted and what was not: metrics-<pid>.csv and counters-<pid>.json
 * (docs/formats.md). Used by one thread at a time. */
#ifndef CPPROF_COUNTERS_OUTPUT_H
#define CPPROF_COUNTERS_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"
#include "core/base/json.h"
#include "core/base/strtab.h"

/* The counters of one launch, with CUPTI's values. */
struct counted_launch {
    uint32_t kernel; /* id in kernels */
    long launch;     /* number of the launch among those of its kernel, from 0 */
    bool is_warm_up; /* it is not written */
    double *values;  /* one for each metric; NAN for one that the chip does not know; owned */
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
    bool changed; /* since the files were written */
};

/* Copies the directory. The metrics must stay valid. */
int counters_output_init(struct counters_output *o, const char *directory, char *const *metrics, size_t metric_count,
                         struct err *e);

/* Takes ownership of the values, and frees them with free(). */
int counters_output_add(struct counters_output *o, uint32_t kernel, long launch, bool is_warm_up, double *values,
                        struct err *e);

/* Notes something that is missing, and why. The same note is written once. */
void counters_output_missing(struct counters_output *o, const char *what, const char *why);

/* Adds facts about a kernel: an object whose reference is taken. */
void counters_output_kernel(struct counters_output *o, uint32_t kernel, json_t *facts);

/* Writes both files if anything has changed. The very first counted launch is left out when another launch of its
 * kernel was counted: CUPTI writes to the device at its first start, and that launch is charged for it. */
int counters_output_write(struct counters_output *o, struct err *e);

#endif
