/* What is known about driver, CUDA, GPUs, CUPTI and counters? Only facts, which `cpprof doctor` judges -> probe.json
 * (cpprof.probe/1, docs/doctor.md) */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/dynload/cupti_search.h"
#include "collector/dynload/loaded_library.h"
#include "collector/dynload/nvml_survey.h"
#include "collector/profiler/range_profiler.h"
#include "collector/runner/runner.h"
#include "core/base/str.h"
#include "kernels/kernel_code.h"
#include "kernels/verify.h"

enum { DEVICES_MAX = 64 };

/* A GPU that CUDA sees, NVML knows, or both. */
struct probed_gpu {
    int ordinal; /* -1: CUDA does not see it */
    void *nvml;  /* NULL: NVML does not know it */
};

struct probe {
    struct nvml_survey nvml;
    struct probed_gpu gpus[DEVICES_MAX];
    size_t count;
    int cuda_devices;
};

/* ---- CUDA ---- */

/* The runtime has already tried to load libcuda. */
static json_t *library_json(const char *name)
{
    char path[LIBRARY_PATH_BYTES] = "";
    void *library = dlopen(name, RTLD_NOLOAD | RTLD_NOW);
    if (library) {
        loaded_library_path(library, path);
        dlclose(library);
    }
    return *path ? json_text(path) : json_null();
}

static json_t *probe_cuda(struct probe *p)
{
    int runtime = 0, driver = 0;
    cudaRuntimeGetVersion(&runtime);
    cudaDriverGetVersion(&driver);
    cudaError_t status = cudaGetDeviceCount(&p->cuda_devices);
    if (status)
        p->cuda_devices = 0;
    else if (!p->cuda_devices)
        status = cudaErrorNoDevice;
    return json_pack("{si si si so so so}", "runtime", runtime, "driver_api", driver, "devices", p->cuda_devices,
                     "error", status ? json_string(cudaGetErrorName(status)) : json_null(), "words",
                     status ? json_string(cudaGetErrorString(status)) : json_null(), "library",
                     library_json("libcuda.so.1"));
}

/* ---- GPUs: those that CUDA sees in its order, then the others ---- */

static void add_gpu(struct probe *p, int ordinal, void *nvml)
{
    if (p->count < DEVICES_MAX)
        p->gpus[p->count++] = (struct probed_gpu){ordinal, nvml};
}

static bool is_listed(const struct probe *p, void *nvml)
{
    for (size_t i = 0; i < p->count; i++)
        if (nvml_survey_same(&p->nvml, p->gpus[i].nvml, nvml))
            return true;
    return false;
}

static void find_gpus(struct probe *p)
{
    for (int ordinal = 0; ordinal < p->cuda_devices; ordinal++) {
        char bus_id[32];
        const bool has_id = !cudaDeviceGetPCIBusId(bus_id, sizeof bus_id, ordinal);
        add_gpu(p, ordinal, has_id ? nvml_survey_by_bus_id(&p->nvml, bus_id) : NULL);
    }
    const unsigned known = nvml_survey_count(&p->nvml);
    for (unsigned i = 0; i < known; i++) {
        void *nvml = nvml_survey_by_index(&p->nvml, i);
        if (nvml && !is_listed(p, nvml))
            add_gpu(p, -1, nvml);
    }
}

