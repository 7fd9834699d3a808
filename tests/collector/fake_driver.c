/* What would the driver say of a machine with one GPU? It is built twice: OLD_DRIVER knows no parts of a GPU, and no
 * libraries of kernels. The names are those in the library; cuda.h would rename them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/collector/causal/fake_launches.h"

enum { SUCCESS, UUID_BYTES = 16, DRIVER_API = 13000, VALUE = 9 };

int cuDeviceGetCount(int *count);
int cuDeviceGet(int *device, int ordinal);
int cuDeviceGetName(char *name, int bytes, int device);
int cuDeviceGetAttribute(int *value, int attribute, int device);
int cuDeviceGetPCIBusId(char *text, int bytes, int device);
int cuDriverGetVersion(int *version);
int cuDevicePrimaryCtxGetState(int device, unsigned *flags, int *active);
int cuDeviceGetUuid(unsigned char *uuid, int device);
int cuDeviceGetUuid_v2(unsigned char *uuid, int device);
int cuLibraryLoadData(void **library, const void *code, int *options, void **values, unsigned count, int *more,
                      void **more_values, unsigned more_count);
int cuLibraryGetKernel(void **kernel, void *library, const char *name);
int cuKernelGetFunction(void **function, void *kernel);
int cuStreamIsCapturing(void *stream, int *status);
int cuThreadExchangeStreamCaptureMode(int *mode);
int cuStreamGetCtx(void *stream, void **context);
int cuPointerGetAttribute(void *value, int attribute, unsigned long long pointer);
int cuLaunchKernel(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned x, unsigned y,
                   unsigned z, unsigned shared_bytes, void *stream, void **parameters, void **extra);

int cuDeviceGetCount(int *count)
{
    *count = 1;
    return SUCCESS;
}

int cuDeviceGet(int *device, int ordinal)
{
    *device = ordinal;
    return SUCCESS;
}

int cuDeviceGetName(char *name, int bytes, int device)
{
    snprintf(name, (size_t)bytes, "GPU %d", device);
    return SUCCESS;
}

int cuDeviceGetAttribute(int *value, int attribute, int device)
{
    (void)attribute, (void)device;
    *value = VALUE;
    return SUCCESS;
}

int cuDeviceGetPCIBusId(char *text, int bytes, int device)
{
    snprintf(text, (size_t)bytes, "0000:%02d:00.0", device);
    return SUCCESS;
}

int cuDriverGetVersion(int *version)
{
    *version = DRIVER_API;
    return SUCCESS;
}

int cuDevicePrimaryCtxGetState(int device, unsigned *flags, int *active)
{
    (void)device;
    *flags = 0;
    *active = 1;
    return SUCCESS;
}

/* The whole GPU's. */
int cuDeviceGetUuid(unsigned char *uuid, int device)
{
    memset(uuid, 0x10 + device, UUID_BYTES);
    return SUCCESS;
}

#ifndef OLD_DRIVER
/* Launches are those that tests/collector/causal/fake_launches.h tells of. */
struct fake_launches fake_launches;

int cuLibraryLoadData(void **library, const void *code, int *options, void **values, unsigned count, int *more,
                      void **more_values, unsigned more_count)
{
    (void)options, (void)values, (void)count, (void)more, (void)more_values, (void)more_count;
    const char *text = code;
    fake_launches.loads++;
    fake_launches.loaded_relaxed = fake_launches.mode == FAKE_RELAXED;
    *library = &fake_launches;
    return strstr(text, ".entry cpprof_delay(.param .u64") && !getenv("FAKE_NO_COMPILER") ? SUCCESS : 218;
}

int cuLibraryGetKernel(void **kernel, void *library, const char *name)
{
    *kernel = &fake_launches.loads;
    return library == &fake_launches && !strcmp(name, "cpprof_delay") ? SUCCESS : 500;
}

int cuKernelGetFunction(void **function, void *kernel)
{
    *function = kernel;
    return kernel == &fake_launches.loads && fake_launches.mode == FAKE_RELAXED ? SUCCESS : 500;
}

int cuStreamIsCapturing(void *stream, int *status)
{
    *status = stream == FAKE_CAPTURING;
    return stream == FAKE_UNKNOWN ? 906 : SUCCESS;
}

int cuStreamGetCtx(void *stream, void **context)
{
    *context = (void *)(stream == FAKE_FOREIGN ? 6UL : 5UL);
    return SUCCESS;
}

/* Attribute 2 is the type of the memory, which is 2 for a device's; any other is the number of the device. */
int cuPointerGetAttribute(void *value, int attribute, unsigned long long pointer)
{
    *(int *)value = attribute == 2 ? 2 : 0;
    return pointer == FAKE_ON_DEVICE ? SUCCESS : 1;
}

int cuThreadExchangeStreamCaptureMode(int *mode)
{
    const int before = fake_launches.mode;
    fake_launches.mode = *mode;
    *mode = before;
    return SUCCESS;
}

int cuLaunchKernel(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned x, unsigned y,
                   unsigned z, unsigned shared_bytes, void *stream, void **parameters, void **extra)
{
    struct fake_launch *launch = &fake_launches.items[fake_launches.count++ % FAKE_LAUNCHES_MAX];
    *launch = (struct fake_launch){.stream = stream, .x = x, .y = y};
    memcpy(&launch->wait_ns, parameters[0], sizeof launch->wait_ns);
    if (fake_launches.during)
        fake_launches.during();
    return function == &fake_launches.loads && grid_x * grid_y * grid_z == 1 && z == 1 && !shared_bytes && !extra
               ? SUCCESS
               : 1;
}

/* Those of the part that the process has. */
int cuDeviceGetUuid_v2(unsigned char *uuid, int device)
{
    if (getenv("FAKE_NO_UUID"))
        return 999;
    memset(uuid, 0x20 + device, UUID_BYTES);
    return SUCCESS;
}
#endif
