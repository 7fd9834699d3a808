/* cupti_versions.h - what differs between the CUPTIs that cpprof can be built with? Only here. The numbers are those of
 * CUPTI_API_VERSION. 130001 (CUDA 13.0) has run; with 22 (12.4) the collector was compiled. What 12.4 lacks and no
 * release note dates is taken for new in 13.0. */
#ifndef CPPROF_CUPTI_VERSIONS_H
#define CPPROF_CUPTI_VERSIONS_H

#include <cuda.h>
#include <cupti.h>
#include <cupti_pcsampling.h>
#include <cupti_profiler_target.h>
#include <cupti_target.h>

/* Counters: the host part, the range profiler and the sampler, since CUDA 12.6. Without them no_counters.c stands for
 * the files that use them. */
#define CUPTI_HAS_COUNTERS (CUPTI_API_VERSION >= 24)
#if CUPTI_HAS_COUNTERS
#include <cupti_pmsampling.h>
#include <cupti_profiler_host.h>
#include <cupti_range_profiler.h>
#else
typedef struct CUpti_Profiler_Host_Object CUpti_Profiler_Host_Object;
enum { CUPTI_PROFILER_TYPE_RANGE_PROFILER, CUPTI_PROFILER_TYPE_PM_SAMPLING };
#endif

/* Records, which grow at their ends only. Calls can be asked for by id, and the queries among the waits
 * be left out. A subscription is told who else has the place. */
#define CUPTI_IS_13 (CUPTI_API_VERSION >= 130000)
#if CUPTI_IS_13
#define CUPTI_FILE "libcupti.so.13"
#define CUPTI_BY_ID_FUNCTIONS(X)                                                                                       \
    X(cuptiActivityEnableDriverApi)                                                                                    \
    X(cuptiActivityEnableRuntimeApi)                                                                                   \
    X(cuptiActivityEnableAllSyncRecords)
typedef CUpti_ActivityKernel10 cupti_kernel_record;
typedef CUpti_ActivityMemcpy6 cupti_copy_record;
typedef CUpti_ActivitySynchronization2 cupti_wait_record;
typedef CUpti_ActivityUnifiedMemoryCounter3 cupti_managed_record;
#else
#define CUPTI_FILE "libcupti.so.12"
#define CUPTI_BY_ID_FUNCTIONS(X)
typedef CUpti_ActivityKernel9 cupti_kernel_record;
typedef CUpti_ActivityMemcpy5 cupti_copy_record;
typedef CUpti_ActivitySynchronization cupti_wait_record;
typedef CUpti_ActivityUnifiedMemoryCounter2 cupti_managed_record;
#define CUPTI_ACTIVITY_OVERHEAD_ACTIVITY_BUFFER_REQUEST ((CUpti_ActivityOverheadKind)(7 << 16))
#define CUPTI_ACTIVITY_OVERHEAD_UVM_ACTIVITY_INIT       ((CUpti_ActivityOverheadKind)(8 << 16))
#endif

#endif
