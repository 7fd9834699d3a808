/* cpprof run VARIANT...: run, verify, measure, explain, judge - into a bundle. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "cli/analyse.h"
#include "cli/command.h"
#include "cli/metric_words.h"
#include "cli/output.h"
#include "cli/record/messages.h"
#include "cli/record/program_bundle.h"
#include "cli/record/program_request.h"
#include "cli/record/run_bundle.h"
#include "cli/record/run_session.h"
#include "cli/sampling_options.h"
#include "cli/sweep_shapes.h"
#include "cli/tasks/trial_report.h"
#include "core/base/arena.h"
#include "core/base/array.h"
#include "core/base/count_of.h"
#include "core/base/files.h"
#include "core/base/words.h"
#include "core/gpu/metric_set_file.h"
#include "core/stats/sequential_looks.h"
#include "reports/reports.h"

enum {
    OPT_BASELINE = 256,
    OPT_SHAPE,
    OPT_SET,
    OPT_SEEDS,
    OPT_PROCESSES,
    OPT_ITERS,
    OPT_WARMUP,
    OPT_METRICS,
    OPT_DEVICE,
    OPT_METRIC_SET,
    OPT_THRESHOLDS,
    OPT_FORCE,
    OPT_FORCE_KERNEL,
    OPT_FORMAT,
    OPT_VARIANT,
    OPT_KERNELS,
    OPT_RANGE,
    OPT_TOLERANCE,
    OPT_KEEP_TRACES,
    OPT_UNVERIFIED,
    OPT_HOTSPOTS,
    OPT_COUNT_REPEATS,
    OPT_CEILINGS,
    OPT_LOAD,
    OPT_INSIDE,
    OPT_SLACK,
    OPT_DOSES,
    OPT_PROGRESS,
    OPT_TASK,
    OPT_SOLUTION,
    OPT_STRESS,
    OPT_SANITIZE,
    OPT_ISOLATE,
    ITERATIONS_MAX = 1000000,
    COUNT_REPEATS_MAX = 1000,
    DOSE_CYCLES_MAX = 1000000,
    PROGRESS_SECONDS = 5,
    PROGRESS_SECONDS_MAX = 3600,
    TEXTS_MAX = 256
};

#define DOSES_DEFAULT "100,200,400,800,1600"

static const struct argp_option options[] = {
    {"baseline", OPT_BASELINE, "VARIANT", 0, "the variant that the others are compared with", 0},
    {"load", OPT_LOAD, "LIBRARY", 0,
     "a shared library with variants of your own, which VARIANT may name too (docs/variants.md); repeatable", 0},
    {"task", OPT_TASK, "LIBRARY", 0,
     "a shared library with a task: it owns inputs, reference and tolerance, and judges solutions (docs/tasks.md)", 0},
    {"solution", OPT_SOLUTION, "NAME=LIBRARY", 0,
     "a shared library that launches a solution of the task, FILE.py:FUNCTION, or FILE.json, which describes a kernel or a function; repeatable",
     0},
    {"isolate", OPT_ISOLATE, NULL, 0,
     "run solutions as another user, who cannot reach their judge, cpprof or the bundle; needs root (docs/trust.md)",
     0},
    {"shape", OPT_SHAPE, "SHAPE", 0, "shape by name (a list with commas) or by dimensions, n=1048576; repeatable", 0},
    {"set", OPT_SET, "NAME=V[,V...]", 0, "parameter values, each combination a row; repeatable", 0},
    {"seeds", OPT_SEEDS, "N[,N...]", 0, "input seeds (default 0,1,2); a fresh one is always added and printed", 0},
    {"processes", OPT_PROCESSES, "N", 0,
     "timing processes of each arm, the unit of the comparison (default 7, at least 3)", 0},
    {"iters", OPT_ITERS, "N", 0, "samples per arm and process, of a launch or of a graph of launches (default 100)", 0},
    {"warmup", OPT_WARMUP, "N", 0, "launches before timing (default 10)", 0},
    {"metrics", OPT_METRICS, "WHAT[,WHAT]", 0,
     "sets of counters: bound (default), stalls, memory, flops, nvlink, none (expectations on counters stay open then, exit 3); "
     "ids of 'cpprof list --metrics'; CUPTI names; repeatable",
     0},
    {"metric-set", OPT_METRIC_SET, "FILE", 0,
     "the counters that FILE names, in the format of 'cpprof list --metrics --format csv'", 0},
    THRESHOLDS_OPTION(OPT_THRESHOLDS),
    {"count-repeats", OPT_COUNT_REPEATS, "N", 0,
     "read the counters of each variant so often, and judge each reading for itself (default 1)", 0},
    {"hotspots", OPT_HOTSPOTS, NULL, 0,
     "sample the program counter: the hottest source lines and instructions, and what they wait for", 0},
    {"inside", OPT_INSIDE, NULL, 0,
     "record the phases inside the kernels: each variant's build with marks that record runs beside it (docs/inside.md)",
     0},
    {"slack", OPT_SLACK, "PHASE[,PHASE]", OPTION_ARG_OPTIONAL,
     "and let marks wait, those of these phases or roles or all: how much later may each phase end for free?", 0},
    {"doses", OPT_DOSES, "CYCLES[,CYCLES]", 0, "how long they wait (default " DOSES_DEFAULT ")", 0},
    {"progress", OPT_PROGRESS, "SECONDS", OPTION_ARG_OPTIONAL,
     "first launch each variant's progress build. If it does not end within SECONDS (default 5), say which warps wait "
     "where, and measure nothing (docs/inside.md)",
     0},
    {"stress", OPT_STRESS, NULL, 0,
     "1,000 launches and more, on several streams, with new inputs, while memory is scarce; each verified; no bundle "
     "(docs/tasks.md)",
     0},
    {"sanitize", OPT_SANITIZE, NULL, 0, "verify under memcheck, racecheck, initcheck and synccheck; no bundle", 0},
    {"ceilings", OPT_CEILINGS, "FILE|measure", 0,
     "what this GPU can do at most, for bounds and roofline: measured first, or as 'doctor --ceilings -o FILE.json' found it",
     0},
    {"device", OPT_DEVICE, "N", 0, "CUDA device (default 0)", 0},
    {"output", 'o', "DIR", 0, "the bundle to write (default VARIANT.cpprof, numbered when it exists)", 0},
    {"force", OPT_FORCE, NULL, 0, "replace an existing bundle", 0},
    {"force-kernel", OPT_FORCE_KERNEL, "KERNEL", 0,
     "what a dispatcher is to choose, as CPPROF_FORCE (docs/allreduce.md)", 0},
    {"format", OPT_FORMAT, "FORMAT", 0, "of the report on standard output: " FORMATS " (default: text)", 0},
    {0, 0, NULL, 0, "Any program as a variant, timed by the GPU work that it does:", 1},
    {"variant", OPT_VARIANT, "NAME=COMMAND", 0,
     "a program and its arguments, cut into words as a shell would, without a shell; repeatable", 1},
    {"kernels", OPT_KERNELS, "[NAME=]REGEX[@SIZES]", 0,
     "measure the kernels whose demangled names match, of variant NAME alone where it is given; SIZES is a list such as "
     "grid=64x64,block=256,shared=4096",
     1},
    {"range", OPT_RANGE, "NAME", 0,
     "measure the GPU work launched while an NVTX range of this name is open; NAME@DOMAIN names its domain", 1},
    {"tolerance", OPT_TOLERANCE, "ABS[,REL]", 0,
     "by which the arrays that programs write to $CPPROF_OUTPUT may differ (default: by their type)", 1},
    {"unverified", OPT_UNVERIFIED, NULL, 0,
     "accept that nobody compares what the programs compute: then the verdict decides the exit status", 1},
    {"keep-traces", OPT_KEEP_TRACES, NULL, 0,
     "keep the trace of every process, not of the first one of each program alone", 1},
    {0},
};

struct run_options {
    struct run_request request;
    struct program_request programs; /* instead of variants of our own */
    bool keeps_defaults;             /* none of the options that are for our own alone */
    const char *output;
    const char *format;
    bool force;
    bool slack;
    char doses_default[sizeof DOSES_DEFAULT]; /* cut at its commas */
    struct run_texts swept;                   /* the shapes that --sweep makes */
    const char *threshold_file;               /* NULL: none */
    struct threshold_overrides thresholds;
    const char *metric_file; /* NULL: none */
    struct arena texts;      /* words of its metrics, names of solutions, seeds */
    bool has_solutions;
    bool has_python; /* one of them is a function of a Python file */
    /* Instead of a run: --stress or --sanitize. NULL: neither. */
    int (*trial)(const struct run_request *request, enum exit_status *status, struct err *e);
    const char *fresh_seed;
    struct str bundle_path;
};

