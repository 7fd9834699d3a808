/* counter_host.h - what CUPTI's host half knows of a chip: which counters it has
 * and how many passes some of them take. No GPU is needed: it has all chips' data.
 * Nearly all of what the first one of a process takes is that CUPTI loads this
 * data: a library that fills 100 MB with zeros, which cost 55 ms to half a second. */
#ifndef CPPROF_COUNTER_HOST_H
#define CPPROF_COUNTER_HOST_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "collector/dynload/cupti_api.h"

struct counter_host {
    const struct cupti_api *api;
    CUpti_Profiler_Host_Object *object; /* NULL: closed */
};

/* Loads the data in a thread of its own, while the caller does something else. The
 * loader works for one thread at a time: what opens libraries waits until the data is
 * there, so CUDA's driver should be loaded before. Else nothing is shared with the
 * caller's thread: CUPTI is asked for the names of its chips, for which it opens no
 * driver, device or context (seen with strace, CUPTI 13.0). `api` (with the lists) must live until the end. */
struct counter_host_loading {
    const struct cupti_api *api;
    pthread_t thread;
    bool is_under_way;
    int64_t took_ns; /* of that thread; valid after the end */
};
void counter_host_load_begin(struct counter_host_loading *l, const struct cupti_api *api);
void counter_host_load_end(struct counter_host_loading *l);

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
