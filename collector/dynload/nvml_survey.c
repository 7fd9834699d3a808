/* What does NVML know about the GPUs of this machine? */
#define _GNU_SOURCE
#include "collector/dynload/nvml_survey.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector/dynload/loaded_library.h"
#include "collector/dynload/nvml_api.h"

enum {
    NVML_CLOCK_SM = 1,
    NVML_CLOCK_MEMORY = 2,
    NVML_TEMPERATURE_GPU = 0,
    NVML_THRESHOLD_SLOWDOWN = 1,
    NVML_THRESHOLD_GPU_MAX = 3,
    NVML_ECC_UNCORRECTED = 1,
    NVML_ECC_VOLATILE = 0,
    NVML_REMOTE_GPU = 0,
    NVML_REMOTE_UNKNOWN = 255,
    NVML_P2P_READ = 0,
    NVML_P2P_WRITE = 1,
    NVML_P2P_ATOMICS = 3,
    PROCESSES_MAX = 256,
    LINKS_MAX = 18
};

/* Calls a function of NVML if it exists. True when it succeeded. */
#define ASKED(s, function, ...) ((s)->function && !(s)->function(__VA_ARGS__))

int nvml_survey_open(struct nvml_survey *s, struct err *e)
{
    memset(s, 0, sizeof *s);
    s->library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!s->library)
        return err_set(e, ERR_ENVIRONMENT, "libnvidia-ml.so.1 was not found");
    int (*init)(void) = NULL;
    void *symbol = dlsym(s->library, "nvmlInit_v2");
    memcpy(&init, &symbol, sizeof symbol);
    if (!init || init())
        return err_set(e, ERR_ENVIRONMENT,
                       "libnvidia-ml.so.1 cannot be initialised: it and the kernel module may differ");
#define NVML_SURVEY_RESOLVE(member, name, arguments)                                                                   \
    symbol = dlsym(s->library, name);                                                                                  \
    memcpy(&s->member, &symbol, sizeof symbol);
    NVML_SURVEY_FUNCTIONS(NVML_SURVEY_RESOLVE)
#undef NVML_SURVEY_RESOLVE
    return 0;
}

static json_t *text_or_null(const char *text)
{
    return text && *text ? json_text(text) : json_null();
}

json_t *nvml_survey_system(const struct nvml_survey *s, const char *error)
{
    char version[96] = "", path[LIBRARY_PATH_BYTES] = "";
    int cuda = 0;
    if (!ASKED(s, driver_version, version, sizeof version))
        *version = '\0';
    const bool knows_cuda = ASKED(s, cuda_version, &cuda);
    if (s->library)
        loaded_library_path(s->library, path);
    return json_pack("{so so so so si}", "error", text_or_null(error), "library", text_or_null(path), "driver_version",
                     text_or_null(version), "cuda_driver", knows_cuda ? json_integer(cuda) : json_null(), "devices",
                     (int)nvml_survey_count(s));
}

unsigned nvml_survey_count(const struct nvml_survey *s)
{
    unsigned count = 0;
    return ASKED(s, count, &count) ? count : 0;
}

void *nvml_survey_by_index(const struct nvml_survey *s, unsigned index)
{
    void *device = NULL;
    return ASKED(s, by_index, index, &device) ? device : NULL;
}

void *nvml_survey_by_bus_id(const struct nvml_survey *s, const char *id)
{
    void *device = NULL;
    return ASKED(s, by_bus_id, id, &device) ? device : NULL;
}

static bool same_place(const struct nvml_pci *a, const struct nvml_pci *b)
{
    return a->domain == b->domain && a->bus == b->bus && a->device == b->device;
}

int nvml_survey_same(const struct nvml_survey *s, void *a, void *b)
{
    struct nvml_pci place_a, place_b;
    if (!a || !b)
        return 0;
    return a == b || (ASKED(s, pci, a, &place_a) && ASKED(s, pci, b, &place_b) && same_place(&place_a, &place_b));
}

/* ---- one GPU ---- */

static void set(json_t *out, const char *key, bool is_known, long long value)
{
    json_object_set_new(out, key, is_known ? json_integer(value) : json_null());
}

static void set_flag(json_t *out, const char *key, bool is_known, bool value)
{
    json_object_set_new(out, key, is_known ? json_boolean(value) : json_null());
}

/* Sets the word for a code; null when the list does not have it. */
static void set_word(json_t *out, const char *key, bool is_known, int code, const char *const *words, size_t count)
{
    const bool is_there = is_known && code >= 0 && (size_t)code < count;
    json_object_set_new(out, key, is_there ? json_string(words[code]) : json_null());
}

