/* Is each GPU in a state in which figures mean something? What is said of all
 * GPUs alike is said once. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/doctor/doctor.h"

#include "core/base/count_of.h"
#include "core/base/units.h"

/* What one check says of one GPU; `found` "" says nothing. */
struct judgement {
    enum check_level level;
    unsigned stops;
    char found[320];
    char advice[320];
};

#define SAY(j, ...)    ((void)snprintf((j)->found, sizeof(j)->found, __VA_ARGS__))
#define ADVISE(j, ...) ((void)snprintf((j)->advice, sizeof(j)->advice, __VA_ARGS__))

struct view {
    const struct machine *machine;
    const json_t *device;
};

static long long number(const struct view *v, const char *key)
{
    return json_get_integer(v->device, key, -1);
}

static const char *text(const struct view *v, const char *key)
{
    return json_get_text(v->device, key, "");
}

/* -1 when the driver does not say. */
static int flag(const struct view *v, const char *key)
{
    const json_t *value = json_object_get(v->device, key);
    return json_is_boolean(value) ? json_is_true(value) : -1;
}

static void judge_model(const struct view *v, struct judgement *j)
{
    char memory[UNITS_TEXT_BYTES];
    const long long bytes = number(v, "memory_bytes");
    const char *capability = text(v, "compute_capability");
    SAY(j, "%s, compute capability %s, %s", text(v, "name"), *capability ? capability : "unknown",
        bytes < 0 ? "memory unknown" : unit_format(memory, UNIT_BYTES, (double)bytes));
    if (number(v, "ordinal") < 0) {
        SAY(j, "%.200s: CUDA does not see it", text(v, "name"));
        ADVISE(j, "CUDA_VISIBLE_DEVICES, MIG or the container hides it from programs");
        j->level = CHECK_NOTE;
    } else if (*capability && strtol(capability, NULL, 10) < 8) {
        /* the first GPU is the one that `run` takes */
        j->level = number(v, "ordinal") ? CHECK_NOTE : CHECK_MISSING;
        j->stops = number(v, "ordinal") ? 0 : STOPS_RUN;
        ADVISE(j,
               "cpprof's variants need compute capability 8.0 or newer; choose another GPU with CUDA_VISIBLE_DEVICES");
    }
}

static void judge_clocks(const struct view *v, struct judgement *j)
{
    const long long sm = number(v, "sm_clock_max_mhz"), memory = number(v, "memory_clock_max_mhz");
    const long long set = number(v, "application_clock_mhz"), usual = number(v, "application_clock_default_mhz");
    if (sm < 0)
        return;
    if (set >= 0 && usual >= 0 && set != usual) {
        j->level = CHECK_NOTE;
        SAY(j, "the SM clock is set to %lld MHz instead of %lld (at most %lld)", set, usual, sm);
        ADVISE(j, "figures hold for that clock; `nvidia-smi -rac` takes the setting back");
    } else {
        SAY(j, "at most: SM %lld MHz, memory %lld MHz; no applications clock is set", sm, memory);
    }
}

static void judge_throttle(const struct view *v, struct judgement *j)
{
    static const struct {
        const char *reason, *advice;
    } table[] = {
        {"power cap", "the power limit holds the clocks down: compare variants under the same limit and temperature"},
        {"hardware slowdown", "the board slows itself down: look at its power supply and cooling"},
        {"hardware thermal slowdown", "the GPU is too hot: look at its cooling, and wait before you measure"},
        {"software thermal slowdown", "the GPU is too hot: look at its cooling, and wait before you measure"},
        {"power brake", "the chassis asks for less power: look at its power supply"},
        {"sync boost", "the clocks of several GPUs are tied together: the slowest decides"},
        {"application clocks",
         "an applications or locked clock holds the clocks: `nvidia-smi -rac` and `-rgc` take it back"},
    };
    const char *reasons = text(v, "throttle_reasons");
    if (!*reasons || !strcmp(reasons, "unknown"))
        return;
    SAY(j, "%s", !strcmp(reasons, "idle") ? "none (the GPU is idle)" : reasons);
    for (size_t i = 0; i < COUNT_OF(table) && j->level == CHECK_OK; i++)
        if (strstr(reasons, table[i].reason)) {
            j->level = CHECK_NOTE;
            ADVISE(j, "%s", table[i].advice);
        }
}

