/* What is this path, and which commands take it? */
#define _GNU_SOURCE
#include "cli/input_kind.h"

#include <string.h>
#include <sys/stat.h>

#include "analyzers/compare/aa_comparisons.h"
#include "core/base/count_of.h"
#include "core/base/files.h"
#include "core/bundle/capture_map.h"
#include "core/io/gzip.h"
#include "core/io/input_export.h"
#include "core/io/input_file.h"
#include "core/run/benchmarks/benchmark_results.h"
#include "core/run/ncu/ncu_csv.h"
#include "core/trace/readers/foreign_tools.h"
#include "core/trace/readers/reader.h"
#include "core/trace/trace_operands.h"

/* ---- the table ---- */

#define TAKES(taker) (1U << (taker))
#define OF_COUNTERS  (TAKES(TAKER_REPORT) | TAKES(TAKER_CLASSIFY))

static const struct kind_row {
    const char *what;  /* "'PATH' is ..." */
    const char *shown; /* which command takes it */
    unsigned takers;
} kinds[INPUT_KINDS] = {
    [INPUT_MISSING] = {NULL, NULL, 0},
    [INPUT_STREAM] = {"a stream", "'cpprof stats' reads a trace from it, 'cpprof classify' a table of ncu",
                      OF_COUNTERS},
    [INPUT_RUN] = {"the bundle of a run", "'cpprof report' shows what is in it",
                   OF_COUNTERS | TAKES(TAKER_STAGES) | TAKES(TAKER_COMPARE) | TAKES(TAKER_INSIDE) | TAKES(TAKER_SLACK)},
    [INPUT_CAPTURE] = {"a capture",
                       "'cpprof report' shows it, and where it has samples what bounds its kernels; 'cpprof stats A B' "
                       "shows two side by side",
                       TAKES(TAKER_REPORT) | TAKES(TAKER_LIST)},
    [INPUT_POOL] = {"a pool of one thing timed against itself", "'cpprof aa' judges it", OF_COUNTERS | TAKES(TAKER_AA)},
    [INPUT_OTHER_BUNDLE] = {"a bundle of a kind that is not known", "'cpprof report' shows what is in it",
                            OF_COUNTERS | TAKES(TAKER_STAGES) | TAKES(TAKER_AA)},
    [INPUT_FOLDER] = {"a folder without " BUNDLE_MANIFEST,
                      "'cpprof report' shows the traces in it, if there are any, as ranks of one", TAKES(TAKER_REPORT)},
    [INPUT_TRACE] = {"a trace", "'cpprof report' shows it, 'cpprof stats A B' two side by side", TAKES(TAKER_REPORT)},
    [INPUT_COUNTERS] = {"a table of ncu", "'cpprof classify' says what bounds its kernels", OF_COUNTERS},
    [INPUT_BENCHMARKS] = {"a file of times", "'cpprof compare BEFORE AFTER' compares two", 0},
    [INPUT_FILE] = {"a file", "'cpprof stats' reads a trace, 'cpprof classify' a table of ncu", OF_COUNTERS},
};

static const struct taker_row {
    const char *lacks; /* why the others are not taken, and how to get what is; "" where `shown` says enough */
    int code;          /* of the error */
} takers[INPUT_TAKERS] = {
    [TAKER_REPORT] = {"", ERR_INPUT}, /* takes all that there is */
    [TAKER_STAGES] = {"it has no variants that could be stages", ERR_INPUT},
    [TAKER_CLASSIFY] = {"it holds no counters, and nothing is classified without; "
                        "\"cpprof run --variant NAME='PROGRAM ARGUMENTS' --kernels REGEX\" collects them",
                        ERR_INPUT},
    [TAKER_COMPARE] = {"it has no variants that were timed for a comparison", ERR_INPUT},
    [TAKER_INSIDE] = {"no kernel in it was recorded; 'cpprof run --inside' records them", ERR_INPUT},
    [TAKER_SLACK] = {"no phase in it was delayed; 'cpprof run --slack' delays them", ERR_INPUT},
    [TAKER_AA] = {"nothing in it was timed twice; 'cpprof aa VARIANT' records a pool", ERR_INPUT},
    [TAKER_LIST] = {"", ERR_USAGE},
};

/* ---- looking ---- */

static const struct {
    const char *word; /* `kind` of the manifest */
    enum input_kind kind;
} bundles[] = {
    {"run", INPUT_RUN},
    {"", INPUT_RUN}, /* a run's, before there were others */
    {CAPTURE_KIND, INPUT_CAPTURE},
    {AA_KIND, INPUT_POOL},
};

static int look_at_bundle(struct input *in, struct err *e)
{
    in->kind = INPUT_OTHER_BUNDLE;
    const int rc = bundle_begin(&in->begun, in->path, e);
    if (rc)
        return err_context(e, "while reading '%s'", in->path);
    for (size_t i = 0; i < COUNT_OF(bundles); i++)
        if (!strcmp(bundle_kind(&in->begun), bundles[i].word))
            in->kind = bundles[i].kind;
    return 0;
}

