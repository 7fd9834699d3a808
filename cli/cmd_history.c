/* cpprof history NAME: how did the times of the saved references change, and where for good? */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyzers/analysed.h"
#include "cli/analyse.h"
#include "cli/command.h"
#include "cli/compared/margin_option.h"
#include "cli/output.h"
#include "cli/record/messages.h"
#include "core/base/units.h"
#include "core/bundle/bundle_store.h"
#include "core/bundle/capture_map.h"
#include "core/stats/ratio_decision.h"
#include "reports/history_report.h"

struct history_options {
    const char *name, *store;
    double margin;
    const char *format, *output; /* format NULL: as the output is called */
    bool force;
};

enum { OPTION_STORE = 256, OPTION_MARGIN, OPTION_FORMAT, OPTION_FORCE };

static const struct argp_option options[] = {
    {"store", OPTION_STORE, "DIR", 0, "where saved bundles are (default cpprof-store)", 0},
    {"margin", OPTION_MARGIN, "PERCENT", 0, "a smaller difference is none (default 1%)", 0},
    {"format", OPTION_FORMAT, "FORMAT", 0, FORMATS " (default: as FILE is called, else text)", 0},
    {"output", 'o', "FILE", 0, "write to FILE instead of standard output", 0},
    {"force", OPTION_FORCE, NULL, 0, "replace FILE if it exists", 0},
    {0},
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
    struct history_options *o = state->input;
    switch (key) {
    case OPTION_STORE: o->store = arg; return 0;
    case OPTION_MARGIN: margin_option_parse(state, arg, &o->margin); return 0;
    case OPTION_FORMAT: o->format = arg; return 0;
    case 'o': o->output = arg; return 0;
    case OPTION_FORCE: o->force = true; return 0;
    case ARGP_KEY_ARG:
        if (o->name)
            argp_error(state, "one name: '%s' is too many", arg);
        o->name = arg;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "which name? 'cpprof compare BUNDLE --save NAME' keeps one");
        return EINVAL;
    default: return ARGP_ERR_UNKNOWN;
    }
}

/* ---- the references, of which the first and the one before stay open ---- */

struct reading {
    const struct history_options *options;
    struct history *history;
    struct analysed *first, *previous;
    enum exit_status status;
};

static void close_one(struct analysed *a)
{
    if (a)
        analysed_release(a);
    free(a);
}

static void keep(struct reading *r, struct analysed *now)
{
    if (r->previous != r->first)
        close_one(r->previous);
    r->previous = now;
    if (!r->first)
        r->first = now;
}

static int open_reference(const struct reading *r, long number, struct analysed *out, struct err *e)
{
    struct str reference, path;
    str_init(&reference);
    str_init(&path);
    str_addf(&reference, "%s@%ld", r->options->name, number);
    int rc = bundle_store_find(r->options->store, str_text(&reference), &path, e);
    if (!rc)
        rc = analysed_open(out, str_text(&path), &(struct analysed_wish){.margin = &r->options->margin}, e);
    if (!rc && !strcmp(bundle_kind(&out->bundle), CAPTURE_KIND)) {
        rc = err_set(e, ERR_INPUT, "'%s' is a capture, which has no arms: 'cpprof compare CAPTURE --against %s@%ld'",
                     str_text(&path), r->options->name, number);
        analysed_release(out);
    }
    str_release(&reference);
    str_release(&path);
    return rc;
}

static int read_reference(struct reading *r, long number, struct err *e)
{
    struct analysed *now = calloc(1, sizeof *now);
    if (!now)
        return err_memory(e);
    int rc = open_reference(r, number, now, e);
    if (rc) {
        free(now);
        return rc;
    }
    const struct history_reference reference = {number, &now->analysis, r->first ? &r->first->analysis : NULL,
                                                r->previous ? &r->previous->analysis : NULL};
    rc = history_add(r->history, &reference, e);
    r->status = exit_status_worse(r->status, (enum exit_status)analysed_damage(now));
    keep(r, now);
    return rc;
}

static int read_references(const struct history_options *o, struct history *h, enum exit_status *status, struct err *e)
{
    struct bundle_numbers numbers = {0};
    struct reading r = {.options = o, .history = h, .status = EXIT_PASS};
    int rc = bundle_store_numbers(o->store, o->name, &numbers, e);
    for (size_t i = 0; i < numbers.count && !rc; i++)
        rc = read_reference(&r, numbers.items[i], e);
    if (!rc)
        rc = history_judge(h, e);
    if (r.previous != r.first)
        close_one(r.previous);
    close_one(r.first);
    free(numbers.items);
    *status = r.status;
    return rc;
}

static int show(const struct history_options *o, const struct history *h, struct err *e)
{
    const struct history_report r = {o->name, o->store, h};
    if (!strcmp(o->format, "json"))
        return output_json(json_history(&r), o->output, o->force, e);
    struct document d;
    document_init(&d);
    int rc = report_history(&r, &d, e);
    if (!rc)
        rc = output_document(&d, o->format, o->output, o->force, e);
    document_release(&d);
    return rc;
}

int cmd_history(int argc, char **argv)
{
    static const struct argp argp = {
        options,
        parse,
        "NAME",
        "Shows each arm over the references that 'cpprof compare BUNDLE --save NAME' kept: its time, the speedup over the "
        "first and over the one before, and where the level of its time changed for good.\v"
        "It shows and does not judge. Exit status: 0, or 5 when nothing is saved or a reference cannot be used, 2 for a wrong "
        "command line. docs/history.md explains it.",
        NULL,
        output_help,
        NULL};
    struct history_options o = {.store = "cpprof-store", .margin = RATIO_MARGIN};
    struct history h;
    struct err e = {0};
    enum exit_status status = EXIT_PASS;
    command_parse(&argp, argc, argv, &o);
    if (!o.format)
        o.format = output_format_of(o.output, NULL, "text");
    history_init(&h, o.margin);
    int rc = output_check_format(o.format, NULL, &e);
    if (!rc)
        rc = output_check(o.output, o.force, &e);
    if (!rc)
        rc = read_references(&o, &h, &status, &e);
    if (!rc)
        rc = show(&o, &h, &e);
    history_release(&h);
    return rc ? message_error(&e) : (int)status;
}
