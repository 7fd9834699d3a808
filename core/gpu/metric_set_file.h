/* metric_set_file.h - a set of counters as a file that people edit. 'cpprof list --metrics --format csv' prints one,
 * 'run --metric-set' reads which counters it has. */
#ifndef CPPROF_METRIC_SET_FILE_H
#define CPPROF_METRIC_SET_FILE_H

#include "core/base/arena.h"
#include "core/base/err.h"
#include "core/base/str.h"
#include "core/gpu/metric_sets.h"

struct metric_words {
    const char **items; /* each as metric_choice_add takes it; stored in the arena */
    size_t count, capacity;
    struct arena *arena;
};

/* Appends to initialised words; the caller frees their array. A row is a counter by its id, or by CUPTI's name where
 * the id is empty. Errors are ERR_USAGE with FILE:LINE. */
int metric_set_file_read(struct metric_words *out, const char *path, struct err *e);

/* Appends the first lines of the file. */
void metric_set_file_begin(struct str *out);
/* Appends a counter of ours, with the name that a chip has for it. */
void metric_set_file_add(struct str *out, const struct metric *metric, const char *name);
/* Appends a counter without an id. */
void metric_set_file_add_name(struct str *out, const char *name, const char *meaning);

/* Appends the names of its sets: "bound, flops". */
void metric_add_sets(struct str *out, const struct metric *metric);

#endif