/* Who would read it, a report after its export; NULL for what is no trace. */
static const char *reader_name(const struct open_input *input)
{
    const struct reader *reader = reader_of_trace(input);
    if (!reader && tool_report_of(input) == TOOL_REPORT_NSYS)
        return "nsys report";
    return reader ? reader->name : NULL;
}

static bool has_counters(const struct open_input *input)
{
    return ncu_csv_recognise(input) || tool_report_of(input) == TOOL_REPORT_NCU;
}

/* Not unpacked only to be looked at: what a compressed file holds is for its reader to say. */
static int look_at_file(struct input *in, struct err *e)
{
    struct input_file file;
    in->kind = INPUT_FILE;
    const int rc = input_file_open_packed(&file, in->path, e);
    if (rc)
        return rc;
    const bool is_counters = has_counters(&file.input), is_packed = gzip_is(file.input.head, file.input.head_bytes);
    if (tool_report_of(&file.input) == TOOL_REPORT_NCU)
        in->reader = "ncu report";
    if (is_counters)
        in->kind = INPUT_COUNTERS;
    else if (!is_packed && (in->reader = reader_name(&file.input)))
        in->kind = INPUT_TRACE;
    else if (benchmark_format_of(&file.input)) {
        in->reader = benchmark_format_of(&file.input)->tool;
        in->kind = INPUT_BENCHMARKS;
    }
    input_file_close(&file);
    return 0;
}

int input_look_inside(struct input *in, struct err *e)
{
    struct input_file file;
    struct caveat_list caveats; /* whoever reads it has them again */
    if (in->kind != INPUT_FILE)
        return 0;
    caveat_list_init(&caveats);
    const int rc = input_file_open(&file, in->path, &caveats, e);
    caveat_list_release(&caveats);
    if (rc)
        return rc;
    if (!has_counters(&file.input))
        in->reader = reader_name(&file.input);
    if (in->reader)
        in->kind = INPUT_TRACE;
    input_file_close(&file);
    return 0;
}

int input_look(struct input *out, const char *path, struct err *e)
{
    struct stat about;
    *out = (struct input){.path = path};
    bundle_init(&out->begun);
    if (!strcmp(path, "-"))
        out->kind = INPUT_STREAM;
    else if (bundle_is(path))
        return look_at_bundle(out, e);
    else if (files_is_directory(path))
        out->kind = INPUT_FOLDER;
    else if (!stat(path, &about) && !S_ISREG(about.st_mode))
        out->kind = INPUT_STREAM;
    else if (files_exists(path))
        return look_at_file(out, e);
    return 0;
}

void input_release(struct input *in)
{
    bundle_release(&in->begun);
}

bool input_is_bundle(const struct input *in)
{
    return in->kind >= INPUT_RUN && in->kind <= INPUT_OTHER_BUNDLE;
}

/* ---- asking the table ---- */

const char *input_what(const struct input *in, struct str *room)
{
    str_clear(room);
    str_add(room, in->kind == INPUT_MISSING ? "no bundle or file" : kinds[in->kind].what);
    if (in->reader)
        str_addf(room, " (%s)", in->reader);
    return str_text(room);
}

/* Says how a file is packed, or that it is the answer of a server; 0: it is neither. */
static int refuse_packed(const struct input *in, struct err *e)
{
    struct input_file file;
    if (input_file_open_packed(&file, in->path, e))
        return 0;
    const struct known_input *kind = packing_find(&file.input);
    const int rc = kind ? known_input_refuse(kind, &file.input, e) : 0;
    input_file_close(&file);
    return rc;
}

/* Says that a folder holds no file; 0: it does. */
static int refuse_empty(const struct input *in, struct err *e)
{
    struct trace_operand_list list = {0};
    const int rc = trace_operands_add(&list, in->path, e);
    trace_operands_release(&list);
    return rc;
}

static int refuse(const struct input *in, const struct taker_row *taker, struct err *e)
{
    if (in->kind == INPUT_MISSING)
        return err_set(e, taker->code, "there is no bundle or file '%s'", in->path);
    const int rc = in->kind == INPUT_FILE ? refuse_packed(in, e) : in->kind == INPUT_FOLDER ? refuse_empty(in, e) : 0;
    if (rc)
        return rc;
    struct str what;
    str_init(&what);
    err_set(e, taker->code, "'%s' is %s: %s%s%s", in->path, input_what(in, &what), taker->lacks,
            *taker->lacks ? "; " : "", kinds[in->kind].shown);
    str_release(&what);
    return taker->code;
}

int input_check(const struct input *in, enum input_taker taker, struct err *e)
{
    return kinds[in->kind].takers & TAKES(taker) ? 0 : refuse(in, &takers[taker], e);
}

int input_open(struct input *out, const char *path, enum input_taker taker, struct err *e)
{
    const int rc = input_look(out, path, e);
    return rc ? rc : input_check(out, taker, e);
}
