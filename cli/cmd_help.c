/* How is cpprof used? */
#include <stdio.h>
#include <string.h>

#include "cli/command.h"
#include "cli/record/messages.h"
#include "core/base/count_of.h"
#include "core/base/err.h"
#include "core/base/files.h"
#include "core/base/str.h"

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

/* A document of the installed tree, or of the source tree that this one was built in; NULL: it is in neither. */
static FILE *open_document(const char *name, struct err *e)
{
    static const char *const folders[] = {"../share/cpprof/docs", "../../../docs"};
    struct str path;
    FILE *file = NULL;
    str_init(&path);
    if (strchr(name, '/'))
        return NULL;
    for (size_t i = 0; i < COUNT_OF(folders) && !file; i++) {
        str_clear(&path);
        if (files_program_directory(&path, e))
            break;
        str_addf(&path, "/%s/%s%s", folders[i], name, strstr(name, ".md") ? "" : ".md");
        file = path.failed ? NULL : fopen(str_text(&path), "r");
    }
    str_release(&path);
    return file;
}

static int show(FILE *document, struct err *e)
{
    char bytes[4096];
    for (size_t got; (got = fread(bytes, 1, sizeof bytes, document));)
        fwrite(bytes, 1, got, stdout);
    const bool failed = ferror(document);
    fclose(document);
    return failed ? err_set(e, ERR_INPUT, "the document cannot be read") : 0;
}

int cmd_help(int argc, char **argv)
{
    static const struct argp argp = {
        .parser = parse,
        .args_doc = "[COMMAND|DOCUMENT]",
        .doc =
            "Shows the commands, the options of one command, or a document: rules, formats, glossary, bounds and others of "
            "docs/."};
    const char *name = NULL;
    command_parse(&argp, argc, argv, &name);
    if (!name) {
        command_usage(stdout);
        return EXIT_PASS;
    }
    const struct command *command = command_find(name);
    struct err e = {0};
    FILE *document = command ? NULL : open_document(name, &e);
    if (document)
        return show(document, &e) ? message_error(&e) : EXIT_PASS;
    if (!command) {
        command_unknown(name, &e);
        return message_error(&e);
    }
    char *help[] = {(char *)command->name, (char[]){"--help"}, NULL};
    return command->run(2, help);
}
