/* guest_gpus.h - which GPUs does the program see? The driver that it has loaded knows. */
#ifndef CPPROF_GUEST_GPUS_H
#define CPPROF_GUEST_GPUS_H

#include "core/base/json.h"

/* Returns the number of GPUs after cuInit, on any thread; 0 before, and without a driver. */
int guest_gpus_count(void);

/* Returns the first GPU whose primary context is active, where the program probably works; -1: none yet. */
int guest_gpus_first_active(void);

/* Sets the members gpus, driver and cuda of a process report. */
void guest_gpus_describe(json_t *report);

#endif
