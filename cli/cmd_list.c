/* cpprof list: which variants, counters and thresholds are there, and what can each be told? */
#define _GNU_SOURCE
#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzers/capture/capture_facts.h"
#include "cli/command.h"
#include "cli/input_kind.h"
#include "cli/list/list_chip.h"
#include "cli/list/list_settings.h"
#include "cli/output.h"
#include "cli/record/messages.h"
#include "cli/record/runner_process.h"
#include "cli/record/variant_words.h"
#include "core/base/units.h"
#include "core/bundle/bundle.h"
#include "reports/capture_report.h"

enum { LIBRARIES_MAX = 64 };

struct list_options {
    char *loads[LIBRARIES_MAX]; /* as the runner is told: "--load=./libmine.so"; ours */
    size_t load_count;
    const char *pattern;
    const char *format;
    const char *chip;
    bool metrics, thresholds;
};

enum { OPT_FORMAT = 256, OPT_METRICS, OPT_THRESHOLDS, OPT_CHIP, OPT_LOAD, OPT_TASK, OPT_SOLUTION };

static const struct argp_option options[] = {
    {"load", OPT_LOAD, "LIBRARY", 0,
     "the variants of this shared library; with VARIANT, of them and of the built-in ones; repeatable", 0},
    {"task", OPT_TASK, "LIBRARY", 0, "a task, as in 'cpprof run'", 0},
    {"solution", OPT_SOLUTION, "NAME=LIBRARY", 0, "a solution of it, or FILE.py:FUNCTION; repeatable", 0},
    {"format", OPT_FORMAT, "FORMAT", 0, FORMATS " (default: text); csv of --metrics and --thresholds", 0},
    {"metrics", OPT_METRICS, "REGEX", OPTION_ARG_OPTIONAL,
     "the counters whose id or name matches, or those of a set; as csv a file for 'run --metric-set'", 0},
    {"chip", OPT_CHIP, "CHIP", 0,
     "what works on a chip (gh100), card ('rtx 4090') or compute capability (8.9); with --metrics all its counters, "
     "which needs CUPTI and no GPU",
     0},
    {"thresholds", OPT_THRESHOLDS, NULL, 0,
     "the thresholds of verdicts; as csv a file for --thresholds of other commands", 0},
    {0},
};

static void add_library(struct argp_state *state, struct list_options *o, const char *path)
{
    if (o->load_count == LIBRARIES_MAX)
        argp_error(state, "more than %d libraries", LIBRARIES_MAX);
    if (asprintf(&o->loads[o->load_count], "--load=%s", path) < 0)
        argp_failure(state, EXIT_ENVIRONMENT, 0, "out of memory");
    o->load_count++;
}

/* It is loaded first, wherever its option stands. */
static void add_task(struct argp_state *state, struct list_options *o, const char *path)
{
    add_library(state, o, path);
    char *task = o->loads[o->load_count - 1];
    memmove(o->loads + 1, o->loads, (o->load_count - 1) * sizeof *o->loads);
    o->loads[0] = task;
}

