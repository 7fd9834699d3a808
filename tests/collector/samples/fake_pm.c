/* What if CUPTI samples a GPU? Stands beside ../fake_libcupti.c. Steps go by in real time; FAKE_PM in the environment
 * says what goes wrong: "refused", "overflow" (once), "overflows" (always), "stuck" (stopping never returns), "gone"
 * (what is loaded late ends at exit before what was there, and then nothing may be called). After an overflow nothing
 * starts until sampling was disabled and enabled, as on an H100. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "collector/dynload/cupti_api.h"

static struct {
    uint64_t step_ns, next_ns; /* the begin of the next sample */
    uint64_t stop_ns;
    size_t room, count; /* of the image: samples that are decoded in it */
    uint64_t first_ns;  /* of these */
    bool is_running, has_overflowed, is_dead, is_gone, has_loaded;
} pm;

static bool is_played(const char *what)
{
    const char *played = getenv("FAKE_PM");
    return played && !strcmp(played, what);
}

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void go(void)
{
    pm.is_gone = true;
}

static void expect_not_gone(void)
{
    if (pm.is_gone)
        abort();
}

#define PLAYS(name, params)                                                                                            \
    CUptiResult CUPTIAPI name(params *p);                                                                              \
    CUptiResult CUPTIAPI name(params *p)
#define PLAYS_NOTHING(name, params)                                                                                    \
    PLAYS(name, params)                                                                                                \
    {                                                                                                                  \
        (void)p;                                                                                                       \
        return CUPTI_SUCCESS;                                                                                          \
    }

/* ---- the host ---- */

PLAYS(cuptiDeviceGetChipName, CUpti_Device_GetChipName_Params)
{
    p->pChipName = "GH100";
    return CUPTI_SUCCESS;
}

PLAYS(cuptiProfilerHostInitialize, CUpti_Profiler_Host_Initialize_Params)
{
    p->pHostObject = (CUpti_Profiler_Host_Object *)&pm;
    if (is_played("gone") && !pm.has_loaded) { /* a library that was not there, and its end */
        pm.has_loaded = dlopen("libanl.so.1", RTLD_NOW);
        atexit(go);
    }
    return CUPTI_SUCCESS;
}

PLAYS(cuptiProfilerHostGetConfigImageSize, CUpti_Profiler_Host_GetConfigImageSize_Params)
{
    p->configImageSize = 1;
    return CUPTI_SUCCESS;
}

PLAYS(cuptiProfilerHostGetNumOfPasses, CUpti_Profiler_Host_GetNumOfPasses_Params)
{
    p->numOfPasses = 1;
    return CUPTI_SUCCESS;
}

/* The n-th unit is at n + 1 per cent. */
PLAYS(cuptiProfilerHostEvaluateToGpuValues, CUpti_Profiler_Host_EvaluateToGpuValues_Params)
{
    expect_not_gone();
    for (size_t i = 0; i < p->numMetrics; i++)
        p->pMetricValues[i] = (double)(i + 1);
    return CUPTI_SUCCESS;
}

PLAYS_NOTHING(cuptiProfilerInitialize, CUpti_Profiler_Initialize_Params)
PLAYS_NOTHING(cuptiProfilerGetCounterAvailability, CUpti_Profiler_GetCounterAvailability_Params)
PLAYS_NOTHING(cuptiProfilerHostGetSupportedChips, CUpti_Profiler_Host_GetSupportedChips_Params)
PLAYS_NOTHING(cuptiProfilerHostGetMetricProperties, CUpti_Profiler_Host_GetMetricProperties_Params)
PLAYS_NOTHING(cuptiProfilerHostConfigAddMetrics, CUpti_Profiler_Host_ConfigAddMetrics_Params)
PLAYS_NOTHING(cuptiProfilerHostGetConfigImage, CUpti_Profiler_Host_GetConfigImage_Params)
PLAYS_NOTHING(cuptiProfilerHostGetBaseMetrics, CUpti_Profiler_Host_GetBaseMetrics_Params)
PLAYS_NOTHING(cuptiRangeProfilerEnable, CUpti_RangeProfiler_Enable_Params)
PLAYS_NOTHING(cuptiRangeProfilerDisable, CUpti_RangeProfiler_Disable_Params)
PLAYS_NOTHING(cuptiRangeProfilerGetCounterDataSize, CUpti_RangeProfiler_GetCounterDataSize_Params)
PLAYS_NOTHING(cuptiRangeProfilerCounterDataImageInitialize, CUpti_RangeProfiler_CounterDataImage_Initialize_Params)
PLAYS_NOTHING(cuptiRangeProfilerSetConfig, CUpti_RangeProfiler_SetConfig_Params)
PLAYS_NOTHING(cuptiRangeProfilerStart, CUpti_RangeProfiler_Start_Params)
PLAYS_NOTHING(cuptiRangeProfilerStop, CUpti_RangeProfiler_Stop_Params)
PLAYS_NOTHING(cuptiRangeProfilerDecodeData, CUpti_RangeProfiler_DecodeData_Params)
PLAYS_NOTHING(cuptiRangeProfilerGetCounterDataInfo, CUpti_RangeProfiler_GetCounterDataInfo_Params)

