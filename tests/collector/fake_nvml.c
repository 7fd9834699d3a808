/* A libnvidia-ml.so.1 of four GPUs for test_nvml_survey.c: GPU 0 and 1 share two
 * NVLinks, GPU 2 and 3 have six and five to switches. It lacks some functions and
 * refuses others, as real ones do. Struct layouts are NVML's, written down anew. */
#include <stddef.h>
#include <string.h>

enum { OK = 0, INVALID = 2, NOT_SUPPORTED = 3, NOT_FOUND = 6, GPUS = 4, LINKS = 18 };

struct place {
    char legacy[16];
    unsigned domain, bus, device, id, subsystem;
    char text[32];
};

struct process {
    unsigned pid;
    unsigned long long bytes;
    unsigned gpu_instance, compute_instance;
};

static int gpus[GPUS] = {0, 1, 2, 3};

static int index_of(void *device)
{
    return *(int *)device;
}

#define PUBLIC __attribute__((visibility("default")))
#define FUNCTION(name, arguments)                                                                                      \
    PUBLIC int name arguments;                                                                                         \
    PUBLIC int name arguments

/* A question with one number as its answer. */
#define ANSWER(name, type, value)                                                                                      \
    FUNCTION(name, (void *device, type *out))                                                                          \
    {                                                                                                                  \
        (void)device;                                                                                                  \
        *out = (value);                                                                                                \
        return OK;                                                                                                     \
    }

FUNCTION(nvmlInit_v2, (void))
{
    return OK;
}

FUNCTION(nvmlSystemGetDriverVersion, (char *text, unsigned bytes))
{
    strncpy(text, "580.159.03", bytes);
    return OK;
}

FUNCTION(nvmlSystemGetCudaDriverVersion_v2, (int *version))
{
    *version = 13000;
    return OK;
}

FUNCTION(nvmlDeviceGetCount_v2, (unsigned *count))
{
    *count = GPUS;
    return OK;
}

FUNCTION(nvmlDeviceGetHandleByIndex_v2, (unsigned index, void **device))
{
    if (index >= GPUS)
        return INVALID;
    *device = &gpus[index];
    return OK;
}

FUNCTION(nvmlDeviceGetHandleByPciBusId_v2, (const char *id, void **device))
{
    *device = &gpus[1];
    return strcmp(id, "0000:21:00.0") ? NOT_FOUND : OK;
}

FUNCTION(nvmlDeviceGetName, (void *device, char *text, unsigned bytes))
{
    (void)device;
    strncpy(text, "NVIDIA Fake", bytes);
    return OK;
}

/* GPU n is at bus 0x20 + n. */
FUNCTION(nvmlDeviceGetPciInfo_v3, (void *device, struct place *out))
{
    *out = (struct place){.bus = 0x20 + (unsigned)index_of(device)};
    return OK;
}

FUNCTION(nvmlDeviceGetCudaComputeCapability, (void *device, int *major, int *minor))
{
    (void)device;
    *major = 9;
    *minor = 0;
    return OK;
}

FUNCTION(nvmlDeviceGetMemoryInfo, (void *device, unsigned long long out[3]))
{
    (void)device;
    out[0] = 150ULL << 30;
    out[1] = 149ULL << 30;
    out[2] = 1ULL << 30;
    return OK;
}

/* 1 is the SM clock, 2 the memory's. */
FUNCTION(nvmlDeviceGetClockInfo, (void *device, int clock, unsigned *mhz))
{
    (void)device;
    *mhz = clock == 1 ? 345 : clock == 2 ? 3201 : 0;
    return OK;
}

FUNCTION(nvmlDeviceGetMaxClockInfo, (void *device, int clock, unsigned *mhz))
{
    (void)device;
    *mhz = clock == 1 ? 1980 : clock == 2 ? 3202 : 0;
    return OK;
}

FUNCTION(nvmlDeviceGetApplicationsClock, (void *device, int clock, unsigned *mhz))
{
    (void)device, (void)clock, (void)mhz;
    return NOT_SUPPORTED;
}

