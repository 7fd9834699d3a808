/* Which counters does a chip have, and does it have the requested ones? -> chip.json. With --chip no GPU is needed. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "collector/profiler/counter_host.h"
#include "collector/runner/runner.h"
#include "core/base/files.h"
#include "core/base/str.h"
#include "core/gpu/metric_choice.h"
#include "core/gpu/metric_sets.h"

enum { CHIP_BYTES = 32, NAME_BYTES = 256, NEAR_MAX = 3 };

/* The endings of CUPTI's names, by kind; the first one is the plainest. */
static const struct {
    CUpti_MetricType type;
    const char *name;
    const char *ending;
} kinds[] = {
    {CUPTI_METRIC_TYPE_COUNTER, "counter", ".sum"},
    {CUPTI_METRIC_TYPE_RATIO, "ratio", ".ratio"},
    {CUPTI_METRIC_TYPE_THROUGHPUT, "throughput", ".avg.pct_of_peak_sustained_elapsed"},
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

/* CUPTI opens its library of chips with RTLD_DEEPBIND, at which AddressSanitizer ends the process. */
#ifdef __SANITIZE_ADDRESS__
enum { IS_SANITIZED = true };
#else
enum { IS_SANITIZED = false };
#endif

/* The names of each kind without endings; owned by CUPTI. */
struct base_names {
    const char **items;
    size_t count;
};

/* Called once for each host: when it is asked again, CUPTI 13.0 appends all names once more. */
static int read_base_names(const struct counter_host *h, struct base_names out[static KINDS], struct err *e)
{
    for (size_t k = 0; k < KINDS; k++) {
        CUpti_Profiler_Host_GetBaseMetrics_Params p = {.structSize =
                                                           CUpti_Profiler_Host_GetBaseMetrics_Params_STRUCT_SIZE};
        p.pHostObject = h->object;
        p.metricType = kinds[k].type;
        const CUptiResult result = h->api->cuptiProfilerHostGetBaseMetrics(&p);
        if (result)
            return cupti_error(h->api, result, "list the chip's counters", e);
        out[k] = (struct base_names){p.ppMetricNames, p.numMetrics};
    }
    return 0;
}

/* Writes the name in capitals, as CUPTI does. */
static int choose_chip(struct runner *r, const struct cupti_api *api, char chip[static CHIP_BYTES], struct err *e)
{
    if (r->chip) {
        snprintf(chip, CHIP_BYTES, "%s", r->chip);
        for (char *c = chip; *c; c++)
            *c = (char)toupper((unsigned char)*c);
        return 0;
    }
    int rc = runner_open_device(r, e);
    if (rc)
        return rc;
    const char *name = NULL;
    rc = counter_host_chip(api, r->device.ordinal, &name, e);
    if (rc)
        return rc;
    snprintf(chip, CHIP_BYTES, "%s", name);
    return 0;
}

/* CUPTI itself refuses a chip with just a number. A chip that nobody asked for is the machine's. */
static int check_chip(const struct runner *r, const struct cupti_api *api, const char *chip, struct err *e)
{
    CUpti_Profiler_Host_GetSupportedChips_Params p = {.structSize =
                                                          CUpti_Profiler_Host_GetSupportedChips_Params_STRUCT_SIZE};
    const CUptiResult result = api->cuptiProfilerHostGetSupportedChips(&p);
    if (result)
        return cupti_error(api, result, "list the chips", e);
    struct str names;
    str_init(&names);
    bool known = false;
    for (size_t i = 0; i < p.numChips; i++) {
        known |= !strcmp(p.ppChipNames[i], chip);
        str_addf(&names, " %s", p.ppChipNames[i]);
    }
    const int code = r->chip ? ERR_USAGE : ERR_ENVIRONMENT;
    const int rc = known ? 0 : err_set(e, code, "this CUPTI knows no chip '%s', but%s", chip, str_text(&names));
    str_release(&names);
    return rc;
}

/* Lists our counters by id, with the names that the chip has for them. */
static json_t *list_ours(const struct counter_host *h)
{
    json_t *known = json_object();
    size_t count;
    const struct metric *metrics = metrics_known(&count);
    const char *name;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; (name = metric_name(&metrics[i], k)); k++)
            if (counter_host_knows(h, name))
                json_object_set_new(known, metrics[i].id, json_string(name));
    return known;
}

/* Adds the name's own ending if the result exists, else that of its kind. */
static bool complete(const struct counter_host *h, const char *base, const char *ending, const char *kinds_ending,
                     char whole[static NAME_BYTES])
{
    snprintf(whole, NAME_BYTES, "%s%s", base, ending);
    if (*ending && counter_host_knows(h, whole))
        return true;
    snprintf(whole, NAME_BYTES, "%s%s", base, kinds_ending);
    return counter_host_knows(h, whole);
}

