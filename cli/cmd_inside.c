/* cpprof inside and cpprof slack: what happens inside the kernels that a run recorded, and how much later may each
 * phase begin? */
#include <errno.h>
#include <string.h>

#include "analyzers/entries.h"
#include "cli/analyse.h"
#include "cli/command.h"
#include "cli/input_kind.h"
#include "cli/output.h"
#include "cli/record/messages.h"
#include "reports/reports.h"

struct view_options {
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
    struct view_options *o = state->input;
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

/* One question that is asked of a run. */
struct view {
    enum input_taker taker;
    uint32_t questions; /* overlap: it reads the trace whole, and says what is wrong with it */
    const char *lacks;  /* what to do about a run that says nothing of it */
    int (*report)(const struct analysis *a, struct document *out, struct err *e);
    json_t *(*json)(const struct analysis *a);
    enum exit_status (*status)(const struct analysis *a); /* EXIT_UNUSABLE_INPUT: the run says nothing of it */
};

static enum exit_status status_of_inside(const struct analysis *a)
{
    enum exit_status worst = a->insides.count ? EXIT_PASS : EXIT_UNUSABLE_INPUT;
    for (size_t i = 0; i < a->insides.count; i++)
        if (!a->insides.items[i].is_ok)
            worst = EXIT_INCONCLUSIVE;
    return worst;
}

static enum exit_status status_of_slack(const struct analysis *a)
{
    enum exit_status worst = a->slacks.count ? EXIT_PASS : EXIT_UNUSABLE_INPUT;
    for (size_t i = 0; i < a->slacks.count; i++)
        if (*a->slacks.items[i].why)
            worst = EXIT_INCONCLUSIVE;
    return worst;
}

static int show(const struct view *v, const struct analysis *a, const struct view_options *o, struct err *e)
{
    if (!strcmp(o->format, "json"))
        return output_json(v->json(a), o->output, o->force, e);
    struct document d;
    document_init(&d);
    int rc = v->report(a, &d, e);
    if (!rc)
        rc = output_document(&d, o->format, o->output, o->force, e);
    document_release(&d);
    return rc;
}

static int view_bundle(const struct view *v, struct bundle *begun, const struct view_options *o, struct err *e)
{
    struct analysed analysed;
    if (analysed_open_begun(&analysed, begun, &(struct analysed_wish){.questions = v->questions}, e))
        return message_error(e);
    int status = show(v, &analysed.analysis, o, e) ? message_error(e) : (int)v->status(&analysed.analysis);
    if (!e->code && status == EXIT_UNUSABLE_INPUT)
        message_note("'%s' holds %s", analysed.bundle.path, v->lacks);
    status = (int)exit_status_worse((enum exit_status)status, (enum exit_status)analysed_damage(&analysed));
    analysed_release(&analysed);
    return status;
}

static int view_command(const struct view *v, const char *doc, int argc, char **argv)
{
    const struct argp argp = {options, parse, "BUNDLE", doc, NULL, output_help, NULL};
    struct view_options o = {0};
    command_parse(&argp, argc, argv, &o);
    if (!o.format)
        o.format = output_format_of(o.output, NULL, "text");
    struct err e = {0};
    struct input in;
    if (output_check_format(o.format, NULL, &e) || output_check(o.output, o.force, &e))
        return message_error(&e);
    const bool is_taken = !input_open(&in, o.bundle, v->taker, &e);
    const int status = is_taken ? view_bundle(v, &in.begun, &o, &e) : message_error(&e);
    input_release(&in);
    return status;
}

int cmd_inside(int argc, char **argv)
{
    static const struct view view = {TAKER_INSIDE,
                                     QUESTION(inside) | QUESTION(overlap),
                                     "no inside of a kernel; 'cpprof run --inside' records it",
                                     report_inside,
                                     json_inside,
                                     status_of_inside};
    return view_command(
        &view,
        "Says how long each phase of a recorded kernel is, which part of its copying is hidden by work, and how long "
        "warps wait for tiles.\v"
        "Exit status: 0, 3 when a recorded kernel is inconclusive, 5 for an input that is damaged or has no recorded "
        "kernel.",
        argc, argv);
}

int cmd_slack(int argc, char **argv)
{
    static const struct view view = {TAKER_SLACK,
                                     QUESTION(slack) | QUESTION(overlap),
                                     "no delays of phases; 'cpprof run --slack' measures them",
                                     report_slack,
                                     json_slack,
                                     status_of_slack};
    return view_command(
        &view,
        "Says how much later each phase of a kernel may begin before the kernel becomes slower, and which phases are "
        "critical, from the arms of a run whose marks wait.\v"
        "Exit status: 0, 3 when no slack can be stated of a phase, 5 for an input that is damaged or has no delays.",
        argc, argv);
}
