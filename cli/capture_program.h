/* capture_program.h - what `capture` and `profile` share: a program is run with the collector in it, and its bundle is
 * sealed and summarised. */
#ifndef CPPROF_CAPTURE_PROGRAM_H
#define CPPROF_CAPTURE_PROGRAM_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>

#include "cli/record/capture_session.h"

struct capture_options {
    struct capture_scope scope;
    const char *output;
    char **program; /* into argv */
    size_t program_words;
    bool force, quiet;
    long replay_ms;      /* how long launches are replayed in a further run; 0: there is none */
    double replay_ratio; /* and no longer than this share of the program's time; 0: any */
};

/* Options of both, and the first key of a command's own. */
enum {
    CAPTURE_OPTION_FORCE = 256,
    CAPTURE_OPTION_RANGE,
    CAPTURE_OPTION_WHEN,
    CAPTURE_OPTION_DURATION,
    CAPTURE_OPTION_MIGRATIONS,
    CAPTURE_OPTION_OWN
};
#define CAPTURE_OPTIONS                                                                                                \
    {"output", 'o', "DIR", 0, "the bundle to write (default PROGRAM.cpprof, numbered when it exists)", 0},             \
        {"force", CAPTURE_OPTION_FORCE, NULL, 0, "replace an existing bundle", 0},                                     \
        {"migrations",                                                                                                 \
         CAPTURE_OPTION_MIGRATIONS,                                                                                    \
         NULL,                                                                                                         \
         0,                                                                                                            \
         "how pages of managed memory move, too, which slows the kernels that wait for them",                          \
         0},                                                                                                           \
    {                                                                                                                  \
        "quiet", 'q', NULL, 0, "no summary at the end", 0                                                              \
    }

/* Options of both that record only a part, in group 1. */
#define CAPTURE_PART_OPTIONS                                                                                             \
    {0, 0, NULL, 0, "Only a part of what the program does:", 1},                                                         \
        {"range",                                                                                                        \
         CAPTURE_OPTION_RANGE,                                                                                           \
         "NAME",                                                                                                         \
         0,                                                                                                              \
         "while an NVTX range of this name is open; NAME@DOMAIN: of that domain, NAME@: of the default one",             \
         1},                                                                                                             \
        {"when",                                                                                                         \
         CAPTURE_OPTION_WHEN,                                                                                            \
         "CONDITION",                                                                                                    \
         0,                                                                                                              \
         "nothing until it holds. FIRST..LAST: these occurrences of --range. slower:RATIO: the 8 that follow one which " \
         "took RATIO times the median, up to 3 times. file: after each 'touch BUNDLE/record', for --duration "           \
         "(default 1s)",                                                                                                 \
         1},                                                                                                             \
    {                                                                                                                    \
        "duration", CAPTURE_OPTION_DURATION, "TIME", 0, "end so long after the beginning; the program goes on", 1        \
    }

/* Whole milliseconds, at least one: nothing at all is said by leaving the option out. */
long capture_program_ms(struct argp_state *state, const char *option, const char *text);

/* Takes one of them, or the program. */
error_t capture_program_option(int key, char *value, struct argp_state *state, struct capture_options *o);

/* Returns the program's exit status once it has run, whatever becomes of the bundle. */
int capture_program(const struct capture_options *o, int argc, char **argv);

#endif