/* Each gets the plainest ending of its kind that exists. */
static int list_counters(const struct counter_host *h, const struct base_names names[static KINDS], json_t *out,
                         struct err *e)
{
    for (size_t k = 0; k < KINDS; k++)
        for (size_t i = 0; i < names[k].count; i++) {
            const char *base = names[k].items[i], *meaning = counter_host_describe(h, base);
            char whole[NAME_BYTES];
            const bool has_ending = complete(h, base, kinds[k].ending, ".pct", whole);
            json_t *one = json_pack("{s:s,s:s,s:s}", "name", has_ending ? whole : base, "kind", kinds[k].name,
                                    "meaning", meaning ? meaning : "");
            if (json_array_append_new(out, one))
                return err_memory(e);
        }
    return 0;
}

/* Adds names of the chip that resemble an unknown one, the nearest first. */
static int add_near(const struct counter_host *h, const struct base_names names[static KINDS], const char *name,
                    json_t *near, struct err *e)
{
    char base[NAME_BYTES], whole[NAME_BYTES];
    snprintf(base, sizeof base, "%.*s", (int)strcspn(name, "."), name);
    const size_t limit = strlen(base) / 4;
    for (size_t distance = 0; distance <= limit; distance++)
        for (size_t k = 0; k < KINDS; k++)
            for (size_t i = 0; i < names[k].count && json_array_size(near) < NEAR_MAX; i++)
                if (metric_word_distance(base, names[k].items[i], limit) == distance &&
                    complete(h, names[k].items[i], name + strlen(base), kinds[k].ending, whole) &&
                    json_array_append_new(near, json_string(whole)))
                    return err_memory(e);
    return 0;
}

/* A counter of ours is known when the chip has it under any of its names. */
static bool knows(const struct counter_host *h, const char *name)
{
    const struct metric *ours = metric_by_name(name);
    const char *other;
    for (size_t i = 0; ours && (other = metric_name(ours, i)); i++)
        if (counter_host_knows(h, other))
            return true;
    return counter_host_knows(h, name);
}

static int check_asked(const struct runner *r, const struct counter_host *h,
                       const struct base_names names[static KINDS], json_t *unknown, struct err *e)
{
    struct metric_choice choice = {0};
    int rc = 0;
    for (size_t i = 0; i < r->metrics.count && !rc; i++)
        rc = metric_choice_add(&choice, r->metrics.items[i], e);
    for (size_t i = 0; i < choice.count && !rc; i++) {
        if (!choice.items[i].asked_for || knows(h, choice.items[i].name))
            continue;
        json_t *near = json_array();
        rc = add_near(h, names, choice.items[i].name, near, e);
        if (json_array_append_new(unknown, json_pack("{s:s,s:o}", "name", choice.items[i].name, "near", near)) && !rc)
            rc = err_memory(e);
    }
    metric_choice_release(&choice);
    return rc;
}

int role_metrics(struct runner *r, struct err *e)
{
    struct cupti_api api;
    struct counter_host host = {0};
    struct base_names names[KINDS];
    char chip[CHIP_BYTES];
    json_t *counters = json_array(), *unknown = json_array(), *known = NULL;
    int rc = cupti_api_load_lists(&api, e);
    if (!rc && IS_SANITIZED)
        rc = err_set(e, ERR_ENVIRONMENT,
                     "this runner is a sanitizer build, which cannot load CUPTI's library of chips: use a build of the "
                     "preset release, or let CPPROF_RUNNER name its cpprof-runner");
    if (!rc)
        rc = choose_chip(r, &api, chip, e);
    if (!rc)
        rc = check_chip(r, &api, chip, e);
    if (!rc)
        rc = counter_host_open(&host, &api, chip, COUNTERS_OF_RANGES, NULL, e);
    if (!rc)
        rc = read_base_names(&host, names, e);
    if (!rc)
        rc = r->metrics.count ? check_asked(r, &host, names, unknown, e) : list_counters(&host, names, counters, e);
    if (!rc)
        known = list_ours(&host);
    counter_host_close(&host);
    struct str path;
    str_init(&path);
    json_t *answer = rc ? NULL
                        : json_pack("{s:s,s:i,s:O,s:O,s:O}", "chip", chip, "cupti", (int)api.version, "known", known,
                                    "counters", counters, "unknown", unknown);
    if (!rc)
        rc = answer ? json_write_file(files_join(&path, r->directory, "chip.json"), answer, e) : err_memory(e);
    str_release(&path);
    json_decref(answer);
    json_decref(counters);
    json_decref(unknown);
    json_decref(known);
    return rc;
}