enum { NEAR_SLOWDOWN_C = 10 };

static void judge_temperature(const struct view *v, struct judgement *j)
{
    const long long now = number(v, "temperature_c"), limit = number(v, "slowdown_c");
    if (now < 0)
        return;
    if (limit < 0) {
        SAY(j, "%lld C", now);
    } else if (limit - now > NEAR_SLOWDOWN_C) {
        SAY(j, "well below %lld C, at which it slows down", limit);
    } else {
        j->level = CHECK_NOTE;
        SAY(j, "%lld C, close to the %lld C at which it slows down", now, limit);
        ADVISE(j, "end other work on the GPU, look at its cooling, and wait before you measure");
    }
}

static void judge_power(const struct view *v, struct judgement *j)
{
    const long long limit = number(v, "power_limit_mw"), usual = number(v, "power_limit_default_mw");
    if (limit < 0)
        return;
    SAY(j, "limit %lld W", limit / 1000);
    if (usual >= 0 && limit < usual) {
        j->level = CHECK_NOTE;
        SAY(j, "limit %lld W, by default %lld W", limit / 1000, usual / 1000);
        ADVISE(j, "kernels that draw much power will run at lower clocks; `nvidia-smi -pl %lld` takes the limit back",
               usual / 1000);
    }
}

static void judge_persistence(const struct view *v, struct judgement *j)
{
    const int on = flag(v, "persistence");
    if (on < 0)
        return;
    SAY(j, "%s", on ? "on" : "off: the driver sets the GPU up anew for each first process");
    if (!on) {
        j->level = CHECK_NOTE;
        ADVISE(j, "`nvidia-smi -pm 1` or nvidia-persistenced: processes then start faster and clocks settle earlier");
    }
}

static void judge_ecc(const struct view *v, struct judgement *j)
{
    const int on = flag(v, "ecc"), pending = flag(v, "ecc_pending");
    const long long errors = number(v, "ecc_uncorrected");
    if (on < 0)
        return;
    SAY(j, "%s", on ? "on" : "off");
    if (errors > 0) {
        j->level = CHECK_NOTE;
        SAY(j, "%s, %lld uncorrected errors since the driver was loaded", on ? "on" : "off", errors);
        ADVISE(j,
               "results may be wrong: look at `nvidia-smi -q -d ECC` and the kernel's log before you trust this GPU");
    } else if (pending >= 0 && pending != on) {
        j->level = CHECK_NOTE;
        SAY(j, "%s now, %s after the next reset", on ? "on" : "off", pending ? "on" : "off");
        ADVISE(j, "memory bandwidth may differ afterwards: reset before you measure, or compare only within one state");
    }
}

static void judge_compute_mode(const struct view *v, struct judgement *j)
{
    const char *mode = text(v, "compute_mode");
    SAY(j, "%s", mode);
    if (!strcmp(mode, "prohibited")) {
        j->level = number(v, "ordinal") ? CHECK_NOTE : CHECK_MISSING;
        j->stops = number(v, "ordinal") ? 0 : STOPS_BOTH;
        SAY(j, "prohibited: no program may use it");
        ADVISE(j, "`nvidia-smi -c DEFAULT` allows it again");
    } else if (!strncmp(mode, "exclusive", strlen("exclusive"))) {
        j->level = CHECK_NOTE;
        SAY(j, "%s: one program at a time", mode);
        ADVISE(
            j,
            "`run` starts one process at a time and works while nothing else holds the GPU; a captured program whose "
            "processes share it does not");
    }
}

static void judge_mig(const struct view *v, struct judgement *j)
{
    const int on = flag(v, "mig"), pending = flag(v, "mig_pending");
    if (on < 0)
        return;
    SAY(j, "%s", on ? "on: programs see one instance of the GPU" : "off");
    if (on) {
        j->level = CHECK_NOTE;
        ADVISE(j, "shares of peak are those of the instance, and units that instances share may have no counters; "
                  "traces work");
    } else if (pending == 1) {
        j->level = CHECK_NOTE;
        SAY(j, "off now, on after the next reset");
        ADVISE(j, "figures of before and after cannot be compared");
    }
}

