/* played_host.h - CUPTI's host half as tests of profilers play it: a chip that has all counters ("GH100" if no other is
 * asked for), and a configuration that is as long as it has names. */
#ifndef CPPROF_PLAYED_HOST_H
#define CPPROF_PLAYED_HOST_H

#include <stdbool.h>
#include <string.h>

#include "collector/dynload/cupti_api.h"

static struct {
    size_t added; /* names of the host that configured last */
    int open;     /* hosts that are not closed */
    /* a chip that is newer than CUPTI, or whose name CUPTI cannot say; NULL: GH100 */
    const char *chip;
    bool is_nameless;
    bool is_lost; /* its counter data cannot be loaded */
} played_host;

static CUptiResult CUPTIAPI played_ok(void *params)
{
    (void)params;
    return CUPTI_SUCCESS;
}

static CUptiResult CUPTIAPI played_chip_name(CUpti_Device_GetChipName_Params *p)
{
    p->pChipName = played_host.is_nameless ? NULL : played_host.chip ? played_host.chip : "GH100";
    return CUPTI_SUCCESS;
}

static CUptiResult CUPTIAPI played_chips(CUpti_Profiler_Host_GetSupportedChips_Params *p)
{
    static const char *const chips[] = {"GA100", "GB100", "GH100"};
    p->ppChipNames = chips;
    p->numChips = 3;
    return CUPTI_SUCCESS;
}

static CUptiResult CUPTIAPI played_host_open(CUpti_Profiler_Host_Initialize_Params *p)
{
    if (!p->pChipName || played_host.is_lost || !strcmp(p->pChipName, "GX999"))
        return CUPTI_ERROR_INVALID_PARAMETER;
    p->pHostObject = (CUpti_Profiler_Host_Object *)&played_host;
    played_host.open++;
    return CUPTI_SUCCESS;
}

static CUptiResult CUPTIAPI played_host_close(CUpti_Profiler_Host_Deinitialize_Params *p)
{
    (void)p;
    played_host.open--;
    return CUPTI_SUCCESS;
}

static CUptiResult CUPTIAPI played_add_metrics(CUpti_Profiler_Host_ConfigAddMetrics_Params *p)
{
    played_host.added = p->numMetrics;
    return CUPTI_SUCCESS;
}

static CUptiResult CUPTIAPI played_image_size(CUpti_Profiler_Host_GetConfigImageSize_Params *p)
{
    p->configImageSize = played_host.added;
    return CUPTI_SUCCESS;
}

static CUptiResult CUPTIAPI played_result_text(CUptiResult result, const char **text)
{
    (void)result;
    *text = "played";
    return CUPTI_SUCCESS;
}

#define PLAYED_OK(name) .name = (__typeof__(name) *)played_ok

/* What a test need not play itself. */
#define PLAYED_HOST                                                                                                    \
    PLAYED_OK(cuptiProfilerInitialize), PLAYED_OK(cuptiProfilerHostGetConfigImage),                                    \
        .cuptiProfilerHostGetSupportedChips = played_chips, .cuptiGetResultString = played_result_text,                \
        .cuptiProfilerHostDeinitialize = played_host_close, .cuptiProfilerHostGetConfigImageSize = played_image_size

#endif
