/* cpprof doctor: what works on this machine, and what to do about the rest? */
#include <string.h>

#include "cli/command.h"
#include "cli/output.h"
#include "cli/runner_process.h"

struct doctor_options {
    const char *format;
};

enum { OPT_FORMAT = 256 };

static const struct argp_option options[] = {
    {"format", OPT_FORMAT, "FORMAT", 0, "text (default), md, html or json", 0},
    {0},
};

static int parse_option(int key, char *arg, struct argp_state *state)
{
    struct doctor_options *o = state->input;
    if (key != OPT_FORMAT)
        return key == ARGP_KEY_ARG ? (argp_error(state, "doctor takes no operand"), 0) : ARGP_ERR_UNKNOWN;
    o->format = arg;
    return 0;
}

static void add_check(json_t *checks, const char *name, bool works, const char *detail)
{
    json_array_append_new(checks, json_pack("{s:s,s:b,s:o}", "check", name, "works", works, "detail", json_text(detail)));
}

/* Without a runner there is still something to say: what works without one. */
static json_t *examine(void)
{
    struct err e = {0};
    json_t *checks = NULL;
    if (runner_ask("probe", "probe.json", &checks, &e)) {
        checks = json_array();
        add_check(checks, "cpprof-runner", false, e.text);
    }
    add_check(checks, "reports, overlap checks, classification", true, "work without a GPU, on bundles and traces");
    return checks;
}

static bool all_work(const json_t *checks)
{
    size_t i;
    json_t *check;
    json_array_foreach(checks, i, check)
        if (!json_is_true(json_object_get(check, "works")))
            return false;
    return true;
}

static int print_checks(const char *format, json_t *checks, struct err *e)
{
    static const struct document_column columns[] = {{"check", false}, {"", false}, {"what was found, what to do", false}};
    if (!strcmp(format, "json"))
        return output_json(json_incref(checks), NULL, false, e);
    struct document d;
    document_init(&d);
    document_table(&d, columns, 3);
    size_t i;
    json_t *check;
    json_array_foreach(checks, i, check)
    {
        document_cell(&d, "%s", json_get_text(check, "check", ""));
        document_cell(&d, "%s", json_is_true(json_object_get(check, "works")) ? "ok" : "MISSING");
        document_cell(&d, "%s", json_get_text(check, "detail", ""));
    }
    int rc = output_document(&d, format, NULL, false, e);
    document_release(&d);
    return rc;
}

int cmd_doctor(int argc, char **argv)
{
    static const struct argp parser = {
        options, parse_option, NULL,
        "Says what works on this machine: driver, GPU, CUPTI, counters, clocks.\vExit status: 0 when 'cpprof run' can do "
        "all it does, 4 when something is missing.",
        NULL, NULL, NULL};
    struct doctor_options o = {.format = "text"};
    command_parse(&parser, argc, argv, &o);
    struct err e = {0};
    json_t *checks = examine();
    int rc = print_checks(o.format, checks, &e);
    int status = rc ? output_error(&e) : all_work(checks) ? EXIT_PASS : EXIT_ENVIRONMENT;
    json_decref(checks);
    return status;
}