static void judge_virtual(const struct view *v, struct judgement *j)
{
    const char *mode = text(v, "virtualization");
    SAY(j, "%s", mode);
    if (!strcmp(mode, "none")) {
        SAY(j, "no");
    } else if (!strcmp(mode, "passthrough")) {
        SAY(j, "passed through to this virtual machine as a whole");
    } else if (!strcmp(mode, "vgpu")) {
        j->level = CHECK_NOTE;
        SAY(j, "this is a vGPU: other machines may use the same GPU");
        ADVISE(j,
               "counters need profiling switched on for this vGPU on the host (enable_profiling); times vary with the "
               "neighbours");
    }
}

static void judge_pcie(const struct view *v, struct judgement *j)
{
    const long long width = number(v, "pcie_width"), most = number(v, "pcie_width_max");
    const long long generation = number(v, "pcie_generation_max");
    if (width < 0 || most < 0)
        return;
    SAY(j, "x%lld, generation %lld under load", width, generation);
    if (width < most) {
        j->level = CHECK_NOTE;
        SAY(j, "x%lld of x%lld", width, most);
        ADVISE(j, "copies between host and GPU get %lld/%lld of the bandwidth: look at the slot and the riser", width,
               most);
    }
}

/* "python3 (pid 4300, 8.00 GiB)"; the name is not to be had from inside a container. */
static void add_process(const struct view *v, const json_t *process, struct str *out)
{
    char path[64], name[MACHINE_LINE_BYTES] = "", memory[UNITS_TEXT_BYTES];
    const long long pid = json_get_integer(process, "pid", 0), bytes = json_get_integer(process, "memory_bytes", -1);
    snprintf(path, sizeof path, "/proc/%lld/comm", pid);
    if (pid <= 0 || !machine_line(v->machine, path, name))
        snprintf(name, sizeof name, "one");
    str_addf(out, "%s%s (pid %lld%s%s)", out->length ? ", " : "", name, pid, bytes >= 0 ? ", " : "",
             bytes >= 0 ? unit_format(memory, UNIT_BYTES, (double)bytes) : "");
}

static void judge_processes(const struct view *v, struct judgement *j)
{
    enum { NAMED_MAX = 5 };
    const json_t *processes = json_object_get(v->device, "processes");
    const size_t count = json_array_size(processes);
    if (!json_is_array(processes))
        return;
    SAY(j, "none on the GPU");
    if (!count)
        return;
    struct str names;
    str_init(&names);
    for (size_t i = 0; i < count && i < NAMED_MAX; i++)
        add_process(v, json_array_get(processes, i), &names);
    j->level = CHECK_NOTE;
    SAY(j, "%zu on the GPU: %.200s%s", count, str_text(&names), count > NAMED_MAX ? ", ..." : "");
    ADVISE(j, "they share its units and its memory: end them before you measure, or measure on another GPU");
    str_release(&names);
}

static const struct {
    const char *name;
    void (*judge)(const struct view *v, struct judgement *j);
} checks[] = {
    {"GPU", judge_model},
    {"clocks", judge_clocks},
    {"clock reductions", judge_throttle},
    {"temperature", judge_temperature},
    {"power", judge_power},
    {"persistence mode", judge_persistence},
    {"ECC", judge_ecc},
    {"compute mode", judge_compute_mode},
    {"MIG", judge_mig},
    {"virtual GPU", judge_virtual},
    {"PCIe", judge_pcie},
    {"other processes", judge_processes},
};

/* "GPU 0, 2-7: " of those with the same judgement; "" when that is all. */
static void add_members(struct str *out, const struct judgement *all, size_t count, size_t first)
{
    size_t alike = 0;
    for (size_t i = 0; i < count; i++)
        alike += !strcmp(all[i].found, all[first].found);
    if (alike == count)
        return;
    str_add(out, "GPU ");
    for (size_t i = first, shown = 0; i < count; i++) {
        if (strcmp(all[i].found, all[first].found))
            continue;
        size_t last = i;
        while (last + 1 < count && !strcmp(all[last + 1].found, all[first].found))
            last++;
        str_addf(out, last > i ? "%s%zu-%zu" : "%s%zu", shown++ ? ", " : "", i, last);
        i = last;
    }
    str_add(out, ": ");
}

