/* What would the driver say of a machine with one GPU? It is built twice: OLD_DRIVER knows no parts of a GPU. The names
 * are those in the library; cuda.h would rename them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
/* Those of the part that the process has. */
int cuDeviceGetUuid_v2(unsigned char *uuid, int device)
{
    if (getenv("FAKE_NO_UUID"))
        return 999;
    memset(uuid, 0x20 + device, UUID_BYTES);
    return SUCCESS;
}
#endif
