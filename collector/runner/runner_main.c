/* cpprof-runner: the CUDA half of cpprof. cpprof starts it once per sample block, and it leaves its results in the run
 * directory. */
#define _GNU_SOURCE
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "collector/runner/pool_cases.h"
#include "collector/runner/runner.h"
#include "core/base/array.h"
#include "core/base/clock.h"
#include "core/base/files.h"
#include "core/base/str.h"
#include "core/base/utf8.h"

static const struct runner_role roles[] = {
    {"list", "which variants are there?", false, false, false, role_list},
    {"metrics", "which counters does a chip have?", false, false, false, role_metrics},
    {"probe", "what works on this machine?", false, false, false, role_probe},
    {"plan", "what will be run, and can it be?", true, false, false, role_plan},
    {"verify", "is every variant right?", true, false, false, role_verify},
    {"time", "how long does each arm take?", true, false, false, role_time},
    {"trace", "what is launched, and when?", true, true, false, role_trace},
    {"count", "what do the counters say?", true, true, true, role_count},
    {"sample", "where in the code does the time go?", true, true, false, role_sample},
    {"ceilings", "what can this GPU do at most?", true, false, false, role_ceilings},
    {"peers", "what do the links between the GPUs carry?", true, false, false, role_peers},
    {"inside", "when was which phase inside the kernel?", true, false, false, role_inside},
    {"progress", "does each launch end, and where are its warps if not?", true, true, false, role_progress},
    {"stress", "is it right every time, beside others?", true, false, false, role_stress},
    {"series", "what do the GPU's units do during a launch?", true, false, false, role_series},
};

enum {
    OPT_DIR = 256,
    OPT_INDEX,
    OPT_LOAD,
    OPT_VARIANT,
    OPT_BASELINE,
    OPT_SHAPE,
    OPT_SET,
    OPT_SEED,
    OPT_METRIC,
    OPT_ITERS,
    OPT_WARMUP,
    OPT_DEVICE,
    OPT_FLIP,
    OPT_SCHEDULE,
    OPT_ARM,
    OPT_ROUND,
    OPT_CACHE,
    OPT_METHOD,
    OPT_SHARE,
    OPT_POOL,
    OPT_PLANT,
    OPT_REPEATS,
    OPT_CHIP,
    OPT_INSIDE,
    OPT_PROGRESS,
    OPT_DOSE,
    OPT_PHASE
};

static const struct argp_option options[] = {
    {"dir", OPT_DIR, "DIR", 0, "run directory to write into", 0},
    {"index", OPT_INDEX, "N", 0, "which process of its role this is", 0},
    {"load", OPT_LOAD, "LIBRARY", 0,
     "a library of further variants, of a task, or NAME=LIBRARY of a solution; may be repeated", 0},
    {"variant", OPT_VARIANT, "NAME", 0, "variant or glob; may be repeated", 0},
    {"baseline", OPT_BASELINE, "NAME", 0, "the variant that the others are compared with", 0},
    {"shape", OPT_SHAPE, "SHAPE", 0, "shape name or n=VALUE; may be repeated", 0},
    {"set", OPT_SET, "NAME=V[,V...]", 0, "parameter values; may be repeated", 0},
    {"seed", OPT_SEED, "N", 0, "input seed; may be repeated", 0},
    {"metric", OPT_METRIC, "NAME", 0, "counter or set to collect instead of the set bound; may be repeated", 0},
    {"repeats", OPT_REPEATS, "N", 0, "how often the counters of each case are read", 0},
    {"chip", OPT_CHIP, "CHIP", 0, "whose counters to list, as in gh100 (default: the device's)", 0},
    {"iters", OPT_ITERS, "N", 0, "timed samples per arm", 0},
    {"warmup", OPT_WARMUP, "N", 0, "launches before timing", 0},
    {"device", OPT_DEVICE, "N", 0, "CUDA device ordinal", 0},
    {"flip", OPT_FLIP, NULL, 0, "reverse the order of the arms", 0},
    {"schedule", OPT_SCHEDULE, "ORDER", 0, "abba, process (with --arm) or sequential", 0},
    {"arm", OPT_ARM, "N", 0, "which arm of each group this process times", 0},
    {"round", OPT_ROUND, "N", 0, "how often the schedule was gone through before; chooses the seed", 0},
    {"cache", OPT_CACHE, "STATE", 0, "hot, cold or both: the L2 cache before each timed launch", 0},
    {"method", OPT_METHOD, "METHOD", 0, "auto, single or graphs: the launches of a hot sample", 0},
    {"share", OPT_SHARE, "I/N", 0, "only every Nth group of arms, from the Ith on", 0},
    {"pool", OPT_POOL, NULL, 0, "time every case twice; leave one row per arm, its median", 0},
    {"plant", OPT_PLANT, "SHAPE=PPM[,PPM...]", 0,
     "in a pool: further arms, slower by so many millionths; may be repeated", 0},
    {"inside", OPT_INSIDE, NULL, 0, "with each variant its build that records", 0},
    {"progress", OPT_PROGRESS, "SECONDS", 0,
     "with each variant its build whose progress can be read, and how long a launch of it may take", 0},
    {"dose", OPT_DOSE, "CYCLES", 0, "with each variant its builds in which a mark waits so long; may be repeated", 0},
    {"phase", OPT_PHASE, "NAME", 0, "of those builds only the marks of this phase or role; may be repeated", 0},
    {0},
};

