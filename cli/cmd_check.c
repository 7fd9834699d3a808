/* Does this trace, or this run, keep all rules? */
#include <string.h>

#include "cli/command.h"
#include "cli/output.h"
#include "cli/parts/part_option.h"
#include "cli/record/messages.h"
#include "cli/result_options.h"
#include "cli/trace_check.h"
#include "core/base/str.h"
#include "reports/reports.h"

struct options {
    struct trace_check_options check;
    struct result_options result;
};

enum { OPTION_AA = 256 };

static const struct argp_option option_table[] = {
    {"aa", OPTION_AA, "POOL", 0,
     "Do not judge a ratio of times that is finer than this machine can tell, by a pool of 'cpprof aa'", 0},
    {0}};

static error_t parse_option(int key, char *value, struct argp_state *state)
{
    struct options *o = state->input;
    switch (key) {
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &o->check;
        state->child_inputs[1] = &o->result;
        return 0;
    case OPTION_AA: o->check.aa = value; return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {
    {&trace_check_argp, 0, NULL, 0}, {&result_argp, 0, NULL, 0}, {&part_argp, 0, NULL, 0}, {0}};

static const struct argp argp_of_check = {
    option_table,
    parse_option,
    "INPUT...",
    "Are all rules kept? INPUT is a trace, several of them (a rank each), or the bundle of a run.\v"
    "Exit status: 0 all hold, 1 one fails, 2 wrong usage or rule, 3 one is inconclusive, 5 the input cannot be used "
    "or a rule finds nothing to judge. docs/rules.md explains every function and format.",
    children,
    NULL,
    NULL};

/* Formats of their own, beside those of a document. */
enum { JUNIT, GITHUB, RENDERERS };

static const struct other_format own_formats[] = {[JUNIT] = {"junit", NULL}, [GITHUB] = {"github", NULL}, {0}};

static const struct {
    int (*render)(const struct check_report *r, struct str *out, struct err *e);
    int (*render_error)(const struct check_failure *f, struct str *out, struct err *e);
} renderers[RENDERERS] = {[JUNIT] = {junit_check, junit_check_error}, [GITHUB] = {github_check, github_check_error}};

static size_t renderer_of(const char *format)
{
    size_t i = 0;
    while (i < RENDERERS && strcmp(own_formats[i].name, format) != 0)
        i++;
    return i;
}

static int check_options(const struct options *o, struct err *e)
{
    const int rc = output_check_format(o->result.format, own_formats, e);
    if (rc)
        return rc;
    if (!o->check.rule_count)
        return err_set(e, ERR_USAGE, "no rule to check; add --rules FILE or --assert RULE");
    const int code = output_check(o->result.output, o->result.force, e);
    return code ? code : part_option_apply(o->result.output, o->result.force, true, e);
}

static int write_rendered(const struct options *o, size_t renderer, const struct check_report *r, struct err *e)
{
    struct str text;
    str_init(&text);
    int code = renderers[renderer].render(r, &text, e);
    if (!code)
        code = output_write(o->result.output, o->result.force, str_text(&text), text.length, e);
    str_release(&text);
    return code;
}

static int write_document(const struct options *o, const struct check_report *r, struct err *e)
{
    struct document document;
    document_init(&document);
    int code = report_check(r, &document, e);
    if (!code)
        code = result_write_document(&o->result, &document, e);
    document_release(&document);
    return code;
}

static int report(const struct options *o, const struct trace_check *c, struct err *e)
{
    const struct check_report r = trace_check_report(c, &o->check);
    trace_check_print_caveats(c, &o->check);
    const size_t renderer = renderer_of(o->result.format);
    if (renderer < RENDERERS)
        return write_rendered(o, renderer, &r, e);
    return result_is_json(&o->result) ? result_write_json(&o->result, json_check(&r), e) : write_document(o, &r, e);
}

static int write_rendered_error(const struct options *o, size_t renderer, const struct check_failure *f, struct err *e)
{
    struct str text;
    str_init(&text);
    int code = renderers[renderer].render_error(f, &text, e);
    if (!code)
        code = output_write(o->result.output, o->result.force, str_text(&text), text.length, e);
    str_release(&text);
    return code;
}

/* Who collects results for a program must find one, also when nothing could be judged. A document says no more than
 * the line on standard error. */
static void report_failure(const struct options *o, const struct trace_check *c, const struct err *why)
{
    struct err e = {0};
    struct check_failure f = {.source = o->check.traces[0], .why = why->text};
    if (c->rules && why->code == ERR_USAGE)
        f.file = rule_list_wrong_place(c->rules, &f.line);
    const size_t renderer = renderer_of(o->result.format);
    int code = 0;
    if (renderer < RENDERERS)
        code = write_rendered_error(o, renderer, &f, &e);
    else if (result_is_json(&o->result))
        code = result_write_json(&o->result, json_check_error(&f), &e);
    if (code)
        message_note("%s", e.text);
}

/* Nothing was written yet when this fails. */
static int judge(const struct options *o, struct trace_check *c, struct err *e)
{
    int code = trace_check_do(c, &o->check, true, e);
    if (code && !part_option_is_given()) /* a file that tells why is no part */
        report_failure(o, c, e);
    return code;
}

int cmd_check(int argc, char **argv)
{
    struct err e = {0};
    struct options o = {.result.others = own_formats};
    struct trace_check c = {0};
    int code = trace_check_options_init(&o.check, argc, &e);
    if (!code) {
        command_parse(&argp_of_check, argc, argv, &o);
        code = check_options(&o, &e);
    }
    if (!code)
        code = judge(&o, &c, &e);
    if (!code)
        code = report(&o, &c, &e);
    const int status = code ? message_error(&e) : (int)trace_check_status(&c);
    trace_check_release(&c);
    trace_check_options_release(&o.check);
    return status;
}
