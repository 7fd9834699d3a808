/* How fast, how hot and how busy is the GPU right now? */
#include "collector/dynload/nvml_api.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

enum { NVML_CLOCK_SM = 1, NVML_CLOCK_MEM = 2, NVML_TEMPERATURE_GPU = 0, NVML_ERROR_INSUFFICIENT_SIZE = 7 };
enum { NVML_ERROR_NOT_SUPPORTED = 3, NVML_NO_VIRTUALIZATION = 0, NVML_PASSTHROUGH = 1 };
enum { REASON_IDLE = 0x1, REASON_APPLICATION_CLOCKS = 0x2, REASON_DISPLAY_CLOCKS = 0x100 };

const struct nvml_moment nvml_moment_unknown = {-1, -1};

static void find_optional(struct nvml_api *api)
{
    void *mig_mode = dlsym(api->library, "nvmlDeviceGetMigMode");
    void *virtualization = dlsym(api->library, "nvmlDeviceGetVirtualizationMode");
    memcpy(&api->mig_mode, &mig_mode, sizeof mig_mode);
    memcpy(&api->virtualization, &virtualization, sizeof virtualization);
}

int nvml_api_load(struct nvml_api *api, const char *pci_bus_id, struct err *e)
{
    memset(api, 0, sizeof *api);
    api->library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!api->library)
        return err_set(e, ERR_ENVIRONMENT, "libnvidia-ml.so.1 was not found: clocks and temperature are unknown");
    int (*init)(void);
    int (*by_bus_id)(const char *, void **);
    const struct {
        void *slot;
        const char *name;
    } functions[] = {
        {&init, "nvmlInit_v2"},
        {&by_bus_id, "nvmlDeviceGetHandleByPciBusId_v2"},
        {&api->clock_info, "nvmlDeviceGetClockInfo"},
        {&api->temperature, "nvmlDeviceGetTemperature"},
        {&api->power, "nvmlDeviceGetPowerUsage"},
        {&api->power_limit, "nvmlDeviceGetEnforcedPowerLimit"},
        {&api->throttle_reasons, "nvmlDeviceGetCurrentClocksThrottleReasons"},
        {&api->compute_processes, "nvmlDeviceGetComputeRunningProcesses_v3"},
        {&api->driver_version, "nvmlSystemGetDriverVersion"},
    };
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        void *symbol = dlsym(api->library, functions[i].name);
        if (!symbol)
            return err_set(e, ERR_ENVIRONMENT, "libnvidia-ml lacks %s", functions[i].name);
        memcpy(functions[i].slot, &symbol, sizeof symbol);
    }
    find_optional(api);
    if (init() || by_bus_id(pci_bus_id, &api->device)) {
        api->device = NULL;
        return err_set(e, ERR_ENVIRONMENT, "NVML does not know the GPU at %s", pci_bus_id);
    }
    return 0;
}

void nvml_read_moment(const struct nvml_api *api, struct nvml_moment *moment)
{
    unsigned mhz;
    unsigned long long mask;
    *moment = nvml_moment_unknown;
    if (!api->device)
        return;
    if (!api->clock_info(api->device, NVML_CLOCK_SM, &mhz))
        moment->sm_clock_mhz = mhz;
    if (!api->throttle_reasons(api->device, &mask))
        moment->throttle_mask = (long long)mask;
}

int nvml_is_slowed(long long throttle_mask)
{
    const long long harmless = REASON_IDLE | REASON_APPLICATION_CLOCKS | REASON_DISPLAY_CLOCKS;
    return throttle_mask < 0 ? -1 : (throttle_mask & ~harmless) != 0;
}

/* NVML returns "not supported" for a GPU that cannot be divided. */
bool nvml_is_whole_gpu(const struct nvml_api *api)
{
    unsigned mig = 1, pending;
    int mode;
    if (!api->device || !api->mig_mode || !api->virtualization)
        return false;
    const int answer = api->mig_mode(api->device, &mig, &pending);
    if (answer == NVML_ERROR_NOT_SUPPORTED ? false : answer || mig)
        return false;
    return !api->virtualization(api->device, &mode) && (mode == NVML_NO_VIRTUALIZATION || mode == NVML_PASSTHROUGH);
}

void nvml_read(const struct nvml_api *api, struct nvml_state *state)
{
    *state = (struct nvml_state){-1, -1, -1, -1, -1, -1, -1};
    if (!api->device)
        return;
    unsigned value;
    struct nvml_moment moment;
    nvml_read_moment(api, &moment);
    state->sm_clock_mhz = moment.sm_clock_mhz;
    state->throttle_mask = moment.throttle_mask;
    if (!api->clock_info(api->device, NVML_CLOCK_MEM, &value))
        state->memory_clock_mhz = value;
    if (!api->temperature(api->device, NVML_TEMPERATURE_GPU, &value))
        state->temperature_c = value;
    if (!api->power(api->device, &value))
        state->power_mw = value;
    if (!api->power_limit(api->device, &value))
        state->power_limit_mw = value;
    unsigned count = 0; /* without room NVML returns how many there are */
    int answer = api->compute_processes(api->device, &count, NULL);
    if (answer == 0 || answer == NVML_ERROR_INSUFFICIENT_SIZE)
        state->processes = count;
}

const char *nvml_throttle_text(long long mask, char *text, size_t bytes)
{
    static const struct {
        long long bit;
        const char *name;
    } reasons[] = {
        {0x1, "idle"},
        {0x2, "application clocks"},
        {0x4, "power cap"},
        {0x8, "hardware slowdown"},
        {0x10, "sync boost"},
        {0x20, "software thermal slowdown"},
        {0x40, "hardware thermal slowdown"},
        {0x80, "power brake"},
        {0x100, "display clocks"},
    };
    if (mask < 0) {
        snprintf(text, bytes, "unknown");
        return text;
    }
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < sizeof reasons / sizeof reasons[0]; i++)
        if (mask & reasons[i].bit && used < bytes)
            used += (size_t)snprintf(text + used, bytes - used, "%s%s", used ? ", " : "", reasons[i].name);
    if (!used)
        snprintf(text, bytes, "none");
    return text;
}
