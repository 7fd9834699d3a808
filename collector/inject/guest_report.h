/* guest_report.h - process-capture-<pid>-<n>.json: what this process recorded, and what it could not.
 * One thread at a time. */
#ifndef CPPROF_GUEST_REPORT_H
#define CPPROF_GUEST_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/json.h"
#include "base/shard_writer.h"
#include "collector/activity/activity.h"
#include "collector/inject/guest_settings.h"

struct guest_report {
    json_t *members;
    char *path;
    bool asked_gpus;
};

/* `index` is the n of the file's name; `trace` the shard's file name, or NULL. */
int guest_report_open(struct guest_report *r, const struct guest_settings *settings, int index, const char *trace,
                      struct err *e);

void guest_report_cupti(struct guest_report *r, const struct cupti_api *api);

/* What could not be had, and why; the same twice is told once. */
void guest_report_missing(struct guest_report *r, const char *what, const char *why);

/* Asks the driver which GPUs there are. */
void guest_report_gpus(struct guest_report *r);

struct guest_cost {
    struct activity_cost trace;
    int64_t cpu_ns;       /* of the drain thread */
    int64_t callbacks_ns; /* ours on the program's threads, but for buffers */
};
void guest_report_cost(struct guest_report *r, const struct guest_cost *cost, const struct shard_writer *shard);

/* `ended_by` NULL: the process runs. Replaces the file as one step. */
int guest_report_write(struct guest_report *r, const char *ended_by, struct err *e);

#endif
