/* nvml_api.h - clocks, temperature, power and throttle reasons of one GPU,
 * through libnvidia-ml by dlopen. The toolkit need not bring nvml.h: the few
 * functions are declared here as NVIDIA's NVML reference documents them. */
#ifndef CPPROF_NVML_API_H
#define CPPROF_NVML_API_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

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
    int (*virtualization)(void *device, int *mode);                      /* so is this one */
};

/* The state of the GPU at one moment; -1 where the driver does not say. */
struct nvml_state {
    long long sm_clock_mhz;
    long long memory_clock_mhz;
    long long temperature_c;
    long long power_mw;
    long long power_limit_mw; /* that is enforced */
    long long throttle_mask;  /* nvmlClocksEventReason bits */
    long long processes;      /* with a compute context on this GPU, ours included */
};

/* What is read while a block runs: little, since each answer takes its time. */
struct nvml_moment {
    long long sm_clock_mhz;
    long long throttle_mask;
};
extern const struct nvml_moment nvml_moment_unknown;

/* `pci_bus_id` as cudaDeviceGetPCIBusId writes it. A failure leaves an api that
 * answers -1 everywhere: NVML is evidence, not a need. */
int nvml_api_load(struct nvml_api *api, const char *pci_bus_id, struct err *e);
void nvml_read(const struct nvml_api *api, struct nvml_state *state);
void nvml_read_moment(const struct nvml_api *api, struct nvml_moment *moment);
/* Does the GPU slow itself down (power, heat, a brake)? 1, 0, or -1 when that is not
 * known. Being idle and clocks that somebody has set are no reasons. */
int nvml_is_slowed(long long throttle_mask);
/* Is this all of a GPU? False where it is a part of one (MIG) or a virtual one, and where NVML does not say. */
bool nvml_is_whole_gpu(const struct nvml_api *api);
/* "power cap, thermal slowdown"; "none". */
const char *nvml_throttle_text(long long mask, char *text, size_t bytes);

#endif
