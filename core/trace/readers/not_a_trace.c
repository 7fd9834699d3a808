/* What is this file, if it is not a GPU trace, and which export would be one?
 *
 * A table of descriptions, the most specific first. No events are read: each entry gives one line with the kind of file
 * and what to do. */
#include <string.h>

#include "core/base/count_of.h"
#include "core/base/str.h"
#include "core/base/utf8.h"
#include "core/io/known_input.h"
#include "core/trace/readers/foreign_tools.h"
#include "core/trace/readers/reader.h"

enum { QUOTED_BYTES_MAX = 120 };

#define STATS          "nsys stats --report cuda_gpu_trace --format csv"
#define EXPORT         "make the CSV: " STATS
#define CLASSIFY       "; for what bounds its kernels use 'cpprof classify'"
#define SUMS_OF_CUDA   "output of nsys stats with sums of CUDA's kernels: sums have no timeline"
#define ONLY_THE_TRACE "only the report cuda_gpu_trace is missing: " STATS " REPORT.nsys-rep > trace.csv"
#define SKIPPED        "output of nsys stats without a gpu trace, as nsys says"
#define RECORD         "record with nsys profile, then " STATS " REPORT.nsys-rep > trace.csv"

static const struct known_input kinds[] = {
#define WORDS(...) .words = {__VA_ARGS__}
/* Matches a header of nvidia-smi --query-gpu or --query-compute-apps with this field, with or without unit. */
#define SMI_TABLE(field)                                                                                               \
    {                                                                                                                  \
        .first_line = field, .what = "a table of nvidia-smi: it has no kernels", .remedy = RECORD                      \
    }
    {KNOWN_MAGIC("SQLite format 3\0"), .what = "an SQLite database that is cut in its header",
     .remedy = "export it again"},
    {.suffix = ".nsys-rep", .what = "an nsys report, not read", .remedy = EXPORT " FILE.nsys-rep > trace.csv"},
    {.suffix = ".qdrep", .what = "an nsys report, not read", .remedy = EXPORT " FILE.qdrep > trace.csv"},
    {KNOWN_MAGIC("NVR"), .what = "an ncu report: it has no times of launches", .remedy = RECORD CLASSIFY},
    {.suffix = ".ncu-rep", .what = "an ncu report: it has no times of launches", .remedy = RECORD CLASSIFY},
    {WORDS("\"Kernel Name\"", "\"Process ID\""), .what = "an ncu table: it has no times of launches",
     .remedy = RECORD CLASSIFY},
    {WORDS("Section: ", "Metric Value"), .what = "output of ncu for people: it has no times of launches",
     .remedy = RECORD CLASSIFY " of ncu --csv --page raw"},
    {WORDS("==PROF=="), .what = "ncu output without a table", .remedy = RECORD},
    {WORDS("Start (", ";Duration (", "Strm"),
     .what = "a gpu trace separated by semicolons, as a spreadsheet with decimal commas saves it",
     .remedy = "export it again: LC_ALL=C " STATS " REPORT.nsys-rep > trace.csv"},
    {WORDS("Start (", "Duration (", "CorrId,"), .what = "a gpu trace whose header lacks column 'Strm'",
     .remedy = "export it again: " STATS " REPORT.nsys-rep > trace.csv"},
    {WORDS("Start (", "Duration (", "Strm"), .what = "a gpu trace, but not separated by commas",
     .remedy = "export it again: " STATS " REPORT.nsys-rep > trace.csv"},
    SMI_TABLE("utilization."),
    SMI_TABLE("power.draw"),
    SMI_TABLE("memory.total"),
    SMI_TABLE("memory.used"),
    SMI_TABLE("memory.free"),
    SMI_TABLE("clocks."),
    SMI_TABLE("temperature."),
    SMI_TABLE("power.limit"),
    SMI_TABLE("pcie.link."),
    SMI_TABLE("used_gpu_memory"),
    SMI_TABLE("used_memory"),
    SMI_TABLE("driver_version"),
    SMI_TABLE("pstate"),
    {WORDS("# gpu ", "# Idx "), .what = "output of nvidia-smi dmon or pmon: it has no kernels", .remedy = RECORD},
    {WORDS("#YYYYMMDD ", " Idx "), .what = "output of nvidia-smi dmon or pmon: it has no kernels", .remedy = RECORD},
    {WORDS("NVIDIA-SMI"), .what = "output of nvidia-smi: it has no kernels", .remedy = RECORD},
    {WORDS("(cuda_gpu_kern_sum):"), .what = SUMS_OF_CUDA, .remedy = ONLY_THE_TRACE},
    {WORDS("Processing [", "Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Name"), .what = SUMS_OF_CUDA,
     .remedy = ONLY_THE_TRACE},
    {WORDS("SKIPPED:", "column"), .quotes = "SKIPPED:", .what = SKIPPED,
     .remedy = "do so, or give the SQLite export itself: it is read without nsys"},
    {WORDS("SKIPPED:", "does not contain"), .quotes = "SKIPPED:", .what = SKIPPED,
     .remedy = "record with nsys profile -t cuda, then " STATS " REPORT.nsys-rep > trace.csv"},
    {WORDS("SKIPPED:"), .quotes = "SKIPPED:", .what = SKIPPED,
     .remedy = "mend what it names, or give the SQLite export itself"},
    {WORDS("Processing [", "/reports/"), .what = "output of nsys stats, but of other reports",
     .remedy = EXPORT " REPORT.nsys-rep > trace.csv"},
    {WORDS("Time (%)", "Num Calls"), .what = "a summary of calls: sums have no timeline",
     .remedy = "for calls make nsys stats --report cuda_api_trace --format csv, for work on the GPU " STATS},
    {WORDS("Time (%)", "Operation"), .what = "a summary of copies (cuda_gpu_mem_time_sum): sums have no timeline",
     .remedy = EXPORT " REPORT.nsys-rep > trace.csv"},
    {WORDS("Total (", "Operation"), .what = "a summary of copies (cuda_gpu_mem_size_sum): sums have no timeline",
     .remedy = EXPORT " REPORT.nsys-rep > trace.csv"},
    {WORDS("Time (%)", "Instances"), .what = "a summary of kernels or ranges: sums have no timeline",
     .remedy = EXPORT " REPORT.nsys-rep > trace.csv"},
    {WORDS("Time (%)", "Total Time ("), .what = "a summary of nsys stats",
     .remedy = EXPORT " REPORT.nsys-rep > trace.csv"},
#undef WORDS
#undef SMI_TABLE
};

