/* What would be in a libcupti that does what a test says? The scripted CUPTI under
 * CUPTI's names, as a library that $CPPROF_CUPTI can name. Made with FAKE_CUPTI_12 it is that of CUDA 12.4. */
#include "tests/collector/fake_cupti.h"

static const struct cupti_api *api;

__attribute__((constructor)) static void make(void)
{
#ifdef FAKE_CUPTI_12
    api = fake_cupti_reset_as(22);
#else
    api = fake_cupti_reset();
#endif
}

/* NVTX's entry: says yes, and the test asks what it was given. */
const void *(*fake_nvtx_given)(uint32_t);
int InitializeInjectionNvtx2(const void *(*get)(uint32_t));
int InitializeInjectionNvtx2(const void *(*get)(uint32_t))
{
    fake_nvtx_given = get;
    return 1;
}

CUptiResult CUPTIAPI cuptiGetVersion(uint32_t *version)
{
    return api->cuptiGetVersion(version);
}

CUptiResult CUPTIAPI cuptiGetResultString(CUptiResult result, const char **words)
{
    return api->cuptiGetResultString(result, words);
}

CUptiResult CUPTIAPI cuptiGetTimestamp(uint64_t *now)
{
    return api->cuptiGetTimestamp(now);
}

/* Contexts and streams are numbers; the default stream is 7, that of a thread 8. */
CUptiResult CUPTIAPI cuptiGetContextId(CUcontext context, uint32_t *id)
{
    *id = (uint32_t)(uintptr_t)context;
    return CUPTI_SUCCESS;
}

CUptiResult CUPTIAPI cuptiGetStreamIdEx(CUcontext context, CUstream stream, uint8_t of_thread, uint32_t *id)
{
    *id = stream ? (uint32_t)(uintptr_t)stream : of_thread ? 8 : 7;
    return context ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_CONTEXT;
}

CUptiResult CUPTIAPI cuptiGetCallbackName(CUpti_CallbackDomain domain, uint32_t id, const char **name)
{
    return api->cuptiGetCallbackName(domain, id, name);
}

CUptiResult CUPTIAPI cuptiSubscribe(CUpti_SubscriberHandle *subscriber, CUpti_CallbackFunc callback, void *user)
{
    return api->cuptiSubscribe(subscriber, callback, user);
}

CUptiResult CUPTIAPI cuptiUnsubscribe(CUpti_SubscriberHandle subscriber)
{
    return api->cuptiUnsubscribe(subscriber);
}

CUptiResult CUPTIAPI cuptiEnableCallback(uint32_t on, CUpti_SubscriberHandle subscriber, CUpti_CallbackDomain domain,
                                         CUpti_CallbackId id)
{
    return api->cuptiEnableCallback(on, subscriber, domain, id);
}

CUptiResult CUPTIAPI cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc requested,
                                                    CUpti_BuffersCallbackCompleteFunc completed)
{
    return api->cuptiActivityRegisterCallbacks(requested, completed);
}

CUptiResult CUPTIAPI cuptiActivitySetAttribute(CUpti_ActivityAttribute attribute, size_t *bytes, void *value)
{
    return api->cuptiActivitySetAttribute(attribute, bytes, value);
}

CUptiResult CUPTIAPI cuptiActivityEnable(CUpti_ActivityKind kind)
{
    return api->cuptiActivityEnable(kind);
}

CUptiResult CUPTIAPI cuptiActivityDisable(CUpti_ActivityKind kind)
{
    return api->cuptiActivityDisable(kind);
}

#ifndef FAKE_CUPTI_12
CUptiResult CUPTIAPI cuptiActivityEnableDriverApi(CUpti_CallbackId id, uint8_t on)
{
    return api->cuptiActivityEnableDriverApi(id, on);
}

CUptiResult CUPTIAPI cuptiActivityEnableRuntimeApi(CUpti_CallbackId id, uint8_t on)
{
    return api->cuptiActivityEnableRuntimeApi(id, on);
}

CUptiResult CUPTIAPI cuptiActivityEnableAllSyncRecords(uint8_t on)
{
    return api->cuptiActivityEnableAllSyncRecords(on);
}
#endif

CUptiResult CUPTIAPI cuptiActivityConfigureUnifiedMemoryCounter(CUpti_ActivityUnifiedMemoryCounterConfig *configs,
                                                                uint32_t count)
{
    return api->cuptiActivityConfigureUnifiedMemoryCounter(configs, count);
}

CUptiResult CUPTIAPI cuptiActivityFlushAll(uint32_t flag)
{
    return api->cuptiActivityFlushAll(flag);
}

CUptiResult CUPTIAPI cuptiActivityGetNextRecord(uint8_t *buffer, size_t valid, CUpti_Activity **record)
{
    return api->cuptiActivityGetNextRecord(buffer, valid, record);
}

CUptiResult CUPTIAPI cuptiActivityGetNumDroppedRecords(CUcontext context, uint32_t stream, size_t *dropped)
{
    return api->cuptiActivityGetNumDroppedRecords(context, stream, dropped);
}

CUptiResult CUPTIAPI cuptiSetThreadIdType(CUpti_ActivityThreadIdType type)
{
    return api->cuptiSetThreadIdType(type);
}
