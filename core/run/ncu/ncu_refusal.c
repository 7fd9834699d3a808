/* What is this file, if it is not a CSV of Nsight Compute, and what would be one?
 *
 * A table of descriptions, the most specific first. */
#include <string.h>

#include "core/base/count_of.h"
#include "core/base/str.h"
#include "core/base/utf8.h"
#include "core/io/known_input.h"
#include "core/run/ncu/ncu_csv.h"
#include "core/trace/readers/foreign_tools.h"
#include "core/trace/readers/reader.h"

#define EXPORT_TO(report) "ncu --import " report " --csv --page raw > counters.csv"
#define RECORD            "ncu --set full --csv --page raw PROGRAM > counters.csv"
#define TAKEN             "a bundle, the output of " RECORD ", or to 'cpprof report' a trace, too (nsys SQLite or CSV, Kineto)"

enum { QUOTED_BYTES_MAX = 120 };

static const struct known_input kinds[] = {
    {KNOWN_MAGIC("NVR"), .what = "an ncu report, not its CSV", .remedy = EXPORT_TO("FILE.ncu-rep")},
    {.suffix = ".ncu-rep", .what = "an ncu report, not its CSV", .remedy = EXPORT_TO("FILE.ncu-rep")},
    {.words = {"No kernels were profiled"},
     .what = "output of an ncu run that met no kernel",
     .remedy = "check its filters (--kernel-name, --launch-skip), and --target-processes all for child processes"},
    {.words = {"Section: ", "Metric Value"},
     .what = "output of ncu for people, not its CSV",
     .remedy = "add --csv --page raw"},
    {.words = {"Address", "# Samples"},
     .what = "ncu's page of source lines: it has no kernels",
     .remedy = EXPORT_TO("REPORT.ncu-rep")},
    {.words = {"==PROF=="}, .what = "output of ncu without a table", .remedy = "add --csv --page raw"},
};

/* What ncu prints when it fails, and what helps. */
static const struct {
    const char *fragment, *remedy;
} errors[] = {
    {"ERR_NVGPUCTRPERM", "'cpprof doctor' says how to get permission"},
    {"application returned an error code", "run the program alone until it ends well, then under ncu again"},
    {"river resource was unavailable", "another profiler holds the counters: end it, or dcgmi profile --pause"},
    {"Failed to find metric", "this chip lacks the metric: ncu --query-metrics lists what it has"},
    {"No kernels were profiled", "check its filters: --kernel-name, --launch-skip"},
};

static const char *remedy_of(const char *error)
{
    for (size_t i = 0; i < COUNT_OF(errors); i++)
        if (strstr(error, errors[i].fragment))
            return errors[i].remedy;
    return "mend what it names and run ncu again";
}

static int refuse_first_line(const struct open_input *input, struct err *e)
{
    struct str line;
    str_init(&line);
    size_t length = strcspn(input->head, "\r\n");
    utf8_add_visible(&line, input->head, length < QUOTED_BYTES_MAX ? length : QUOTED_BYTES_MAX);
    const int rc = err_set(e, ERR_INPUT, "'%s' holds no table of ncu and no trace; it starts with '%s'; give " TAKEN,
                           input->path, str_text(&line));
    str_release(&line);
    return rc;
}

static int refuse_known(const struct known_input *kind, const struct open_input *input, struct err *e)
{
    struct str text;
    str_init(&text);
    known_input_describe(kind, input, &text);
    const int rc = err_set(e, ERR_INPUT, "'%s' is %s; for counters " RECORD, input->path, str_text(&text));
    str_release(&text);
    return rc;
}

int ncu_refuse(const struct open_input *input, const char *error, struct err *e)
{
    if (!input->file)
        return err_set(e, ERR_INPUT, "'%s' is a directory, but no bundle: it has no manifest.json", input->path);
    if (*error) {
        size_t length = strlen(error);
        length -= error[length - 1] == '.'; /* drops the full stop, since the text becomes part of a sentence */
        return err_set(e, ERR_INPUT, "'%s' is output of an ncu run that failed: %.*s; %s", input->path, (int)length,
                       error, remedy_of(error));
    }
    if (input_is_blank(input))
        return err_set(e, ERR_INPUT, "'%s' is empty", input->path);
    const struct known_input *kind = packing_find(input);
    if (!kind)
        kind = known_input_find(kinds, COUNT_OF(kinds), input);
    if (kind)
        return known_input_refuse(kind, input, e);
    const struct reader *trace = reader_of_trace(input);
    if (trace)
        return err_set(e, ERR_INPUT,
                       "'%s' is a trace (%s): it has times and no counters; for it use 'cpprof overlap', "
                       "for counters " RECORD,
                       input->path, trace->name);
    kind = not_a_trace_find(input);
    if (kind)
        return refuse_known(kind, input, e);
    if (input_is_binary(input))
        return err_set(e, ERR_INPUT, "'%s' is a binary file of an unknown kind; give " TAKEN, input->path);
    return refuse_first_line(input, e);
}
