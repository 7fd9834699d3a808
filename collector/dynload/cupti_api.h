/* cupti_api.h - loads CUPTI with dlopen, so that a machine without it gets a clear message, and a timing process never
 * loads it. */
#ifndef CPPROF_CUPTI_API_H
#define CPPROF_CUPTI_API_H

#include "collector/dynload/cupti_versions.h"
#include "core/base/err.h"

/* What a trace needs. */
#define CUPTI_TRACE_FUNCTIONS(X)                                                                                       \
    X(cuptiGetVersion)                                                                                                 \
    X(cuptiGetResultString)                                                                                            \
    X(cuptiGetTimestamp)                                                                                               \
    X(cuptiGetCallbackName)                                                                                            \
    X(cuptiSubscribe)                                                                                                  \
    X(cuptiUnsubscribe)                                                                                                \
    X(cuptiEnableCallback)                                                                                             \
    X(cuptiActivityRegisterCallbacks)                                                                                  \
    X(cuptiActivitySetAttribute)                                                                                       \
    X(cuptiActivityEnable)                                                                                             \
    X(cuptiActivityDisable)                                                                                            \
    X(cuptiActivityConfigureUnifiedMemoryCounter)                                                                      \
    X(cuptiActivityFlushAll)                                                                                           \
    X(cuptiActivityGetNextRecord)                                                                                      \
    X(cuptiActivityGetNumDroppedRecords)                                                                               \
    X(cuptiSetThreadIdType)

#if CUPTI_HAS_COUNTERS
/* What counters need in addition. */
#define CUPTI_COUNTER_FUNCTIONS(X)                                                                                     \
    X(cuptiDeviceGetChipName)                                                                                          \
    X(cuptiProfilerInitialize)                                                                                         \
    X(cuptiProfilerGetCounterAvailability)                                                                             \
    X(cuptiProfilerHostGetSupportedChips)                                                                              \
    X(cuptiProfilerHostInitialize)                                                                                     \
    X(cuptiProfilerHostDeinitialize)                                                                                   \
    X(cuptiProfilerHostGetMetricProperties)                                                                            \
    X(cuptiProfilerHostConfigAddMetrics)                                                                               \
    X(cuptiProfilerHostGetConfigImageSize)                                                                             \
    X(cuptiProfilerHostGetConfigImage)                                                                                 \
    X(cuptiProfilerHostGetNumOfPasses)                                                                                 \
    X(cuptiProfilerHostEvaluateToGpuValues)                                                                            \
    X(cuptiRangeProfilerEnable)                                                                                        \
    X(cuptiRangeProfilerDisable)                                                                                       \
    X(cuptiRangeProfilerGetCounterDataSize)                                                                            \
    X(cuptiRangeProfilerCounterDataImageInitialize)                                                                    \
    X(cuptiRangeProfilerSetConfig)                                                                                     \
    X(cuptiRangeProfilerStart)                                                                                         \
    X(cuptiRangeProfilerStop)                                                                                          \
    X(cuptiRangeProfilerDecodeData)                                                                                    \
    X(cuptiRangeProfilerGetCounterDataInfo)

/* What a list of a chip's counters needs in addition. */
#define CUPTI_LIST_FUNCTIONS(X) X(cuptiProfilerHostGetBaseMetrics)

/* What samples of a device's counters need in addition. */
#define CUPTI_PM_FUNCTIONS(X)                                                                                          \
    X(cuptiPmSamplingEnable)                                                                                           \
    X(cuptiPmSamplingDisable)                                                                                          \
    X(cuptiPmSamplingSetConfig)                                                                                        \
    X(cuptiPmSamplingGetCounterDataSize)                                                                               \
    X(cuptiPmSamplingCounterDataImageInitialize)                                                                       \
    X(cuptiPmSamplingStart)                                                                                            \
    X(cuptiPmSamplingStop)                                                                                             \
    X(cuptiPmSamplingDecodeData)                                                                                       \
    X(cuptiPmSamplingGetCounterDataInfo)                                                                               \
    X(cuptiPmSamplingCounterDataGetSampleInfo)

#else
#define CUPTI_COUNTER_FUNCTIONS(X)
#define CUPTI_LIST_FUNCTIONS(X)
#define CUPTI_PM_FUNCTIONS(X)
#endif

/* What samples of the program counter need in addition to the functions of a trace. */
#define CUPTI_PC_FUNCTIONS(X)                                                                                          \
    X(cuptiPCSamplingEnable)                                                                                           \
    X(cuptiPCSamplingDisable)                                                                                          \
    X(cuptiPCSamplingStart)                                                                                            \
    X(cuptiPCSamplingStop)                                                                                             \
    X(cuptiPCSamplingGetData)                                                                                          \
    X(cuptiPCSamplingGetNumStallReasons)                                                                               \
    X(cuptiPCSamplingGetStallReasons)                                                                                  \
    X(cuptiPCSamplingSetConfigurationAttribute)                                                                        \
    X(cuptiGetSassToSourceCorrelation)                                                                                 \
    X(cuptiGetCubinCrc)

/* One pointer per function, with the name of the function. CUPTI_NEWER_FUNCTIONS may be NULL. */
struct cupti_api {
    void *library;
    const char *found; /* the kind of place: the table in cupti_search.c */
    uint32_t version;
#define CUPTI_MEMBER(name) __typeof__(name) *name;
    CUPTI_TRACE_FUNCTIONS(CUPTI_MEMBER)
    CUPTI_NEWER_FUNCTIONS(CUPTI_MEMBER)
    CUPTI_COUNTER_FUNCTIONS(CUPTI_MEMBER)
    CUPTI_LIST_FUNCTIONS(CUPTI_MEMBER)
    CUPTI_PM_FUNCTIONS(CUPTI_MEMBER)
    CUPTI_PC_FUNCTIONS(CUPTI_MEMBER)
#undef CUPTI_MEMBER
};

/* Loads the functions of a trace and of counters, or refuses when the build or the library has none. cupti_search.h
 * says from which file. */
int cupti_api_load(struct cupti_api *api, struct err *e);

/* Loads only the functions of a trace; the others are NULL. */
int cupti_api_load_trace(struct cupti_api *api, struct err *e);

/* Also loads the functions that list a chip's counters. */
int cupti_api_load_lists(struct cupti_api *api, struct err *e);

/* Also loads the functions that sample a device's counters. */
int cupti_api_load_pm(struct cupti_api *api, struct err *e);

/* Loads the functions of a trace and those that sample the program counter. */
int cupti_api_load_pc(struct cupti_api *api, struct err *e);

/* Returns ERR_ENVIRONMENT with CUPTI's description and, where it is known, what to do. */
int cupti_error(const struct cupti_api *api, CUptiResult result, const char *doing, struct err *e);

#endif
