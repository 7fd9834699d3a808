/* Which command was asked for? */
#define _POSIX_C_SOURCE 200809L
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/program.h"
#include "cli/record/messages.h"
#include "cli/record/report_export.h"
#include "core/base/err.h"
#include "core/io/input_export.h"

/* The spellings that people try first. */
static const char *without_dashes(const char *name)
{
    if (!strcmp(name, "--help") || !strcmp(name, "-h") || !strcmp(name, "-?"))
        return "help";
    return strcmp(name, "--version") && strcmp(name, "-V") ? name : "version";
}

static void go_on(int signal)
{
    (void)signal;
}

/* What is too large for `ulimit -f` is a write that fails, and we say so; else the
 * signal would end us. Whatever we start has its own disposition back: a handler,
 * unlike SIG_IGN, ends with exec. */
static void survive_file_limit(void)
{
    struct sigaction before;
    const struct sigaction survive = {.sa_handler = go_on, .sa_flags = SA_RESTART};
    if (!sigaction(SIGXFSZ, NULL, &before) && before.sa_handler == SIG_DFL)
        sigaction(SIGXFSZ, &survive, NULL);
}

int program_main(int argc, char **argv)
{
    survive_file_limit();
    input_export_by(report_export);
    argp_err_exit_status = EXIT_USAGE;
    if (argc < 2) {
        command_usage(stderr);
        return EXIT_USAGE;
    }
    const struct command *command = command_find(without_dashes(argv[1]));
    if (!command && !command_meant(argv[1]) && !access(argv[1], F_OK)) { /* a file: `cpprof FILE` says what is in it */
        argv[0] = (char[]){"report"};
        return command_find("report")->run(argc, argv);
    }
    if (!command) {
        struct err e = {0};
        command_unknown(argv[1], &e);
        return message_error(&e);
    }
    argv[1] = (char *)command->name; /* "--version" is spoken of as "version" */
    return command->run(argc - 1, argv + 1);
}
