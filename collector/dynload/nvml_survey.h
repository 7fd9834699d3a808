/* nvml_survey.h - everything that NVML reports about every GPU and every pair of GPUs, as JSON, for `cpprof doctor` to
 * judge. A driver may lack any function, and a function may refuse a GPU: its values are then null. */
#ifndef CPPROF_NVML_SURVEY_H
#define CPPROF_NVML_SURVEY_H

#include "core/base/err.h"
#include "core/base/json.h"

/* One line per function: the member, its name in libnvidia-ml, its arguments. All return nvmlReturn_t, 0 for success; a
 * device is a void pointer. They are declared as NVIDIA's NVML reference documents them, because the toolkit may lack
 * nvml.h. */
#define NVML_SURVEY_FUNCTIONS(X)                                                                                       \
    X(driver_version, "nvmlSystemGetDriverVersion", (char *text, unsigned bytes))                                      \
    X(cuda_version, "nvmlSystemGetCudaDriverVersion_v2", (int *version))                                               \
    X(count, "nvmlDeviceGetCount_v2", (unsigned *count))                                                               \
    X(by_index, "nvmlDeviceGetHandleByIndex_v2", (unsigned index, void **device))                                      \
    X(by_bus_id, "nvmlDeviceGetHandleByPciBusId_v2", (const char *id, void **device))                                  \
    X(name, "nvmlDeviceGetName", (void *device, char *text, unsigned bytes))                                           \
    X(uuid, "nvmlDeviceGetUUID", (void *device, char *text, unsigned bytes))                                           \
    X(pci, "nvmlDeviceGetPciInfo_v3", (void *device, struct nvml_pci *pci))                                            \
    X(capability, "nvmlDeviceGetCudaComputeCapability", (void *device, int *major, int *minor))                        \
    X(memory, "nvmlDeviceGetMemoryInfo", (void *device, struct nvml_memory *memory))                                   \
    X(clock, "nvmlDeviceGetClockInfo", (void *device, int clock, unsigned *mhz))                                       \
    X(clock_max, "nvmlDeviceGetMaxClockInfo", (void *device, int clock, unsigned *mhz))                                \
    X(clock_set, "nvmlDeviceGetApplicationsClock", (void *device, int clock, unsigned *mhz))                           \
    X(clock_default, "nvmlDeviceGetDefaultApplicationsClock", (void *device, int clock, unsigned *mhz))                \
    X(throttle, "nvmlDeviceGetCurrentClocksThrottleReasons", (void *device, unsigned long long *mask))                 \
    X(temperature, "nvmlDeviceGetTemperature", (void *device, int sensor, unsigned *celsius))                          \
    X(threshold, "nvmlDeviceGetTemperatureThreshold", (void *device, int which, unsigned *celsius))                    \
    X(power, "nvmlDeviceGetPowerUsage", (void *device, unsigned *milliwatt))                                           \
    X(power_limit, "nvmlDeviceGetEnforcedPowerLimit", (void *device, unsigned *milliwatt))                             \
    X(power_default, "nvmlDeviceGetPowerManagementDefaultLimit", (void *device, unsigned *milliwatt))                  \
    X(persistence, "nvmlDeviceGetPersistenceMode", (void *device, int *on))                                            \
    X(compute_mode, "nvmlDeviceGetComputeMode", (void *device, int *mode))                                             \
    X(ecc, "nvmlDeviceGetEccMode", (void *device, int *current, int *pending))                                         \
    X(ecc_errors, "nvmlDeviceGetTotalEccErrors", (void *device, int kind, int counter, unsigned long long *count))     \
    X(mig, "nvmlDeviceGetMigMode", (void *device, unsigned *current, unsigned *pending))                               \
    X(virtualization, "nvmlDeviceGetVirtualizationMode", (void *device, int *mode))                                    \
    X(pcie_generation, "nvmlDeviceGetMaxPcieLinkGeneration", (void *device, unsigned *generation))                     \
    X(pcie_width, "nvmlDeviceGetCurrPcieLinkWidth", (void *device, unsigned *width))                                   \
    X(pcie_width_max, "nvmlDeviceGetMaxPcieLinkWidth", (void *device, unsigned *width))                                \
    X(compute_processes, "nvmlDeviceGetComputeRunningProcesses_v3",                                                    \
      (void *device, unsigned *count, struct nvml_process *processes))                                                 \
    X(graphics_processes, "nvmlDeviceGetGraphicsRunningProcesses_v3",                                                  \
      (void *device, unsigned *count, struct nvml_process *processes))                                                 \
    X(link_state, "nvmlDeviceGetNvLinkState", (void *device, unsigned link, int *is_active))                           \
    X(link_version, "nvmlDeviceGetNvLinkVersion", (void *device, unsigned link, unsigned *version))                    \
    X(link_remote, "nvmlDeviceGetNvLinkRemotePciInfo_v2", (void *device, unsigned link, struct nvml_pci *pci))         \
    X(link_remote_kind, "nvmlDeviceGetNvLinkRemoteDeviceType", (void *device, unsigned link, int *kind))               \
    X(ancestor, "nvmlDeviceGetTopologyCommonAncestor", (void *a, void *b, int *level))                                 \
    X(peer_status, "nvmlDeviceGetP2PStatus", (void *a, void *b, int index, int *status))

/* Structs that are passed to NVML, in its layout. */
struct nvml_pci {
    char legacy_id[16];
    unsigned domain, bus, device, device_id, subsystem_id;
    char id[32];
};

struct nvml_memory {
    unsigned long long total, free, used;
};

struct nvml_process {
    unsigned pid;
    unsigned long long memory_bytes; /* all bits set: not known */
    unsigned gpu_instance, compute_instance;
};

struct nvml_survey {
    void *library;
#define NVML_SURVEY_MEMBER(member, name, arguments) int(*member) arguments;
    NVML_SURVEY_FUNCTIONS(NVML_SURVEY_MEMBER)
#undef NVML_SURVEY_MEMBER
};

/* Loads NVML. Returns ERR_ENVIRONMENT when it is missing; then the functions below give nulls. */
int nvml_survey_open(struct nvml_survey *s, struct err *e);

/* Returns the member "nvml" of probe.json. `error` is NULL when NVML could be loaded. */
json_t *nvml_survey_system(const struct nvml_survey *s, const char *error);

unsigned nvml_survey_count(const struct nvml_survey *s);
void *nvml_survey_by_index(const struct nvml_survey *s, unsigned index); /* NULL when NVML does not know it */
void *nvml_survey_by_bus_id(const struct nvml_survey *s, const char *id);
int nvml_survey_same(const struct nvml_survey *s, void *a, void *b); /* are they the same GPU? */

/* Add to `out` what NVML reports about a device, or about a pair. */
void nvml_survey_device(const struct nvml_survey *s, void *device, json_t *out);
void nvml_survey_pair(const struct nvml_survey *s, void *a, void *b, json_t *out);

#endif
