/* trace_export.h - a trace as other tools write theirs, so that they can open it.
 *
 * A format is one file and one line of the table in trace_export.c; docs/export.md
 * tells what each one cannot carry. What a format of text writes, the readers of
 * core/trace/readers read back. */
#ifndef CPPROF_TRACE_EXPORT_H
#define CPPROF_TRACE_EXPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/byte_sink.h"
#include "core/base/caveat.h"
#include "core/base/err.h"
#include "core/base/str.h"
#include "core/trace/event_stream.h"

enum { TRACE_SURVEY_KINDS = CPPROF_EVENT_OVERHEAD + 1 };

/* What is in the scope of a stream, counted before a word is written. */
struct trace_survey {
    int64_t events;
    int64_t kinds[TRACE_SURVEY_KINDS]; /* by enum cpprof_event_kind */
    int64_t unfinished[TRACE_SURVEY_KINDS];
    int64_t graph_work; /* operations that a graph launched */
    int64_t gpu_work;   /* kernels, copies, memsets, migrations */
    int64_t first_ns;   /* the start of the first event */
    int64_t last_ns;    /* the latest end */
    int16_t rank;       /* of the first event */
    bool several_ranks;
    bool launches_only; /* event_stream_is_launches_only */
    bool is_incomplete; /* a caveat of the input says that evidence is missing */
};

/* Reads the stream once and rewinds it. */
int trace_survey_take(struct event_stream *stream, struct trace_survey *out, struct err *e);

struct check_report;
struct inside_lanes_list;
struct run;

/* What is to be written: the scope of a stream that stands at its start. */
struct trace_export {
    struct event_stream *stream;
    const struct trace_survey *survey;
    bool mangled_names;                    /* kernels as they were recorded; else as people write them */
    const struct inside_lanes_list *lanes; /* of a format that takes them; NULL: there are none */
    const struct run *run;                 /* the samples of its kernels; NULL: there are none */
    const struct check_report *check;      /* of a format that takes rules; NULL: nobody asked */
    struct caveat_list *losses;            /* what is left out; a writer may find more. NULL: nobody asks */
};

struct export_format {
    const char *name;   /* of --to */
    const char *what;   /* it is, for help; of the first of its name */
    const char *report; /* of --report; NULL when the format has one table only */
    const char *holds;  /* what that report is, for help */

    /* Adds a note for everything in the trace that the format cannot carry. An
     * error when what it would carry says something else than the trace does. */
    int (*check)(const struct trace_survey *survey, struct caveat_list *losses, struct err *e);

    /* In one pass. Errors of the sink are kept there. */
    int (*write)(const struct trace_export *x, struct byte_sink *sink, struct err *e);

    bool takes_lanes;   /* of the inside of kernels */
    bool takes_samples; /* the same */
    bool takes_rules;   /* it shows where rules are broken */
    bool is_binary;     /* nothing that a terminal can show */
};

/* ERR_USAGE when there is none of this name, or none with this report; `report`
 * NULL asks for the first of its name. */
int export_format_find(const char *name, const char *report, const struct export_format **out, struct err *e);

/* For help: "chrome: JSON for viewers; csv: ...", or the reports, "gpu, a cuda_gpu_trace (default); api, ...". */
void export_format_help(struct str *out, bool of_reports);
void export_format_names(struct str *out); /* "chrome, pftrace, csv" */

/* The formats: perfetto_export.c, chrome_export.c, nsys_export_csv.c. */
int perfetto_export_check(const struct trace_survey *survey, struct caveat_list *losses, struct err *e);
int perfetto_export_write(const struct trace_export *x, struct byte_sink *sink, struct err *e);
int chrome_export_check(const struct trace_survey *survey, struct caveat_list *losses, struct err *e);
int chrome_export_write(const struct trace_export *x, struct byte_sink *sink, struct err *e);
int nsys_gpu_export_check(const struct trace_survey *survey, struct caveat_list *losses, struct err *e);
int nsys_gpu_export_write(const struct trace_export *x, struct byte_sink *sink, struct err *e);
int nsys_api_export_check(const struct trace_survey *survey, struct caveat_list *losses, struct err *e);
int nsys_api_export_write(const struct trace_export *x, struct byte_sink *sink, struct err *e);

#endif
