/* Which part of the traces does the command line ask for? */
#define _POSIX_C_SOURCE 200809L
#include "cli/parts/part_option.h"

#include <stdlib.h>
#include <string.h>

#include "cli/output.h"
#include "cli/parts/part_archive.h"
#include "cli/parts/part_writer.h"
#include "cli/parts/program_parts.h"

/* A command line is parsed once. */
static struct {
    unsigned part, parts; /* 0: not asked for */
    char **words;
    int count;
} asked;

static unsigned number(const char **at)
{
    char *end;
    const unsigned long value = **at >= '0' && **at <= '9' ? strtoul(*at, &end, 10) : (end = (char *)*at, 0);
    *at = end;
    return value <= PARTS_MAX ? (unsigned)value : 0;
}

static void parse_part(struct argp_state *state, const char *value)
{
    const char *at = value;
    asked.part = number(&at);
    const char slash = *at;
    at += slash == '/';
    asked.parts = number(&at);
    if (slash != '/' || *at || !asked.part || asked.part > asked.parts)
        argp_error(state, "--part takes K/N, such as 3/8, with N up to %d, not '%s'", PARTS_MAX, value);
    asked.words = state->argv;
    asked.count = state->argc;
}

enum { OPTION_PART = 0x7a0 };

static const struct argp_option option_table[] = {
    {"part", OPTION_PART, "K/N", 0,
     "Measure part K of N of the traces and write it to the FILE of --output, for 'cpprof merge'", 0},
    {0}};

static error_t parse_option(int key, char *value, struct argp_state *state)
{
    if (key != OPTION_PART)
        return ARGP_ERR_UNKNOWN;
    parse_part(state, value);
    return 0;
}

const struct argp part_argp = {option_table, parse_option, NULL, NULL, NULL, NULL, NULL};

/* Is the word --NAME or --NAME=VALUE, perhaps cut short by the user? */
static bool is_option(const char *word, const char *name, size_t least)
{
    const size_t length = strcspn(word + 2, "=");
    return !strncmp(word, "--", 2) && length >= least && !strncmp(word + 2, name, length) && length <= strlen(name);
}

/* Adds the words but those that are about the file. */
static int add_words(struct part_head *head, const char *command, struct err *e)
{
    int rc = part_head_add_word(head, command, e);
    bool options = true;
    for (int i = 1; !rc && i < asked.count; i++) {
        const char *word = asked.words[i];
        const bool names_file = options && (!strncmp(word, "-o", 2) || is_option(word, "output", 1));
        const bool is_ours = names_file || (options && is_option(word, "part", 1));
        options &= strcmp(word, "--") != 0;
        if (is_ours)
            i += !strcmp(word, "-o") || (word[1] == '-' && !strchr(word, '='));
        else if (!options || !is_option(word, "force", 4))
            rc = part_head_add_word(head, word, e);
    }
    return rc;
}

bool part_option_is_given(void)
{
    return asked.parts;
}

int part_option_refuse(struct err *e)
{
    return err_set(e, ERR_USAGE, "--part is for the traces of one job, not for two side by side or for a run");
}

int part_option_apply(const char *output, bool force, bool one_set, struct err *e)
{
    struct part_head head = {.part = asked.part, .parts = asked.parts};
    if (!asked.parts)
        return 0;
    if (!one_set)
        return part_option_refuse(e);
    if (!output)
        return err_set(e, ERR_USAGE, "--part needs --output FILE, the part for 'cpprof merge'");
    if (program_parts())
        return err_set(e, ERR_USAGE,
                       "--part is for calls that know nothing of each other, and this is one of several "
                       "processes of MPI");
    int rc = output_check(output, force, e);
    const char *title = asked.words[0], *space = strrchr(title, ' '); /* "cpprof overlap" while it is parsed */
    if (!rc)
        rc = add_words(&head, space ? space + 1 : title, e);
    if (!rc)
        part_writer_set(&head, output);
    part_head_release(&head);
    return rc;
}
