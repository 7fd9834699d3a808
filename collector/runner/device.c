/* Which GPU is this, and in what state? */
#include "collector/runner/device.h"

#include <cuda_occupancy.h>
#include <stdio.h>
#include <string.h>

#include "core/gpu/oldest_driver.h"
#include "kernels/cuda_versions.h"
#include "kernels/kernel_code.h"

int device_error(int cuda_status, const char *doing, struct err *e)
{
    return err_set(e, ERR_ENVIRONMENT, "CUDA failed to %s: %s", doing, cudaGetErrorString((cudaError_t)cuda_status));
}

static int no_device(int cuda_status, struct err *e)
{
    static const char instead[] =
        "; 'cpprof report BUNDLE', 'overlap' and 'classify' work without one on recorded bundles "
        "and traces (examples/ holds some)";
    if (cuda_status == cudaErrorInsufficientDriver)
        return err_set(e, ERR_ENVIRONMENT,
                       "no usable NVIDIA driver was found: a GPU with driver %s or newer is needed%s",
                       oldest_driver(CUDART_VERSION), instead);
    if (cuda_status == cudaErrorNoDevice || cuda_status == cudaSuccess)
        return err_set(e, ERR_ENVIRONMENT, "no GPU was found%s", instead);
    return err_set(e, ERR_ENVIRONMENT, "the GPU cannot be used: %s%s", cudaGetErrorString((cudaError_t)cuda_status),
                   instead);
}

int device_find(struct device *d, int ordinal, struct err *e)
{
    *d = (struct device){.ordinal = ordinal};
    int count = 0;
    cudaError_t status = cudaGetDeviceCount(&count);
    if (status || !count)
        return no_device(status, e);
    if (ordinal < 0 || ordinal >= count)
        return err_set(e, ERR_USAGE, "there is no device %d: this machine has %d", ordinal, count);
    d->is_found = true;
    return 0;
}

int device_open(struct device *d, int ordinal, struct err *e)
{
    int rc = d->is_found ? 0 : device_find(d, ordinal, e);
    if (rc)
        return rc;
    cudaError_t status;
    if ((status = cudaSetDevice(ordinal)) || (status = cudaGetDeviceProperties(&d->properties, ordinal)))
        return device_error(status, "open the device", e);
    if (d->properties.major < 8)
        return err_set(e, ERR_ENVIRONMENT, "'%s' has compute capability %d.%d: the variants need 8.0 or newer",
                       d->properties.name, d->properties.major, d->properties.minor);
    if ((status = cudaStreamCreateWithFlags(&d->stream, cudaStreamNonBlocking)))
        return device_error(status, "create a stream", e);
    char bus_id[32];
    if (!cudaDeviceGetPCIBusId(bus_id, sizeof bus_id, ordinal))
        nvml_api_load(&d->nvml, bus_id, NULL);
    nvml_read(&d->nvml, &d->before);
    return 0;
}

static json_t *state_json(const struct nvml_state *state)
{
    char reasons[160];
    return json_pack("{s:I,s:I,s:I,s:I,s:I,s:s,s:I}", "sm_clock_mhz", (json_int_t)state->sm_clock_mhz,
                     "memory_clock_mhz", (json_int_t)state->memory_clock_mhz, "temperature_c",
                     (json_int_t)state->temperature_c, "power_mw", (json_int_t)state->power_mw, "power_limit_mw",
                     (json_int_t)state->power_limit_mw, "throttle_reasons",
                     nvml_throttle_text(state->throttle_mask, reasons, sizeof reasons), "compute_processes",
                     (json_int_t)state->processes);
}

static void uuid_text(const struct cudaDeviceProp *p, char text[64])
{
    const unsigned char *b = (const unsigned char *)p->uuid.bytes;
    int used = snprintf(text, 64, "GPU-");
    for (int i = 0; i < 16; i++)
        used +=
            snprintf(text + used, 64 - (size_t)used, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "", b[i]);
}

