/* cpprof report: what happened in these runs? */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzers/capture/capture_facts.h"
#include "analyzers/compare/evolution.h"
#include "cli/analyse.h"
#include "cli/command.h"
#include "cli/counted.h"
#include "cli/input_kind.h"
#include "cli/judged_aa_pool.h"
#include "cli/output.h"
#include "cli/record/messages.h"
#include "cli/scope_options.h"
#include "cli/trace_arguments.h"
#include "reports/capture_report.h"
#include "reports/counted_beside_report.h"
#include "reports/reports.h"
#include "rules/rules.h"

struct report_options {
    char **bundles; /* into argv */
    size_t bundle_count;
    const char *format;
    const char *output;
    bool force;
    bool evolution;
    bool brief, full;     /* the first screen alone; everything */
    const char *pictures; /* a folder; NULL: none are written */
    struct bundle_focus part;
    double target;     /* of --evolution; NAN: none */
    const char *rules; /* where the target stands, too */
    const char *threshold_file;
    const char *causal; /* another capture, in which kernels were delayed; NULL: none */
    const char *comm;   /* what communicates besides, as a regex; NULL: nothing */
    struct threshold_overrides thresholds;
};

enum {
    OPTION_FORMAT = 256,
    OPTION_FORCE,
    OPTION_BRIEF,
    OPTION_FULL,
    OPTION_PICTURES,
    OPTION_VARIANT,
    OPTION_SHAPE,
    OPTION_BASELINE,
    OPTION_EVOLUTION,
    OPTION_TARGET,
    OPTION_RULES,
    OPTION_THRESHOLDS,
    OPTION_CAUSAL,
    OPTION_COMM
};

static const struct argp_option options[] = {
    {"format", OPTION_FORMAT, "FORMAT", 0,
     FORMATS " (default: as FILE is called, else text on a terminal and md elsewhere)", 0},
    {"output", 'o', "FILE", 0, "write to FILE instead of standard output", 0},
    {"force", OPTION_FORCE, NULL, 0, "replace FILE if it exists", 0},
    {"brief", OPTION_BRIEF, NULL, 0, "the first screen alone", 0},
    {"full", OPTION_FULL, NULL, 0, "everything: all evidence, thresholds and samples, no table cut", 0},
    {"pictures", OPTION_PICTURES, "DIR", 0, "write each picture of the report as DIR/NAME.svg, too", 0},
    {"variant", OPTION_VARIANT, "PATTERN", 0, "of a run only these variants, as in 'sdpa/wgmma' or 'sdpa/*'", 0},
    {"shape", OPTION_SHAPE, "SHAPE", 0, "of a run only this shape, or all with this word, as in ctas_per_sm=8", 0},
    {"baseline", OPTION_BASELINE, "VARIANT", 0,
     "compare with this variant of the run, which need not have been its baseline", 0},
    {"evolution", OPTION_EVOLUTION, NULL, 0,
     "one table of all variants of the bundles as stages, each against the one before it", 0},
    {"target", OPTION_TARGET, "PERCENT", 0, "the least gain that a stage is to bring, as in 10%", 0},
    {"causal", OPTION_CAUSAL, "CAPTURE", 0,
     "of one capture by profile: what the program would gain from its kernels, by this one of `profile --causal`", 0},
    COMM_OPTION(OPTION_COMM),
    THRESHOLDS_OPTION(OPTION_THRESHOLDS),
    {"rules", OPTION_RULES, "FILE", 0, "take the target from the first gate on gain(B), speedup(B) or ratio(B)", 0},
    {0},
};

/* "10%". */
static void parse_target(struct argp_state *state, const char *text, double *target)
{
    enum unit unit;
    const size_t length = unit_parse(text, target, &unit);
    if (!length || text[length] || unit != UNIT_RATIO || !(*target >= 0 && *target < 1))
        argp_error(state, "--target %s: expected per cent from 0%% to less than 100%%, as in 10%%", text);
}

