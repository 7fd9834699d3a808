/* How fast, how hot and how busy is the GPU right now? */
#include "collector/dynload/nvml_api.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

enum { NVML_CLOCK_SM = 1, NVML_CLOCK_MEM = 2, NVML_TEMPERATURE_GPU = 0, NVML_ERROR_INSUFFICIENT_SIZE = 7 };

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
    if (init() || by_bus_id(pci_bus_id, &api->device)) {
        api->device = NULL;
        return err_set(e, ERR_ENVIRONMENT, "NVML does not know the GPU at %s", pci_bus_id);
    }
    return 0;
}

long long nvml_sm_clock_mhz(const struct nvml_api *api)
{
    unsigned mhz;
    return api->device && !api->clock_info(api->device, NVML_CLOCK_SM, &mhz) ? (long long)mhz : -1;
}

void nvml_read(const struct nvml_api *api, struct nvml_state *state)
{
    *state = (struct nvml_state){-1, -1, -1, -1, -1, -1, -1};
    if (!api->device)
        return;
    unsigned value;
    unsigned long long mask;
    state->sm_clock_mhz = nvml_sm_clock_mhz(api);
    if (!api->clock_info(api->device, NVML_CLOCK_MEM, &value))
        state->memory_clock_mhz = value;
    if (!api->temperature(api->device, NVML_TEMPERATURE_GPU, &value))
        state->temperature_c = value;
    if (!api->power(api->device, &value))
        state->power_mw = value;
    if (!api->power_limit(api->device, &value))
        state->power_limit_mw = value;
    if (!api->throttle_reasons(api->device, &mask))
        state->throttle_mask = (long long)mask;
    unsigned count = 0; /* asked with no room, NVML says how many there are */
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
        {0x1, "idle"},           {0x2, "application clocks"}, {0x4, "power cap"},
        {0x8, "hardware slowdown"}, {0x10, "sync boost"},     {0x20, "software thermal slowdown"},
        {0x40, "hardware thermal slowdown"}, {0x80, "power brake"}, {0x100, "display clocks"},
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
