/* copy_calls.h - which calls of the driver copy memory, from where to where, and on which stream? */
#ifndef CPPROF_COPY_CALLS_H
#define CPPROF_COPY_CALLS_H

#include <cupti.h>
#include <stdbool.h>
#include <stddef.h>

#include "cpprof/event.h"

struct copy_call {
    CUstream stream; /* CU_STREAM_PER_THREAD where it is the thread's */
    enum cpprof_copy_kind kind;
};

/* Returns the `index`-th call, to enable with cuptiEnableCallback; CUPTI_DRIVER_TRACE_CBID_INVALID behind the last. */
CUpti_CallbackId copy_calls_id(size_t index);

/* Reads the parameters of such a call. Returns false when it is another call, or cannot be read. Asks the driver where
 * memory is, if the call does not say it. */
bool copy_calls_read(CUpti_CallbackId call, const void *params, struct copy_call *copy);

#endif
