/* device_samples.h - samples the units of a GPU until it is told to end (collector/inject/guest_samples.h). */
#ifndef CPPROF_DEVICE_SAMPLES_H
#define CPPROF_DEVICE_SAMPLES_H

#include "collector/dynload/cupti_api.h"
#include "collector/inject/guest_samples.h"

/* Returns 0, or an error code with its reason. */
int device_samples_run(const struct cupti_api *api, struct samples_run *run, struct err *e);

#endif