/* CUDA's values replace NVML's, because they describe what programs get, a MIG instance for example. */
static json_t *gpu_json(const struct probe *p, const struct probed_gpu *gpu)
{
    json_t *out = json_pack("{so}", "ordinal", gpu->ordinal >= 0 ? json_integer(gpu->ordinal) : json_null());
    struct cudaDeviceProp properties;
    if (gpu->nvml)
        nvml_survey_device(&p->nvml, gpu->nvml, out);
    if (gpu->ordinal < 0 || cudaGetDeviceProperties(&properties, gpu->ordinal))
        return out;
    char capability[48], bus_id[32];
    snprintf(capability, sizeof capability, "%d.%d", properties.major, properties.minor);
    json_object_set_new(out, "name", json_text(properties.name));
    json_object_set_new(out, "compute_capability", json_string(capability));
    json_object_set_new(out, "sm_count", json_integer(properties.multiProcessorCount));
    json_object_set_new(out, "memory_bytes", json_integer((json_int_t)properties.totalGlobalMem));
    if (!gpu->nvml && !cudaDeviceGetPCIBusId(bus_id, sizeof bus_id, gpu->ordinal))
        json_object_set_new(out, "pci", json_text(bus_id));
    return out;
}

static json_t *access_json(const struct probed_gpu *a, const struct probed_gpu *b)
{
    int forth = 0, back = 0;
    if (a->ordinal < 0 || b->ordinal < 0 || cudaDeviceCanAccessPeer(&forth, a->ordinal, b->ordinal) ||
        cudaDeviceCanAccessPeer(&back, b->ordinal, a->ordinal))
        return json_null();
    return json_boolean(forth && back);
}

static json_t *links_json(const struct probe *p)
{
    json_t *list = json_array();
    for (size_t a = 0; a < p->count; a++)
        for (size_t b = a + 1; b < p->count; b++) {
            json_t *link = json_pack("{sI sI so}", "a", (json_int_t)a, "b", (json_int_t)b, "access",
                                     access_json(&p->gpus[a], &p->gpus[b]));
            nvml_survey_pair(&p->nvml, p->gpus[a].nvml, p->gpus[b].nvml, link);
            json_array_append_new(list, link);
        }
    return list;
}

/* ---- CUPTI and counters ---- */

static void CUPTIAPI hear_nothing(void *user, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void *data)
{
    (void)user, (void)domain, (void)id, (void)data;
}

enum { SUBSCRIBER_NAME_BYTES = 256 };

static CUptiResult subscribe(const struct cupti_api *api, CUpti_SubscriberHandle *subscriber,
                             char other[static SUBSCRIBER_NAME_BYTES])
{
    CUptiResult(CUPTIAPI * with_names)(CUpti_SubscriberHandle *, CUpti_CallbackFunc, void *,
                                       struct cupti_subscriber_names *) = NULL;
    struct cupti_subscriber_names names = {sizeof names, "cpprof doctor", other, SUBSCRIBER_NAME_BYTES};
    *(void **)&with_names = dlsym(api->library, "cuptiSubscribe_v2");
    return with_names ? with_names(subscriber, hear_nothing, NULL, &names)
                      : api->cuptiSubscribe(subscriber, hear_nothing, NULL);
}

/* Subscribes for a moment. If another subscriber has the place, CUPTI names it. */
static void probe_subscriber(const struct cupti_api *api, json_t *out)
{
    char other[SUBSCRIBER_NAME_BYTES] = "";
    CUpti_SubscriberHandle subscriber;
    CUptiResult result = subscribe(api, &subscriber, other);
    const char *words = NULL;
    if (result)
        api->cuptiGetResultString(result, &words);
    else
        api->cuptiUnsubscribe(subscriber);
    other[sizeof other - 1] = '\0';
    json_object_set_new(out, "subscribe_error", result ? json_text(words ? words : "unknown error") : json_null());
    json_object_set_new(out, "subscriber", *other ? json_text(other) : json_null());
}

/* The version of the CUDA that brought a copy, "12.4"; null when the copy does not say its own. */
static json_t *cuda_json(int cuda)
{
    char text[32];
    snprintf(text, sizeof text, "%d.%d", cuda / 100, cuda % 100);
    return cuda ? json_string(text) : json_null();
}