PLAYS(cuptiProfilerHostDeinitialize, CUpti_Profiler_Host_Deinitialize_Params)
{
    (void)p;
    expect_not_gone();
    return CUPTI_SUCCESS;
}

/* ---- the samples ---- */

PLAYS(cuptiPmSamplingEnable, CUpti_PmSampling_Enable_Params)
{
    p->pPmSamplingObject = (CUpti_PmSampling_Object *)&pm;
    pm.is_dead = false;
    return is_played("refused") ? CUPTI_ERROR_INSUFFICIENT_PRIVILEGES : CUPTI_SUCCESS;
}

PLAYS_NOTHING(cuptiPmSamplingDisable, CUpti_PmSampling_Disable_Params)

PLAYS(cuptiPmSamplingSetConfig, CUpti_PmSampling_SetConfig_Params)
{
    pm.step_ns = p->samplingInterval;
    return CUPTI_SUCCESS;
}

PLAYS(cuptiPmSamplingGetCounterDataSize, CUpti_PmSampling_GetCounterDataSize_Params)
{
    pm.room = p->maxSamples;
    p->counterDataSize = 8;
    return CUPTI_SUCCESS;
}

PLAYS(cuptiPmSamplingCounterDataImageInitialize, CUpti_PmSampling_CounterDataImage_Initialize_Params)
{
    (void)p;
    pm.count = 0;
    return CUPTI_SUCCESS;
}

PLAYS(cuptiPmSamplingStart, CUpti_PmSampling_Start_Params)
{
    (void)p;
    if (pm.is_running)
        return CUPTI_ERROR_INVALID_OPERATION;
    if (pm.is_dead)
        return CUPTI_ERROR_UNKNOWN;
    pm.is_running = true;
    pm.next_ns = now_ns();
    return CUPTI_SUCCESS;
}

PLAYS(cuptiPmSamplingStop, CUpti_PmSampling_Stop_Params)
{
    (void)p;
    while (is_played("stuck"))
        pause();
    if (!pm.is_running)
        return CUPTI_ERROR_INVALID_OPERATION;
    pm.is_running = false;
    pm.stop_ns = now_ns();
    return CUPTI_SUCCESS;
}

PLAYS(cuptiPmSamplingDecodeData, CUpti_PmSampling_DecodeData_Params)
{
    const bool overflows = is_played("overflows") || (is_played("overflow") && !pm.has_overflowed);
    const uint64_t end_ns = pm.is_running ? now_ns() : pm.stop_ns;
    const uint64_t steps = (end_ns - pm.next_ns) / pm.step_ns;
    pm.has_overflowed |= overflows;
    pm.is_dead |= overflows;
    p->overflow = pm.is_dead;
    pm.first_ns = pm.next_ns;
    pm.count = steps < pm.room ? (size_t)steps : pm.room;
    pm.next_ns += pm.count * pm.step_ns;
    if (steps > pm.room) /* CUPTI drops what is beyond */
        pm.next_ns = end_ns;
    p->decodeStopReason = pm.count == pm.room ? CUPTI_PM_SAMPLING_DECODE_STOP_REASON_COUNTER_DATA_FULL
                                              : CUPTI_PM_SAMPLING_DECODE_STOP_REASON_END_OF_RECORDS;
    return pm.is_dead ? CUPTI_ERROR_OUT_OF_MEMORY : CUPTI_SUCCESS;
}

PLAYS(cuptiPmSamplingGetCounterDataInfo, CUpti_PmSampling_GetCounterDataInfo_Params)
{
    p->numCompletedSamples = pm.count;
    return CUPTI_SUCCESS;
}

PLAYS(cuptiPmSamplingCounterDataGetSampleInfo, CUpti_PmSampling_CounterData_GetSampleInfo_Params)
{
    p->startTimestamp = pm.first_ns + p->sampleIndex * pm.step_ns;
    p->endTimestamp = p->startTimestamp + pm.step_ns;
    return CUPTI_SUCCESS;
}
