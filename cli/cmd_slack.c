/* cpprof slack: how much later may the phases of a kernel end for free? */
#include <errno.h>
#include <string.h>

#include "cli/analyse.h"
#include "cli/command.h"
#include "cli/input_kind.h"
#include "cli/output.h"
#include "record/messages.h"
#include "reports/reports.h"
#include "stats/ratio_decision.h"

struct slack_options {
    const char *bundle;
    const char *format;
    const char *output;
    bool force;
};

enum { OPTION_FORMAT = 256, OPTION_FORCE };

static const struct argp_option options[] = {
    {"format", OPTION_FORMAT, "FORMAT", 0, FORMATS " (default: as FILE is called, else text)", 0},
    {"output", 'o', "FILE", 0, "write to FILE instead of standard output", 0},
    {"force", OPTION_FORCE, NULL, 0, "replace FILE if it exists", 0},
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct slack_options *o = state->input;
    switch (key) {
    case OPTION_FORMAT: o->format = arg; return 0;
    case 'o': o->output = arg; return 0;
    case OPTION_FORCE: o->force = true; return 0;
    case ARGP_KEY_ARG:
        if (o->bundle)
            argp_error(state, "one bundle at a time: '%s' is too many", arg);
        o->bundle = arg;
        return 0;
    case ARGP_KEY_NO_ARGS: argp_error(state, "which bundle?"); return EINVAL;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static int show(const struct analysis *a, const struct slack_options *o, struct err *e)
{
    if (!strcmp(o->format, "json"))
        return output_json(json_slack(a), o->output, o->force, e);
    struct document d;
    document_init(&d);
    int rc = report_slack(a, &d, e);
    if (!rc)
        rc = output_document(&d, o->format, o->output, o->force, e);
    document_release(&d);
    return rc;
}

static int status_of(const struct analysis *a)
{
    if (!a->slacks.count) {
        message_note("'%s' holds no delays of marks; 'cpprof run --slack' measures them", a->bundle->path);
        return EXIT_UNUSABLE_INPUT;
    }
    enum exit_status worst = EXIT_PASS;
    for (size_t i = 0; i < a->slacks.count; i++)
        if (!a->slacks.items[i].is_ok)
            worst = EXIT_INCONCLUSIVE;
    return (int)worst;
}

static int slack_of_bundle(struct bundle *begun, const struct slack_options *o, struct err *e)
{
    struct analysed analysed;
    if (analysed_open_begun(&analysed, begun, RATIO_MARGIN, NULL, e))
        return message_error(e);
    int status = show(&analysed.analysis, o, e) ? message_error(e) : status_of(&analysed.analysis);
    status = (int)exit_status_worse((enum exit_status)status, (enum exit_status)analysed_damage(&analysed));
    analysed_release(&analysed);
    return status;
}

int cmd_slack(int argc, char **argv)
{
    static const struct argp argp = {
        options,
        parse,
        "BUNDLE",
        "Says how much later each phase of a kernel may begin before the kernel becomes slower, from builds in which a "
        "mark waits ('cpprof run --slack').\v"
        "Exit status: 0, 3 when a phase is inconclusive or unsteady, 5 for an input that is damaged or has no delays.",
        NULL,
        output_help,
        NULL};
    struct slack_options o = {0};
    command_parse(&argp, argc, argv, &o);
    if (!o.format)
        o.format = output_format_of(o.output, NULL, "text");
    struct err e = {0};
    struct input in;
    if (output_check_format(o.format, NULL, &e) || output_check(o.output, o.force, &e))
        return message_error(&e);
    const bool is_taken = !input_open(&in, o.bundle, TAKER_SLACK, &e);
    const int status = is_taken ? slack_of_bundle(&in.begun, &o, &e) : message_error(&e);
    input_release(&in);
    return status;
}