static json_t *copies_json(const struct cupti_search *s)
{
    json_t *list = json_array();
    for (size_t i = 0; i < s->count; i++) {
        const struct cupti_place *p = &s->places[i];
        json_array_append_new(list, json_pack("{so ss si so so}", "path", json_text(p->path), "found", p->kind,
                                              "version", (int)p->version, "cuda", cuda_json(cupti_cuda_of(p->version)),
                                              "why", *p->why ? json_text(p->why) : json_null()));
    }
    return list;
}

/* The copy that is taken stays loaded, so loading it again finds it as such. */
static json_t *probe_cupti(struct cupti_api *api, bool *works)
{
    struct err missing = {0};
    struct cupti_search all;
    char path[LIBRARY_PATH_BYTES];
    cupti_search(&all, true);
    const char *found = all.taken ? all.taken->kind : NULL;
    json_t *copies = copies_json(&all);
    cupti_search_release(&all);
    *works = !cupti_api_load_trace(api, &missing);
    loaded_library_path(api->library, path);
    return json_pack("{so so so si so}", "error", *works ? json_null() : json_text(missing.text), "library",
                     *path ? json_text(path) : json_null(), "found", found ? json_string(found) : json_null(),
                     "version", (int)api->version, "copies", copies);
}

struct tiny_work {
    float *values;
    cudaStream_t stream;
};

enum { TINY_VALUES = 64 * 1024 };

static int launch_one_kernel(void *context, struct err *e)
{
    const struct tiny_work *work = context;
    int status = poison_f32(work->values, TINY_VALUES, work->stream);
    if (!status)
        status = (int)cudaStreamSynchronize(work->stream);
    return status ? device_error(status, "run a kernel", e) : 0;
}

static int tiny_work_open(struct tiny_work *work, struct runner *r, const char *doing, struct err *e)
{
    const int rc = runner_open_device(r, e);
    work->stream = r->device.stream;
    if (!rc && cudaMalloc((void **)&work->values, TINY_VALUES * sizeof *work->values))
        return err_set(e, ERR_ENVIRONMENT, "there is no GPU memory left to try %s with", doing);
    return rc;
}

/* ---- a record of a kernel of our own ---- */

enum { RECORD_BUFFER_BYTES = 1 << 20 };

static struct {
    const struct cupti_api *api;
    _Atomic unsigned kernels;
} heard;

static void CUPTIAPI lend_buffer(uint8_t **buffer, size_t *bytes, size_t *records_max)
{
    *buffer = malloc(RECORD_BUFFER_BYTES);
    *bytes = *buffer ? RECORD_BUFFER_BYTES : 0;
    *records_max = 0;
}

static void CUPTIAPI take_buffer(CUcontext context, uint32_t stream, uint8_t *buffer, size_t bytes, size_t used_bytes)
{
    CUpti_Activity *record = NULL;
    (void)context, (void)stream, (void)bytes;
    while (!heard.api->cuptiActivityGetNextRecord(buffer, used_bytes, &record))
        heard.kernels += record->kind == CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
    free(buffer);
}

/* A CUPTI that is older than the GPU may accept everything and record nothing, so only a record counts. */
static json_t *probe_records(struct runner *r, const struct cupti_api *api)
{
    struct err e = {0};
    struct tiny_work work = {0};
    heard.api = api;
    CUptiResult result = api->cuptiActivityRegisterCallbacks(lend_buffer, take_buffer);
    if (!result)
        result = api->cuptiActivityEnable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
    int rc = result ? cupti_error(api, result, "start tracing", &e) : tiny_work_open(&work, r, "a trace", &e);
    if (!rc)
        rc = launch_one_kernel(&work, &e);
    if (!result) {
        result = api->cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
        api->cuptiActivityDisable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
        if (!rc && result)
            rc = cupti_error(api, result, "flush the trace", &e);
    }
    cudaFree(work.values);
    return json_pack("{si si so}", "device", r->device.ordinal, "kernels", (int)heard.kernels, "error",
                     rc ? json_text(e.text) : json_null());
}