static int add_text(struct text_list *list, const char *text)
{
    const char **slot = ARRAY_PUSH(list);
    if (!slot)
        return ENOMEM;
    *slot = text;
    return 0;
}

static int parse_number(struct argp_state *state, const char *text, int64_t *out)
{
    char *end;
    long long value = strtoll(text, &end, 10);
    if (end == text || *end || value < 0)
        argp_error(state, "'%s': expected a whole number", text);
    *out = value;
    return 0;
}

static void parse_cache(struct argp_state *state, struct runner *r, const char *text)
{
    const bool both = !strcmp(text, "both");
    r->hot = both || !strcmp(text, "hot");
    r->cold = both || !strcmp(text, "cold");
    if (!r->hot && !r->cold)
        argp_error(state, "'%s': expected hot, cold or both", text);
}

static void parse_share(struct argp_state *state, struct runner *r, const char *text)
{
    long long share, shares;
    int used = 0;
    if (sscanf(text, "%lld/%lld%n", &share, &shares, &used) != 2 || text[used] || share < 0 || share >= shares)
        argp_error(state, "'%s': expected I/N, I below N", text);
    r->share = share;
    r->shares = shares;
}

static int add_dose(struct argp_state *state, struct inside_request *inside, int64_t cycles)
{
    if (cycles > INSIDE_DOSE_CYCLES_MAX || inside->dose_count == INSIDE_DOSES_MAX)
        argp_error(state, "at most %d doses of at most %d cycles", INSIDE_DOSES_MAX, INSIDE_DOSE_CYCLES_MAX);
    inside->doses[inside->dose_count++] = (int32_t)cycles;
    return 0;
}

