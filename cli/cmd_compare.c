/* cpprof compare: is it faster beyond doubt? */
#include <errno.h>
#include <string.h>

#include "analyzers/analyzer.h"
#include "analyzers/arm_differences.h"
#include "cli/analyse.h"
#include "cli/command.h"
#include "cli/compared/compare_benchmarks.h"
#include "cli/compared/compare_traces.h"
#include "cli/compared/compared_bundles.h"
#include "cli/compared/compared_formats.h"
#include "cli/compared/margin_option.h"
#include "cli/input_kind.h"
#include "cli/output.h"
#include "cli/record/messages.h"
#include "cli/scope_options.h"
#include "core/base/files.h"
#include "core/bundle/bundle_open.h"
#include "core/bundle/bundle_store.h"
#include "core/stats/ratio_decision.h"
#include "core/trace/event_stream.h"
#include "reports/compare_report.h"

enum { BUNDLES_MAX = 2 };

struct compare_options {
    const char *bundles[BUNDLES_MAX];
    size_t bundle_count;
    const char *save, *against, *store;
    const char *across;
    const char *range, *comm; /* of two traces; NULL: not given */
    double margin;
    const char *format; /* NULL: from the name of the output */
    const char *output;
    bool force;
    const char *threshold_file;
    struct threshold_overrides thresholds;
};

enum {
    OPTION_FORMAT = 256,
    OPTION_FORCE,
    OPTION_SAVE,
    OPTION_AGAINST,
    OPTION_STORE,
    OPTION_MARGIN,
    OPTION_ACROSS,
    OPTION_RANGE,
    OPTION_COMM,
    OPTION_THRESHOLDS
};