/* The last of several would win without a word. */
static error_t set_once(const struct argp_state *state, const char *option, const char **to, const char *value)
{
    if (*to)
        argp_error(state, "--%s is given twice; it takes one value", option);
    *to = value;
    return 0;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct report_options *o = state->input;
    switch (key) {
    case OPTION_FORMAT: o->format = arg; return 0;
    case 'o': o->output = arg; return 0;
    case OPTION_FORCE: o->force = true; return 0;
    case OPTION_BRIEF: o->brief = true; return 0;
    case OPTION_FULL: o->full = true; return 0;
    case OPTION_PICTURES: o->pictures = arg; return 0;
    case OPTION_VARIANT: return set_once(state, "variant", &o->part.variant, arg);
    case OPTION_SHAPE: return set_once(state, "shape", &o->part.shape, arg);
    case OPTION_BASELINE: return set_once(state, "baseline", &o->part.baseline, arg);
    case OPTION_EVOLUTION: o->evolution = true; return 0;
    case OPTION_TARGET: parse_target(state, arg, &o->target); return 0;
    case OPTION_RULES: o->rules = arg; return 0;
    case OPTION_THRESHOLDS: o->threshold_file = arg; return 0;
    case OPTION_COMM: return set_once(state, "comm", &o->comm, arg);
    case OPTION_CAUSAL: return set_once(state, "causal", &o->causal, arg);
    case ARGP_KEY_ARGS:
        o->bundles = state->argv + state->next;
        o->bundle_count = (size_t)(state->argc - state->next);
        return 0;
    case ARGP_KEY_NO_ARGS: argp_error(state, "which bundle?"); return EINVAL;
    default: return ARGP_ERR_UNKNOWN;
    }
}

/* cpprof.report/1: what the other documents say about one bundle. */
static json_t *bundle_to_json(const char *path, const struct analysis *a)
{
    json_t *compare = json_compare(a), *classify = json_classify(a), *bundle = json_text(path);
    if (compare && classify && bundle)
        return json_pack("{ss so so so}", "schema", "cpprof.report/1", "bundle", bundle, "compare", compare, "classify",
                         classify);
    json_decref(compare);
    json_decref(classify);
    json_decref(bundle);
    return NULL;
}

/* Where there are several, each section begins with the name of its bundle: "a.cpprof" for "runs/a.cpprof/". */
static void add_section(const char *path, struct document *d)
{
    size_t end = strlen(path);
    while (end > 1 && path[end - 1] == '/')
        end--;
    size_t begin = end;
    while (begin && path[begin - 1] != '/')
        begin--;
    document_tier(d, TIER_SCREEN);
    document_heading(d, 1, "");
    document_span(d, SPAN_CODE, "%.*s", (int)(end - begin), path + begin);
}

static int add_facts(struct capture_facts *facts, const char *path, const char *causal, struct document *d,
                     json_t *list, int *status, struct err *e)
{
    int rc = capture_facts_measure(facts, e);
    if (!rc && causal)
        rc = capture_facts_join_causal(facts, causal, e);
    if (!rc && !list)
        rc = report_capture(facts, path, d, e);
    else if (!rc && json_array_append_new(list, json_capture(facts, path)))
        rc = err_memory(e);
    if (!rc && trace_note_caveats(facts->stream) == EXIT_UNUSABLE_INPUT)
        *status = EXIT_UNUSABLE_INPUT;
    return rc;
}

/* A capture has no variants to judge: it is measured as traces are. */
static int add_capture(struct bundle *begun, const struct report_options *o, struct document *d, json_t *list,
                       int *status, struct err *e)
{
    struct capture_facts facts;
    int rc = capture_facts_open_begun(&facts, begun, o->comm, e);
    const char *path = facts.bundle.path;
    if (!rc)
        rc = add_facts(&facts, path, o->causal, d, list, status, e);
    if (rc)
        rc = err_context(e, "while reading '%s'", path);
    capture_facts_release(&facts);
    return rc;
}

static int add_trace(const char *path, const char *comm, struct document *d, json_t *list, int *status, struct err *e)
{
    struct capture_facts facts;
    int rc = capture_facts_open_trace(&facts, path, comm, e);
    if (!rc)
        rc = add_facts(&facts, path, NULL, d, list, status, e);
    if (!rc && !facts.statistics.count) {
        message_note("'%s' has no GPU work and no calls: there is nothing to show", path);
        *status = EXIT_UNUSABLE_INPUT;
    }
    capture_facts_release(&facts);
    return rc;
}

