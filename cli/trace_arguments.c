/* Which traces were meant, and where does what is said about them go? */
#include "cli/trace_arguments.h"
#include "cli/parts/part_option.h"
#include "cli/parts/program_parts.h"

#include <stdlib.h>
#include <string.h>

#include "cli/record/messages.h"
#include "cli/scope_options.h"
#include "core/trace/parts/trace_workers.h"

enum { OPTION_NAMES = 512, OPTION_TOP, OPTION_JOBS };

enum { TOP_OF_DOCUMENTS = 20, TOP_MAX = 1000000 };

static const struct argp_option trace_option_table[] = {
    {"jobs", OPTION_JOBS, "N", 0, "Read N traces of a folder at once, each in a process of its own (default: 1)", 0},
    {0}};

static error_t parse_option(int key, char *value, struct argp_state *state)
{
    struct trace_arguments *a = state->input;
    switch (key) {
    case OPTION_JOBS: a->jobs = trace_option_jobs(state, value); return 0;
    case ARGP_KEY_INIT:
        state->child_inputs[0] = &a->scope;
        state->child_inputs[1] = &a->result;
        return 0;
    case ARGP_KEY_ARG:
        if (a->count == TRACE_SIDES)
            argp_error(state, "at most two traces, side by side: '%s' is a third one", value);
        a->traces[a->count++] = value;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "name a trace: an nsys export, a bundle or a shard, - for standard input");
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_child children[] = {
    {&scope_argp, 0, NULL, 0}, {&result_argp, 0, NULL, 0}, {&part_argp, 0, NULL, 0}, {0}};

static const struct argp trace_argp = {trace_option_table, parse_option, NULL, NULL, children, NULL, NULL};

/* ---- tables ---- */

static const struct argp_option names_option_table[] = {
    {"names", OPTION_NAMES, "STYLE", 0, "Kernel names: short (default), full, or mangled as they were recorded", 0},
    {0}};

static const struct argp_option table_option_table[] = {
    {"top", OPTION_TOP, "N", 0,
     "The N rows of each table with the most time; 0 for all (default: 20, in JSON and CSV all)", 0},
    {0}};

static const char *const style_words[] = {"short", "full", "mangled", NULL};

int trace_option_word(struct argp_state *state, const char *option, const char *value, const char *const *words)
{
    struct str known;
    str_init(&known);
    for (int i = 0; words[i]; i++) {
        if (!strcmp(value, words[i])) {
            str_release(&known);
            return i;
        }
        str_addf(&known, "%s%s", i ? ", " : "", words[i]);
    }
    argp_error(state, "--%s takes one of %s, not '%s'", option, str_text(&known), value);
    str_release(&known);
    return 0;
}

size_t trace_option_jobs(struct argp_state *state, const char *value)
{
    char *end;
    const long jobs = strtol(value, &end, 10);
    if (end == value || *end || jobs < 1 || jobs > TRACE_JOBS_MAX)
        argp_error(state, "--jobs takes a number from 1 to %d, not '%s'", TRACE_JOBS_MAX, value);
    return (size_t)jobs;
}

static long parse_top(struct argp_state *state, const char *value)
{
    char *end;
    const long top = strtol(value, &end, 10);
    if (end == value || *end || top < 0 || top > TOP_MAX)
        argp_error(state, "--top takes a number from 0 to %d, not '%s'", TOP_MAX, value);
    return top;
}

static error_t parse_table_option(int key, char *value, struct argp_state *state)
{
    struct table_arguments *a = state->input;
    switch (key) {
    case ARGP_KEY_INIT: state->child_inputs[0] = a; return 0;
    case OPTION_TOP: a->top = parse_top(state, value); return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static error_t parse_names_option(int key, char *value, struct argp_state *state)
{
    struct table_arguments *a = state->input;
    if (key != OPTION_NAMES)
        return ARGP_ERR_UNKNOWN;
    a->names = (enum name_style)trace_option_word(state, "names", value, style_words);
    return 0;
}

static const struct argp names_argp = {names_option_table, parse_names_option, NULL, NULL, NULL, NULL, NULL};

static const struct argp_child names_child[] = {{&names_argp, 0, NULL, 0}, {0}};

static const struct argp table_argp = {table_option_table, parse_table_option, NULL, NULL, names_child, NULL, NULL};

/* ---- all three commands ---- */

const struct trace_options trace_options_default = {.tables = {.names = NAMES_SHORT, .top = -1},
                                                    .traces = {.result = {.others = result_csv}}};

const struct argp_child trace_table_children[] = {{&table_argp, 0, NULL, 0}, {&trace_argp, 0, NULL, 0}, {0}};
const struct argp_child trace_names_children[] = {{&names_argp, 0, NULL, 0}, {&trace_argp, 0, NULL, 0}, {0}};

error_t trace_options_parse(int key, char *value, struct argp_state *state)
{
    (void)value;
    struct trace_options *o = state->input;
    if (key != ARGP_KEY_INIT)
        return ARGP_ERR_UNKNOWN;
    state->child_inputs[0] = &o->tables;
    state->child_inputs[1] = &o->traces;
    return 0;
}

size_t trace_options_top(const struct trace_options *o)
{
    if (o->tables.top >= 0)
        return (size_t)o->tables.top;
    return result_is_data(&o->traces.result) ? 0 : TOP_OF_DOCUMENTS;
}

/* ---- traces ---- */

int trace_arguments_check(const struct trace_arguments *a, struct err *e)
{
    if (a->count == TRACE_SIDES && !strcmp(a->traces[0], "-") && !strcmp(a->traces[1], "-"))
        return err_set(e, ERR_USAGE, "standard input can be one trace, not two");
    const int rc = result_options_check(&a->result, e);
    return rc ? rc : part_option_apply(a->result.output, a->result.force, a->count == 1, e);
}

int trace_open(const struct trace_arguments *a, size_t side, const struct trace_measure *parts,
               struct event_stream **out, struct trace_side *about, struct err *e)
{
    const struct event_stream_wish wish = {.scopes = a->host_scopes,
                                           .scope = &a->scope,
                                           .jobs = a->jobs,
                                           .may_fork = true,
                                           .source = program_parts(),
                                           .measure = parts};
    int rc = event_stream_open_as(out, &a->traces[side], 1, &wish, e);
    if (!rc)
        *about = (struct trace_side){.source = a->traces[side], .caveats = event_stream_caveats(*out)};
    return rc;
}

enum exit_status trace_note_caveats(const struct event_stream *stream)
{
    const struct caveat_list *caveats = event_stream_caveats(stream);
    for (size_t i = 0; i < caveats->count; i++)
        if (caveats->items[i].kind != CAVEAT_NOTE)
            message_note("%s", caveats->items[i].text);
    return caveat_has(caveats, CAVEAT_TRUNCATED) ? EXIT_UNUSABLE_INPUT : EXIT_PASS;
}
