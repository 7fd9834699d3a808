/* cpprof aa VARIANT... | POOL: the same thing against itself. May this machine's verdicts be believed? */
#define _GNU_SOURCE
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/input_kind.h"
#include "cli/judged_aa_pool.h"
#include "cli/output.h"
#include "cli/record/messages.h"
#include "cli/record/run_bundle.h"
#include "core/base/array.h"
#include "core/base/count_of.h"
#include "core/base/files.h"
#include "core/base/units.h"
#include "core/stats/ratio_decision.h"

enum {
    OPT_SHAPE = 256,
    OPT_SET,
    OPT_PLANT,
    OPT_PROCESSES,
    OPT_COMPARISONS,
    OPT_ITERS,
    OPT_WARMUP,
    OPT_DEVICE,
    OPT_POOL,
    OPT_FORCE,
    OPT_FORMAT,
    PROCESSES_MAX = 100,
    COMPARISONS_MAX = 1000,
    ITERATIONS_MAX = 1000000,
    TEXTS_MAX = 256
};

static const struct argp_option options[] = {
    {"shape", OPT_SHAPE, "SHAPE", 0,
     "shape by name (a list with commas) or by dimensions; repeatable, all in each process", 0},
    {"set", OPT_SET, "NAME=V[,V...]", 0, "parameter values, each combination a case; repeatable", 0},
    {"plant", OPT_PLANT, "SHAPE=SHARES", 0,
     "further arms at this shape whose work is more by so much (2%,0.5%): slowdowns to be found; the variant needs the "
     "parameter extra_ppm, as dose/chain has it; repeatable",
     0},
    {"processes", OPT_PROCESSES, "N", 0, "processes of one comparison (default 7)", 0},
    {"comparisons", OPT_COMPARISONS, "N", 0, "comparisons to record, each of fresh processes (default 40)", 0},
    {"iters", OPT_ITERS, "N", 0, "samples per arm and process, of a launch or of a graph of launches (default 100)", 0},
    {"warmup", OPT_WARMUP, "N", 0, "launches before timing (default 10)", 0},
    {"device", OPT_DEVICE, "N", 0, "CUDA device (default 0)", 0},
    {"pool", OPT_POOL, "BUNDLE", 0, "judge this recorded pool, without a GPU; as an operand it means the same", 0},
    {"output", 'o', "PATH", 0,
     "the pool to write (default VARIANT.cpprof, numbered when it exists); of a recorded one, the report", 0},
    {"force", OPT_FORCE, NULL, 0, "replace what exists", 0},
    {"format", OPT_FORMAT, "FORMAT", 0,
     "of the report: " FORMATS " (default: as the report's file is called, else text)", 0},
    {0},
};

