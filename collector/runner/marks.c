/* How do other profilers see our phases? */
#define _GNU_SOURCE
#include "collector/runner/marks.h"

#include <limits.h> /* for the header of CUDA 12 */
#include <nvtx3/nvToolsExt.h>
#include <stdio.h>

void mark_name(char *text, size_t bytes, const char *variant, const char *shape, const char *phase)
{
    snprintf(text, bytes, "%s | %s | %s", variant, shape, phase);
}

static nvtxDomainHandle_t domain(void)
{
    static nvtxDomainHandle_t handle;
    if (!handle)
        handle = nvtxDomainCreateA("cpprof");
    return handle;
}

void mark_push(const char *variant, const char *shape, const char *phase)
{
    char name[MARK_BYTES];
    mark_name(name, sizeof name, variant, shape, phase);
    nvtxEventAttributes_t attributes = {.version = NVTX_VERSION,
                                        .size = NVTX_EVENT_ATTRIB_STRUCT_SIZE,
                                        .messageType = NVTX_MESSAGE_TYPE_ASCII,
                                        .message.ascii = name};
    nvtxDomainRangePushEx(domain(), &attributes);
}

void mark_pop(void)
{
    nvtxDomainRangePop(domain());
}
