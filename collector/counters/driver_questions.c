/* What does the driver know about this device and this launch? */
#define _GNU_SOURCE
#include "collector/counters/driver_questions.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

enum { UUID_TEXT_BYTES = 48, WARP_THREADS = 32 };

#define DRIVER_FUNCTIONS(X)                                                                                            \
    X(cuDeviceGetCount)                                                                                                \
    X(cuCtxGetDevice)                                                                                                  \
    X(cuDeviceGetName)                                                                                                 \
    X(cuDeviceGetUuid)                                                                                                 \
    X(cuDeviceTotalMem)                                                                                                \
    X(cuDeviceGetAttribute)                                                                                            \
    X(cuStreamIsCapturing)                                                                                             \
    X(cuOccupancyMaxActiveBlocksPerMultiprocessor)

static struct {
    bool is_there;
#define DRIVER_MEMBER(name) __typeof__(name) *name;
    DRIVER_FUNCTIONS(DRIVER_MEMBER)
#undef DRIVER_MEMBER
} driver;

#define TEXT_OF(name) #name
#define NAME_OF(name) TEXT_OF(name) /* with the version suffix that cuda.h adds */

/* Uses the library that the program has loaded; we never load it. */
static void resolve(void)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    bool found = library != NULL;
#define DRIVER_RESOLVE(name) found = found && (*(void **)&driver.name = dlsym(library, NAME_OF(name)));
    DRIVER_FUNCTIONS(DRIVER_RESOLVE)
#undef DRIVER_RESOLVE
    driver.is_there = found;
}

static bool is_there(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, resolve);
    return driver.is_there;
}

int driver_current_device(void)
{
    CUdevice device = -1;
    return is_there() && !driver.cuCtxGetDevice(&device) ? device : -1;
}

int driver_device_count(void)
{
    int count = 0;
    return is_there() && !driver.cuDeviceGetCount(&count) ? count : 0;
}

bool driver_is_capturing(CUstream stream)
{
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    return is_there() && !driver.cuStreamIsCapturing(stream, &status) && status != CU_STREAM_CAPTURE_STATUS_NONE;
}

static int attribute(CUdevice device, CUdevice_attribute which)
{
    int value = 0;
    return driver.cuDeviceGetAttribute(&value, which, device) ? 0 : value;
}

static void uuid_text(CUdevice device, char text[UUID_TEXT_BYTES])
{
    CUuuid uuid = {{0}};
    driver.cuDeviceGetUuid(&uuid, device);
    int used = snprintf(text, UUID_TEXT_BYTES, "GPU-");
    for (int i = 0; i < 16; i++)
        used += snprintf(text + used, UUID_TEXT_BYTES - (size_t)used, "%s%02x",
                         i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", (unsigned char)uuid.bytes[i]);
}

json_t *driver_describe_gpu(int ordinal)
{
    if (!is_there() || ordinal < 0)
        return json_null();
    const CUdevice device = ordinal;
    char name[128] = "", uuid[UUID_TEXT_BYTES], capability[32];
    size_t memory_bytes = 0;
    driver.cuDeviceGetName(name, sizeof name, device);
    driver.cuDeviceTotalMem(&memory_bytes, device);
    uuid_text(device, uuid);
    snprintf(capability, sizeof capability, "%d.%d", attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR),
             attribute(device, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR));
    return json_pack("{s:o,s:s,s:s,s:i,s:I,s:i,s:i,s:i}", "name", json_text(name), "uuid", uuid, "compute_capability",
                     capability, "sm_count", attribute(device, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT),
                     "memory_bytes", (json_int_t)memory_bytes, "l2_bytes",
                     attribute(device, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE), "shared_optin_bytes",
                     attribute(device, CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN), "threads_per_sm",
                     attribute(device, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR));
}

json_t *driver_describe_launch(CUfunction function, const struct launch_shape *shape, int ordinal)
{
    json_t *facts = json_pack("{s:I,s:I}", "grid_blocks", (json_int_t)shape->grid_blocks, "block_threads",
                              (json_int_t)shape->block_threads);
    int blocks = 0;
    if (!is_there() || ordinal < 0 ||
        driver.cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, function, (int)shape->block_threads,
                                                           shape->shared_dynamic_bytes) ||
        blocks <= 0)
        return facts;
    const int sm_count = attribute(ordinal, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
    const int warps_max = attribute(ordinal, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR) / WARP_THREADS;
    const int warps = (int)(shape->block_threads + WARP_THREADS - 1) / WARP_THREADS;
    json_object_set_new(facts, "blocks_per_sm", json_integer(blocks));
    if (warps_max > 0)
        json_object_set_new(facts, "occupancy", json_real((double)blocks * warps / warps_max));
    if (sm_count > 0)
        json_object_set_new(facts, "waves", json_real((double)shape->grid_blocks / ((double)blocks * sm_count)));
    return facts;
}
