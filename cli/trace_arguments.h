/* trace_arguments.h - one trace or two side by side, and where the result goes:
 * what `stats`, `launch` and `gaps` have in common on the command line. */
#ifndef CPPROF_TRACE_ARGUMENTS_H
#define CPPROF_TRACE_ARGUMENTS_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>

#include "cli/result_options.h"
#include "core/base/err.h"
#include "core/trace/event_stream.h"
#include "core/trace/stream_scope.h"
#include "reports/trace_words.h"

struct trace_arguments {
    const char *traces[TRACE_SIDES];
    size_t count;
    struct result_options result;
    struct stream_scope scope;
    size_t jobs;      /* traces of a folder that are read at once */
    bool host_scopes; /* streams are opened with what event_stream_next_scope gives */
};

/* Which names and how many rows tables show. */
struct table_arguments {
    enum name_style names;
    long top; /* -1: not given */
};

/* What all three take. */
struct trace_options {
    struct trace_arguments traces;
    struct table_arguments tables;
};
extern const struct trace_options trace_options_default;

/* For a command's argp: the parser of a struct trace_options, begun as the
 * default, and its children. A command with options of its own hands it the
 * keys that it does not know. The first children have --names and --top, the
 * second --names alone. */
error_t trace_options_parse(int key, char *value, struct argp_state *state);
extern const struct argp_child trace_table_children[], trace_names_children[];

/* Rows of a table, 0 for all: what was asked for, else all in JSON and CSV, and 20 in documents. */
size_t trace_options_top(const struct trace_options *o);

/* Which of `words` (ending with NULL) the value of an option is; anything else ends the program with usage. */
int trace_option_word(struct argp_state *state, const char *option, const char *value, const char *const *words);

/* How many traces are read at once; anything else ends the program with usage. */
size_t trace_option_jobs(struct argp_state *state, const char *value);

/* What is wrong with the command line is said before a trace is read. */
int trace_arguments_check(const struct trace_arguments *a, struct err *e);

/* Opens trace number `side`, reduced to the scope that the command line asks for. `parts` is what may be measured of
 * each trace of a folder on its own; NULL: nothing. */
int trace_open(const struct trace_arguments *a, size_t side, const struct trace_measure *parts,
               struct event_stream **out, struct trace_side *about, struct err *e);

/* Says on standard error what weakens the results of this trace; notes stand in
 * the result. Returns EXIT_UNUSABLE_INPUT for a truncated one, else EXIT_PASS. */
enum exit_status trace_note_caveats(const struct event_stream *stream);

#endif
