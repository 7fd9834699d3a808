/* What if CUPTI has all that counters need, and allows none of it? Stands beside fake_libcupti.c, without CUPTI's
 * headers: only the names matter. */
enum { NOT_SUPPORTED = 27 };

#define REFUSED(name)                                                                                                  \
    int name(void);                                                                                                    \
    int name(void)                                                                                                     \
    {                                                                                                                  \
        return NOT_SUPPORTED;                                                                                          \
    }

REFUSED(cuptiDeviceGetChipName)
REFUSED(cuptiProfilerInitialize)
REFUSED(cuptiProfilerGetCounterAvailability)
REFUSED(cuptiProfilerHostGetSupportedChips)
REFUSED(cuptiProfilerHostInitialize)
REFUSED(cuptiProfilerHostDeinitialize)
REFUSED(cuptiProfilerHostGetMetricProperties)
REFUSED(cuptiProfilerHostConfigAddMetrics)
REFUSED(cuptiProfilerHostGetConfigImageSize)
REFUSED(cuptiProfilerHostGetConfigImage)
REFUSED(cuptiProfilerHostGetNumOfPasses)
REFUSED(cuptiProfilerHostEvaluateToGpuValues)
REFUSED(cuptiRangeProfilerEnable)
REFUSED(cuptiRangeProfilerDisable)
REFUSED(cuptiRangeProfilerGetCounterDataSize)
REFUSED(cuptiRangeProfilerCounterDataImageInitialize)
REFUSED(cuptiRangeProfilerSetConfig)
REFUSED(cuptiRangeProfilerStart)
REFUSED(cuptiRangeProfilerStop)
REFUSED(cuptiRangeProfilerPushRange)
REFUSED(cuptiRangeProfilerPopRange)
REFUSED(cuptiRangeProfilerDecodeData)
REFUSED(cuptiRangeProfilerGetCounterDataInfo)