static void add_text(struct argp_state *state, struct run_texts *texts, const char *text)
{
    if (texts->count == TEXTS_MAX)
        argp_error(state, "more than %d values for one option", TEXTS_MAX);
    const char **slot = ARRAY_PUSH(texts);
    if (slot)
        *slot = text;
    else
        argp_failure(state, EXIT_ENVIRONMENT, 0, "out of memory");
}

/* Cuts argv's own text at its commas. */
static void add_list(struct argp_state *state, struct run_texts *texts, char *text)
{
    char *rest = NULL;
    for (char *piece = strtok_r(text, ",", &rest); piece; piece = strtok_r(NULL, ",", &rest))
        add_text(state, texts, piece);
}

static void parse_count(struct argp_state *state, const char *name, const char *text, long least, long most, long *out)
{
    char *end;
    long value = strtol(text, &end, 10);
    if (end == text || *end || value < least || value > most)
        argp_error(state, "--%s %s: expected a whole number from %ld to %ld", name, text, least, most);
    *out = value;
}

static void parse_seeds(struct argp_state *state, struct run_request *q, char *text)
{
    add_list(state, &q->seeds, text);
    for (size_t i = 0; i < q->seeds.count; i++)
        if (q->seeds.items[i][strspn(q->seeds.items[i], "0123456789")])
            argp_error(state, "--seeds: '%s' is no whole number", q->seeds.items[i]);
}

