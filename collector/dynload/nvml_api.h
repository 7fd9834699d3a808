/* nvml_api.h - clocks, temperature, power and throttle reasons of one GPU, through libnvidia-ml, loaded with dlopen.
 * The toolkit may lack nvml.h, so the few functions are declared here as NVIDIA's NVML reference documents them. */
#ifndef CPPROF_NVML_API_H
#define CPPROF_NVML_API_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/err.h"

struct nvml_api {
    void *library;
    void *device;
    int (*clock_info)(void *device, int clock, unsigned *mhz);
    int (*temperature)(void *device, int sensor, unsigned *celsius);
    int (*power)(void *device, unsigned *milliwatt);
    int (*power_limit)(void *device, unsigned *milliwatt);
    int (*throttle_reasons)(void *device, unsigned long long *mask);
    int (*compute_processes)(void *device, unsigned *count, void *infos);
    int (*driver_version)(char *text, unsigned bytes);
    int (*mig_mode)(void *device, unsigned *current, unsigned *pending); /* NULL in a driver without it */
    int (*virtualization)(void *device, int *mode);                      /* likewise */
};

/* The state of the GPU at one moment; -1 for values that the driver does not report. */
struct nvml_state {
    long long sm_clock_mhz;
    long long memory_clock_mhz;
    long long temperature_c;
    long long power_mw;
    long long power_limit_mw; /* the enforced limit */
    long long throttle_mask;  /* nvmlClocksEventReason bits */
    long long processes;      /* processes with a compute context on this GPU, including ours */
};

/* The values that are read while a block runs: only a few, since each takes time. */
struct nvml_moment {
    long long sm_clock_mhz;
    long long throttle_mask;
};
extern const struct nvml_moment nvml_moment_unknown;

/* `pci_bus_id` is as cudaDeviceGetPCIBusId writes it. After a failure all values are -1: NVML is useful, but not
 * required. */
int nvml_api_load(struct nvml_api *api, const char *pci_bus_id, struct err *e);
void nvml_read(const struct nvml_api *api, struct nvml_state *state);
void nvml_read_moment(const struct nvml_api *api, struct nvml_moment *moment);
/* Is the GPU slowing itself down (power, heat, a brake)? Returns 1, 0, or -1 when it is not known. Idle clocks and
 * clocks that somebody has set do not count. */
int nvml_is_slowed(long long throttle_mask);
/* Is this a whole GPU? False for a part of one (MIG), for a virtual one, and when NVML does not report it. */
bool nvml_is_whole_gpu(const struct nvml_api *api);
/* Writes "power cap, thermal slowdown" or "none" to `text`, and returns it. */
const char *nvml_throttle_text(long long mask, char *text, size_t bytes);

#endif
