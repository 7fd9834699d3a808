/* guest_report.h - writes process-capture-<pid>-<n>.json: what this process recorded, and what it could not. Used by
 * one thread at a time. */
#ifndef CPPROF_GUEST_REPORT_H
#define CPPROF_GUEST_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include "collector/activity/activity.h"
#include "collector/inject/guest_settings.h"
#include "core/base/json.h"
#include "core/base/shard_writer.h"

struct guest_report {
    json_t *members;
    char *path;
    bool asked_gpus;
};

/* `index` is the n in the file's name; `trace` is the shard's file name, or NULL. */
int guest_report_open(struct guest_report *r, const struct guest_settings *settings, int index, const char *trace,
                      struct err *e);

void guest_report_cupti(struct guest_report *r, const struct cupti_api *api);

/* Notes something that is missing, and why. The same note is written once. */
void guest_report_missing(struct guest_report *r, const char *what, const char *why);

/* Asks the driver for the GPUs. */
void guest_report_gpus(struct guest_report *r);

struct guest_cost {
    struct activity_cost trace;
    int64_t cpu_ns;       /* of the drain thread */
    int64_t callbacks_ns; /* ours on the program's threads, except buffer callbacks */
};
void guest_report_cost(struct guest_report *r, const struct guest_cost *cost, const struct shard_writer *shard);

/* Replaces the file in one step. `ended_by` is NULL while the process runs. */
int guest_report_write(struct guest_report *r, const char *ended_by, struct err *e);

#endif
