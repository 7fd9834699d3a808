/* What is this file, if it is no GPU trace, and which export would be one?
 *
 * A table of descriptions, the most telling first. Nothing is read here: each
 * entry ends in one line that says what the file is and what to do. */
#define _GNU_SOURCE
#include <string.h>

#include "base/str.h"
#include "base/utf8.h"
#include "trace/readers/reader.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

enum { QUOTED_BYTES_MAX = 120, BINARY_LOOK_BYTES = 4096 };

#define STATS          "nsys stats --report cuda_gpu_trace --format csv"
#define EXPORT         "make the CSV: " STATS
#define CLASSIFY       "; for what bounds its kernels use 'cpprof classify'"
#define SUMS_OF_CUDA   "output of nsys stats with sums of CUDA's kernels: sums have no timeline"
#define ONLY_THE_TRACE "only the report cuda_gpu_trace is missing: " STATS " REPORT.nsys-rep > trace.csv"
#define RECORD         "record with nsys profile, then " STATS " REPORT.nsys-rep > trace.csv"

/* A file that starts with `magic`, or whose name ends in `suffix`, or in whose
 * first line a word begins with `first_line`, or whose head holds all of `words`. */
static const struct description {
    const char *magic;
    size_t magic_bytes;
    const char *suffix;
    const char *first_line;
    const char *words[3];
    const char *what;
    const char *remedy;
} descriptions[] = {
#define MAGIC(bytes) .magic = bytes, .magic_bytes = sizeof(bytes) - 1
#define WORDS(...)   .words = {__VA_ARGS__}
/* A field of nvidia-smi --query-gpu or --query-compute-apps, with or without its unit, in the header. */
#define SMI_TABLE(field)                                                                                               \
    {                                                                                                                  \
        .first_line = field, .what = "a table of nvidia-smi: it has no kernels", .remedy = RECORD                      \
    }
    {MAGIC("SQLite format 3\0"), .what = "an SQLite database that is cut in its header", .remedy = "export it again"},
    {MAGIC("\x1f\x8b"), .what = "compressed twice with gzip", .remedy = "gunzip it first"},
    {MAGIC("PK\x03\x04"), .what = "a zip archive", .remedy = "unpack it first"},
    {MAGIC("\xff\xfe"), .what = "UTF-16 text", .remedy = "convert it first: iconv -f UTF-16 -t UTF-8"},
    {.suffix = ".nsys-rep", .what = "an nsys report, not read", .remedy = EXPORT " FILE.nsys-rep > trace.csv"},
    {.suffix = ".qdrep", .what = "an nsys report, not read", .remedy = EXPORT " FILE.qdrep > trace.csv"},
    {.suffix = ".ncu-rep", .what = "an ncu report: it has no times of launches", .remedy = RECORD CLASSIFY},
    {WORDS("\"Kernel Name\"", "\"Process ID\""), .what = "an ncu table: it has no times of launches",
     .remedy = RECORD CLASSIFY},
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
    {WORDS("SKIPPED:", "does not contain"),
     .what = "output of nsys stats without a gpu trace, its reports were SKIPPED",
     .remedy = "record with nsys profile -t cuda, then " STATS " REPORT.nsys-rep > trace.csv"},
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
#undef MAGIC
#undef WORDS
#undef SMI_TABLE
};

static const char *find(const struct open_input *input, const char *word)
{
    return memmem(input->head, input->head_bytes, word, strlen(word));
}

static bool ends_in(const char *path, const char *suffix)
{
    size_t length = strlen(path), need = strlen(suffix);
    return length >= need && !strcmp(path + length - need, suffix);
}

/* Fields of a header stand behind commas and spaces. */
static bool first_line_has(const struct open_input *input, const char *field)
{
    const char *end = memchr(input->head, '\n', input->head_bytes);
    const size_t bytes = end ? (size_t)(end - input->head) : input->head_bytes;
    const char *found = memmem(input->head, bytes, field, strlen(field));
    return found && (found == input->head || strchr(", .\"", found[-1])) && memchr(input->head, ',', bytes);
}

static bool matches(const struct open_input *input, const struct description *d)
{
    if (d->magic)
        return input->head_bytes >= d->magic_bytes && !memcmp(input->head, d->magic, d->magic_bytes);
    if (d->suffix)
        return ends_in(input->path, d->suffix);
    if (d->first_line)
        return first_line_has(input, d->first_line);
    for (size_t i = 0; i < COUNT(d->words) && d->words[i]; i++)
        if (!find(input, d->words[i]))
            return false;
    return true;
}

static bool is_empty(const struct open_input *input)
{
    for (size_t i = 0; i < input->head_bytes; i++)
        if (!strchr(" \t\r\n", input->head[i]) || !input->head[i])
            return false;
    return true;
}

/* The line that starts at `from`, made inert, no longer than a message can hold. */
static void quote_line(const struct open_input *input, const char *from, struct str *out)
{
    size_t length = 0, left = (size_t)(input->head + input->head_bytes - from);
    while (length < left && length < QUOTED_BYTES_MAX && from[length] != '\n' && from[length] != '\r')
        length++;
    utf8_add_visible(out, from, length);
}

/* `before` and `after` stand around the quoted line. */
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

static int refuse(const struct open_input *input, struct reader_sink *sink, struct err *e)
{
    (void)sink;
    if (!input->file)
        return err_set(e, ERR_INPUT, "'%s' is a directory, but no bundle: it has no manifest.json", input->path);
    if (is_empty(input))
        return err_set(e, ERR_INPUT, "'%s' is empty", input->path);
    const char *ncu_error = find(input, "==ERROR==");
    if (ncu_error)
        return refuse_quoting(input, "is output of an ncu run that failed: ", ncu_error, "", e);
    for (size_t i = 0; i < COUNT(descriptions); i++)
        if (matches(input, &descriptions[i]))
            return err_set(e, ERR_INPUT, "'%s' is %s; %s", input->path, descriptions[i].what, descriptions[i].remedy);
    if (memchr(input->head, '\0', input->head_bytes < BINARY_LOOK_BYTES ? input->head_bytes : BINARY_LOOK_BYTES))
        return err_set(e, ERR_INPUT, "'%s' is a binary file of an unknown kind; give a bundle or the output of " STATS,
                       input->path);
    return refuse_quoting(input, "holds no gpu trace; it starts with '", input->head,
                          "'; give a bundle or the output of " STATS, e);
}

static const char *const trace_endings[] = {".csv", ".json", ".gz", ".sqlite", ".bin", ".nsys-rep", ".qdrep"};

bool not_a_trace_was_meant_as_one(const struct open_input *input)
{
    for (size_t i = 0; i < COUNT(trace_endings); i++)
        if (ends_in(input->path, trace_endings[i]))
            return true;
    for (size_t i = 0; i < COUNT(descriptions); i++)
        if (matches(input, &descriptions[i]))
            return true;
    return is_empty(input) || find(input, "==ERROR==");
}

static bool anything(const struct open_input *input)
{
    (void)input;
    return true;
}

const struct reader not_a_trace_reader = {"anything else", anything, refuse};