static void add_judgement(struct checkup *c, const char *name, const char *members, const struct judgement *j)
{
    if (j->level == CHECK_MISSING)
        checkup_missing(c, name, j->stops, "%s%s", members, j->found);
    else if (j->level == CHECK_NOTE)
        checkup_note(c, name, "%s%s", members, j->found);
    else
        checkup_ok(c, name, "%s%s", members, j->found);
    if (*j->advice)
        checkup_advise(c, "%s", j->advice);
}

/* One item for each judgement that differs. */
static void report(struct checkup *c, const char *name, const struct judgement *all, size_t count)
{
    struct str members;
    str_init(&members);
    for (size_t i = 0; i < count; i++) {
        bool is_said = !*all[i].found;
        for (size_t k = 0; k < i && !is_said; k++)
            is_said = !strcmp(all[k].found, all[i].found);
        if (is_said)
            continue;
        str_clear(&members);
        add_members(&members, all, count, i);
        add_judgement(c, name, str_text(&members), &all[i]);
    }
    str_release(&members);
}

/* What to write into CPPROF_CUDA_CODE for a GPU: "90a" of 9.0. From 9.0 on code with an `a` has all instructions. */
static void name_code(const json_t *devices, long long ordinal, char code[static 16])
{
    size_t i;
    json_t *device;
    (void)snprintf(code, 16, "its own");
    json_array_foreach (devices, i, device) {
        char *end;
        const char *capability = json_get_text(device, "compute_capability", "");
        const long major = strtol(capability, &end, 10), minor = *end == '.' ? strtol(end + 1, NULL, 10) : -1;
        if (json_get_integer(device, "ordinal", -1) == ordinal && major > 0 && major < 100 && minor >= 0 && minor < 10)
            (void)snprintf(code, 16, "%ld%ld%s", major, minor, major >= 9 ? "a" : "");
    }
}

/* Older runners do not say. */
static void check_code(const struct doctor_input *in, struct checkup *c)
{
    const json_t *code = json_object_get(in->probe, "code");
    const char *built = json_get_text(code, "built", ""), *error = json_get_text(code, "error", "");
    const long long ordinal = json_get_integer(code, "device", 0), source = json_get_integer(code, "source", 0);
    char wanted[16];
    name_code(json_object_get(in->probe, "devices"), ordinal, wanted);
    if (*error) {
        checkup_missing(c, "code of kernels", STOPS_RUN, "%s", error);
        checkup_advise(c, "build with all in CPPROF_CUDA_CODE, or with %s", wanted);
    } else if (source > 0 && json_is_true(json_object_get(code, "made_by_jit"))) {
        checkup_note(c, "code of kernels", "%s: GPU %lld runs code that the driver makes from PTX of %lld.%lld", built,
                     ordinal, source / 10, source % 10);
        checkup_advise(c, "variants that need newer instructions are left out: build with %s in CPPROF_CUDA_CODE",
                       wanted);
    } else if (source > 0) {
        checkup_ok(c, "code of kernels", "%s: GPU %lld runs code compiled for %lld.%lld", built, ordinal, source / 10,
                   source % 10);
    }
}

void check_gpus(const struct doctor_input *in, struct checkup *c)
{
    const json_t *devices = json_object_get(in->probe, "devices"), *nvml = json_object_get(in->probe, "nvml");
    const size_t count = json_array_size(devices);
    struct judgement *all = count ? calloc(count, sizeof *all) : NULL;
    c->failed |= count && !all;
    for (size_t i = 0; all && i < COUNT_OF(checks); i++) {
        memset(all, 0, count * sizeof *all);
        for (size_t k = 0; k < count; k++)
            checks[i].judge(&(struct view){in->machine, json_array_get(devices, k)}, &all[k]);
        report(c, checks[i].name, all, count);
    }
    free(all);
    check_code(in, c);
    if (count && *json_get_text(nvml, "error", "")) {
        checkup_note(c, "NVML", "%s", json_get_text(nvml, "error", ""));
        checkup_advise(c, "clocks, temperature, power and other processes are unknown here and in reports: install the "
                          "driver's libnvidia-ml.so.1 (in a container: NVIDIA_DRIVER_CAPABILITIES with 'utility')");
    }
}
