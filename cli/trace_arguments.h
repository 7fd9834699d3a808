/* trace_arguments.h - one trace or two side by side, and where the result goes:
 * what `stats`, `launch` and `gaps` have in common on the command line. */
#ifndef CPPROF_TRACE_ARGUMENTS_H
#define CPPROF_TRACE_ARGUMENTS_H

#include <argp.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/json.h"
#include "model/event_stream.h"
#include "model/stream_scope.h"
#include "reports/trace_words.h"

struct trace_arguments {
    const char *traces[TRACE_SIDES];
    size_t count;
    const char *format;
    const char *output;
    bool force;
    struct stream_scope scope;
};

/* A child parser: its input is a struct trace_arguments, zeroed. */
extern const struct argp trace_argp;

/* Which names and how many rows tables show. */
struct table_arguments {
    enum name_style names;
    long top; /* -1: not given */
};
extern const struct table_arguments table_arguments_default;

/* Child parsers: their input is a struct table_arguments, begun as the default.
 * names_argp has --names, table_argp has --top too. */
extern const struct argp names_argp, table_argp;

/* Rows of a table, 0 for all: what was asked for, else all in JSON and 20 in documents. */
size_t table_arguments_top(const struct table_arguments *a, bool is_json);

/* Which of `words` (ending with NULL) the value of an option is; anything else ends the program with usage. */
int trace_option_word(struct argp_state *state, const char *option, const char *value, const char *const *words);

/* What is wrong with the command line is said before a trace is read. */
int trace_arguments_check(const struct trace_arguments *a, struct err *e);
bool trace_arguments_json(const struct trace_arguments *a);

/* Opens trace number `side`, reduced to the scope that the command line asks for. */
int trace_open(const struct trace_arguments *a, size_t side, struct event_stream **out, struct trace_side *about,
               struct err *e);

/* Says on standard error what weakens the results of this trace; notes stand in
 * the result. Returns EXIT_UNUSABLE_INPUT for a truncated one, else EXIT_PASS. */
enum exit_status trace_note_caveats(const struct event_stream *stream);

/* Writes the JSON (whose reference it takes) or the document, as asked. */
int trace_write_json(const struct trace_arguments *a, json_t *value, struct err *e);
int trace_write_document(const struct trace_arguments *a, const struct document *d, struct err *e);

#endif
