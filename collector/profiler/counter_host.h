/* counter_host.h - what does CUPTI's host part know about a chip: which counters it has, and how many passes they take?
 * No GPU is needed, since it has the data of all chips. The first use in a process takes long, almost all of it while
 * CUPTI loads this data: a library that fills 100 MB with zeros, which takes 55 ms to half a second. */
#ifndef CPPROF_COUNTER_HOST_H
#define CPPROF_COUNTER_HOST_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collector/dynload/cupti_api.h"
#include "core/base/err.h"

struct counter_host {
    const struct cupti_api *api;
    CUpti_Profiler_Host_Object *object; /* NULL: closed */
};

/* How counters are read: in ranges of launches, or for the whole device in time steps. A chip has different names for
 * the two. `availability` states what this device allows (NULL: everything that the chip has) and must live until the
 * host is closed. */
enum counter_reading {
    COUNTERS_OF_RANGES = CUPTI_PROFILER_TYPE_RANGE_PROFILER,
    COUNTERS_OF_SAMPLES = CUPTI_PROFILER_TYPE_PM_SAMPLING
};
int counter_host_open(struct counter_host *h, const struct cupti_api *api, const char *chip,
                      enum counter_reading reading, const uint8_t *availability, struct err *e);
void counter_host_close(struct counter_host *h);

/* Gives the name of a device's chip, in CUPTI's words. CUPTI owns the text. */
int counter_host_chip(const struct cupti_api *api, int device, const char **chip, struct err *e);

/* Call it when counters of a device could not be opened. If CUPTI does not know the chip, that becomes the error,
 * because CUPTI itself says it in no words that help; otherwise the error stays. */
void counter_host_explain(const struct cupti_api *api, int device, struct err *e);

bool counter_host_knows(const struct counter_host *h, const char *name);

/* Returns CUPTI's description of a counter, by its name with or without ending; owned by the host. NULL when it is
 * unknown. */
const char *counter_host_describe(const struct counter_host *h, const char *name);

/* Makes one configuration of all names: one by one they would take more passes. Call it once for each host. A single
 * unknown name makes it fail. The caller frees *config. */
struct counter_config {
    uint8_t *image;
    size_t bytes;
    size_t passes;
};
int counter_host_configure(const struct counter_host *h, const char *const *names, size_t count,
                           struct counter_config *config, struct err *e);

/* A list of names as a device's chip can count them: the known ones, in one configuration. */
struct counter_plan {
    struct counter_host host;
    const char **names; /* those that the chip knows; the caller owns the texts */
    size_t *slots;      /* the index of each in the caller's list */
    size_t accepted;
    struct counter_config config;
    uint8_t *availability; /* what the device allows; NULL: the plan is for the whole chip */
};

/* Makes a plan. `device` is the ordinal for CUPTI and CUDA; no context is needed. Takes ownership of the availability
 * image, also when it fails. Returns ERR_USAGE when the chip knows none of the names. Release the plan in either
 * case. */
int counter_plan_make(struct counter_plan *plan, const struct cupti_api *api, int device, enum counter_reading reading,
                      const char *const *names, size_t count, uint8_t *availability, struct err *e);
void counter_plan_release(struct counter_plan *plan);

/* Loads the data on a thread of its own and makes a plan for the whole chip, while the caller makes a context. The
 * dynamic loader works for one thread at a time, so loading of libraries waits until the data is there: CUDA's driver
 * must be loaded before. `api` (with the lists) and `names` must live until the end. */
struct counter_host_loading {
    const struct cupti_api *api;
    int device;
    const char *const *names;
    size_t count;
    pthread_t thread;
    bool is_under_way;
    bool is_planned; /* the plan is there, for the caller to take or to release; valid after the end, like the fields
                        below */
    struct counter_plan plan;
    int64_t data_ns, plan_ns; /* how long each took */
};
void counter_host_load_begin(struct counter_host_loading *l, const struct cupti_api *api, int device,
                             const char *const *names, size_t count);
void counter_host_load_end(struct counter_host_loading *l);

#endif
