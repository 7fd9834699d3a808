/* metric_set_file.h - counters as a file that people change: 'cpprof list
 * --metrics --format csv' prints one, 'run --metric-set' reads which it holds. */
#ifndef CPPROF_METRIC_SET_FILE_H
#define CPPROF_METRIC_SET_FILE_H

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"
#include "gpu/metric_sets.h"

struct metric_words {
    const char **items; /* each as metric_choice_add takes it; in the arena */
    size_t count, capacity;
    struct arena *arena;
};

/* Appends to initialised words (their array is the caller's to free). A row is a
 * counter by its id, or by CUPTI's name where the id is empty. ERR_USAGE with
 * FILE:LINE for what is wrong. */
int metric_set_file_read(struct metric_words *out, const char *path, struct err *e);

void metric_set_file_begin(struct str *out);
/* One of ours, under the name that a chip has for it. */
void metric_set_file_add(struct str *out, const struct metric *metric, const char *name);
/* One that has no id. */
void metric_set_file_add_name(struct str *out, const char *name, const char *meaning);

/* "bound, flops" */
void metric_add_sets(struct str *out, const struct metric *metric);

#endif
