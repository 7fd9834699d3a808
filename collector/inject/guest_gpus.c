/* What does the driver know about this process's GPUs? */
#define _GNU_SOURCE
#include "collector/inject/guest_gpus.h"

#include <cuda.h>
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

#define DRIVER_FUNCTIONS(X)                                                                                            \
    X(cuDeviceGetCount)                                                                                                \
    X(cuDeviceGet)                                                                                                     \
    X(cuDeviceGetName)                                                                                                 \
    X(cuDeviceGetAttribute)                                                                                            \
    X(cuDeviceGetPCIBusId)                                                                                             \
    X(cuDriverGetVersion)

struct driver {
#define DRIVER_MEMBER(name) __typeof__(name) *name;
    DRIVER_FUNCTIONS(DRIVER_MEMBER)
#undef DRIVER_MEMBER
    CUresult (*get_uuid)(CUuuid *uuid, CUdevice device);
    CUresult (*primary_state)(CUdevice device, unsigned *flags, int *active); /* or NULL */
};

/* The newer function, since CUDA 11.4, distinguishes the parts of one GPU (MIG). */
static void *find_uuid(void *library)
{
    void *newer = dlsym(library, "cuDeviceGetUuid_v2");
    return newer ? newer : dlsym(library, "cuDeviceGetUuid");
}

/* Uses the library that the program has loaded; we never load it. */
static int open_driver(struct driver *d)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    if (!library)
        return -1;
#define DRIVER_RESOLVE(name)                                                                                           \
    if (!(*(void **)&d->name = dlsym(library, #name)))                                                                 \
        return -1;
    DRIVER_FUNCTIONS(DRIVER_RESOLVE)
#undef DRIVER_RESOLVE
    *(void **)&d->get_uuid = find_uuid(library);
    *(void **)&d->primary_state = dlsym(library, "cuDevicePrimaryCtxGetState");
    return d->get_uuid ? 0 : -1;
}

int guest_gpus_count(void)
{
    struct driver driver;
    int count = 0;
    return open_driver(&driver) || driver.cuDeviceGetCount(&count) ? 0 : count;
}

int guest_gpus_first_active(void)
{
    struct driver driver;
    int count = 0, active = 0, device = -1;
    if (open_driver(&driver) || !driver.primary_state || driver.cuDeviceGetCount(&count))
        return -1;
    for (int i = 0; i < count && !active; i++) {
        CUdevice handle;
        unsigned flags;
        device = i;
        if (driver.cuDeviceGet(&handle, i) || driver.primary_state(handle, &flags, &active))
            active = 0;
    }
    return active ? device : -1;
}

static void uuid_text(const CUuuid *uuid, char text[48])
{
    const unsigned char *b = (const unsigned char *)uuid->bytes;
    int used = snprintf(text, 48, "GPU-");
    for (int i = 0; i < 16; i++)
        used +=
            snprintf(text + used, 48 - (size_t)used, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", b[i]);
}

static json_t *describe(const struct driver *d, int ordinal)
{
    CUdevice device;
    CUuuid uuid = {0};
    char name[128] = "", pci[32] = "", capability[16], text[48] = "";
    int major = 0, minor = 0;
    if (d->cuDeviceGet(&device, ordinal))
        return NULL;
    d->cuDeviceGetName(name, sizeof name, device);
    d->cuDeviceGetPCIBusId(pci, sizeof pci, device);
    d->cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
    d->cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);
    snprintf(capability, sizeof capability, "%d.%d", major, minor);
    if (!d->get_uuid(&uuid, device)) /* without a UUID it might be the same GPU as another one */
        uuid_text(&uuid, text);
    return json_pack("{s:i,s:o,s:s,s:s,s:s}", "ordinal", ordinal, "name", json_text(name), "uuid", text,
                     "compute_capability", capability, "pci", pci);
}

/* Read where the kernel module states its version: NVML would cost the program milliseconds. */
static void driver_version(char *text, int bytes)
{
    snprintf(text, (size_t)bytes, "unknown");
    FILE *file = fopen("/sys/module/nvidia/version", "re");
    char line[64];
    if (file && fgets(line, sizeof line, file)) {
        line[strcspn(line, "\r\n")] = '\0';
        snprintf(text, (size_t)bytes, "%s", line);
    }
    if (file)
        fclose(file);
}

void guest_gpus_describe(json_t *report)
{
    struct driver driver;
    char version[64];
    json_t *gpus = json_array();
    int count = 0, api = 0;
    if (!open_driver(&driver) && !driver.cuDeviceGetCount(&count)) {
        driver.cuDriverGetVersion(&api);
        for (int i = 0; i < count; i++)
            json_array_append_new(gpus, describe(&driver, i));
    }
    driver_version(version, sizeof version);
    json_object_set_new(report, "gpus", gpus);
    json_object_set_new(report, "driver", json_pack("{s:s}", "version", version));
    json_object_set_new(report, "cuda", json_pack("{s:i}", "driver_api", api));
}
