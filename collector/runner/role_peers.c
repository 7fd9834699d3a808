/* Which rates do the links between the GPUs reach? Each ordered pair, with copy engines and with loads -> peers.json
 * (`peers` of cpprof.ceilings/1, docs/doctor.md) */
#include <math.h>

#include "collector/dynload/nvml_survey.h"
#include "collector/runner/runner.h"
#include "core/base/str.h"
#include "core/stats/statistics.h"
#include "kernels/peer_read.h"

enum { GPUS_MAX = 16, WARM = 2, SAMPLES = 8 };
#define PEER_BYTES ((size_t)256 << 20)

/* One GPU, with memory to read from and to write to. */
struct end {
    int ordinal;
    void *source, *target;
    cudaStream_t stream;
    void *nvml;
};

static int end_open(struct end *end, int ordinal, const struct nvml_survey *nvml, struct err *e)
{
    char bus_id[32];
    cudaError_t status;
    *end = (struct end){.ordinal = ordinal};
    if ((status = cudaSetDevice(ordinal)) || (status = cudaMalloc(&end->source, PEER_BYTES)) ||
        (status = cudaMalloc(&end->target, PEER_BYTES)) || (status = cudaMemset(end->source, 0, PEER_BYTES)) ||
        (status = cudaStreamCreateWithFlags(&end->stream, cudaStreamNonBlocking)))
        return device_error(status, "prepare a GPU for copies", e);
    if (!cudaDeviceGetPCIBusId(bus_id, sizeof bus_id, ordinal))
        end->nvml = nvml_survey_by_bus_id(nvml, bus_id);
    return 0;
}

static void end_release(struct end *end)
{
    cudaSetDevice(end->ordinal);
    cudaFree(end->source);
    cudaFree(end->target);
    if (end->stream)
        cudaStreamDestroy(end->stream);
}

/* Lets `to` read the memory of `from`, if that is possible. */
static bool has_access(const struct end *from, const struct end *to)
{
    int can = 0;
    if (cudaDeviceCanAccessPeer(&can, to->ordinal, from->ordinal) || !can || cudaSetDevice(to->ordinal))
        return false;
    cudaError_t status = cudaDeviceEnablePeerAccess(from->ordinal, 0);
    if (status)
        cudaGetLastError();
    return status == cudaSuccess || status == cudaErrorPeerAccessAlreadyEnabled;
}

/* The reading GPU does the work in both cases. */
static int bring(const struct end *from, const struct end *to, bool by_loads)
{
    return by_loads
               ? peer_read(from->source, to->target, PEER_BYTES, to->stream)
               : (int)cudaMemcpyPeerAsync(to->target, to->ordinal, from->source, from->ordinal, PEER_BYTES, to->stream);
}

static int time_once(const struct end *from, const struct end *to, bool by_loads, cudaEvent_t events[2], double *rate)
{
    float ms = NAN;
    int status = (int)cudaEventRecord(events[0], to->stream);
    if (!status)
        status = bring(from, to, by_loads);
    if (!status)
        status = (int)cudaEventRecord(events[1], to->stream);
    if (!status)
        status = (int)cudaEventSynchronize(events[1]);
    if (!status)
        status = (int)cudaEventElapsedTime(&ms, events[0], events[1]);
    *rate = (double)PEER_BYTES / ((double)ms * 1e-3);
    return status;
}

static int time_pair(const struct end *from, const struct end *to, bool by_loads, double rates[SAMPLES], struct err *e)
{
    cudaEvent_t events[2] = {NULL, NULL};
    int status = (int)cudaSetDevice(to->ordinal);
    for (int i = 0; i < 2 && !status; i++)
        status = (int)cudaEventCreate(&events[i]);
    for (int i = -WARM; i < SAMPLES && !status; i++)
        status = time_once(from, to, by_loads, events, &rates[i < 0 ? 0 : i]);
    for (int i = 0; i < 2; i++)
        if (events[i])
            cudaEventDestroy(events[i]);
    return status ? device_error(status, "copy between GPUs", e) : 0;
}

static int add_pair(json_t *peers, const struct nvml_survey *nvml, const struct end *from, const struct end *to,
                    bool by_loads, struct err *e)
{
    const bool access = has_access(from, to);
    double rates[SAMPLES], best = NAN;
    if (by_loads && !access)
        return 0;
    int rc = time_pair(from, to, by_loads, rates, e);
    for (int i = 0; i < SAMPLES && !rc; i++)
        best = fmax(best, rates[i]);
    if (rc)
        return err_context(e, "GPU %d reads from GPU %d", to->ordinal, from->ordinal);
    json_t *peer =
        json_pack("{si si ss ss so so sI sb}", "from", from->ordinal, "to", to->ordinal, "how",
                  by_loads ? "loads" : "copy", "unit", "bytes/s", "best", json_number_or_null(best), "median",
                  json_number_or_null(median(rates, SAMPLES)), "repeats", (json_int_t)SAMPLES, "access", access);
    nvml_survey_pair(nvml, from->nvml, to->nvml, peer);
    return json_array_append_new(peers, peer) ? err_memory(e) : 0;
}

static int measure_all(struct end *ends, int count, const struct nvml_survey *nvml, json_t *peers, struct err *e)
{
    int rc = 0;
    for (int i = 0; i < count && !rc; i++)
        rc = end_open(&ends[i], i, nvml, e);
    for (int from = 0; from < count && !rc; from++)
        for (int to = 0; to < count && !rc; to++)
            for (int by_loads = 0; by_loads < 2 && from != to && !rc; by_loads++)
                rc = add_pair(peers, nvml, &ends[from], &ends[to], by_loads, e);
    return rc;
}

int role_peers(struct runner *r, struct err *e)
{
    struct end ends[GPUS_MAX] = {0};
    struct nvml_survey nvml = {0};
    struct err no_nvml = {0};
    struct str path;
    int count = 0;
    json_t *peers = json_array();
    str_init(&path);
    nvml_survey_open(&nvml, &no_nvml);
    cudaError_t status = cudaGetDeviceCount(&count);
    count = count < GPUS_MAX ? count : GPUS_MAX;
    int rc = status ? device_error(status, "count the GPUs", e) : measure_all(ends, count, &nvml, peers, e);
    for (int i = 0; i < count; i++)
        end_release(&ends[i]);
    cudaSetDevice(r->device.ordinal);
    str_addf(&path, "%s/peers.json", r->directory);
    if (!rc)
        rc = json_write_file(str_text(&path), peers, e);
    json_decref(peers);
    str_release(&path);
    return rc;
}