/* Idle and at its power limit. */
ANSWER(nvmlDeviceGetCurrentClocksThrottleReasons, unsigned long long, 0x5)

FUNCTION(nvmlDeviceGetTemperature, (void *device, int sensor, unsigned *celsius))
{
    *celsius = 30 + (unsigned)index_of(device);
    return sensor ? INVALID : OK;
}

/* Says when it slows down (1) only as the most that it may have (3). */
FUNCTION(nvmlDeviceGetTemperatureThreshold, (void *device, int which, unsigned *celsius))
{
    (void)device;
    *celsius = 87;
    return which == 3 ? OK : NOT_SUPPORTED;
}

ANSWER(nvmlDeviceGetPowerUsage, unsigned, 75000)
ANSWER(nvmlDeviceGetEnforcedPowerLimit, unsigned, 500000)
ANSWER(nvmlDeviceGetPowerManagementDefaultLimit, unsigned, 700000)
ANSWER(nvmlDeviceGetPersistenceMode, int, 1)
ANSWER(nvmlDeviceGetComputeMode, int, 3)
ANSWER(nvmlDeviceGetVirtualizationMode, int, 1)
ANSWER(nvmlDeviceGetMaxPcieLinkGeneration, unsigned, 5)
ANSWER(nvmlDeviceGetCurrPcieLinkWidth, unsigned, 8)
ANSWER(nvmlDeviceGetMaxPcieLinkWidth, unsigned, 16)

FUNCTION(nvmlDeviceGetEccMode, (void *device, int *current, int *pending))
{
    (void)device;
    *current = 1;
    *pending = 0;
    return OK;
}

/* 1 uncorrected, 0 since the driver was loaded */
FUNCTION(nvmlDeviceGetTotalEccErrors, (void *device, int kind, int counter, unsigned long long *count))
{
    (void)device;
    *count = kind == 1 && counter == 0 ? 2 : 77;
    return OK;
}

FUNCTION(nvmlDeviceGetComputeRunningProcesses_v3, (void *device, unsigned *count, struct process *out))
{
    if (*count < 2)
        return 7; /* too little room */
    *count = index_of(device) == 3 ? 2 : 0;
    out[0] = (struct process){.pid = 4300, .bytes = 1ULL << 30};
    out[1] = (struct process){.pid = 4301, .bytes = ~0ULL};
    return OK;
}

/* ---- links ---- */

static int links_of(int gpu)
{
    return gpu < 2 ? 2 : gpu == 2 ? 6 : 5;
}

FUNCTION(nvmlDeviceGetNvLinkState, (void *device, unsigned link, int *is_active))
{
    if (link >= LINKS)
        return INVALID;
    *is_active = (int)link < links_of(index_of(device));
    return OK;
}

FUNCTION(nvmlDeviceGetNvLinkVersion, (void *device, unsigned link, unsigned *version))
{
    (void)device, (void)link;
    *version = 4;
    return OK;
}

FUNCTION(nvmlDeviceGetNvLinkRemotePciInfo_v2, (void *device, unsigned link, struct place *out))
{
    (void)link;
    const int gpu = index_of(device);
    *out = (struct place){.bus = gpu < 2 ? 0x20 + (unsigned)(1 - gpu) : 0xc0};
    return OK;
}

/* 0 a GPU, 2 a switch */
FUNCTION(nvmlDeviceGetNvLinkRemoteDeviceType, (void *device, unsigned link, int *kind))
{
    (void)link;
    *kind = index_of(device) < 2 ? 0 : 2;
    return OK;
}

FUNCTION(nvmlDeviceGetTopologyCommonAncestor, (void *a, void *b, int *level))
{
    *level = index_of(a) / 2 == index_of(b) / 2 ? 30 : 50;
    return OK;
}

/* 0 reading, 1 writing, 3 atomics */
FUNCTION(nvmlDeviceGetP2PStatus, (void *a, void *b, int index, int *status))
{
    *status = index_of(a) / 2 == index_of(b) / 2 ? 0 : index == 3 ? 5 : 3;
    return OK;
}
