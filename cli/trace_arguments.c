/* Which traces were meant, and where does what is said about them go? */
#include "cli/trace_arguments.h"

#include <string.h>

#include "cli/output.h"

enum { OPTION_FORMAT = 512, OPTION_FORCE };

static const struct argp_option option_table[] = {
    {"format", OPTION_FORMAT, "FORMAT", 0, "text (default), md, html or json", 0},
    {"output", 'o', "FILE", 0, "Write the result to FILE", 0},
    {"force", OPTION_FORCE, NULL, 0, "Replace FILE if it exists", 0},
    {0}};

static error_t parse_option(int key, char *value, struct argp_state *state)
{
    struct trace_arguments *a = state->input;
    switch (key) {
    case OPTION_FORMAT: a->format = value; return 0;
    case 'o': a->output = value; return 0;
    case OPTION_FORCE: a->force = true; return 0;
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

const struct argp trace_argp = {option_table, parse_option, NULL, NULL, NULL, NULL, NULL};

bool trace_arguments_json(const struct trace_arguments *a)
{
    return a->format && !strcmp(a->format, "json");
}

int trace_arguments_check(const struct trace_arguments *a, struct err *e)
{
    if (a->count == TRACE_SIDES && !strcmp(a->traces[0], "-") && !strcmp(a->traces[1], "-"))
        return err_set(e, ERR_USAGE, "standard input can be one trace, not two");
    int rc = output_check_format(a->format ? a->format : "text", e);
    return rc ? rc : output_check(a->output, a->force, e);
}

int trace_open(const struct trace_arguments *a, size_t side, struct event_stream **out, struct trace_side *about,
               struct err *e)
{
    int rc = event_stream_open(out, a->traces[side], e);
    if (!rc)
        *about = (struct trace_side){a->traces[side], event_stream_caveats(*out)};
    return rc;
}

enum exit_status trace_note_caveats(const struct event_stream *stream)
{
    const struct caveat_list *caveats = event_stream_caveats(stream);
    for (size_t i = 0; i < caveats->count; i++)
        if (caveats->items[i].kind != CAVEAT_NOTE)
            output_note("%s", caveats->items[i].text);
    return caveat_has(caveats, CAVEAT_TRUNCATED) ? EXIT_UNUSABLE_INPUT : EXIT_PASS;
}

int trace_write_json(const struct trace_arguments *a, json_t *value, struct err *e)
{
    return output_json(value, a->output, a->force, e);
}

int trace_write_document(const struct trace_arguments *a, const struct document *d, struct err *e)
{
    return output_document(d, a->format ? a->format : "text", a->output, a->force, e);
}
