/* capture_program.h - what `capture` and `profile` share: a program is run with the collector in it, and its bundle is
 * sealed and summarised. */
#ifndef CPPROF_CAPTURE_PROGRAM_H
#define CPPROF_CAPTURE_PROGRAM_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>

#include "record/capture_session.h"

struct capture_options {
    struct capture_scope scope;
    const char *output;
    char **program; /* into argv */
    size_t program_words;
    bool force, quiet;
};

/* Options of both, and the first key of a command's own. */
enum { CAPTURE_OPTION_FORCE = 256, CAPTURE_OPTION_OWN };
#define CAPTURE_OPTIONS                                                                                                \
    {"output", 'o', "DIR", 0, "the bundle to write (default PROGRAM.cpprof, numbered when it exists)", 0},             \
        {"force", CAPTURE_OPTION_FORCE, NULL, 0, "replace an existing bundle", 0},                                     \
    {                                                                                                                  \
        "quiet", 'q', NULL, 0, "no summary at the end", 0                                                              \
    }

/* Takes one of them, or the program. */
error_t capture_program_option(int key, char *value, struct argp_state *state, struct capture_options *o);

/* Returns the program's exit status once it has run, whatever becomes of the bundle. */
int capture_program(const struct capture_options *o, int argc, char **argv);

#endif
