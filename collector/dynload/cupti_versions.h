/* cupti_versions.h - what differs between the CUPTIs that cpprof is built with, and those that it loads? Only here. The
 * two need not be of one version. The numbers are those of CUPTI_API_VERSION: 22 is CUDA 12.4's, 130001 is 13.0's. */
#ifndef CPPROF_CUPTI_VERSIONS_H
#define CPPROF_CUPTI_VERSIONS_H

#include <cuda.h>
#include <cupti.h>
#include <cupti_pcsampling.h>
#include <cupti_profiler_target.h>
#include <cupti_target.h>
#include <stddef.h>

/* Counters: the host part, the range profiler and the sampler, since CUDA 12.6. In a build with older headers
 * no_counters.c stands for the files that use them; a library without them is refused when they are asked for. */
#if __has_include(<cupti_range_profiler.h>)
#define CUPTI_HAS_COUNTERS 1
#include <cupti_pmsampling.h>
#include <cupti_profiler_host.h>
#include <cupti_range_profiler.h>
#else
#define CUPTI_HAS_COUNTERS 0
typedef struct CUpti_Profiler_Host_Object CUpti_Profiler_Host_Object;
enum { CUPTI_PROFILER_TYPE_RANGE_PROFILER, CUPTI_PROFILER_TYPE_PM_SAMPLING };
#endif

/* Records grow at their ends only, and CUPTI itself steps from one to the next. So each is read as 12.4 lays it out,
 * whichever version is loaded; translate.c holds the records of newer headers to that. */
typedef CUpti_ActivityKernel9 cupti_kernel_record;
typedef CUpti_ActivityMemcpy5 cupti_copy_record;
typedef CUpti_ActivitySynchronization cupti_wait_record;
typedef CUpti_ActivityUnifiedMemoryCounter2 cupti_managed_record;

/* Functions that 12.4 lacks: NULL when such a library is loaded. Calls can be asked for by id, and the queries among
 * the waits be left out. Older headers do not declare them. */
#define CUPTI_NEWER_FUNCTIONS(X)                                                                                       \
    X(cuptiActivityEnableDriverApi)                                                                                    \
    X(cuptiActivityEnableRuntimeApi)                                                                                   \
    X(cuptiActivityEnableAllSyncRecords)
CUptiResult CUPTIAPI cuptiActivityEnableDriverApi(CUpti_CallbackId id, uint8_t on);
CUptiResult CUPTIAPI cuptiActivityEnableRuntimeApi(CUpti_CallbackId id, uint8_t on);
CUptiResult CUPTIAPI cuptiActivityEnableAllSyncRecords(uint8_t on);

/* How cuptiSubscribe_v2 is told who asks, and tells who has the place. */
struct cupti_subscriber_names {
    size_t struct_bytes;
    const char *own;
    char *other;
    size_t other_bytes;
};
#if CUPTI_API_VERSION >= 130000
_Static_assert(sizeof(struct cupti_subscriber_names) == sizeof(CUpti_SubscriberParams) &&
                   offsetof(struct cupti_subscriber_names, own) == offsetof(CUpti_SubscriberParams, subscriberName) &&
                   offsetof(struct cupti_subscriber_names, other) ==
                       offsetof(CUpti_SubscriberParams, oldSubscriberName) &&
                   offsetof(struct cupti_subscriber_names, other_bytes) ==
                       offsetof(CUpti_SubscriberParams, oldSubscriberSize),
               "cuptiSubscribe_v2 takes other names");
#else
#define CUPTI_ACTIVITY_OVERHEAD_ACTIVITY_BUFFER_REQUEST ((CUpti_ActivityOverheadKind)(7 << 16))
#define CUPTI_ACTIVITY_OVERHEAD_UVM_ACTIVITY_INIT       ((CUpti_ActivityOverheadKind)(8 << 16))
#endif

enum {
    CUPTI_VERSION_LEAST = 22,
    /* Before 12.9 a program crashes when CUPTI asks for a buffer and gets none: github.com/pytorch/kineto/issues/1275.
     */
    CUPTI_VERSION_BEARS_NO_BUFFER = 27,
};

#endif