/* The report of a table of counters is what classify says of it. */
static int add_counted(const char *path, const struct threshold_overrides *thresholds, struct counted_beside *beside,
                       struct document *d, json_t *list, int *status, struct err *e)
{
    struct counted counted;
    int rc = counted_open(&counted, path, thresholds, e);
    if (rc)
        return rc;
    if (!list)
        rc = report_counted(&counted.analysis, &counted.launches, path, false, d, e);
    else if (json_array_append_new(list, json_counted(&counted.analysis, &counted.launches)))
        rc = err_memory(e);
    if (!rc && !list)
        rc = counted_beside_add(beside, path, &counted.analysis, e);
    if (!rc && counted_status(&counted) == EXIT_UNUSABLE_INPUT)
        *status = EXIT_UNUSABLE_INPUT;
    counted_release(&counted);
    return rc;
}

/* In a comparison of a machine with itself both arms are one thing: a report on its variants would make no sense.
 */
static int add_pool(struct bundle *begun, struct document *d, json_t *list, int *status, struct err *e)
{
    struct judged_aa_pool judged;
    int rc = judged_aa_pool_open_begun(&judged, begun, POOL_PROCESSES, e);
    if (rc)
        return rc;
    if (!list)
        rc = report_aa(&judged.report, d, e);
    else if (json_array_append_new(list, json_aa(&judged.report)))
        rc = err_memory(e);
    if (analyse_note_damage(&judged.bundle.caveats, NULL))
        *status = EXIT_UNUSABLE_INPUT;
    judged_aa_pool_release(&judged);
    return rc;
}

static int add_run(struct bundle *begun, const struct report_options *o, struct document *d, json_t *list, int *status,
                   struct err *e)
{
    struct analysed analysed;
    const struct analysed_wish wish = {.overrides = &o->thresholds, .part = &o->part};
    int rc = analysed_open_begun(&analysed, begun, &wish, e);
    if (rc)
        return rc;
    if (!list)
        rc = report_run(&analysed.analysis, d, e);
    else if (json_array_append_new(list, bundle_to_json(analysed.bundle.path, &analysed.analysis)))
        rc = err_memory(e);
    if (analysed_damage(&analysed))
        *status = EXIT_UNUSABLE_INPUT;
    analysed_release(&analysed);
    return rc;
}

/* Adds what one input has to say to the document, or to the list, and tables of counters to those that are shown side
 * by side. *status becomes EXIT_UNUSABLE_INPUT when it is damaged. */
static int add_input(const char *path, const struct report_options *o, struct counted_beside *beside,
                     struct document *d, json_t *list, int *status, struct err *e)
{
    struct input in;
    int rc = input_open(&in, path, TAKER_REPORT, e);
    if (!rc)
        rc = input_look_inside(&in, e);
    const bool is_run = in.kind != INPUT_CAPTURE && in.kind != INPUT_POOL && input_is_bundle(&in);
    if (!rc && !is_run && bundle_focus_is_set(&o->part))
        rc = err_set(e, ERR_USAGE, "'%s' is no run: --variant, --shape and --baseline choose arms of a run", path);
    else if (!rc && o->comm && in.kind != INPUT_CAPTURE && in.kind != INPUT_TRACE && in.kind != INPUT_FOLDER)
        rc = err_set(e, ERR_USAGE, "'%s' is no capture and no trace: --comm says what communicates in one", path);
    else if (!rc && o->causal && in.kind != INPUT_CAPTURE)
        rc = err_set(e, ERR_USAGE, "'%s' is no capture: --causal completes one by 'cpprof profile'", path);
    else if (!rc && in.kind == INPUT_CAPTURE)
        rc = add_capture(&in.begun, o, d, list, status, e);
    else if (!rc && in.kind == INPUT_POOL)
        rc = add_pool(&in.begun, d, list, status, e);
    else if (!rc && input_is_bundle(&in))
        rc = add_run(&in.begun, o, d, list, status, e);
    else if (!rc && (in.kind == INPUT_TRACE || in.kind == INPUT_FOLDER))
        rc = add_trace(path, o->comm, d, list, status, e);
    else if (!rc)
        rc = add_counted(path, &o->thresholds, beside, d, list, status, e);
    input_release(&in);
    return rc;
}

