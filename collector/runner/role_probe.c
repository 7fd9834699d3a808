/* What works on this machine, and what to do about what does not? -> probe.json */
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "collector/profiler/range_profiler.h"
#include "collector/runner/runner.h"

static void add_check(json_t *checks, const char *name, bool works, const char *detail)
{
    json_array_append_new(checks, json_pack("{s:s,s:b,s:o}", "check", name, "works", works, "detail", json_text(detail)));
}

static void probe_device(struct runner *r, json_t *checks, bool *works)
{
    struct err e = {0};
    *works = !runner_open_device(r, &e);
    struct str detail;
    str_init(&detail);
    if (*works)
        str_addf(&detail, "%s, compute capability %d.%d, %d SMs", r->device.properties.name, r->device.properties.major,
                 r->device.properties.minor, r->device.properties.multiProcessorCount);
    add_check(checks, "GPU", *works, *works ? str_text(&detail) : e.text);
    str_release(&detail);
}

static void probe_nvml(const struct runner *r, json_t *checks)
{
    if (!r->device.nvml.device) {
        add_check(checks, "clocks and temperature", false, "NVML (libnvidia-ml.so.1) is missing: reports lack clocks");
        return;
    }
    char reasons[160];
    struct str detail;
    str_init(&detail);
    str_addf(&detail, "SM clock %lld MHz, %lld C, throttling: %s, compute processes on this GPU: %lld",
             r->device.before.sm_clock_mhz, r->device.before.temperature_c,
             nvml_throttle_text(r->device.before.throttle_mask, reasons, sizeof reasons), r->device.before.processes);
    add_check(checks, "clocks and temperature", true, str_text(&detail));
    str_release(&detail);
}

static void probe_counters(const struct runner *r, const struct cupti_api *api, json_t *checks)
{
    static const char *const name[] = {"sm__cycles_active.avg"};
    bool accepted[1];
    struct err e = {0};
    struct range_profiler *p = NULL;
    CUcontext context = NULL;
    int rc = device_context(&context, &e);
    if (!rc)
        rc = range_profiler_new(&p, api, context, r->device.ordinal, name, 1, accepted, &e);
    range_profiler_free(p);
    add_check(checks, "counters", !rc, rc ? e.text : "may be read");
}

int role_probe(struct runner *r, struct err *e)
{
    json_t *checks = json_array();
    struct cupti_api api;
    struct err missing = {0};
    bool device_works;
    probe_device(r, checks, &device_works);
    if (device_works)
        probe_nvml(r, checks);
    struct str text;
    str_init(&text);
    bool cupti_works = !cupti_api_load(&api, &missing);
    str_addf(&text, "libcupti found through: %s, API version %u", api.found ? api.found : "", (unsigned)api.version);
    add_check(checks, "CUPTI", cupti_works, cupti_works ? str_text(&text) : missing.text);
    if (device_works && cupti_works)
        probe_counters(r, &api, checks);
    str_clear(&text);
    str_addf(&text, "%s/probe.json", r->directory);
    int rc = json_write_file(str_text(&text), checks, e);
    str_release(&text);
    json_decref(checks);
    return rc;
}
