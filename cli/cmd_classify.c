/* cpprof classify: what bounds each kernel of a bundle, or of a table of ncu? */
#include <errno.h>
#include <string.h>

#include "cli/analyse.h"
#include "cli/command.h"
#include "cli/counted.h"
#include "cli/input_kind.h"
#include "cli/output.h"
#include "cli/record/messages.h"
#include "reports/reports.h"

struct classify_options {
    const char *bundle;
    const char *format;
    const char *output;
    bool force;
    bool explain;
    const char *threshold_file;
    struct threshold_overrides thresholds;
};

enum { OPTION_FORMAT = 256, OPTION_FORCE, OPTION_EXPLAIN, OPTION_THRESHOLDS };

static const struct argp_option options[] = {
    {"format", OPTION_FORMAT, "FORMAT", 0, FORMATS " (default: as FILE is called, else text)", 0},
    {"explain", OPTION_EXPLAIN, NULL, 0, "tell each step of the decision with its numbers (JSON always has them)", 0},
    {"output", 'o', "FILE", 0, "write to FILE instead of standard output", 0},
    {"force", OPTION_FORCE, NULL, 0, "replace FILE if it exists", 0},
    THRESHOLDS_OPTION(OPTION_THRESHOLDS),
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct classify_options *o = state->input;
    switch (key) {
    case OPTION_FORMAT: o->format = arg; return 0;
    case OPTION_EXPLAIN: o->explain = true; return 0;
    case 'o': o->output = arg; return 0;
    case OPTION_FORCE: o->force = true; return 0;
    case OPTION_THRESHOLDS: o->threshold_file = arg; return 0;
    case ARGP_KEY_ARG:
        if (o->bundle)
            argp_error(state, "one bundle or file at a time: '%s' is too many", arg);
        o->bundle = arg;
        return 0;
    case ARGP_KEY_NO_ARGS: argp_error(state, "which bundle or file?"); return EINVAL;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static int show(const struct analysis *a, const struct classify_options *o, struct err *e)
{
    if (!strcmp(o->format, "json"))
        return output_json(json_classify(a), o->output, o->force, e);
    struct document d;
    document_init(&d);
    int rc = report_bounds(a, o->explain, &d, e);
    if (!rc)
        rc = output_document(&d, o->format, o->output, o->force, e);
    document_release(&d);
    return rc;
}

/* A bound that nothing speaks for is inconclusive, no kernel at all is unusable input. */
static int status_of(const struct analysis *a)
{
    if (!a->bounds.count) {
        message_note("'%s' holds no kernel to classify", a->bundle->path);
        return EXIT_UNUSABLE_INPUT;
    }
    enum exit_status worst = EXIT_PASS;
    for (size_t i = 0; i < a->bounds.count; i++)
        if (a->bounds.items[i].class_ == BOUND_INCONCLUSIVE)
            worst = EXIT_INCONCLUSIVE;
    return (int)worst;
}

static int show_counted(const struct counted *c, const struct classify_options *o, struct err *e)
{
    if (!strcmp(o->format, "json"))
        return output_json(json_counted(&c->analysis, &c->launches), o->output, o->force, e);
    struct document d;
    document_init(&d);
    int rc =
        report_counted(&c->analysis, &c->launches, strcmp(o->bundle, "-") ? o->bundle : "stdin", o->explain, &d, e);
    if (!rc)
        rc = output_document(&d, o->format, o->output, o->force, e);
    document_release(&d);
    return rc;
}

static int classify_counted(const struct classify_options *o, struct err *e)
{
    struct counted counted;
    if (counted_open(&counted, o->bundle, &o->thresholds, e))
        return message_error(e);
    const int status = show_counted(&counted, o, e) ? message_error(e) : counted_status(&counted);
    counted_release(&counted);
    return status;
}

static int classify_bundle(struct bundle *begun, const struct classify_options *o, struct err *e)
{
    struct analysed analysed;
    if (analysed_open_begun(&analysed, begun, &(struct analysed_wish){.overrides = &o->thresholds}, e))
        return message_error(e);
    int status = show(&analysed.analysis, o, e) ? message_error(e) : status_of(&analysed.analysis);
    status = (int)exit_status_worse((enum exit_status)status, (enum exit_status)analysed_damage(&analysed));
    analysed_release(&analysed);
    return status;
}

int cmd_classify(int argc, char **argv)
{
    static const struct argp argp = {
        options,
        parse,
        "BUNDLE|FILE",
        "Says what bounds each kernel of a bundle, or of a CSV that Nsight Compute made (- is standard input), "
        "and by which evidence.\v"
        "Exit status: 0, 3 when a bound is inconclusive or its unit is open, or a value in FILE is impossible, 5 for an input that is damaged, has no kernel, or is a capture.",
        NULL,
        output_help,
        NULL};
    struct classify_options o = {0};
    command_parse(&argp, argc, argv, &o);
    if (!o.format)
        o.format = output_format_of(o.output, NULL, "text");
    struct err e = {0};
    struct input in;
    if (output_check_format(o.format, NULL, &e) || output_check(o.output, o.force, &e) ||
        analyse_read_thresholds(&o.thresholds, o.threshold_file, &e))
        return message_error(&e);
    int status;
    if (input_open(&in, o.bundle, TAKER_CLASSIFY, &e))
        status = message_error(&e);
    else
        status = input_is_bundle(&in) ? classify_bundle(&in.begun, &o, &e) : classify_counted(&o, &e);
    input_release(&in);
    return status;
}
