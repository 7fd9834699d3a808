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
#include "reports/trace_words.h"

struct trace_arguments {
    const char *traces[TRACE_SIDES];
    size_t count;
    const char *format;
    const char *output;
    bool force;
};

/* A child parser: its input is a struct trace_arguments, zeroed. */
extern const struct argp trace_argp;

/* What is wrong with the command line is said before a trace is read. */
int trace_arguments_check(const struct trace_arguments *a, struct err *e);
bool trace_arguments_json(const struct trace_arguments *a);

/* Opens trace number `side`. A '-' twice is ERR_USAGE (trace_arguments_check). */
int trace_open(const struct trace_arguments *a, size_t side, struct event_stream **out, struct trace_side *about,
               struct err *e);

/* Says on standard error what weakens the results of this trace; notes stand in
 * the result. Returns EXIT_UNUSABLE_INPUT for a truncated one, else EXIT_PASS. */
enum exit_status trace_note_caveats(const struct event_stream *stream);

/* Writes the JSON (whose reference it takes) or the document, as asked. */
int trace_write_json(const struct trace_arguments *a, json_t *value, struct err *e);
int trace_write_document(const struct trace_arguments *a, const struct document *d, struct err *e);

#endif
