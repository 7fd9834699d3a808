/* At which instructions are the warps of some kernels, and what do they wait for? */
#define _GNU_SOURCE
#include "collector/profiler/pc_sampler.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/base/array.h"

/* One read returns at most this many instructions; the next read returns the rest. CUPTI's own thread, which runs every
 * WORKER_MS, delivers what the hardware wrote. Samples are complete when none came for QUIET_MS (seen on an H200 with
 * CUDA 13.0: right after the work there were none yet). */
enum {
    PCS_PER_READ = 4096,
    READS_MAX = 2000,
    WORKER_MS = 10,
    QUIET_MS = 150,
    SCRATCH_BYTES = 16 << 20,
    HARDWARE_BYTES = 256 << 20
};

struct pc_sampler {
    const struct cupti_api *api;
    CUcontext context;
    bool enabled;
    size_t reason_count;
    uint32_t *reasons; /* CUPTI's indices */
    char **names;      /* their names, as CUPTI spells them */
    CUpti_PCSamplingData data;
    CUpti_PCSamplingStallReason *stalls; /* reason_count entries for each instruction of `data` */
};

void pc_samples_init(struct pc_samples *s)
{
    *s = (struct pc_samples){.items = NULL};
    arena_init(&s->arena);
}

void pc_samples_release(struct pc_samples *s)
{
    arena_release(&s->arena);
    free(s->items);
}

static int list_reasons(struct pc_sampler *p, struct err *e)
{
    CUpti_PCSamplingGetNumStallReasonsParams count = {.size = CUpti_PCSamplingGetNumStallReasonsParamsSize};
    count.ctx = p->context;
    count.numStallReasons = &p->reason_count;
    CUptiResult result = p->api->cuptiPCSamplingGetNumStallReasons(&count);
    if (result)
        return cupti_error(p->api, result, "count the stall reasons", e);
    p->reasons = calloc(p->reason_count + 1, sizeof *p->reasons);
    p->names = calloc(p->reason_count + 1, sizeof *p->names);
    if (!p->reasons || !p->names)
        return err_memory(e);
    for (size_t i = 0; i < p->reason_count; i++)
        if (!(p->names[i] = calloc(1, CUPTI_STALL_REASON_STRING_SIZE)))
            return err_memory(e);
    CUpti_PCSamplingGetStallReasonsParams names = {.size = CUpti_PCSamplingGetStallReasonsParamsSize};
    names.ctx = p->context;
    names.numStallReasons = p->reason_count;
    names.stallReasonIndex = p->reasons;
    names.stallReasons = p->names;
    result = p->api->cuptiPCSamplingGetStallReasons(&names);
    return result ? cupti_error(p->api, result, "name the stall reasons", e) : 0;
}

static int make_buffer(struct pc_sampler *p, struct err *e)
{
    p->stalls = calloc(PCS_PER_READ * (p->reason_count + 1), sizeof *p->stalls);
    p->data.pPcData = calloc(PCS_PER_READ, sizeof *p->data.pPcData);
    if (!p->stalls || !p->data.pPcData)
        return err_memory(e);
    p->data.size = sizeof p->data;
    p->data.collectNumPcs = PCS_PER_READ;
    for (size_t i = 0; i < PCS_PER_READ; i++) {
        p->data.pPcData[i].size = sizeof p->data.pPcData[i];
        p->data.pPcData[i].stallReason = p->stalls + i * p->reason_count;
    }
    return 0;
}

static int configure(struct pc_sampler *p, unsigned period_log2, struct err *e)
{
    /* Serialised mode: in continuous mode there were no samples at all. */
    CUpti_PCSamplingConfigurationInfo wishes[] = {
        {.attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_COLLECTION_MODE,
         .attributeData.collectionModeData.collectionMode = CUPTI_PC_SAMPLING_COLLECTION_MODE_KERNEL_SERIALIZED},
        {.attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_ENABLE_START_STOP_CONTROL,
         .attributeData.enableStartStopControlData.enableStartStopControl = 1},
        {.attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SAMPLING_PERIOD,
         .attributeData.samplingPeriodData.samplingPeriod = period_log2},
        {.attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_WORKER_THREAD_PERIODIC_SLEEP_SPAN,
         .attributeData.workerThreadPeriodicSleepSpanData.workerThreadPeriodicSleepSpan = WORKER_MS},
        {.attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SCRATCH_BUFFER_SIZE,
         .attributeData.scratchBufferSizeData.scratchBufferSize = SCRATCH_BYTES},
        {.attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_HARDWARE_BUFFER_SIZE,
         .attributeData.hardwareBufferSizeData.hardwareBufferSize = HARDWARE_BYTES},
        {.attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_STALL_REASON,
         .attributeData.stallReasonData = {p->reason_count, p->reasons}},
        {.attributeType = CUPTI_PC_SAMPLING_CONFIGURATION_ATTR_TYPE_SAMPLING_DATA_BUFFER,
         .attributeData.samplingDataBufferData.samplingDataBuffer = &p->data},
    };
    CUpti_PCSamplingConfigurationInfoParams params = {.size = CUpti_PCSamplingConfigurationInfoParamsSize};
    params.ctx = p->context;
    params.numAttributes = sizeof wishes / sizeof wishes[0];
    params.pPCSamplingConfigurationInfo = wishes;
    CUptiResult result = p->api->cuptiPCSamplingSetConfigurationAttribute(&params);
    return result ? cupti_error(p->api, result, "configure the samples of the program counter", e) : 0;
}

