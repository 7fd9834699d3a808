/* Which machine code does CUDA load? */
#include "collector/runner/module_watch.h"

static module_seen watcher;

static void CUPTIAPI module_loaded(void *user, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void *data)
{
    (void)user;
    if (domain != CUPTI_CB_DOMAIN_RESOURCE || id != CUPTI_CBID_RESOURCE_MODULE_LOADED)
        return;
    const CUpti_ResourceData *resource = data;
    const CUpti_ModuleResourceData *module = resource->resourceDescriptor;
    if (module && module->pCubin)
        watcher(module->pCubin, module->cubinSize);
}

int module_watch_start(const struct cupti_api *api, module_seen seen, struct err *e)
{
    static CUpti_SubscriberHandle subscriber;
    watcher = seen;
    CUptiResult result = api->cuptiSubscribe(&subscriber, module_loaded, NULL);
    if (!result)
        result = api->cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_MODULE_LOADED);
    return result ? cupti_error(api, result, "watch module loads", e) : 0;
}