static void add_identity(const struct nvml_survey *s, void *device, json_t *out)
{
    char name[96] = "", uuid[96] = "", place[48] = "", capability[48] = "";
    struct nvml_pci pci;
    struct nvml_memory memory;
    int major, minor;
    if (!ASKED(s, name, device, name, sizeof name))
        *name = '\0';
    if (!ASKED(s, uuid, device, uuid, sizeof uuid))
        *uuid = '\0';
    if (ASKED(s, pci, device, &pci))
        snprintf(place, sizeof place, "%04x:%02x:%02x.0", pci.domain, pci.bus, pci.device);
    if (ASKED(s, capability, device, &major, &minor))
        snprintf(capability, sizeof capability, "%d.%d", major, minor);
    json_object_set_new(out, "name", text_or_null(name));
    json_object_set_new(out, "uuid", text_or_null(uuid));
    json_object_set_new(out, "pci", text_or_null(place));
    json_object_set_new(out, "compute_capability", text_or_null(capability));
    const bool is_known = ASKED(s, memory, device, &memory);
    set(out, "memory_bytes", is_known, is_known ? (long long)memory.total : 0);
    set(out, "memory_free_bytes", is_known, is_known ? (long long)memory.free : 0);
}

static void add_clocks(const struct nvml_survey *s, void *device, json_t *out)
{
    const struct {
        const char *key;
        int (*function)(void *device, int clock, unsigned *mhz);
        int clock;
    } clocks[] = {
        {"sm_clock_mhz", s->clock, NVML_CLOCK_SM},
        {"sm_clock_max_mhz", s->clock_max, NVML_CLOCK_SM},
        {"memory_clock_mhz", s->clock, NVML_CLOCK_MEMORY},
        {"memory_clock_max_mhz", s->clock_max, NVML_CLOCK_MEMORY},
        {"application_clock_mhz", s->clock_set, NVML_CLOCK_SM},
        {"application_clock_default_mhz", s->clock_default, NVML_CLOCK_SM},
    };
    for (size_t i = 0; i < sizeof clocks / sizeof clocks[0]; i++) {
        unsigned mhz = 0;
        const bool is_known = clocks[i].function && !clocks[i].function(device, clocks[i].clock, &mhz);
        set(out, clocks[i].key, is_known, mhz);
    }
    unsigned long long mask = 0;
    char reasons[160];
    const bool is_known = ASKED(s, throttle, device, &mask);
    set(out, "throttle_mask", is_known, (long long)mask);
    json_object_set_new(out, "throttle_reasons",
                        is_known ? json_string(nvml_throttle_text((long long)mask, reasons, sizeof reasons))
                                 : json_null());
}

static void add_heat_and_power(const struct nvml_survey *s, void *device, json_t *out)
{
    unsigned celsius = 0, limit = 0;
    const bool has_sensor = ASKED(s, temperature, device, NVML_TEMPERATURE_GPU, &celsius);
    set(out, "temperature_c", has_sensor, celsius);
    const bool is_limited = ASKED(s, threshold, device, NVML_THRESHOLD_SLOWDOWN, &limit) ||
                            ASKED(s, threshold, device, NVML_THRESHOLD_GPU_MAX, &limit);
    set(out, "slowdown_c", is_limited && limit, limit);
    const struct {
        const char *key;
        int (*function)(void *device, unsigned *milliwatt);
    } powers[] = {
        {"power_mw", s->power}, {"power_limit_mw", s->power_limit}, {"power_limit_default_mw", s->power_default}};
    for (size_t i = 0; i < sizeof powers / sizeof powers[0]; i++) {
        unsigned milliwatt = 0;
        const bool is_known = powers[i].function && !powers[i].function(device, &milliwatt);
        set(out, powers[i].key, is_known, milliwatt);
    }
}

static void add_modes(const struct nvml_survey *s, void *device, json_t *out)
{
    static const char *const compute[] = {"default", "exclusive thread", "prohibited", "exclusive process"};
    static const char *const virtual[] = {"none", "passthrough", "vgpu", "host of vgpu", "host of vsga"};
    int on = 0, mode = 0, ecc = 0, ecc_pending = 0;
    unsigned mig = 0, mig_pending = 0, generation = 0, width = 0, width_max = 0;
    unsigned long long errors = 0;
    bool is_known = ASKED(s, persistence, device, &on);
    set_flag(out, "persistence", is_known, on);
    is_known = ASKED(s, compute_mode, device, &mode);
    set_word(out, "compute_mode", is_known, mode, compute, sizeof compute / sizeof compute[0]);
    is_known = ASKED(s, ecc, device, &ecc, &ecc_pending);
    set_flag(out, "ecc", is_known, ecc);
    set_flag(out, "ecc_pending", is_known, ecc_pending);
    is_known = ASKED(s, ecc_errors, device, NVML_ECC_UNCORRECTED, NVML_ECC_VOLATILE, &errors);
    set(out, "ecc_uncorrected", is_known, (long long)errors);
    is_known = ASKED(s, mig, device, &mig, &mig_pending);
    set_flag(out, "mig", is_known, mig);
    set_flag(out, "mig_pending", is_known, mig_pending);
    is_known = ASKED(s, virtualization, device, &mode);
    set_word(out, "virtualization", is_known, mode, virtual, sizeof virtual / sizeof virtual[0]);
    is_known = ASKED(s, pcie_generation, device, &generation);
    set(out, "pcie_generation_max", is_known, generation);
    is_known = ASKED(s, pcie_width, device, &width);
    set(out, "pcie_width", is_known, width);
    is_known = ASKED(s, pcie_width_max, device, &width_max);
    set(out, "pcie_width_max", is_known, width_max);
}

