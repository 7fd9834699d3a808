/* guest_launching.h - did a kernel run that can launch others from the GPU?
 *
 * CUPTI has no records of kernels and graphs that kernels launch. Its callback for loaded modules has their code, from
 * which is read what their kernels can launch (launching_code.h); it counts once such a kernel has run. The callback
 * needs CUPTI's only subscription, so it is asked for where the program may have such code (device_runtime.h), or where
 * the guest has subscribed anyway. */
#ifndef CPPROF_GUEST_LAUNCHING_H
#define CPPROF_GUEST_LAUNCHING_H

#include <stdbool.h>

#include "collector/dynload/cupti_api.h"

/* What the report calls it in "missing". */
#define DEVICE_LAUNCHES "device launches"

/* Whoever reads records through `api` shows them to this module, too. Call it before CUPTI has buffers. */
void guest_launching_init(struct cupti_api *api);

/* Takes a module of code that CUDA has loaded, from a callback on any thread. */
void guest_launching_take(const CUpti_ResourceData *resource);

/* What launches is not known, because the code could not be seen; `file` has it. Only the first reason is kept. */
void guest_launching_unseen(const char *file, const char *why);

/* Returns why kernels are missing, or may be; NULL when there is no reason. The text stays valid. */
const char *guest_launching_missing(void);

#endif
