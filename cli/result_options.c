/* In which format does the result go where? */
#include "cli/result_options.h"

#include <string.h>

#include "cli/parts/part_option.h"

enum { OPTION_FORMAT = 0x6e0, OPTION_FORCE };

static const struct argp_option option_table[] = {
    {"format", OPTION_FORMAT, "FORMAT", 0, FORMATS " (default: as FILE is called, else text)", 0},
    {"output", 'o', "FILE", 0, "Write the result to FILE", 0},
    {"force", OPTION_FORCE, NULL, 0, "Replace FILE if it exists", 0},
    {0}};

static error_t parse_option(int key, char *value, struct argp_state *state)
{
    struct result_options *o = state->input;
    switch (key) {
    case OPTION_FORMAT: o->format = value; return 0;
    case 'o': o->output = value; return 0;
    case OPTION_FORCE: o->force = true; return 0;
    case ARGP_KEY_END:
        if (!o->format && part_option_is_given())
            o->format = "text"; /* what a part is called says nothing about the result */
        if (!o->format)
            o->format = output_format_of(o->output, o->others, "text");
        return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static char *help(int key, const char *text, void *input)
{
    const struct result_options *o = input;
    (void)key;
    return output_help_formats(text, o ? o->others : NULL);
}

const struct argp result_argp = {option_table, parse_option, NULL, NULL, NULL, help, NULL};

bool result_is_json(const struct result_options *o)
{
    return !strcmp(o->format, "json");
}

const struct other_format result_csv[] = {{"csv", ".csv"}, {0}};

bool result_is_data(const struct result_options *o)
{
    return result_is_json(o) || !strcmp(o->format, result_csv[0].name);
}

int result_options_check(const struct result_options *o, struct err *e)
{
    int code = output_check_format(o->format, o->others, e);
    return code ? code : output_check(o->output, o->force, e);
}

int result_write_json(const struct result_options *o, json_t *value, struct err *e)
{
    return output_json(value, o->output, o->force, e);
}

int result_write_data(const struct result_options *o, json_t *value, const struct json_rows *rows, struct err *e)
{
    if (result_is_json(o))
        return result_write_json(o, value, e);
    struct str text;
    str_init(&text);
    int rc = json_csv(value, rows, &text, e);
    if (!rc)
        rc = output_write(o->output, o->force, str_text(&text), text.length, e);
    str_release(&text);
    json_decref(value);
    return rc;
}

int result_write_document(const struct result_options *o, const struct document *d, struct err *e)
{
    return output_everything(d, o->format, o->output, o->force, e);
}
