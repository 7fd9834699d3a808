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

/* How they are read: ranges of launches, or the whole device in steps of time. A chip has other names for either.
 * `availability` says what this device allows (NULL: everything of the chip) and must live until it is closed. */
enum counter_reading {
    COUNTERS_OF_RANGES = CUPTI_PROFILER_TYPE_RANGE_PROFILER,
    COUNTERS_OF_SAMPLES = CUPTI_PROFILER_TYPE_PM_SAMPLING
};
int counter_host_open(struct counter_host *h, const struct cupti_api *api, const char *chip,
                      enum counter_reading reading, const uint8_t *availability, struct err *e);
void counter_host_close(struct counter_host *h);

/* The device's, in CUPTI's words; theirs. */
int counter_host_chip(const struct cupti_api *api, int device, const char **chip, struct err *e);

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

/* Some names, as a device's chip can count them: those that it knows, in one configuration. */
struct counter_plan {
    struct counter_host host;
    const char **names; /* that the chip knows; the texts are the caller's */
    size_t *slots;      /* where each of them stands in the caller's list */
    size_t accepted;
    struct counter_config config;
    uint8_t *availability; /* what the device allows; NULL: the plan is one for the whole chip */
};

/* `device` is CUPTI's and CUDA's ordinal; no context is needed. Takes the availability image over, also when it
 * fails. ERR_USAGE when the chip knows none of the names. Release it in either case. */
int counter_plan_make(struct counter_plan *plan, const struct cupti_api *api, int device, enum counter_reading reading,
                      const char *const *names, size_t count, uint8_t *availability, struct err *e);
void counter_plan_release(struct counter_plan *plan);

/* Loads the data in a thread of its own and makes a plan for the whole chip, while the caller makes a context. The
 * loader works for one thread at a time: what opens libraries waits until the data is
 * there, so CUDA's driver must be loaded before. `api` (with the lists) and `names` must live until the end. */
struct counter_host_loading {
    const struct cupti_api *api;
    int device;
    const char *const *names;
    size_t count;
    pthread_t thread;
    bool is_under_way;
    bool is_planned; /* the plan is there, the caller's to take or to release; from here on valid after the end */
    struct counter_plan plan;
    int64_t data_ns, plan_ns; /* what either took */
};
void counter_host_load_begin(struct counter_host_loading *l, const struct cupti_api *api, int device,
                             const char *const *names, size_t count);
void counter_host_load_end(struct counter_host_loading *l);

#endif
