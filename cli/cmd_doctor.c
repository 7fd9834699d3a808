/* cpprof doctor: what works on this machine, and what to do about the rest? */
#include <string.h>

#include "cli/command.h"
#include "cli/doctor/doctor.h"
#include "cli/output.h"
#include "cli/record/capture_session.h"
#include "cli/record/ceiling_source.h"
#include "cli/record/messages.h"
#include "cli/record/runner_process.h"
#include "core/base/files.h"
#include "reports/doctor_report.h"

struct doctor_options {
    const char *format, *output, *root, *directory;
    bool force, ceilings;
};

enum { OPT_FORMAT = 256, OPT_FORCE, OPT_ROOT, OPT_DIRECTORY, OPT_CEILINGS };

static const struct argp_option options[] = {
    {"format", OPT_FORMAT, "FORMAT", 0, FORMATS " (default: as FILE is called, else text)", 0},
    {"ceilings", OPT_CEILINGS, NULL, 0,
     "measure what each GPU and each link between them can do at most, for 'run --ceilings FILE'; a few seconds a GPU",
     0},
    {"output", 'o', "FILE", 0, "write there instead of to standard output", 0},
    {"force", OPT_FORCE, NULL, 0, "replace FILE if it exists", 0},
    {"directory", OPT_DIRECTORY, "DIR", 0, "where bundles would be written (default: here)", 0},
    {"root", OPT_ROOT, "DIR", 0, "look at DIR/proc, DIR/sys and so on: a host that is mounted in a container", 0},
    {0},
};

static int parse_option(int key, char *arg, struct argp_state *state)
{
    struct doctor_options *o = state->input;
    switch (key) {
    case OPT_FORMAT: o->format = arg; return 0;
    case 'o': o->output = arg; return 0;
    case OPT_FORCE: o->force = true; return 0;
    case OPT_DIRECTORY: o->directory = arg; return 0;
    case OPT_CEILINGS: o->ceilings = true; return 0;
    case OPT_ROOT: o->root = arg; return 0;
    case ARGP_KEY_ARG: argp_error(state, "doctor takes no operand"); return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static int print_checkup(const struct doctor_options *o, const struct checkup *c, struct err *e)
{
    if (!strcmp(o->format, "json"))
        return output_json(c->failed ? NULL : json_doctor(c), o->output, o->force, e);
    struct document d;
    document_init(&d);
    int rc = report_doctor(c, &d, e);
    if (!rc)
        rc = output_document(&d, o->format, o->output, o->force, e);
    document_release(&d);
    return rc;
}

/* NULL with the reason when there is no runner, or one of another version. */
static void ask_runner(json_t **probe, struct err *why)
{
    if (runner_ask("probe", "probe.json", probe, why) || !strcmp(json_get_text(*probe, "schema", ""), "cpprof.probe/1"))
        return;
    err_set(why, ERR_ENVIRONMENT,
            "cpprof-runner answers in a form that this cpprof does not know: they are of two versions");
    json_decref(*probe);
    *probe = NULL;
}

/* Nothing was measured: that was asked for, and is missing. */
static bool is_empty(const json_t *ceilings)
{
    size_t i, measured = 0;
    json_t *gpu;
    json_array_foreach (json_object_get(ceilings, "gpus"), i, gpu)
        measured += json_array_size(json_object_get(gpu, "ceilings"));
    return !measured;
}

/* Last of all: what doctor does with the GPUs is not what it finds on them. */
static int measure_ceilings(const json_t *probe, json_t **ceilings, struct err *e)
{
    const long long devices = json_get_integer(json_object_get(probe, "cuda"), "devices", 0);
    if (devices <= 0)
        return err_set(e, ERR_ENVIRONMENT,
                       "--ceilings: CUDA sees no GPU that could be measured; 'cpprof doctor' says why");
    return ceilings_measure_all((long)devices, ceilings, e);
}

/* Without a runner there is still something to say: all that needs no CUDA. */
static int examine_and_print(const struct doctor_options *o, bool *incomplete, struct err *e)
{
    struct err no_probe = {0};
    json_t *probe = NULL, *ceilings = NULL;
    struct str library;
    struct checkup checkup;
    str_init(&library);
    ask_runner(&probe, &no_probe);
    checkup_init(&checkup, probe);
    const char *injection = capture_library_find(&library, NULL) ? NULL : str_text(&library);
    const struct machine machine = machine_here(o->root);
    doctor_examine(&(struct doctor_input){&machine, probe, no_probe.text, injection, o->directory}, &checkup);
    int rc = o->ceilings ? measure_ceilings(probe, &ceilings, e) : 0;
    checkup.ceilings = ceilings;
    *incomplete = checkup_stops(&checkup) || (ceilings && is_empty(ceilings));
    if (!rc)
        rc = print_checkup(o, &checkup, e);
    checkup_release(&checkup);
    json_decref(ceilings);
    json_decref(probe);
    str_release(&library);
    return rc;
}

int cmd_doctor(int argc, char **argv)
{
    static const struct argp parser = {options,
                                       parse_option,
                                       NULL,
                                       "Says what works on this machine, and what to do about the rest: driver, GPUs "
                                       "and their links, CUPTI, counters, other "
                                       "profilers, limits.\vExit status: 0 when 'run' and 'capture' can do what they "
                                       "should, 4 when something is missing. "
                                       "Recorded bundles and traces need none of it.",
                                       NULL,
                                       output_help,
                                       NULL};
    struct doctor_options o = {.directory = "."};
    command_parse(&parser, argc, argv, &o);
    struct err e = {0};
    bool incomplete = false;
    if (!o.format)
        o.format = output_format_of(o.output, NULL, "text");
    int rc = output_check_format(o.format, NULL, &e);
    if (!rc)
        rc = output_check(o.output, o.force, &e);
    if (!rc && o.root && !files_exists(o.root))
        rc = err_set(&e, ERR_USAGE, "--root '%s': there is no such folder", o.root);
    if (!rc)
        rc = examine_and_print(&o, &incomplete, &e);
    return rc ? message_error(&e) : incomplete ? EXIT_ENVIRONMENT : EXIT_PASS;
}