/* NVML first returns how much room it needs. Returns false when it does not list the processes. */
static bool add_processes_of(int (*function)(void *, unsigned *, struct nvml_process *), void *device, const char *kind,
                             json_t *list)
{
    struct nvml_process *found = calloc(PROCESSES_MAX, sizeof *found);
    unsigned count = PROCESSES_MAX;
    const bool is_known = function && found && !function(device, &count, found);
    for (unsigned i = 0; is_known && i < count && i < PROCESSES_MAX; i++) {
        const long long bytes = (long long)found[i].memory_bytes;
        json_array_append_new(list, json_pack("{sI ss so}", "pid", (json_int_t)found[i].pid, "kind", kind,
                                              "memory_bytes", bytes >= 0 ? json_integer(bytes) : json_null()));
    }
    free(found);
    return is_known;
}

static void add_processes(const struct nvml_survey *s, void *device, json_t *out)
{
    json_t *list = json_array();
    const bool compute = add_processes_of(s->compute_processes, device, "compute", list);
    const bool graphics = add_processes_of(s->graphics_processes, device, "graphics", list);
    if (compute || graphics)
        json_object_set_new(out, "processes", list);
    else {
        json_object_set_new(out, "processes", json_null());
        json_decref(list);
    }
}

static bool link_is_active(const struct nvml_survey *s, void *device, unsigned link)
{
    int is_active = 0;
    return ASKED(s, link_state, device, link, &is_active) && is_active;
}

void nvml_survey_device(const struct nvml_survey *s, void *device, json_t *out)
{
    add_identity(s, device, out);
    add_clocks(s, device, out);
    add_heat_and_power(s, device, out);
    add_modes(s, device, out);
    add_processes(s, device, out);
    int links = 0;
    for (unsigned link = 0; link < LINKS_MAX; link++)
        links += link_is_active(s, device, link);
    set(out, "nvlinks", s->link_state != NULL, links);
}

/* ---- a pair ---- */

struct link_count {
    int direct, to_switch;
    unsigned version;
};

/* Counts the links of `a` that lead to `b`, or to a switch, which leads to all GPUs with links to one. */
static struct link_count count_links(const struct nvml_survey *s, void *a, void *b)
{
    struct link_count n = {0};
    struct nvml_pci place, end;
    const bool has_place = ASKED(s, pci, b, &place);
    for (unsigned link = 0; link < LINKS_MAX; link++) {
        int kind = NVML_REMOTE_UNKNOWN;
        if (!link_is_active(s, a, link))
            continue;
        if (s->link_version)
            s->link_version(a, link, &n.version);
        if (has_place && ASKED(s, link_remote, a, link, &end) && same_place(&place, &end))
            n.direct++;
        else if (!ASKED(s, link_remote_kind, a, link, &kind) || kind != NVML_REMOTE_GPU)
            n.to_switch++;
    }
    return n;
}

static void add_nvlinks(const struct nvml_survey *s, void *a, void *b, json_t *out)
{
    const struct link_count from_a = count_links(s, a, b), from_b = count_links(s, b, a);
    const int through = from_a.to_switch < from_b.to_switch ? from_a.to_switch : from_b.to_switch;
    const int links = from_a.direct ? from_a.direct : through;
    set(out, "nvlinks", s->link_state != NULL, links);
    set(out, "nvlink_version", links && from_a.version, from_a.version);
}

/* Returns the word of `nvidia-smi topo` for the nearest common ancestor of two GPUs. */
static const char *ancestor_word(int level)
{
    static const struct {
        int level;
        const char *word;
    } words[] = {{0, "BOARD"}, {10, "PIX"}, {20, "PXB"}, {30, "PHB"}, {40, "NODE"}, {50, "SYS"}};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (words[i].level == level)
            return words[i].word;
    return NULL;
}

void nvml_survey_pair(const struct nvml_survey *s, void *a, void *b, json_t *out)
{
    static const char *const statuses[] = {"ok",
                                           "the chipset does not support it",
                                           "the GPU does not support it",
                                           "the PCIe topology does not allow it",
                                           "switched off by a registry key",
                                           "not supported",
                                           "unknown"};
    static const struct {
        const char *key;
        int index;
    } questions[] = {{"p2p_read", NVML_P2P_READ}, {"p2p_write", NVML_P2P_WRITE}, {"p2p_atomics", NVML_P2P_ATOMICS}};
    int level = -1;
    const char *word = a && b && ASKED(s, ancestor, a, b, &level) ? ancestor_word(level) : NULL;
    json_object_set_new(out, "topology", text_or_null(word));
    for (size_t i = 0; i < sizeof questions / sizeof questions[0]; i++) {
        int status = -1;
        const bool is_known = a && b && ASKED(s, peer_status, a, b, questions[i].index, &status);
        set_word(out, questions[i].key, is_known, status, statuses, sizeof statuses / sizeof statuses[0]);
    }
    if (a && b)
        add_nvlinks(s, a, b, out);
}