int device_describe(const struct device *d, json_t *report, struct err *e)
{
    const struct cudaDeviceProp *p = &d->properties;
    char uuid[64], capability[16], driver[96] = "unknown";
    uuid_text(p, uuid);
    snprintf(capability, sizeof capability, "%d.%d", p->major, p->minor);
    if (d->nvml.device)
        d->nvml.driver_version(driver, sizeof driver);
    int runtime = 0, driver_api = 0;
    struct kernel_code code;
    cudaRuntimeGetVersion(&runtime);
    cudaDriverGetVersion(&driver_api);
    json_t *gpu =
        json_pack("{s:s,s:s,s:s,s:i,s:I,s:I,s:I,s:I}", "name", p->name, "uuid", uuid, "compute_capability", capability,
                  "sm_count", p->multiProcessorCount, "memory_bytes", (json_int_t)p->totalGlobalMem, "l2_bytes",
                  (json_int_t)p->l2CacheSize, "shared_optin_bytes", (json_int_t)p->sharedMemPerBlockOptin,
                  "threads_per_sm", (json_int_t)p->maxThreadsPerMultiProcessor);
    struct nvml_state after;
    nvml_read(&d->nvml, &after);
    json_t *cuda = json_pack("{s:i,s:i}", "runtime", runtime, "driver_api", driver_api);
    if (!kernel_code_find(&code))
        json_object_set_new(cuda, "code",
                            json_pack("{s:i,s:b}", "source", code.source, "made_by_jit", code.made_by_jit));
    int failed =
        json_object_set_new(report, "gpu", gpu) ||
        json_object_set_new(report, "driver", json_pack("{s:s}", "version", driver)) ||
        json_object_set_new(report, "cuda", cuda) ||
        json_object_set_new(report, "clocks",
                            json_pack("{s:o,s:o}", "before", state_json(&d->before), "after", state_json(&after)));
    return failed ? err_memory(e) : 0;
}

void device_describe_other(int ordinal, json_t *gpus)
{
    struct cudaDeviceProp p;
    char uuid[64];
    if (cudaGetDeviceProperties(&p, ordinal)) {
        cudaGetLastError();
        return;
    }
    uuid_text(&p, uuid);
    json_array_append_new(gpus, json_pack("{s:i,s:s,s:s}", "ordinal", ordinal, "name", p.name, "uuid", uuid));
}

int device_context(CUcontext *context, struct err *e)
{
    /* through the runtime, so that nothing links with libcuda */
    void *symbol = NULL;
    enum cudaDriverEntryPointQueryResult found;
    cudaError_t status = driver_function("cuCtxGetCurrent", &symbol, 12000, &found);
    if (status || !symbol)
        return device_error(status, "find cuCtxGetCurrent", e);
    __typeof__(cuCtxGetCurrent) *get_current;
    memcpy(&get_current, &symbol, sizeof symbol);
    if (get_current(context) || !*context)
        return err_set(e, ERR_INTERNAL, "there is no current CUDA context");
    return 0;
}

int device_blocks_per_sm(const struct device *d, int block_threads, int registers, size_t shared_static,
                         size_t shared_dynamic)
{
    const struct cudaDeviceProp *p = &d->properties;
    cudaOccDeviceProp limits = {
        .computeMajor = p->major,
        .computeMinor = p->minor,
        .maxThreadsPerBlock = p->maxThreadsPerBlock,
        .maxThreadsPerMultiprocessor = p->maxThreadsPerMultiProcessor,
        .regsPerBlock = p->regsPerBlock,
        .regsPerMultiprocessor = p->regsPerMultiprocessor,
        .warpSize = p->warpSize,
        .sharedMemPerBlock = p->sharedMemPerBlock,
        .sharedMemPerMultiprocessor = p->sharedMemPerMultiprocessor,
        .numSms = p->multiProcessorCount,
        .sharedMemPerBlockOptin = p->sharedMemPerBlockOptin,
        .reservedSharedMemPerBlock = p->reservedSharedMemPerBlock,
    };
    cudaOccFuncAttributes kernel = {
        .maxThreadsPerBlock = p->maxThreadsPerBlock,
        .numRegs = registers,
        .sharedSizeBytes = shared_static,
        .partitionedGCConfig = PARTITIONED_GC_OFF,
        .shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN,
        .maxDynamicSharedSizeBytes = p->sharedMemPerBlockOptin,
    };
    cudaOccDeviceState state = {.cacheConfig = CACHE_PREFER_NONE, .carveoutConfig = SHAREDMEM_CARVEOUT_DEFAULT};
    cudaOccResult result;
    if (cudaOccMaxActiveBlocksPerMultiprocessor(&result, &limits, &kernel, &state, block_threads, shared_dynamic))
        return -1;
    return result.activeBlocksPerMultiprocessor;
}
