/* counter_host.h - what CUPTI's host half knows of a chip: which counters it has
 * and how many passes some of them take. No GPU is needed: it has all chips' data.
 * The first one of a process takes half a second. */
#ifndef CPPROF_COUNTER_HOST_H
#define CPPROF_COUNTER_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "collector/dynload/cupti_api.h"

struct counter_host {
    const struct cupti_api *api;
    CUpti_Profiler_Host_Object *object; /* NULL: closed */
};

/* `availability` says what this device allows (NULL: everything of the chip) and
 * must live until it is closed. */
int counter_host_open(struct counter_host *h, const struct cupti_api *api, const char *chip, const uint8_t *availability,
                      struct err *e);
void counter_host_close(struct counter_host *h);

bool counter_host_knows(const struct counter_host *h, const char *name);

/* CUPTI's words about a counter, of a name with or without its ending; the host's. NULL when it is unknown. */
const char *counter_host_describe(const struct counter_host *h, const char *name);

/* One configuration of all names: one by one they would take more passes. Once
 * for each host; one unknown name spoils it. *config is the caller's to free. */
struct counter_config {
    uint8_t *image;
    size_t bytes;
    size_t passes;
};
int counter_host_configure(const struct counter_host *h, const char *const *names, size_t count,
                           struct counter_config *config, struct err *e);

#endif