static int parse_option(int key, char *arg, struct argp_state *state)
{
    struct list_options *o = state->input;
    switch (key) {
    case OPT_TASK: add_task(state, o, arg); return 0;
    case OPT_LOAD:
    case OPT_SOLUTION: add_library(state, o, arg); return 0;
    case OPT_FORMAT: o->format = arg; return 0;
    case OPT_CHIP: o->chip = arg; return 0;
    case OPT_THRESHOLDS: o->thresholds = true; return 0;
    case OPT_METRICS:
        o->metrics = true;
        o->pattern = arg ? arg : o->pattern;
        return 0;
    case ARGP_KEY_ARG:
        if (o->pattern)
            argp_error(state, "one variant or pattern at a time");
        o->pattern = arg;
        return 0;
    case ARGP_KEY_END:
        if (o->chip && !o->metrics && (o->pattern || o->load_count || o->thresholds))
            argp_error(state, "--chip stands alone or with --metrics");
        if (o->load_count && (o->metrics || o->thresholds))
            argp_error(state, "--load is of variants: without --metrics and --thresholds");
        if (o->thresholds && (o->metrics || o->pattern))
            argp_error(state, "--thresholds lists all of them, and nothing else");
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

/* Keeps what the pattern matches, without one what was loaded if anything was; an
 * exact name is asked for its details. */
static json_t *matching(const json_t *all, const struct list_options *o, bool *exact)
{
    const char *pattern = o->pattern;
    json_t *kept = json_array(), *variant;
    size_t i;
    *exact = false;
    json_array_foreach (all, i, variant) {
        const char *name = json_get_text(variant, "name", "");
        if (pattern ? fnmatch(pattern, name, 0) : o->load_count && !json_object_get(variant, "library"))
            continue;
        *exact |= pattern && !strcmp(pattern, name);
        json_array_append(kept, variant);
    }
    return kept;
}

static void describe_overview(struct document *d, const json_t *variants)
{
    static const struct document_column columns[] = {{"variant", false}, {"what it is", false}, {"shapes", false}};
    document_table(d, columns, 3);
    size_t i;
    json_t *variant;
    json_array_foreach (variants, i, variant) {
        struct str shapes;
        str_init(&shapes);
        size_t s;
        json_t *shape;
        json_array_foreach (json_object_get(variant, "shapes"), s, shape)
            str_addf(&shapes, "%s%s", s ? ", " : "", json_get_text(shape, "name", ""));
        document_cell_code(d, json_get_text(variant, "name", ""));
        document_cell(d, "%s", json_get_text(variant, "summary", ""));
        document_cell(d, "%s", str_text(&shapes));
        str_release(&shapes);
    }
    document_paragraph(d);
    document_span(d, SPAN_PLAIN, "'cpprof list VARIANT' shows parameters, shapes and expectations.");
}

/* A variant of a user's library says so only when it runs. */
static void describe_needs(struct document *d, const json_t *variant)
{
    const char *needs = json_get_text(variant, "needs", "");
    if (!*needs)
        return;
    document_paragraph(d);
    document_span(d, SPAN_PLAIN, "It needs %s.", needs);
}

static void describe_axes(struct document *d, const json_t *variant)
{
    static const struct document_column columns[] = {{"name", false}, {"set with", false}, {"default", true},
                                                     {"from", true},  {"to", true},        {"meaning", false}};
    document_heading(d, 2, "Parameters");
    document_table(d, columns, 6);
    size_t i;
    json_t *axis;
    json_array_foreach (json_object_get(variant, "axes"), i, axis) {
        bool shape = !strcmp(json_get_text(axis, "role", ""), "shape");
        document_cell_code(d, json_get_text(axis, "name", ""));
        document_cell(d, "%s", shape ? "--shape" : "--set");
        document_cell(d, "%lld", json_get_integer(axis, "default", 0));
        document_cell(d, "%lld", json_get_integer(axis, "min", 0));
        document_cell(d, "%lld", json_get_integer(axis, "max", 0));
        document_cell(d, "%s", json_get_text(axis, "help", ""));
    }
}

static void describe_shapes(struct document *d, const json_t *variant)
{
    static const struct document_column columns[] = {{"shape", false}, {"values", false}, {"use", false}};
    document_heading(d, 2, "Shapes");
    document_table(d, columns, 3);
    size_t i;
    json_t *shape;
    json_array_foreach (json_object_get(variant, "shapes"), i, shape) {
        struct str values;
        str_init(&values);
        const char *name;
        json_t *value;
        json_object_foreach (json_object_get(shape, "values"), name, value)
            str_addf(&values, "%s%s=%lld", values.length ? " " : "", name, (long long)json_integer_value(value));
        document_cell_code(d, json_get_text(shape, "name", ""));
        document_cell(d, "%s", str_text(&values));
        document_cell(d, "%s",
                      json_is_true(json_object_get(shape, "ragged")) ? "always verified, not timed"
                      : i == 0                                       ? "default"
                                                                     : "");
        str_release(&values);
    }
}

/* The changes of counters that it expects against the variant it improves on. */
static void describe_expected_changes(struct document *d, const json_t *variant)
{
    const char *signals = json_get_text(variant, "signals", "");
    if (!*signals)
        return;
    document_bullet(d);
    const char *improves_on = json_get_text(variant, "improves_on", "");
    document_span(d, SPAN_PLAIN, *improves_on ? "beside " : "beside its baseline");
    if (*improves_on)
        document_span(d, SPAN_CODE, "%s", improves_on);
    document_span(d, SPAN_PLAIN, ": ");
    document_span(d, SPAN_CODE, "%s", signals);
}

/* What a variant that was made for it is known to be bound by. */
static void describe_bound(struct document *d, const json_t *variant)
{
    const char *bound = json_get_text(variant, "bound", "");
    if (!*bound)
        return;
    document_bullet(d);
    document_span(d, SPAN_PLAIN, "its bound, by construction: ");
    document_span(d, SPAN_CODE, "%s", bound);
}

static void write_amount(struct document *d, double value)
{
    char text[UNITS_TEXT_BYTES];
    document_span(d, SPAN_PLAIN, "%s", unit_format(text, value == floor(value) ? UNIT_COUNT : UNIT_NONE, value));
}

static void write_expected_range(struct document *d, double min, double max)
{
    const bool exact = min == max;
    document_span(d, SPAN_PLAIN, exact ? " is " : max < 0 ? " is at least " : " is between ");
    write_amount(d, min);
    if (exact || max < 0)
        return;
    document_span(d, SPAN_PLAIN, " and ");
    write_amount(d, max);
}

static void describe_expectations(struct document *d, const json_t *variant)
{
    document_heading(d, 2, "What must be seen when it runs");
    document_bullet(d);
    const char *pattern = json_get_text(variant, "kernel_pattern", "");
    document_span(d, SPAN_PLAIN,
                  strcmp(pattern, ".") ? "every kernel launched matches " : "any kernel may be launched");
    if (strcmp(pattern, "."))
        document_span(d, SPAN_CODE, "%s", pattern);
    size_t i;
    json_t *expect;
    json_array_foreach (json_object_get(variant, "expect"), i, expect) {
        document_bullet(d);
        document_span(d, SPAN_CODE, "%s", json_get_text(expect, "metric", ""));
        write_expected_range(d, json_get_number(expect, "min", 0), json_get_number(expect, "max", -1));
    }
}

static void describe(struct document *d, const json_t *variants, bool one)
{
    if (!one) {
        describe_overview(d, variants);
        return;
    }
    const json_t *variant = json_array_get(variants, 0);
    document_heading(d, 1, json_get_text(variant, "name", ""));
    document_paragraph(d);
    document_span(d, SPAN_PLAIN, "%s", json_get_text(variant, "summary", ""));
    describe_needs(d, variant);
    describe_axes(d, variant);
    describe_shapes(d, variant);
    describe_expectations(d, variant);
    describe_expected_changes(d, variant);
    describe_bound(d, variant);
}

/* A file or a folder that is nothing of ours may be called as a variant nearly is. */
static int refuse_pattern(const char *pattern, const struct input *in, const json_t *all, struct err *e)
{
    if (!pattern) /* a task alone has nothing that runs */
        return err_set(e, ERR_USAGE,
                       "a task without solutions: name one that it judges, --solution NAME=LIBRARY (docs/tasks.md)");
    if (input_is_bundle(in) || in->reader || in->kind == INPUT_COUNTERS)
        return input_check(in, TAKER_LIST, e);
    const struct nearest_word near = variant_near(all, pattern);
    char question[NEAREST_QUESTION_BYTES];
    return err_set(e, ERR_USAGE, "no variant matches '%s': 'cpprof list' names them%s", pattern,
                   nearest_word_question(&near, question));
}

static int print_variants(const struct list_options *o, json_t *variants, bool exact, struct err *e)
{
    if (!strcmp(o->format, "json"))
        return output_json(json_incref(variants), NULL, false, e);
    struct document d;
    document_init(&d);
    describe(&d, variants, exact && json_array_size(variants) == 1);
    int rc = output_document(&d, o->format, NULL, false, e);
    document_release(&d);
    return rc;
}

/* Prints the lines that stood at the end of a capture. */
static int print_capture(const struct list_options *o, struct bundle *begun, int *status, struct err *e)
{
    struct capture_facts facts;
    struct document d;
    document_init(&d);
    const bool is_json = !strcmp(o->format, "json");
    int rc = capture_facts_open_begun(&facts, begun, NULL, e);
    if (!rc)
        rc = is_json ? capture_facts_measure(&facts, e) : report_capture_summary(&facts, o->pattern, &d, e);
    if (!rc)
        rc = is_json ? output_json(json_capture(&facts, o->pattern), NULL, false, e)
                     : output_document(&d, o->format, NULL, false, e);
    if (!rc && capture_facts_is_damaged(&facts))
        *status = EXIT_UNUSABLE_INPUT;
    capture_facts_release(&facts);
    document_release(&d);
    return rc;
}

static int list_variants(struct list_options *o, const struct input *in, struct err *e)
{
    json_t *all = NULL, *variants = NULL;
    bool exact = false;
    int rc = runner_ask_with("list", o->loads, o->load_count, "variants.json", &all, e);
    if (!rc) {
        variants = matching(all, o, &exact);
        rc = json_array_size(variants) ? print_variants(o, variants, exact, e) : refuse_pattern(o->pattern, in, all, e);
    }
    json_decref(variants);
    json_decref(all);
    while (o->load_count)
        free(o->loads[--o->load_count]);
    return rc;
}

static int print_settings(const struct list_options *o, struct err *e)
{
    if (o->metrics)
        return list_counters(o->pattern, o->chip, o->format, e);
    return o->chip ? list_chip(o->chip, o->format, e) : list_thresholds(o->format, e);
}

int cmd_list(int argc, char **argv)
{
    static const struct argp parser = {
        options,
        parse_option,
        "[--load LIBRARY] [VARIANT|CAPTURE]\n--metrics [REGEX]\n--chip CHIP\n--thresholds",
        "Lists the variants built into cpprof-runner or in a library of your own, or one with its parameters, shapes and expectations; or what is in "
        "the bundle of a capture; or the counters that can be collected; or what works on a chip; or the thresholds of verdicts.\v"
        "Exit status: 0, 2 when nothing matches, 4 when cpprof-runner or what it needs is missing (CUPTI, with --metrics --chip), 5 when "
        "a capture is damaged.",
        NULL,
        output_help,
        NULL};
    struct list_options o = {.format = "text"};
    command_parse(&parser, argc, argv, &o);
    struct err e = {0};
    struct input in = {0};
    int status = EXIT_PASS;
    const bool is_settings = o.metrics || o.thresholds || o.chip;
    if (output_check_format(o.format, o.metrics || o.thresholds ? list_settings_formats : NULL, &e))
        return message_error(&e);
    if (is_settings)
        return print_settings(&o, &e) ? message_error(&e) : EXIT_PASS;
    if (o.pattern)
        input_look(&in, o.pattern, NULL); /* what cannot be read may be a variant's name all the same */
    const bool is_capture = in.kind == INPUT_CAPTURE && !o.load_count;
    const int rc = is_capture ? print_capture(&o, &in.begun, &status, &e) : list_variants(&o, &in, &e);
    if (rc)
        status = message_error(&e);
    input_release(&in);
    return status;
}