static void parse_doses(struct argp_state *state, struct run_request *q, char *text)
{
    add_list(state, &q->doses, text);
    for (size_t i = 0; i < q->doses.count; i++) {
        long cycles = 0;
        parse_count(state, "doses", q->doses.items[i], 0, DOSE_CYCLES_MAX, &cycles);
    }
}

/* A refusal of a value is one of the command line. */
static void take(struct argp_state *state, int rc, const struct err *e)
{
    if (rc)
        argp_error(state, "%s", e->text);
}

static int parse_program_option(int key, char *arg, struct argp_state *state)
{
    struct program_request *q = &((struct run_options *)state->input)->programs;
    struct err e = {0};
    switch (key) {
    case OPT_VARIANT: take(state, program_request_add(q, arg, &e), &e); return 0;
    case OPT_KERNELS: take(state, program_request_kernels(q, arg, &e), &e); return 0;
    case OPT_RANGE: q->range = arg; return 0;
    case OPT_TOLERANCE: take(state, program_request_tolerance(q, arg, &e), &e); return 0;
    case OPT_KEEP_TRACES: q->keep_traces = true; return 0;
    case OPT_UNVERIFIED: q->unverified = true; return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

/* The library is one more to load, and its name one more variant. */
static void add_solution(struct argp_state *state, struct run_options *o, const char *text)
{
    const size_t length = words_name_length(text);
    if (!length || !text[length + 1])
        argp_error(state, "--solution takes NAME=LIBRARY with a name of letters, digits and ._-+, not '%s'", text);
    o->has_python = o->has_python || words_python_length(text + length + 1);
    add_text(state, &o->request.loads, text);
    const char *name = arena_printf(&o->texts, "%.*s", (int)length, text);
    if (!name)
        argp_failure(state, EXIT_ENVIRONMENT, 0, "out of memory");
    for (size_t i = 0; i < o->request.variants.count; i++)
        if (!strcmp(o->request.variants.items[i], name))
            argp_error(state, "two solutions are called '%s'", name);
    add_text(state, &o->request.variants, name);
    o->has_solutions = true;
}

static void add_library(struct argp_state *state, struct run_request *q, const char *path)
{
    if (words_name_length(path))
        argp_error(state, "--load %s: NAME=LIBRARY is a solution, named with --solution; a file of that name is ./%s",
                   path, path);
    add_text(state, &q->loads, path);
}

/* It is loaded first, wherever its option stands: its judge is started then, before any other library has run. */
static void add_task(struct argp_state *state, struct run_request *q, const char *path)
{
    if (q->task)
        argp_error(state, "--task %s: a run has one task, and '%s' is it", path, q->task);
    add_text(state, &q->loads, path);
    memmove(q->loads.items + 1, q->loads.items, (q->loads.count - 1) * sizeof *q->loads.items);
    q->loads.items[0] = q->task = path;
}

static void choose_trial(struct argp_state *state, struct run_options *o, int key)
{
    if (o->trial)
        argp_error(state, "one of --stress and --sanitize, once");
    o->trial = key == OPT_STRESS ? trial_report_stress : trial_report_sanitize;
    o->keeps_defaults = false;
}

static void check_task(struct argp_state *state, const struct run_options *o)
{
    const struct run_request *q = &o->request;
    if (o->trial && (o->output || q->inside || q->progress_seconds || q->hotspots || q->ceilings))
        argp_error(state,
                   "--stress and --sanitize measure nothing and leave no bundle: leave out -o, --inside, --slack, "
                   "--progress, --hotspots and --ceilings");
    if (o->has_python && o->trial == trial_report_sanitize)
        argp_error(state, "--sanitize is for libraries: of Python it would tell about frameworks only");
    if (o->has_solutions && !q->task)
        argp_error(state, "--solution needs --task: the library that judges it (docs/tasks.md)");
    if (q->task && !o->has_solutions)
        argp_error(state, "--task needs --solution NAME=LIBRARY: what is to be judged (docs/tasks.md)");
    if (q->isolate && !q->task)
        argp_error(state, "--isolate needs --task and --solution: only they have a judge (docs/trust.md)");
    if (q->isolate && o->trial)
        argp_error(state, "--isolate leaves a bundle that its judge wrote in, and --stress and --sanitize leave none");
    if (q->isolate && q->loads.count != q->variants.count + 1)
        argp_error(state, "--isolate is for solutions alone: leave out --load and VARIANT, which no judge looks at");
    if (q->task && (q->inside || q->progress_seconds))
        argp_error(state, "--inside, --slack and --progress are for variants: a solution has no builds with marks");
}

/* A solution that shares a process with another one can act on what it is compared with. Beside functions of Python
 * files each process has all (cli/record/solution_alone.h): it would cost time for nothing. */
static void keep_apart(struct run_options *o)
{
    struct sampling *s = &o->request.sampling;
    if (o->request.task && !o->has_python && !s->has_schedule)
        s->schedule = SCHEDULE_PROCESS;
}

/* What is for kernels of our own says nothing about programs, and the other way round. */
static void check_kinds(struct argp_state *state, const struct run_options *o)
{
    const struct run_request *q = &o->request;
    const struct program_request *programs = &o->programs;
    if (programs->count && q->variants.count)
        argp_error(state,
                   "'%s' and --variant: programs are timed by another instrument than our kernels, and durations of "
                   "different instruments are never compared",
                   q->variants.items[0]);
    if (programs->count && (q->loads.count || q->shapes.count || q->sets.count || q->seeds.count ||
                            !o->keeps_defaults || sampling_is_asked_for(&q->sampling)))
        argp_error(
            state,
            "--load, --task, --solution, --shape, --set, --seeds, --iters, --count-repeats, --ceilings, --device, --hotspots, --inside, --slack, --progress, --stress, --sanitize, --schedule, --cache, --method, --sweep, --until-width and --budget "
            "are for kernels of our own: give a program what it needs in its own command line");
    if (!programs->count && (programs->kernel_count || programs->range || programs->keep_traces ||
                             programs->unverified || !isnan(programs->tolerance.absolute)))
        argp_error(
            state,
            "--kernels, --range, --tolerance, --unverified and --keep-traces are for programs: name one with --variant");
    if (q->doses.count && !o->slack)
        argp_error(state, "--doses is for --slack");
    if (!programs->count && !q->variants.count)
        argp_error(
            state,
            "which variant? 'cpprof list' names them, with --load those of your library; --variant NAME='COMMAND' runs a program");
}

/* The runner's processes read it from their environment. */
static void force_kernel(struct argp_state *state, const char *kernel)
{
    if (!*kernel || setenv("CPPROF_FORCE", kernel, 1))
        argp_error(state, "--force-kernel KERNEL: which kernel?");
}

/* A word behind --force is no value of it; variants have a family. */
static void check_force(struct argp_state *state, const struct run_options *o)
{
    const struct run_texts *variants = &o->request.variants;
    for (size_t i = 0; o->force && i < variants->count; i++)
        if (!o->has_solutions && !strpbrk(variants->items[i], "/*?["))
            argp_error(
                state,
                "'%s' names no variant; did you mean --force-kernel %s, the kernel that a dispatcher is to choose?",
                variants->items[i], variants->items[i]);
}

static int parse_option(int key, char *arg, struct argp_state *state)
{
    struct run_options *o = state->input;
    struct run_request *q = &o->request;
    switch (key) {
    case OPT_BASELINE: q->baseline = arg; return 0;
    case OPT_LOAD: add_library(state, q, arg); return 0;
    case OPT_TASK: add_task(state, q, arg); return 0;
    case OPT_SOLUTION: add_solution(state, o, arg); return 0;
    case OPT_STRESS:
    case OPT_SANITIZE: choose_trial(state, o, key); return 0;
    case OPT_ISOLATE: q->isolate = true; return 0;
    case OPT_SHAPE: add_text(state, &q->shapes, arg); return 0;
    case OPT_SET: add_text(state, &q->sets, arg); return 0;
    case OPT_SEEDS: parse_seeds(state, q, arg); return 0;
    case OPT_PROCESSES: parse_count(state, "processes", arg, 1, ROUNDS_MAX, &q->processes); return 0;
    case OPT_ITERS:
        parse_count(state, "iters", arg, 1, ITERATIONS_MAX, &q->iterations);
        o->keeps_defaults = false;
        return 0;
    case OPT_WARMUP: parse_count(state, "warmup", arg, 0, ITERATIONS_MAX, &q->warmup); return 0;
    case OPT_METRICS: add_list(state, &q->metrics, arg); return 0;
    case OPT_METRIC_SET: o->metric_file = arg; return 0;
    case OPT_THRESHOLDS: o->threshold_file = arg; return 0;
    case OPT_CEILINGS:
        q->ceilings = arg;
        o->keeps_defaults = false;
        return 0;
    case OPT_COUNT_REPEATS:
        parse_count(state, "count-repeats", arg, 1, COUNT_REPEATS_MAX, &q->count_repeats);
        o->keeps_defaults = false;
        return 0;
    case OPT_HOTSPOTS:
        q->hotspots = true;
        o->keeps_defaults = false;
        return 0;
    case OPT_INSIDE:
        q->inside = true;
        o->keeps_defaults = false;
        return 0;
    case OPT_SLACK:
        q->inside = o->slack = true;
        o->keeps_defaults = false;
        if (arg)
            add_list(state, &q->phases, arg);
        return 0;
    case OPT_DOSES: parse_doses(state, q, arg); return 0;
    case OPT_PROGRESS:
        q->progress_seconds = PROGRESS_SECONDS;
        o->keeps_defaults = false;
        if (arg)
            parse_count(state, "progress", arg, 1, PROGRESS_SECONDS_MAX, &q->progress_seconds);
        return 0;
    case OPT_DEVICE:
        parse_count(state, "device", arg, 0, 1023, &q->device);
        o->keeps_defaults = false;
        return 0;
    case OPT_FORCE: o->force = true; return 0;
    case OPT_FORCE_KERNEL: force_kernel(state, arg); return 0;
    case OPT_FORMAT: o->format = arg; return 0;
    case 'o': o->output = arg; return 0;
    case ARGP_KEY_INIT: state->child_inputs[0] = &q->sampling; return 0;
    case ARGP_KEY_ARG: add_text(state, &q->variants, arg); return 0;
    case ARGP_KEY_END:
        check_force(state, o);
        check_task(state, o);
        check_kinds(state, o);
        keep_apart(o);
        if (o->slack && !q->doses.count)
            parse_doses(state, q, o->doses_default);
        return 0;
    default: return parse_program_option(key, arg, state);
    }
}

static const char *draw_seed(struct run_options *o)
{
    uint32_t fresh;
    if (getrandom(&fresh, sizeof fresh, 0) != sizeof fresh)
        fresh = (uint32_t)time(NULL);
    return arena_printf(&o->texts, "%" PRIu32, fresh);
}

/* Three known seeds, so that runs can be repeated, and a fresh one, so that no kernel is right only on known inputs. A
 * solution gets fresh ones alone, since each timed launch must be of inputs that it cannot know. */
static int choose_seeds(struct run_options *o, struct err *e)
{
    static const char *const known[] = {"0", "1", "2"};
    struct run_texts *seeds = &o->request.seeds;
    const size_t known_count = seeds->count ? 0 : 3;
    for (size_t i = 0; i <= known_count; i++) {
        const char **slot = ARRAY_PUSH(seeds);
        if (!slot)
            return err_memory(e);
        *slot = i < known_count && !o->has_solutions ? known[i] : draw_seed(o);
        if (!*slot)
            return err_memory(e);
    }
    o->fresh_seed = seeds->items[seeds->count - 1];
    return 0;
}

/* report.md, verdict.json and charts/ are derived: 'cpprof report' makes them again. */
static int store_derived(const struct analysed *a, const struct document *report, const char *path, struct err *e)
{
    struct str file;
    str_init(&file);
    int rc = output_sections(report, "md", files_join(&file, path, "report.md"), true, e);
    if (!rc)
        rc = output_json(json_compare(&a->analysis), files_join(&file, path, "verdict.json"), true, e);
    if (!rc)
        rc = output_pictures(report, files_join(&file, path, "charts"), true, e);
    str_release(&file);
    return rc;
}

static int show(const struct run_options *o, const char *path, enum exit_status *status, struct err *e)
{
    static const struct document_view brief = {.last = TIER_SCREEN};
    struct analysed a;
    struct document report;
    document_init(&report);
    int rc = analysed_open(&a, path, &(struct analysed_wish){.overrides = &o->thresholds}, e);
    if (rc)
        return rc;
    *status = analysis_status(&a.analysis);
    rc = report_run(&a.analysis, &report, e);
    if (!rc)
        rc = store_derived(&a, &report, path, e);
    if (!rc)
        rc = strcmp(o->format, "json") ? output_view(&report, &brief, o->format, NULL, false, e)
                                       : output_json(json_compare(&a.analysis), NULL, false, e);
    document_release(&report);
    analysed_release(&a);
    return rc;
}

/* Nothing runs before every counter that is asked for is known; what names no counter has the default set. */
static int choose_metrics(struct run_options *o, struct err *e)
{
    struct run_texts *metrics = &o->request.metrics;
    struct metric_words file = {.arena = &o->texts};
    int rc = o->metric_file ? metric_set_file_read(&file, o->metric_file, e) : 0;
    for (size_t i = 0; i < file.count && !rc; i++) {
        const char **slot = ARRAY_PUSH(metrics);
        if (slot)
            *slot = file.items[i];
        else
            rc = err_memory(e);
    }
    free(file.items);
    if (!rc)
        rc = metric_words_check(
            &(struct metric_request){metrics->items, metrics->count, o->programs.count > 0, o->request.device}, e);
    if (rc)
        return rc;
    const bool none = metrics->count == 1 && !strcmp(metrics->items[0], "none");
    o->request.counters = !none;
    if (none || (metrics->count == 1 && !strcmp(metrics->items[0], "default")))
        metrics->count = 0;
    o->programs.counters = o->request.counters;
    o->programs.metrics = metrics->items;
    o->programs.metric_count = metrics->count;
    return 0;
}

/* What the processes are asked for must be able to answer what the run is asked for. */
static int check_sampling(const struct run_request *q, struct err *e)
{
    if (q->baseline && q->processes < RATIO_PROCESSES_MIN)
        return err_set(
            e, ERR_USAGE,
            "--processes %ld: the process is the observation, and an interval over fewer than %d says nothing: every "
            "comparison would be inconclusive (docs/statistics.md)",
            q->processes, RATIO_PROCESSES_MIN);
    if (q->sampling.method == BATCH_GRAPHS && q->sampling.cache && !strcmp(q->sampling.cache, "cold"))
        return err_set(
            e, ERR_USAGE,
            "--method graphs is for hot caches, and only cold ones are asked for: of a graph only the first launch "
            "would be cold; use --cache both, or --method auto");
    if (!q->baseline && sampling_is_open_ended(&q->sampling))
        return err_set(
            e, ERR_USAGE,
            "--until-width and --budget go on until comparisons are decided: name the variant to compare with, --baseline");
    return 0;
}

/* These shapes take the place of the --shape that they are made of. */
static int expand_sweep(struct run_options *o, struct err *e)
{
    struct run_request *q = &o->request;
    if (!q->sampling.sweep)
        return 0;
    int rc = sweep_shapes(&o->swept, q->sampling.sweep, &q->shapes, e);
    free(q->shapes.items);
    q->shapes = o->swept;
    return rc;
}

static int check_options(struct run_options *o, const char *path, struct err *e)
{
    int rc = output_check_format(o->format, NULL, e);
    if (!rc)
        rc = check_sampling(&o->request, e);
    if (rc)
        return rc;
    if (files_exists(path) && !o->force)
        return err_set(e, ERR_USAGE, "'%s' exists already: choose another name with -o, or --force to replace it",
                       path);
    return o->programs.count ? program_request_check(&o->programs, e) : 0;
}

/* The bundle is named after it. */
static const char *last_variant(const struct run_options *o)
{
    return o->programs.count ? o->programs.arms[o->programs.count - 1].name
                             : o->request.variants.items[o->request.variants.count - 1];
}

/* Options that stand for both kinds of variants. */
static void share_options(struct run_options *o)
{
    o->programs.baseline = o->request.baseline;
    o->programs.processes = o->request.processes;
    o->programs.warmup = o->request.warmup;
}

/* Nothing is timed, and no bundle is left. */
static int try_out(struct run_options *o, enum exit_status *status, struct err *e)
{
    int rc = expand_sweep(o, e);
    if (!rc)
        rc = choose_seeds(o, e);
    if (!rc)
        rc = o->trial(&o->request, status, e);
    if (!rc)
        message_note("fresh seed %s", o->fresh_seed);
    return rc;
}

static int record(struct run_options *o, const struct run_texts *words, const char *path, enum exit_status *status,
                  struct err *e)
{
    const bool of_programs = o->programs.count > 0;
    int rc = check_options(o, path, e);
    if (!rc)
        rc = analyse_read_thresholds(&o->thresholds, o->threshold_file, e);
    if (!rc)
        rc = choose_metrics(o, e);
    if (!rc)
        rc = expand_sweep(o, e);
    if (!rc && !of_programs)
        rc = choose_seeds(o, e);
    if (rc)
        return rc;
    json_t *manifest = run_bundle_manifest("run", (int)words->count, words->items, &o->request.seeds);
    if (!manifest)
        return err_memory(e);
    rc = of_programs ? program_bundle_record(&o->programs, path, manifest, e)
                     : run_bundle_record(&o->request, path, manifest, e);
    json_decref(manifest);
    if (!rc)
        rc = show(o, path, status, e);
    if (!rc && of_programs)
        message_note("bundle %s, report %s/report.md", path, path);
    else if (!rc)
        message_note("fresh seed %s; bundle %s, report %s/report.md", o->fresh_seed, path, path);
    return rc;
}

int cmd_run(int argc, char **argv)
{
    static const struct argp_child children[] = {{&sampling_argp, 0, "How kernels are timed (docs/statistics.md):", 2},
                                                 {0}};
    static const struct argp parser = {
        options,
        parse_option,
        "VARIANT...\n--task LIBRARY --solution NAME=LIBRARY...\n--variant NAME=COMMAND... --kernels REGEX|--range NAME",
        "Runs kernel variants, verifies them against a float64 reference, measures and compares them, and says why. "
        "With --variant the variants are programs, compared with each other.\v"
        "Exit status: 0 when every variant ran as meant and is right, 1 when one did not, is not, or does not end (--progress), 3 when that could not "
        "be told; of programs and solutions also as 'compare' ends with their bundle (1 slower, 3 inconclusive); 2 for a wrong command line, 4 without a usable GPU.",
        children,
        output_help,
        NULL};
    struct run_options o = {.format = "text",
                            .doses_default = DOSES_DEFAULT,
                            .request = {.processes = 7, .iterations = 100, .warmup = 10, .counters = true},
                            .programs.tolerance = {NAN, NAN},
                            .keeps_defaults = true};
    str_init(&o.bundle_path);
    struct err e = {0};
    enum exit_status status = EXIT_PASS;
    struct run_texts whole = {0}; /* the command line as it was: parsing cuts lists in place */
    for (int i = 0; i < argc; i++) {
        const char **slot = ARRAY_PUSH(&whole);
        if (slot)
            *slot = strdup(argv[i]);
    }
    command_parse(&parser, argc, argv, &o);
    share_options(&o);
    const char *path = run_bundle_path(&o.bundle_path, o.output, last_variant(&o));
    const int rc = o.trial ? try_out(&o, &status, &e) : record(&o, &whole, path, &status, &e);
    for (size_t i = 0; i < whole.count; i++)
        free((char *)whole.items[i]);
    free(whole.items);
    free(o.request.loads.items);
    free(o.request.variants.items);
    if (o.swept.items)
        sweep_shapes_release(&o.swept);
    else
        free(o.request.shapes.items);
    free(o.request.sets.items);
    free(o.request.metrics.items);
    free(o.request.doses.items);
    free(o.request.phases.items);
    free(o.request.seeds.items);
    program_request_release(&o.programs);
    arena_release(&o.texts);
    str_release(&o.bundle_path);
    return rc ? message_error(&e) : (int)status;
}
