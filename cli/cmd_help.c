/* How is cpprof used? */
#include <stdio.h>

#include "base/err.h"
#include "cli/command.h"
#include "record/messages.h"

static error_t parse(int key, char *arg, struct argp_state *state)
{
    const char **name = state->input;
    if (key != ARGP_KEY_ARG)
        return ARGP_ERR_UNKNOWN;
    if (*name)
        argp_error(state, "one command at a time");
    *name = arg;
    return 0;
}

int cmd_help(int argc, char **argv)
{
    static const struct argp argp = {
        .parser = parse, .args_doc = "[COMMAND]", .doc = "Shows the commands, or the options of one command."};
    const char *name = NULL;
    command_parse(&argp, argc, argv, &name);
    if (!name) {
        command_usage(stdout);
        return EXIT_PASS;
    }
    const struct command *command = command_find(name);
    if (!command) {
        struct err e = {0};
        command_unknown(name, &e);
        return message_error(&e);
    }
    char *help[] = {(char *)command->name, (char[]){"--help"}, NULL};
    return command->run(2, help);
}
