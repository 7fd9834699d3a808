/* Which command was asked for? */
#include <stdio.h>
#include <string.h>

#include "base/err.h"
#include "cli/command.h"
#include "cli/output.h"

/* The spellings that people try first. */
static const char *without_dashes(const char *name)
{
    if (!strcmp(name, "--help") || !strcmp(name, "-h") || !strcmp(name, "-?"))
        return "help";
    return strcmp(name, "--version") && strcmp(name, "-V") ? name : "version";
}

int main(int argc, char **argv)
{
    argp_err_exit_status = EXIT_USAGE;
    if (argc < 2) {
        command_usage(stderr);
        return EXIT_USAGE;
    }
    const struct command *command = command_find(without_dashes(argv[1]));
    if (!command) {
        struct err e = {0};
        command_unknown(argv[1], &e);
        return output_error(&e);
    }
    argv[1] = (char *)command->name; /* "--version" is spoken of as "version" */
    return command->run(argc - 1, argv + 1);
}