/* Appends the line that starts at `from`, made inert and shortened to fit a message. */
static void quote_line(const struct open_input *input, const char *from, struct str *out)
{
    size_t length = 0, left = (size_t)(input->head + input->head_bytes - from);
    while (length < left && length < QUOTED_BYTES_MAX && from[length] != '\n' && from[length] != '\r')
        length++;
    utf8_add_visible(out, from, length);
}

/* The message is the quoted line between `before` and `after`. */
static int refuse_quoting(const struct open_input *input, const char *before, const char *from, const char *after,
                          struct err *e)
{
    struct str line;
    str_init(&line);
    quote_line(input, from, &line);
    int rc = err_set(e, ERR_INPUT, "'%s' %s%s%s", input->path, before, str_text(&line), after);
    str_release(&line);
    return rc;
}

const struct known_input *not_a_trace_find(const struct open_input *input)
{
    const struct known_input *kind = foreign_tool_find(input);
    return kind || !input->file ? kind : known_input_find(kinds, COUNT_OF(kinds), input);
}

static int refuse(const struct open_input *input, struct reader_sink *sink, struct err *e)
{
    (void)sink;
    if (!input->file)
        return err_set(e, ERR_INPUT, "'%s' is a directory, but no bundle: it has no manifest.json", input->path);
    if (input_is_blank(input))
        return err_set(e, ERR_INPUT, "'%s' is empty", input->path);
    const char *ncu_error = input_find(input, "==ERROR==");
    if (ncu_error)
        return refuse_quoting(input, "is output of an ncu run that failed: ", ncu_error, "", e);
    const struct known_input *kind = not_a_trace_find(input);
    if (kind)
        return known_input_refuse(kind, input, e);
    if (input_is_binary(input))
        return err_set(e, ERR_INPUT, "'%s' is a binary file of an unknown kind; give a bundle or the output of " STATS,
                       input->path);
    return refuse_quoting(input, "holds no gpu trace; it starts with '", input->head,
                          "'; give a bundle or the output of " STATS, e);
}

static const char *const trace_endings[] = {".csv",      ".json",  ".gz", ".sqlite",  ".bin",
                                            ".nsys-rep", ".qdrep", ".pb", ".parquet", ".arrow"};

bool not_a_trace_was_meant_as_one(const struct open_input *input)
{
    for (size_t i = 0; i < COUNT_OF(trace_endings); i++)
        if (input_path_ends_in(input, trace_endings[i]))
            return true;
    return not_a_trace_find(input) || input_is_blank(input) || input_find(input, "==ERROR==");
}

static bool anything(const struct open_input *input)
{
    (void)input;
    return true;
}

const struct reader not_a_trace_reader = {"anything else", anything, refuse};