/* Opening alone does not show on every machine whether counters work, so one is really collected. */
static int read_a_counter(struct runner *r, const struct cupti_api *api, struct err *e)
{
    static const char *const name[] = {"sm__cycles_active.avg"};
    bool accepted[1];
    struct range_profiler *p = NULL;
    struct tiny_work work = {0};
    double *values = NULL;
    size_t kernels = 0;
    CUcontext context = NULL;
    int rc = tiny_work_open(&work, r, "the counters", e);
    if (!rc)
        rc = device_context(&context, e);
    if (!rc)
        rc = range_profiler_new(
            &p,
            &(struct range_profiler_request){
                .api = api, .context = context, .device = r->device.ordinal, .names = name, .count = 1},
            accepted, e);
    if (!rc)
        rc = range_profiler_collect(p, launch_one_kernel, &work, &values, &kernels, e);
    if (!rc && (kernels != 1 || !isfinite(values[0])))
        rc = err_set(e, ERR_ENVIRONMENT, "CUPTI counted %zu kernels instead of one", kernels);
    free(values);
    range_profiler_free(p);
    cudaFree(work.values);
    return rc;
}

static json_t *probe_counters(struct runner *r)
{
    struct err e = {0};
    struct cupti_api api;
    int rc = cupti_api_load(&api, &e);
    if (!rc)
        rc = read_a_counter(r, &api, &e);
    return json_pack("{si sb so}", "device", r->device.ordinal, "works", !rc, "error",
                     rc ? json_text(e.text) : json_null());
}

/* Which code of this build does the GPU that `run` takes run? NULL when it cannot be opened. */
static json_t *probe_code(struct runner *r)
{
    struct kernel_code code = {0};
    struct err closed = {0};
    char why[160] = "";
    if (runner_open_device(r, &closed))
        return NULL;
    const bool refuses = kernel_code_refuses(why, sizeof why);
    const bool is_known = !refuses && !kernel_code_find(&code);
    return json_pack("{si ss so so so}", "device", r->device.ordinal, "built", kernel_code_built(), "source",
                     is_known ? json_integer(code.source) : json_null(), "made_by_jit",
                     is_known ? json_boolean(code.made_by_jit) : json_null(), "error",
                     refuses ? json_text(why) : json_null());
}

/* The GPUs are queried before anything runs on them, so that other processes, clocks and throttle reasons are not
 * caused by us. */
static json_t *probe_all(struct runner *r)
{
    struct probe p = {0};
    struct err no_nvml = {0};
    struct cupti_api api;
    bool cupti_works;
    json_t *all = json_pack("{ss}", "schema", "cpprof.probe/1"), *devices = json_array();
    json_object_set_new(all, "cuda", probe_cuda(&p));
    nvml_survey_open(&p.nvml, &no_nvml);
    json_object_set_new(all, "nvml", nvml_survey_system(&p.nvml, no_nvml.text));
    find_gpus(&p);
    for (size_t i = 0; i < p.count; i++)
        json_array_append_new(devices, gpu_json(&p, &p.gpus[i]));
    json_object_set_new(all, "devices", devices);
    json_object_set_new(all, "links", links_json(&p));
    json_t *cupti = probe_cupti(&api, &cupti_works);
    json_object_set_new(all, "cupti", cupti);
    if (cupti_works && p.cuda_devices) {
        probe_subscriber(&api, cupti);
        json_object_set_new(all, "records", probe_records(r, &api));
        json_object_set_new(all, "counters", probe_counters(r));
    }
    json_t *code = p.cuda_devices ? probe_code(r) : NULL;
    if (code)
        json_object_set_new(all, "code", code);
    return all;
}

int role_probe(struct runner *r, struct err *e)
{
    struct str path;
    str_init(&path);
    str_addf(&path, "%s/probe.json", r->directory);
    json_t *all = probe_all(r);
    int rc = json_write_file(str_text(&path), all, e);
    json_decref(all);
    str_release(&path);
    return rc;
}