/* As far as the reader asked to look. */
static int write_document(const struct report_options *o, const struct document *d, struct err *e)
{
    static const struct document_view brief = {.last = TIER_SCREEN};
    if (o->brief)
        return output_view(d, &brief, o->format, o->output, o->force, e);
    if (o->full)
        return output_everything(d, o->format, o->output, o->force, e);
    return output_sections(d, o->format, o->output, o->force, e);
}

/* The document of one input as JSON. */
static int add_brief(const char *path, const struct report_options *o, struct counted_beside *beside, json_t *list,
                     int *status, struct err *e)
{
    struct document d;
    document_init(&d);
    int rc = add_input(path, o, beside, &d, NULL, status, e);
    if (!rc && (d.failed || json_array_append_new(list, json_brief(path, &d))))
        rc = err_memory(e);
    document_release(&d);
    return rc;
}

/* One bundle is an object, several are an array of them. */
static int write_json(json_t *list, const struct report_options *o, struct err *e)
{
    json_t *value = o->bundle_count == 1 ? json_array_get(list, 0) : list;
    return output_json(json_incref(value), o->output, o->force, e);
}

static int write_report(const struct report_options *o, int *status, struct err *e)
{
    json_t *list = strcmp(o->format, "json") ? NULL : json_array();
    struct counted_beside beside;
    struct document d;
    document_init(&d);
    counted_beside_init(&beside);
    int rc = 0;
    for (size_t i = 0; !rc && i < o->bundle_count; i++) {
        if (o->bundle_count > 1)
            add_section(o->bundles[i], &d);
        rc = list && o->brief ? add_brief(o->bundles[i], o, &beside, list, status, e)
                              : add_input(o->bundles[i], o, &beside, &d, list, status, e);
    }
    if (!rc && !list && o->brief && beside.file_count > 1 && beside.file_count == o->bundle_count) {
        document_release(&d);
        document_init(&d); /* the table alone */
    }
    if (!rc && !list)
        rc = report_counted_beside(&beside, &d, e);
    if (!rc && o->pictures)
        rc = output_check_pictures(&d, o->pictures, o->force, e);
    if (!rc && list)
        rc = write_json(list, o, e);
    else if (!rc)
        rc = write_document(o, &d, e);
    if (!rc && o->pictures)
        rc = output_pictures(&d, o->pictures, o->force, e);
    counted_beside_release(&beside);
    document_release(&d);
    json_decref(list);
    return rc;
}

/* ---- stages ---- */

/* Bundles of runs, opened. */
struct days {
    struct analysed *items;
    struct evolution_source *sources;
    size_t count;
};

static void days_release(struct days *days)
{
    for (size_t i = 0; i < days->count; i++)
        analysed_release(&days->items[i]);
    free(days->items);
    free(days->sources);
}

static int open_day(struct analysed *day, const char *path, const struct threshold_overrides *thresholds, struct err *e)
{
    struct input in;
    int rc = input_open(&in, path, TAKER_STAGES, e);
    if (!rc)
        rc = analysed_open_begun(day, &in.begun, &(struct analysed_wish){.overrides = thresholds}, e);
    input_release(&in);
    return rc;
}

static int days_open(struct days *days, const struct report_options *o, int *status, struct err *e)
{
    days->items = calloc(o->bundle_count, sizeof *days->items);
    days->sources = calloc(o->bundle_count, sizeof *days->sources);
    int rc = days->items && days->sources ? 0 : err_memory(e);
    for (size_t i = 0; i < o->bundle_count && !rc; i++) {
        rc = open_day(&days->items[i], o->bundles[i], &o->thresholds, e);
        if (rc)
            return rc;
        days->count++;
        days->sources[i] = (struct evolution_source){o->bundles[i], &days->items[i].analysis};
        if (analysed_damage(&days->items[i]))
            *status = EXIT_UNUSABLE_INPUT;
    }
    return rc;
}