int pc_sampler_new(struct pc_sampler **out, const struct cupti_api *api, CUcontext context, unsigned period_log2,
                   struct err *e)
{
    *out = NULL;
    struct pc_sampler *p = calloc(1, sizeof *p);
    if (!p)
        return err_memory(e);
    p->api = api;
    p->context = context;
    CUpti_PCSamplingEnableParams enable = {.size = CUpti_PCSamplingEnableParamsSize};
    enable.ctx = context;
    CUptiResult result = api->cuptiPCSamplingEnable(&enable);
    p->enabled = !result;
    int rc = result ? cupti_error(api, result, "sample the program counter", e) : list_reasons(p, e);
    if (!rc)
        rc = make_buffer(p, e);
    if (!rc)
        rc = configure(p, period_log2, e);
    if (rc)
        pc_sampler_free(p);
    else
        *out = p;
    return rc;
}

void pc_sampler_free(struct pc_sampler *p)
{
    if (!p)
        return;
    if (p->enabled) {
        CUpti_PCSamplingDisableParams disable = {.size = CUpti_PCSamplingDisableParamsSize};
        disable.ctx = p->context;
        p->api->cuptiPCSamplingDisable(&disable);
    }
    for (size_t i = 0; p->names && i < p->reason_count; i++)
        free(p->names[i]);
    free(p->names);
    free(p->reasons);
    free(p->stalls);
    free(p->data.pPcData);
    free(p);
}

/* "smsp__pcsamp_warps_issue_stalled_long_scoreboard" -> "long_scoreboard". NULL for other metrics, and for the second
 * count of the same samples, of schedulers that did not issue at that moment. */
static const char *reason_name(const struct pc_sampler *p, uint32_t index)
{
    static const char prefix[] = "smsp__pcsamp_warps_issue_stalled_", again[] = "_not_issued";
    for (size_t i = 0; i < p->reason_count; i++) {
        if (p->reasons[i] != index)
            continue;
        const char *name = p->names[i];
        const size_t length = strlen(name);
        if (length >= sizeof again - 1 && !strcmp(name + length - (sizeof again - 1), again))
            return NULL;
        return strncmp(name, prefix, sizeof prefix - 1) ? NULL : name + sizeof prefix - 1;
    }
    return NULL;
}

/* The function's name is malloced and may be shared among records. It is not freed: freeing it twice would be worse,
 * and the process ends soon. */
static int add_instruction(struct pc_sampler *p, const CUpti_PCSamplingPCData *pc, struct pc_samples *out,
                           struct err *e)
{
    const char *symbol =
        out->count && !strcmp(out->items[out->count - 1].symbol, pc->functionName ? pc->functionName : "")
            ? out->items[out->count - 1].symbol
            : arena_copy(&out->arena, pc->functionName);
    for (size_t i = 0; i < pc->stallReasonCount && i < p->reason_count; i++) {
        const char *reason = reason_name(p, pc->stallReason[i].pcSamplingStallReasonIndex);
        if (!reason || !pc->stallReason[i].samples)
            continue;
        struct pc_sample *slot = ARRAY_PUSH(out);
        if (!slot)
            return err_memory(e);
        *slot = (struct pc_sample){symbol, pc->cubinCrc, pc->pcOffset, reason, pc->stallReason[i].samples};
        out->total += slot->samples;
    }
    return 0;
}

static int read_once(struct pc_sampler *p, struct pc_samples *out, struct err *e)
{
    CUpti_PCSamplingGetDataParams params = {.size = CUpti_PCSamplingGetDataParamsSize};
    params.ctx = p->context;
    params.pcSamplingData = &p->data;
    CUptiResult result = p->api->cuptiPCSamplingGetData(&params);
    out->overflowed |= p->data.hardwareBufferFull || result == CUPTI_ERROR_OUT_OF_MEMORY;
    if (result && result != CUPTI_ERROR_OUT_OF_MEMORY)
        return cupti_error(p->api, result, "read the samples of the program counter", e);
    out->dropped += p->data.droppedSamples;
    int rc = 0;
    for (size_t i = 0; i < p->data.totalNumPcs && i < PCS_PER_READ && !rc; i++)
        rc = add_instruction(p, &p->data.pPcData[i], out, e);
    return rc;
}

static int switch_sampling(struct pc_sampler *p, bool on, struct err *e)
{
    CUptiResult result;
    if (on) {
        CUpti_PCSamplingStartParams params = {.size = CUpti_PCSamplingStartParamsSize};
        params.ctx = p->context;
        result = p->api->cuptiPCSamplingStart(&params);
    } else {
        CUpti_PCSamplingStopParams params = {.size = CUpti_PCSamplingStopParamsSize};
        params.ctx = p->context;
        result = p->api->cuptiPCSamplingStop(&params);
    }
    return result ? cupti_error(p->api, result, on ? "start sampling" : "stop sampling", e) : 0;
}

static int read_all(struct pc_sampler *p, struct pc_samples *out, struct err *e)
{
    const struct timespec pause = {.tv_nsec = WORKER_MS * 1000000L};
    int rc = 0, quiet_ms = 0;
    for (int reads = 0; !rc && reads < READS_MAX && quiet_ms < QUIET_MS; reads++) {
        rc = read_once(p, out, e);
        if (rc || p->data.totalNumPcs) {
            quiet_ms = 0;
            continue;
        }
        nanosleep(&pause, NULL);
        quiet_ms += WORKER_MS;
    }
    return rc;
}

int pc_sampler_collect(struct pc_sampler *p, pc_work work, void *context, struct pc_samples *out, struct err *e)
{
    int rc = switch_sampling(p, true, e);
    if (rc)
        return rc;
    rc = work(context, e);
    const int stopped = switch_sampling(p, false, rc ? NULL : e);
    if (rc || stopped)
        return rc ? rc : stopped;
    return read_all(p, out, e);
}