static const struct argp_option options[] = {
    {"against", OPTION_AGAINST, "NAME", 0, "judge BUNDLE against the latest one saved as NAME, or against NAME@3", 0},
    {"save", OPTION_SAVE, "NAME", 0, "keep BUNDLE under NAME; after a comparison only when that ends with 0", 0},
    {"store", OPTION_STORE, "DIR", 0, "where saved bundles are (default cpprof-store)", 0},
    {"margin", OPTION_MARGIN, "PERCENT", 0, "a smaller difference is none (default 1%)", 0},
    {"across", OPTION_ACROSS, "WHAT[,WHAT]", 0,
     "what differs on purpose and is no obstacle: device, board, driver, clocks, power", 0},
    {"range", OPTION_RANGE, "REGEX", 0,
     "of two captures or traces: each occurrence of the NVTX range whose name matches is a step (default: "
     "ProfilerStep#N, or the range that fills most of the time)",
     0},
    COMM_OPTION(OPTION_COMM),
    THRESHOLDS_OPTION(OPTION_THRESHOLDS),
    {"format", OPTION_FORMAT, "FORMAT", 0, FORMATS " (default: as FILE is called, else text)", 0},
    {"output", 'o', "FILE", 0, "write to FILE instead of standard output: COMPARE.md", 0},
    {"force", OPTION_FORCE, NULL, 0, "replace FILE if it exists", 0},
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct compare_options *o = state->input;
    switch (key) {
    case OPTION_AGAINST: o->against = arg; return 0;
    case OPTION_SAVE: o->save = arg; return 0;
    case OPTION_STORE: o->store = arg; return 0;
    case OPTION_MARGIN: margin_option_parse(state, arg, &o->margin); return 0;
    case OPTION_ACROSS: o->across = arg; return 0;
    case OPTION_RANGE: o->range = arg; return 0;
    case OPTION_COMM: o->comm = arg; return 0;
    case OPTION_THRESHOLDS: o->threshold_file = arg; return 0;
    case OPTION_FORMAT: o->format = arg; return 0;
    case 'o': o->output = arg; return 0;
    case OPTION_FORCE: o->force = true; return 0;
    case ARGP_KEY_ARG:
        if (o->bundle_count == BUNDLES_MAX)
            argp_error(state, "two bundles at most: '%s' is too many", arg);
        o->bundles[o->bundle_count++] = arg;
        return 0;
    case ARGP_KEY_NO_ARGS: argp_error(state, "which bundle?"); return EINVAL;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static char *help(int key, const char *text, void *input)
{
    (void)key;
    (void)input;
    return output_help_formats(text, compared_formats);
}

/* Saving alone writes no report, and must not look as if something was judged. */
static int check_save(const struct compare_options *o, struct err *e)
{
    const bool only_saves = o->save && !o->against && o->bundle_count == 1;
    if (only_saves && (o->output || o->format || o->across))
        return err_set(e, ERR_USAGE,
                       "--save alone judges nothing and writes no report: leave out %s, or compare first and save then",
                       o->output   ? "-o"
                       : o->format ? "--format"
                                   : "--across");
    return 0;
}

static int check_options(struct compare_options *o, struct err *e)
{
    if (o->against && o->bundle_count > 1)
        return err_set(e, ERR_USAGE, "--against has the baseline: name one bundle, the candidate");
    int rc = comm_regex_check(o->comm, e);
    if (!rc)
        rc = check_save(o, e);
    if (!o->format)
        o->format = output_format_of(o->output, compared_formats, "text");
    if (!rc)
        rc = arm_differences_check_across(o->across, e);
    if (!rc)
        rc = output_check_format(o->format, compared_formats, e);
    return rc ? rc : output_check(o->output, o->force, e);
}

/* ---- what is saved ---- */

static int save(const struct bundle *b, const struct compare_options *o, struct err *e)
{
    struct str saved;
    str_init(&saved);
    int rc = bundle_store_save(o->store, o->save, b, &saved, e);
    if (!rc)
        message_note("saved as '%s'", str_text(&saved));
    str_release(&saved);
    return rc;
}

/* A reference never moves to what was not shown to be as fast. */
static bool may_save(const struct compare_options *o, enum exit_status status)
{
    if (!o->save)
        return false;
    if (status)
        message_note(
            "not saved as '%s': the comparison ended with %d; 'cpprof compare BUNDLE --save %s' alone saves it anyway",
            o->save, (int)status, o->save);
    return !status;
}

/* ---- captures and traces ---- */

/* The one that is compared with another, or that is only saved. */
static const char *candidate_of(const struct compare_options *o)
{
    return o->bundles[o->bundle_count - 1];
}

static const char *baseline_of(const struct compared_bundles *c, const struct compare_options *o)
{
    return o->against ? str_text(&c->stored) : o->bundle_count == BUNDLES_MAX ? o->bundles[0] : NULL;
}

static bool are_traces(const struct compared_bundles *c, const struct compare_options *o)
{
    const char *baseline = baseline_of(c, o);
    if (!baseline && !o->save)
        return false; /* a run alone, which is opened once */
    return compare_traces_takes(candidate_of(o)) && (!baseline || compare_traces_takes(baseline));
}

/* Whether a trace is whole is known when it has been read. */
static int check_trace(const struct bundle *b, struct err *e)
{
    struct event_stream *stream = NULL;
    int rc = event_stream_open_bundle(&stream, b, e);
    if (!rc && (caveat_has(event_stream_caveats(stream), CAVEAT_TRUNCATED) ||
                caveat_has(event_stream_caveats(stream), CAVEAT_TIMES)))
        rc = err_set(e, ERR_INPUT, "'%s' is damaged: a reference must be whole", b->path);
    event_stream_free(stream);
    return rc;
}

/* Of captures, which are bundles; a trace of another tool is a file like any other. */
static int save_capture(const char *path, const struct compare_options *o, struct err *e)
{
    struct input in;
    int rc = input_look(&in, path, e);
    if (!rc)
        rc = bundle_open_begun(&in.begun, e);
    if (!rc)
        rc = check_trace(&in.begun, e);
    if (!rc)
        rc = save(&in.begun, o, e);
    input_release(&in);
    return rc;
}

static int check_is_capture(const char *path, struct err *e)
{
    struct input in;
    int rc = input_look(&in, path, e);
    if (!rc && in.kind != INPUT_CAPTURE)
        rc = err_set(e, ERR_USAGE, "--save keeps bundles: '%s' is a trace of another tool, so keep the file", path);
    input_release(&in);
    return rc;
}

static int compare_two_traces(const struct compared_bundles *c, const struct compare_options *o,
                              enum exit_status *status, struct err *e)
{
    const struct compare_traces_options traces = {.before = baseline_of(c, o),
                                                  .after = candidate_of(o),
                                                  .range = o->range,
                                                  .comm = o->comm,
                                                  .across = o->across,
                                                  .margin = o->margin,
                                                  .format = o->format,
                                                  .output = o->output,
                                                  .force = o->force};
    int rc = o->save ? check_is_capture(traces.after, e) : 0;
    if (!rc && traces.before)
        rc = compare_traces(&traces, status, e);
    if (rc || (traces.before && !may_save(o, *status)))
        return rc;
    return save_capture(traces.after, o, e);
}

/* ---- results of other tools' benchmarks ---- */

static bool are_benchmarks(const struct compare_options *o)
{
    return o->bundle_count == BUNDLES_MAX && compare_benchmarks_takes(o->bundles[0]) &&
           compare_benchmarks_takes(o->bundles[1]);
}

static int compare_two_benchmarks(const struct compare_options *o, enum exit_status *status, struct err *e)
{
    const struct compare_benchmarks_options benchmarks = {.before = o->bundles[0],
                                                          .after = o->bundles[1],
                                                          .across = o->across,
                                                          .margin = o->margin,
                                                          .format = o->format,
                                                          .output = o->output,
                                                          .force = o->force};
    if (o->save || o->range || o->comm)
        return err_set(e, ERR_USAGE, "--%s: these are results of benchmarks, which have no steps and are not saved",
                       o->save    ? "save"
                       : o->range ? "range"
                                  : "comm");
    return compare_benchmarks(&benchmarks, status, e);
}

/* ---- what is compared ---- */

static int open_side(struct compared_bundles *c, const char *path, struct err *e)
{
    struct input in;
    int rc = input_open(&in, path, TAKER_COMPARE, e);
    if (!rc)
        rc = compared_bundles_add(c, path, &in.begun, e);
    input_release(&in);
    return rc;
}

static int open_sides(struct compared_bundles *c, const struct compare_options *o, struct err *e)
{
    c->margin = o->margin;
    c->thresholds = &o->thresholds;
    int rc = 0;
    if (o->against)
        rc = open_side(c, str_text(&c->stored), e);
    for (size_t i = 0; i < o->bundle_count && !rc; i++)
        rc = open_side(c, o->bundles[i], e);
    return rc || c->side_count < 2 ? rc : compared_bundles_judge(c, o->across, e);
}

/* ---- what is said ---- */

static int write_csv(const struct compare_report *r, const struct compare_options *o, struct err *e)
{
    struct str text;
    str_init(&text);
    int rc = csv_compare(r, &text, e);
    if (!rc)
        rc = output_write(o->output, o->force, str_text(&text), text.length, e);
    str_release(&text);
    return rc;
}

static int write_document(const struct compare_report *r, const struct compare_options *o, struct err *e)
{
    struct document d;
    document_init(&d);
    int rc = report_compare(r, &d, e);
    if (!rc)
        rc = output_everything(&d, o->format, o->output, o->force, e);
    document_release(&d);
    return rc;
}

static int write_verdicts(const struct compare_report *r, enum exit_status status, const struct compare_options *o,
                          struct err *e)
{
    struct verdict_rows rows;
    int rc = verdict_rows_of_runs(&rows, r, e);
    if (!rc)
        rc = compared_write_verdicts(&rows, status, o->format, o->output, o->force, e);
    verdict_rows_release(&rows);
    return rc;
}

static int show(const struct compared_bundles *c, enum exit_status status, const struct compare_options *o,
                struct err *e)
{
    struct compare_report r = {.verdicts = compared_bundles_verdicts(c), .side_count = c->side_count};
    for (size_t i = 0; i < c->side_count; i++)
        r.sides[i] = (struct compare_side){c->paths[i], &c->sides[i].analysis};
    if (!strcmp(o->format, "json"))
        return output_json(json_compare_report(&r), o->output, o->force, e);
    if (compared_is_verdicts(o->format))
        return write_verdicts(&r, status, o, e);
    return strcmp(o->format, "csv") ? write_document(&r, o, e) : write_csv(&r, o, e);
}

/* Which of two is missing is said before anything is judged by the other one. */
static int check_operands(const struct compare_options *o, struct err *e)
{
    int rc = 0;
    for (size_t i = 0; i < o->bundle_count && !rc; i++) {
        struct input in;
        if (files_exists(o->bundles[i]))
            continue;
        rc = input_look(&in, o->bundles[i], e);
        input_release(&in);
    }
    return rc;
}

static int compare(struct compared_bundles *c, const struct compare_options *o, enum exit_status *status, struct err *e)
{
    int rc = check_operands(o, e);
    if (!rc && o->against)
        rc = bundle_store_find(o->store, o->against, &c->stored, e);
    if (rc)
        return rc;
    if (are_benchmarks(o))
        return compare_two_benchmarks(o, status, e);
    if (are_traces(c, o))
        return compare_two_traces(c, o, status, e);
    rc = open_sides(c, o, e);
    if (!rc && o->range)
        rc = err_set(e, ERR_USAGE, "--range chooses the steps of two captures or traces, and these are runs");
    if (!rc && o->comm)
        rc = err_set(e, ERR_USAGE, "--comm says what communicates in two captures or traces, and these are runs");
    if (!rc && c->side_count == 1 && o->save)
        return save(&c->sides[0].bundle, o, e);
    if (!rc) {
        *status = compared_bundles_status(c);
        rc = show(c, *status, o, e);
    }
    return rc || !may_save(o, *status) ? rc : save(&c->sides[c->side_count - 1].bundle, o, e);
}

int cmd_compare(int argc, char **argv)
{
    static const struct argp argp = {
        options,
        parse,
        "BUNDLE\nBASELINE CANDIDATE\nBEFORE AFTER\nBUNDLE --against NAME\nBUNDLE --save NAME",
        "Judges every variant of a bundle against its baseline, or the variants of one bundle against those of "
        "another; of two captures or traces, the steps; of two results of Google Benchmark or nvbench (JSON, or a folder "
        "with a file for each process), the benchmarks of the same name.\v"
        "Exit status: 0 each is faster or equivalent, 1 one is slower or contradicted, 3 one is inconclusive, 5 one cannot be compared or "
        "a bundle cannot be used, 2 for a wrong command line. docs/compare.md tells what is compared with what, "
        "docs/statistics.md how.",
        NULL,
        help,
        NULL};
    struct compare_options o = {.store = "cpprof-store", .margin = RATIO_MARGIN};
    command_parse(&argp, argc, argv, &o);
    struct err e = {0};
    struct compared_bundles c;
    enum exit_status status = EXIT_PASS;
    compared_bundles_init(&c);
    int rc = check_options(&o, &e);
    if (!rc)
        rc = analyse_read_thresholds(&o.thresholds, o.threshold_file, &e);
    if (!rc)
        rc = compare(&c, &o, &status, &e);
    compared_bundles_release(&c);
    if (rc && rc != ERR_USAGE && compared_is_verdicts(o.format))
        compared_write_failure(o.bundles[0], o.bundles[1], &e, o.format, o.output, o.force);
    return rc ? message_error(&e) : (int)status;
}
