/* Is a benchmark of Google Benchmark or nvbench faster in one file, or folder of files, than in another? */
#include "cli/compared/compare_benchmarks.h"

#include <string.h>

#include "cli/compared/compared_formats.h"
#include "reports/benchmarks_report.h"

struct comparing {
    struct benchmark_results sides[TRACE_SIDES];
    struct benchmark_comparisons comparisons;
};

bool compare_benchmarks_takes(const char *path)
{
    return benchmark_format_at(path) != NULL;
}

static int write_csv(const struct benchmarks_report *r, const struct compare_benchmarks_options *o, struct err *e)
{
    struct str text;
    str_init(&text);
    int rc = csv_benchmarks(r, &text, e);
    if (!rc)
        rc = output_write(o->output, o->force, str_text(&text), text.length, e);
    str_release(&text);
    return rc;
}

static int write_verdicts(const struct benchmarks_report *r, const struct compare_benchmarks_options *o, struct err *e)
{
    struct verdict_rows rows;
    int rc = verdict_rows_of_benchmarks(&rows, r, e);
    if (!rc)
        rc = compared_write_verdicts(&rows, benchmark_comparisons_status(r->comparisons), o->format, o->output,
                                     o->force, e);
    verdict_rows_release(&rows);
    return rc;
}

static int write_report(const struct benchmarks_report *r, const struct compare_benchmarks_options *o, struct err *e)
{
    if (!strcmp(o->format, "json"))
        return output_json(json_benchmarks(r), o->output, o->force, e);
    if (!strcmp(o->format, "csv"))
        return write_csv(r, o, e);
    if (compared_is_verdicts(o->format))
        return write_verdicts(r, o, e);
    struct document d;
    document_init(&d);
    int rc = report_benchmarks(r, &d, e);
    if (!rc)
        rc = output_everything(&d, o->format, o->output, o->force, e);
    document_release(&d);
    return rc;
}

/* Damage of a file is unusable here: JSON that is cut is none. */
static int compare(struct comparing *c, const struct compare_benchmarks_options *o, struct err *e)
{
    const char *const paths[TRACE_SIDES] = {o->before, o->after};
    int rc = 0;
    for (size_t i = 0; i < TRACE_SIDES && !rc; i++)
        rc = benchmark_results_read(&c->sides[i], paths[i], e);
    if (!rc)
        rc = benchmark_comparisons_make(&c->comparisons, &c->sides[0], &c->sides[1], o->margin, o->across, e);
    const struct benchmarks_report report = {.sides = {{.source = o->before, .caveats = &c->sides[0].caveats},
                                                       {.source = o->after, .caveats = &c->sides[1].caveats}},
                                             .comparisons = &c->comparisons};
    return rc ? rc : write_report(&report, o, e);
}

int compare_benchmarks(const struct compare_benchmarks_options *o, enum exit_status *status, struct err *e)
{
    struct comparing c = {0};
    for (size_t i = 0; i < TRACE_SIDES; i++)
        benchmark_results_init(&c.sides[i]);
    const int rc = compare(&c, o, e);
    if (!rc)
        *status = benchmark_comparisons_status(&c.comparisons);
    benchmark_comparisons_release(&c.comparisons);
    for (size_t i = 0; i < TRACE_SIDES; i++)
        benchmark_results_release(&c.sides[i]);
    return rc;
}
