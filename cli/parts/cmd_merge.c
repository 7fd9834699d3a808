/* What do the parts of a call say together? */
#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/parts/part_merger.h"
#include "cli/record/messages.h"
#include "core/base/count_of.h"

struct options {
    char **parts;
    size_t count;
    const char *format, *output;
    bool force;
};

enum { OPTION_FORMAT = 256, OPTION_FORCE };

static const struct argp_option option_table[] = {
    {"format", OPTION_FORMAT, "FORMAT", 0,
     "As of the command whose parts these are (default: as FILE is called, else as the parts say)", 0},
    {"output", 'o', "FILE", 0, "Write the result to FILE", 0},
    {"force", OPTION_FORCE, NULL, 0, "Replace FILE if it exists", 0},
    {0}};

static error_t parse_option(int key, char *value, struct argp_state *state)
{
    struct options *o = state->input;
    switch (key) {
    case OPTION_FORMAT: o->format = value; return 0;
    case 'o': o->output = value; return 0;
    case OPTION_FORCE: o->force = true; return 0;
    case ARGP_KEY_ARG: o->parts[o->count++] = value; return 0;
    case ARGP_KEY_NO_ARGS: argp_error(state, "name the files of all parts"); return 0;
    default: return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp argp_of_merge = {
    option_table,
    parse_option,
    "PART...",
    "What do the parts of a call say together? Each was written by 'cpprof COMMAND TRACE... --part K/N --output PART'; the "
    "answer and the exit status are those of the same call without --part.\v"
    "Exit status: as of the command; 5 a part is damaged, missing, there twice, or of another call. docs/parts.md "
    "explains parts.",
    NULL,
    NULL,
    NULL};

static const char *const merged[] = {"overlap", "check", "gaps", "stats", "launch", "ranks"};

/* The words come from a file: they name a command that only reads, and no file to write. */
static const struct command *command_of(const struct part_head *head, struct err *e)
{
    bool good = false;
    const char *name = head->words.count ? head->words.items[0] : "";
    for (size_t i = 0; i < COUNT_OF(merged); i++)
        good |= !strcmp(name, merged[i]);
    for (size_t i = 1; i < head->words.count; i++) {
        const char *word = head->words.items[i];
        good &=
            strncmp(word, "-o", 2) && strncmp(word, "--o", 3) && strncmp(word, "--forc", 6) && strncmp(word, "--p", 3);
    }
    if (good)
        return command_find(name);
    err_set(e, ERR_INPUT, "a part of '%s' makes no sense here", name);
    return NULL;
}

/* Puts our options behind those of the call, so that they hold, and in front of what "--" makes operands. */
static char **words_of(const struct options *o, const struct part_head *head, int *count)
{
    const char *const ours[][2] = {{"--format", o->format}, {"--output", o->output}};
    char **words = calloc(head->words.count + 6, sizeof *words);
    size_t at = 0;
    if (!words)
        return NULL;
    while (at < head->words.count && strcmp(head->words.items[at], "--") != 0)
        words[(*count)++] = head->words.items[at++];
    for (size_t i = 0; i < 2; i++)
        if (ours[i][1]) {
            words[(*count)++] = (char *)ours[i][0];
            words[(*count)++] = (char *)ours[i][1];
        }
    if (o->force)
        words[(*count)++] = (char *)"--force";
    while (at < head->words.count)
        words[(*count)++] = head->words.items[at++];
    return words;
}

static int merge(const struct options *o, struct err *e)
{
    int count = 0, rc = part_merger_set(o->parts, o->count, e);
    const struct command *command = rc ? NULL : command_of(part_merger_head(), e);
    if (!command)
        return message_error(e);
    char **words = words_of(o, part_merger_head(), &count);
    if (!words) {
        err_memory(e);
        return message_error(e);
    }
    const int status = command->run(count, words);
    free(words);
    return status;
}

int cmd_merge(int argc, char **argv)
{
    struct err e = {0};
    struct options o = {.parts = calloc((size_t)argc, sizeof *o.parts)};
    int status;
    if (o.parts) {
        command_parse(&argp_of_merge, argc, argv, &o);
        status = merge(&o, &e);
        part_merger_release();
    } else {
        err_memory(&e);
        status = message_error(&e);
    }
    free(o.parts);
    return status;
}
