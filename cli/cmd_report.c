/* cpprof report: what happened in these runs? */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/analyse.h"
#include "cli/command.h"
#include "cli/output.h"
#include "cli/trace_arguments.h"
#include "model/capture_facts.h"
#include "reports/capture_report.h"
#include "reports/reports.h"

struct report_options {
    char **bundles; /* into argv */
    size_t bundle_count;
    const char *format;
    const char *output;
    bool force;
};

enum { OPTION_FORMAT = 256, OPTION_FORCE };

static const struct argp_option options[] = {
    {"format", OPTION_FORMAT, "FORMAT", 0, "md (default), text, html or json", 0},
    {"output", 'o', "FILE", 0, "write to FILE instead of standard output", 0},
    {"force", OPTION_FORCE, NULL, 0, "replace FILE if it exists", 0},
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct report_options *o = state->input;
    switch (key) {
    case OPTION_FORMAT: o->format = arg; return 0;
    case 'o': o->output = arg; return 0;
    case OPTION_FORCE: o->force = true; return 0;
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

/* Of several, each section begins with the name of its bundle: "a.cpprof" for "runs/a.cpprof/". */
static void add_section(const char *path, struct document *d)
{
    size_t end = strlen(path);
    while (end > 1 && path[end - 1] == '/')
        end--;
    size_t begin = end;
    while (begin && path[begin - 1] != '/')
        begin--;
    document_heading(d, 1, "");
    document_span(d, SPAN_CODE, "%.*s", (int)(end - begin), path + begin);
}

/* A capture has no variants to judge: it is measured as traces are. */
static int add_capture(const char *path, struct document *d, json_t *list, int *status, struct err *e)
{
    struct capture_facts facts;
    int rc = capture_facts_open(&facts, path, e);
    if (!rc)
        rc = capture_facts_measure(&facts, e);
    if (!rc && !list)
        rc = report_capture(&facts, path, d, e);
    else if (!rc && json_array_append_new(list, json_capture(&facts, path)))
        rc = err_memory(e);
    if (!rc && trace_note_caveats(facts.stream) == EXIT_UNUSABLE_INPUT)
        *status = EXIT_UNUSABLE_INPUT;
    capture_facts_release(&facts);
    return rc ? err_context(e, "while reading '%s'", path) : 0;
}

/* Adds what one bundle has to say to the document, or to the list. *status
 * becomes EXIT_UNUSABLE_INPUT when the bundle is damaged. */
static int add_bundle(const char *path, struct document *d, json_t *list, int *status, struct err *e)
{
    struct analysed analysed;
    if (capture_facts_is(path))
        return add_capture(path, d, list, status, e);
    int rc = analysed_open(&analysed, path, e);
    if (rc)
        return rc;
    if (!list)
        rc = report_run(&analysed.analysis, d, e);
    else if (json_array_append_new(list, bundle_to_json(path, &analysed.analysis)))
        rc = err_memory(e);
    if (analysed_damage(&analysed))
        *status = EXIT_UNUSABLE_INPUT;
    analysed_release(&analysed);
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
    struct document d;
    document_init(&d);
    int rc = 0;
    for (size_t i = 0; !rc && i < o->bundle_count; i++) {
        if (o->bundle_count > 1)
            add_section(o->bundles[i], &d);
        rc = add_bundle(o->bundles[i], &d, list, status, e);
    }
    if (!rc && list)
        rc = write_json(list, o, e);
    else if (!rc)
        rc = output_document(&d, o->format, o->output, o->force, e);
    document_release(&d);
    json_decref(list);
    return rc;
}

int cmd_report(int argc, char **argv)
{
    static const struct argp argp = {options,
                                     parse,
                                     "BUNDLE...",
                                     "Writes the report of one or more bundles: the verdict first, then the numbers, "
                                     "where they come from, and the command to reproduce them.\v"
                                     "It shows and does not judge. Exit status: 0, or 5 for a bundle that is damaged or "
                                     "none (what is good of it is shown).",
                                     NULL,
                                     NULL,
                                     NULL};
    struct report_options o = {.format = "md"};
    command_parse(&argp, argc, argv, &o);
    struct err e = {0};
    int status = EXIT_PASS;
    if (output_check_format(o.format, &e) || output_check(o.output, o.force, &e) || write_report(&o, &status, &e))
        return output_error(&e);
    return status;
}