/* What is written on the command line goes before a file. */
static int find_target(const struct report_options *o, double *target, struct err *e)
{
    struct rule_list *rules = NULL;
    *target = o->target;
    if (!o->rules || !isnan(*target))
        return 0;
    int rc = rule_list_new(&rules, e);
    if (!rc)
        rc = rule_list_read(rules, o->rules, e);
    if (!rc) {
        *target = rule_list_target(rules);
        if (isnan(*target))
            rc = err_set(e, ERR_USAGE, "'%s' has no gate on gain(B), speedup(B) or ratio(B): write --target", o->rules);
    }
    rule_list_free(rules);
    return rc;
}

static int write_evolution_of(const struct days *days, double target, const struct report_options *o, struct err *e)
{
    struct evolution evolution;
    struct document d;
    document_init(&d);
    int rc = evolution_read(&evolution, days->sources, days->count, target, e);
    const struct evolution_report r = {&evolution, days->sources, days->count};
    if (!rc && !strcmp(o->format, "json"))
        rc = output_json(json_evolution(&r), o->output, o->force, e);
    else if (!rc && !(rc = report_evolution(&r, &d, e)))
        rc = write_document(o, &d, e);
    evolution_release(&evolution);
    document_release(&d);
    return rc;
}

static int write_evolution(const struct report_options *o, int *status, struct err *e)
{
    struct days days = {0};
    double target;
    int rc = find_target(o, &target, e);
    if (!rc)
        rc = days_open(&days, o, status, e);
    if (!rc)
        rc = write_evolution_of(&days, target, o, e);
    days_release(&days);
    return rc;
}

/* What would be left out in silence. */
static int check_choice(const struct report_options *o, struct err *e)
{
    const bool is_json = !strcmp(o->format, "json");
    if (comm_regex_check(o->comm, e))
        return ERR_USAGE;
    if (o->brief && o->full)
        return err_set(e, ERR_USAGE, "--brief is the first screen and --full everything: choose one");
    if (o->causal && (o->bundle_count > 1 || o->evolution))
        return err_set(e, ERR_USAGE, "--causal completes one capture: name only that one");
    if (!o->evolution && (o->rules || !isnan(o->target)))
        return err_set(e, ERR_USAGE, "--target and --rules are about stages: add --evolution");
    if (o->evolution && bundle_focus_is_set(&o->part))
        return err_set(e, ERR_USAGE,
                       "--evolution shows all stages: --variant, --shape and --baseline do not go with it");
    if (o->evolution && is_json && o->brief)
        return err_set(e, ERR_USAGE, "the stages have no short form as JSON: leave --brief out");
    if (o->pictures && (o->evolution || is_json))
        return err_set(e, ERR_USAGE, "--pictures goes with a report as text, md or html, and not with --evolution");
    if (o->pictures && o->bundle_count > 1)
        return err_set(e, ERR_USAGE,
                       "the pictures of several reports have the same names: --pictures takes one bundle");
    return 0;
}

static int check_options(const struct report_options *o, struct err *e)
{
    if (check_choice(o, e))
        return ERR_USAGE;
    const int rc = output_check_format(o->format, NULL, e);
    return rc ? rc : output_check(o->output, o->force, e);
}

int cmd_report(int argc, char **argv)
{
    static const struct argp argp = {
        options,
        parse,
        "BUNDLE|TRACE|FILE...",
        "Writes the report of one or more bundles, of traces of other tools (nsys SQLite and CSV, Kineto; a folder of traces is "
        "one report, with a rank each), or of CSV files that Nsight Compute made, several of them side by side: the verdict "
        "first, or where the GPU's time went, then the numbers, where they come from, and the command to reproduce them.\v"
        "It shows and does not judge. Exit status: 0, or 5 for a damaged input, of which the "
        "good parts are shown, and for what is none of these.",
        NULL,
        output_help,
        NULL};
    struct report_options o = {.target = NAN};
    command_parse(&argp, argc, argv, &o);
    if (!o.format)
        o.format = output_format_of(o.output, NULL, output_page_format(o.output));
    struct err e = {0};
    int status = EXIT_PASS;
    if (check_options(&o, &e) || analyse_read_thresholds(&o.thresholds, o.threshold_file, &e) ||
        (o.evolution ? write_evolution(&o, &status, &e) : write_report(&o, &status, &e)))
        return message_error(&e);
    return status;
}