struct aa_options {
    struct run_request request;
    long processes, comparisons;
    const char *pool, *output, *format;
    bool force;
    struct input input; /* the pool, once it was looked at */
    struct str path;    /* of the new pool */
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

static void parse_count(struct argp_state *state, const char *name, const char *text, long least, long most, long *out)
{
    char *end;
    long value = strtol(text, &end, 10);
    if (end == text || *end || value < least || value > most)
        argp_error(state, "--%s %s: expected a whole number from %ld to %ld", name, text, least, most);
    *out = value;
}

/* "us2=2%,0.5%" for the runner, which counts in millionths: "us2=20000,5000". */
static void parse_plant(struct argp_state *state, struct run_texts *plants, const char *text)
{
    const char *equals = strrchr(text, '=');
    struct str ppm;
    str_init(&ppm);
    str_add_bytes(&ppm, text, equals ? (size_t)(equals - text) : 0);
    for (const char *at = equals ? equals + 1 : text, *comma = "="; *at || *comma == '='; comma = ",") {
        double share = NAN;
        enum unit unit;
        const size_t length = equals && equals != text ? unit_parse(at, &share, &unit) : 0;
        if (!length || (at[length] && at[length] != ',') || (unit != UNIT_RATIO && unit != UNIT_NONE) ||
            !(share >= 1e-6 && share <= 1))
            argp_error(state, "--plant %s: expected SHAPE=SHARE[,SHARE...], each up to 100%%, such as us50=2%%,0.5%%",
                       text);
        str_addf(&ppm, "%s%lld", comma, llround(share * 1e6));
        at += length + (at[length] == ',');
    }
    char *taken = ppm.failed ? NULL : str_take(&ppm);
    if (!taken)
        argp_failure(state, EXIT_ENVIRONMENT, 0, "out of memory");
    add_text(state, plants, taken);
}

static int parse_option(int key, char *arg, struct argp_state *state)
{
    struct aa_options *o = state->input;
    struct run_request *q = &o->request;
    switch (key) {
    case OPT_SHAPE: add_text(state, &q->shapes, arg); return 0;
    case OPT_SET: add_text(state, &q->sets, arg); return 0;
    case OPT_PLANT: parse_plant(state, &q->plants, arg); return 0;
    case OPT_PROCESSES:
        parse_count(state, "processes", arg, RATIO_PROCESSES_MIN, PROCESSES_MAX, &o->processes);
        return 0;
    case OPT_COMPARISONS: parse_count(state, "comparisons", arg, 1, COMPARISONS_MAX, &o->comparisons); return 0;
    case OPT_ITERS: parse_count(state, "iters", arg, 1, ITERATIONS_MAX, &q->iterations); return 0;
    case OPT_WARMUP: parse_count(state, "warmup", arg, 0, ITERATIONS_MAX, &q->warmup); return 0;
    case OPT_DEVICE: parse_count(state, "device", arg, 0, 1023, &q->device); return 0;
    case OPT_POOL: o->pool = arg; return 0;
    case OPT_FORCE: o->force = true; return 0;
    case OPT_FORMAT: o->format = arg; return 0;
    case 'o': o->output = arg; return 0;
    case ARGP_KEY_ARG: add_text(state, &q->variants, arg); return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

/* One operand that is a bundle is a pool, others are variants. */
static int choose_input(struct aa_options *o, struct err *e)
{
    struct run_texts *variants = &o->request.variants;
    if (!o->pool && variants->count == 1) {
        const int rc = input_look(&o->input, variants->items[0], e);
        if (input_is_bundle(&o->input)) {
            o->pool = variants->items[0];
            variants->count = 0;
            if (rc)
                return rc;
        }
    }
    if (!o->pool && !variants->count)
        return err_set(e, ERR_USAGE,
                       "which variant, or which pool? 'cpprof aa dose/chain' times a kernel against itself");
    if (o->pool && (variants->count || o->request.plants.count || o->request.shapes.count || o->request.sets.count))
        return err_set(e, ERR_USAGE,
                       "'%s' is recorded already: variants, --shape, --set and --plant are for a new pool", o->pool);
    if (!o->format)
        o->format = output_format_of(o->pool ? o->output : NULL, NULL, "text");
    int rc = output_check_format(o->format, NULL, e);
    return rc || !o->pool ? rc : output_check(o->output, o->force, e);
}

static int record(struct aa_options *o, int word_count, const char *const *words, struct err *e)
{
    static const char *const seeds[] = {"0", "1", "2"};
    struct run_request *q = &o->request;
    for (size_t i = 0; i < COUNT_OF(seeds); i++) {
        const char **slot = ARRAY_PUSH(&q->seeds);
        if (!slot)
            return err_memory(e);
        *slot = seeds[i];
    }
    q->processes = o->processes * o->comparisons;
    const char *path = run_bundle_path(&o->path, o->output, q->variants.items[q->variants.count - 1]);
    if (files_exists(path) && !o->force)
        return err_set(e, ERR_USAGE, "'%s' exists already: choose another name with -o, or --force to replace it",
                       path);
    json_t *manifest = run_bundle_manifest(AA_KIND, word_count, words, &q->seeds);
    int rc = manifest ? run_bundle_record(q, path, manifest, e) : err_memory(e);
    json_decref(manifest);
    return rc;
}

/* ---- judging ---- */

static enum exit_status status_of(const struct bundle *b, const struct aa_result *result)
{
    static const enum exit_status exits[] = {
        [VERDICT_PASS] = EXIT_PASS, [VERDICT_FAIL] = EXIT_CHECK_FAILED, [VERDICT_INCONCLUSIVE] = EXIT_INCONCLUSIVE};
    enum exit_status status = exits[result->status];
    if (caveat_has(&b->caveats, CAVEAT_WEAKENS))
        status = exit_status_worse(status, EXIT_INCONCLUSIVE);
    if (caveat_has(&b->caveats, CAVEAT_TRUNCATED))
        status = exit_status_worse(status, EXIT_UNUSABLE_INPUT);
    return status;
}

static int write_report(const struct aa_report *r, const char *format, const char *path, bool force, struct err *e)
{
    if (!strcmp(format, "json"))
        return output_json(json_aa(r), path, force, e);
    struct document d;
    document_init(&d);
    int rc = report_aa(r, &d, e);
    if (!rc)
        rc = output_document(&d, format, path, force, e);
    document_release(&d);
    return rc;
}

/* Beside a pool that was just recorded stands what it says. */
static int store_derived(const struct aa_report *r, const char *pool, struct err *e)
{
    struct str file;
    str_init(&file);
    int rc = write_report(r, "md", files_join(&file, pool, "report.md"), true, e);
    if (!rc)
        rc = write_report(r, "json", files_join(&file, pool, "verdict.json"), true, e);
    str_release(&file);
    return rc;
}

static int judge(struct aa_options *o, const char *path, enum exit_status *status, struct err *e)
{
    struct judged_aa_pool judged;
    int rc = input_is_bundle(&o->input) ? 0 : input_look(&o->input, path, e);
    if (!rc)
        rc = input_check(&o->input, TAKER_AA, e);
    if (!rc)
        rc = judged_aa_pool_open_begun(&judged, &o->input.begun, (size_t)o->processes, e);
    if (rc)
        return rc;
    *status = status_of(&judged.bundle, &judged.result);
    if (!o->pool)
        rc = store_derived(&judged.report, path, e);
    if (!rc)
        rc = write_report(&judged.report, o->format, o->pool ? o->output : NULL, o->force, e);
    judged_aa_pool_release(&judged);
    return rc;
}

static void options_release(struct aa_options *o)
{
    for (size_t i = 0; i < o->request.plants.count; i++)
        free((char *)o->request.plants.items[i]);
    free(o->request.plants.items);
    free(o->request.variants.items);
    free(o->request.shapes.items);
    free(o->request.sets.items);
    free(o->request.seeds.items);
    input_release(&o->input);
    str_release(&o->path);
}

int cmd_aa(int argc, char **argv)
{
    static const struct argp parser = {
        options,
        parse_option,
        "VARIANT...\nPOOL",
        "Times each variant against itself in fresh processes, as `run` compares two, and says how often a difference was found "
        "that is not there, and how small a difference would be found.\v"
        "Exit status: 0 when the interval holds the truth in 93% to 97% of comparisons (as far as so many can tell) and false "
        "positives are at most 9% (upper limit), 1 when not, 3 for fewer than 40 comparisons, 2 for a wrong command line, 4 without "
        "a usable GPU, 5 for a pool that cannot be used. docs/statistics.md explains the numbers.",
        NULL,
        output_help,
        NULL};
    struct aa_options o = {
        .processes = POOL_PROCESSES, .comparisons = 40, .request = {.iterations = 100, .warmup = 10, .pool = true}};
    struct err e = {0};
    enum exit_status status = EXIT_PASS;
    str_init(&o.path);
    const char **words = calloc((size_t)argc + 1, sizeof *words); /* argp moves operands behind the options */
    if (words)
        memcpy(words, argv, (size_t)argc * sizeof *words);
    command_parse(&parser, argc, argv, &o);
    int rc = words ? choose_input(&o, &e) : err_memory(&e);
    if (!rc && !o.pool)
        rc = record(&o, argc, words, &e);
    if (!rc)
        rc = judge(&o, o.pool ? o.pool : str_text(&o.path), &status, &e);
    if (!rc && !o.pool)
        message_note("pool %s, report %s/report.md", str_text(&o.path), str_text(&o.path));
    free(words);
    options_release(&o);
    return rc ? message_error(&e) : (int)status;
}