static int parse_option(int key, char *arg, struct argp_state *state)
{
    struct runner *r = state->input;
    int64_t number = 0;
    switch (key) {
    case OPT_DIR: r->directory = arg; return 0;
    case OPT_INDEX: return parse_number(state, arg, &r->index);
    case OPT_LOAD: return add_text(&r->loads, arg);
    case OPT_VARIANT: return add_text(&r->variants, arg);
    case OPT_BASELINE: r->baseline = arg; return 0;
    case OPT_SHAPE: return add_text(&r->shapes, arg);
    case OPT_SET: return add_text(&r->sets, arg);
    case OPT_SEED: return add_text(&r->seeds, arg);
    case OPT_METRIC: return add_text(&r->metrics, arg);
    case OPT_CHIP: r->chip = arg; return 0;
    case OPT_ITERS: return parse_number(state, arg, &r->iterations);
    case OPT_REPEATS: return parse_number(state, arg, &r->repeats);
    case OPT_WARMUP: return parse_number(state, arg, &r->warmup);
    case OPT_DEVICE:
        parse_number(state, arg, &number);
        r->device_ordinal = (int)number;
        return 0;
    case OPT_FLIP: r->flip = true; return 0;
    case OPT_SCHEDULE:
        if (!schedule_parse(arg, &r->schedule))
            argp_error(state, "'%s': expected abba, process or sequential", arg);
        return 0;
    case OPT_ARM: return parse_number(state, arg, &r->arm);
    case OPT_ROUND: return parse_number(state, arg, &r->round);
    case OPT_CACHE: parse_cache(state, r, arg); return 0;
    case OPT_METHOD:
        if (!batch_method_parse(arg, &r->method))
            argp_error(state, "'%s': expected auto, single or graphs", arg);
        return 0;
    case OPT_SHARE: parse_share(state, r, arg); return 0;
    case OPT_POOL: r->pool = true; return 0;
    case OPT_PLANT: return add_text(&r->plants, arg);
    case OPT_INSIDE: r->inside.records = true; return 0;
    case OPT_PROGRESS: r->inside.progress = true; return parse_number(state, arg, &r->progress_s);
    case OPT_DOSE: parse_number(state, arg, &number); return add_dose(state, &r->inside, number);
    case OPT_PHASE: return add_text(&r->phases, arg);
    case ARGP_KEY_ARG:
        if (r->role)
            argp_error(state, "one role at a time");
        r->role = arg;
        return 0;
    case ARGP_KEY_END:
        if (!r->role || !r->directory)
            argp_error(state, "a role and --dir are needed");
        if (r->round < 0)
            r->round = r->index;
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static const struct runner_role *find_role(const char *name)
{
    for (size_t i = 0; i < sizeof roles / sizeof roles[0]; i++)
        if (!strcmp(roles[i].name, name))
            return &roles[i];
    return NULL;
}

/* Done before a device or CUPTI is opened, so that an unusable library is reported on any machine. */
static int fill_catalogue(struct runner *r, struct err *e)
{
    int rc = catalogue_add_built_in(&r->catalogue, e);
    if (!rc)
        rc = catalogue_load_all(&r->catalogue, r->loads.items, r->loads.count, e);
    const struct catalogue_entry *baseline = rc || !r->baseline ? NULL : catalogue_find(&r->catalogue, r->baseline);
    if (baseline)
        r->baseline = baseline->variant->name; /* a solution may be named without its task */
    return rc;
}

/* Only where they are asked for: a library that nobody needs is not loaded into a process that times. */
static int add_builds(struct runner *r, struct err *e)
{
    struct inside_request *inside = &r->inside;
    inside->phases = r->phases.items;
    inside->phase_count = r->phases.count;
    if (!inside->records && !inside->progress && !inside->dose_count)
        return 0;
    int rc = inside_builds_of_built_in(&r->catalogue, inside, e);
    for (size_t i = 0; i < r->loads.count && !rc; i++)
        rc = inside_builds_of_library(&r->catalogue, r->loads.items[i], inside, e);
    return rc;
}

static int expand_cases(struct runner *r, struct err *e)
{
    const bool with_builds = r->inside.records || r->inside.progress || r->inside.dose_count;
    struct case_request request = {&r->catalogue,   r->variants.items, r->variants.count, r->baseline, r->shapes.items,
                                   r->shapes.count, r->sets.items,     r->sets.count,     with_builds};
    int rc = case_list_expand(&r->cases, &request, e);
    if (!rc && r->pool)
        rc = case_list_make_pool(&r->cases, &(struct plant_request){r->plants.items, r->plants.count}, e);
    if (!rc)
        case_list_keep_share(&r->cases, (size_t)r->share, (size_t)r->shares);
    return rc;
}

static int write_tables(struct runner *r, struct err *e)
{
    struct str path;
    str_init(&path);
    int rc = 0;
    for (int i = 0; i < BUNDLE_TABLE_COUNT && !rc; i++)
        if (table_rows(&r->tables[i]))
            rc = table_append_csv(&r->tables[i], files_join(&path, r->directory, bundle_table_file(i)), e);
    str_release(&path);
    return rc;
}

static bool is_shared(const struct runner *r, int device)
{
    char refusal[160];
    for (size_t i = 0; i < r->cases.count; i++)
        if (run_case_shares(&r->cases.items[i], device) &&
            !runner_refusal(r, &r->cases.items[i], refusal, sizeof refusal))
            return true;
    return false;
}

/* Describes the GPU of the process and the other GPUs that its variants run on, as far as CUDA knows them. */
static int describe_devices(struct runner *r, struct err *e)
{
    json_t *others = json_array();
    const int rc = device_describe(&r->device, r->report, e);
    for (int device = 0; device < CASE_DEVICES_MAX && !rc; device++)
        if (device != r->device.ordinal && is_shared(r, device))
            device_describe_other(device, others);
    if (json_array_size(others))
        json_object_set(r->report, "other_gpus", others);
    json_decref(others);
    return rc;
}

static int write_report(struct runner *r, struct err *e)
{
    int rc = r->device.stream && !r->is_stuck ? describe_devices(r, e) : 0; /* which may wait for the GPU */
    json_object_set_new(r->report, "wall_ns", json_integer(clock_now_ns() - r->start_ns));
    struct str path;
    str_init(&path);
    str_addf(&path, "%s/process-%s-%lld.json", r->directory, r->role, (long long)r->index);
    if (!rc)
        rc = json_write_file(str_text(&path), r->report, e);
    str_release(&path);
    return rc;
}

/* Results from before a failure are kept: tables and report are written in any case. */
static int run_role(struct runner *r, const struct runner_role *role, struct err *e)
{
    int rc = fill_catalogue(r, e);
    if (!rc)
        rc = add_builds(r, e);
    if (!rc && r->variants.count)
        rc = expand_cases(r, e);
    if (rc)
        return rc;
    if (role->needs_gpu && !role->before_cuda)
        rc = runner_open_device(r, e);
    if (!rc)
        rc = role->run(r, e);
    int written = write_tables(r, rc ? NULL : e);
    if (!written)
        written = write_report(r, rc ? NULL : e);
    return rc ? rc : written;
}

static void release(struct runner *r)
{
    for (int i = 0; i < BUNDLE_TABLE_COUNT; i++)
        table_release(&r->tables[i]);
    case_list_release(&r->cases);
    catalogue_release(&r->catalogue);
    json_decref(r->report);
    free(r->loads.items);
    free(r->variants.items);
    free(r->shapes.items);
    free(r->sets.items);
    free(r->seeds.items);
    free(r->metrics.items);
    free(r->plants.items);
    free(r->phases.items);
}

static void print_error(const struct err *e)
{
    struct str visible;
    str_init(&visible);
    utf8_add_visible(&visible, e->text, strlen(e->text));
    fprintf(stderr, "%s\n", str_text(&visible));
    str_release(&visible);
}

/* A sanitizer reports leaks when a process ends normally. */
#ifdef __SANITIZE_ADDRESS__
enum { IS_SANITIZED = true };
#else
enum { IS_SANITIZED = false };
#endif

/* CUDA and CUPTI take 100 ms when a process ends normally, and the kernel frees everything anyway. */
static _Noreturn void leave(int status)
{
    fflush(NULL);
    _exit(status);
}

static void print_unknown_role(const char *name)
{
    fprintf(stderr, "unknown role '%s':", name);
    for (size_t i = 0; i < sizeof roles / sizeof roles[0]; i++)
        fprintf(stderr, " %s", roles[i].name);
    fputc('\n', stderr);
}

int main(int argc, char **argv)
{
    static const struct argp parser = {
        .options = options,
        .parser = parse_option,
        .args_doc = "ROLE",
        .doc = "Runs kernel variants for cpprof. Without a known ROLE it says which there are.",
    };
    argp_err_exit_status = EXIT_USAGE;
    struct runner r = {.iterations = 100,
                       .warmup = 10,
                       .repeats = 1,
                       .round = -1,
                       .hot = true,
                       .shares = 1,
                       .start_ns = clock_now_ns()};
    if (argp_parse(&parser, argc, argv, 0, NULL, &r))
        return EXIT_USAGE;
    const struct runner_role *role = find_role(r.role);
    if (!role) {
        print_unknown_role(r.role);
        return EXIT_USAGE;
    }
    for (int i = 0; i < BUNDLE_TABLE_COUNT; i++)
        bundle_table_init(&r.tables[i], i);
    r.report = json_pack("{s:s,s:I}", "role", r.role, "index", (json_int_t)r.index);
    struct err e = {0};
    int rc = run_role(&r, role, &e);
    if (rc)
        print_error(&e);
    /* Users' libraries may need to run their own code at the end. When a GPU is stuck a normal end would never
     * return. */
    const bool may_leave = r.loads.count == 0;
    release(&r);
    if (r.is_stuck || (role->leaves_at_once && !IS_SANITIZED && may_leave))
        leave(err_exit_status(rc));
    return err_exit_status(rc);
}
