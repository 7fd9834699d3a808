/* Is a benchmark of another tool faster after the change? */
#include "reports/benchmarks_report.h"

#include <string.h>

#include "analyzers/columns.h"
#include "core/base/count_of.h"
#include "reports/rows/row_formats.h"
#include "reports/run/run_report.h"

enum { ONLY_AFTER_SHOWN = 10, FAILURES_SHOWN = 10 };

/* ---- the first lines ---- */

static size_t count_verdict(const struct benchmark_comparisons *c, enum comparison_verdict verdict)
{
    size_t count = 0;
    for (size_t i = 0; i < c->rows.count; i++)
        count += c->rows.items[i].verdict == verdict;
    return count;
}

static bool has_replicates(const struct benchmark_comparisons *c)
{
    for (size_t i = 0; i < c->rows.count; i++)
        if (c->rows.items[i].has_replicates)
            return true;
    return false;
}

static void write_answer(const struct benchmark_comparisons *c, struct document *out)
{
    static const enum comparison_verdict order[] = {COMPARE_SLOWER, COMPARE_FASTER, COMPARE_EQUIVALENT,
                                                    COMPARE_INCONCLUSIVE, COMPARE_UNUSABLE};
    struct str text;
    size_t said = 0;
    char count[UNITS_TEXT_BYTES];
    str_init(&text);
    str_addf(&text, "%s: ", words_count(count, (int64_t)c->rows.count, "benchmark", "benchmarks"));
    for (size_t i = 0; i < COUNT_OF(order); i++) {
        const size_t found = count_verdict(c, order[i]);
        if (found)
            str_addf(&text, "%s%zu %s", said++ ? ", " : "", found, comparison_verdict_name(order[i]));
    }
    words_answer(out, &text);
}

static void write_limits(const struct benchmark_comparisons *c, struct document *out)
{
    if (has_replicates(c))
        return;
    document_paragraph(out);
    document_span(
        out, SPAN_PLAIN,
        "A side is one process here, so nothing is decided: another start of the program may differ by as much. "
        "Three files and more of each side, in a folder each, are processes and decide.");
}

/* ---- why ---- */

static bool is_first_of_reason(const struct benchmark_comparisons *c, size_t row)
{
    for (size_t i = 0; i < row; i++)
        if (c->rows.items[i].reason == c->rows.items[row].reason)
            return false;
    return true;
}

static void write_reason(const struct benchmark_comparisons *c, const struct benchmark_comparison *row,
                         struct document *out)
{
    const bool lacks_values = row->reason == BENCHMARK_NO_VALUES || row->reason == BENCHMARK_TOO_FEW_VALUES;
    document_bullet(out);
    document_span(out, SPAN_CODE, "%s", benchmark_reasons[row->reason].key);
    document_span(out, SPAN_PLAIN, ": %s", benchmark_reasons[row->reason].sentence);
    if (lacks_values) {
        document_span(out, SPAN_PLAIN, "; record %s with ", c->sides[0].values);
        document_span(out, SPAN_CODE, "%s", c->sides[0].more);
    }
    document_span(out, SPAN_PLAIN, ".");
}

static void write_failure(const struct benchmark_comparison *row, struct document *out)
{
    document_bullet(out);
    document_span(out, SPAN_CODE, "%s", row->name);
    document_span(out, SPAN_PLAIN, " says: ");
    document_span(out, SPAN_CODE, "%s", row->detail);
}

static void write_reasons(const struct benchmark_comparisons *c, struct document *out)
{
    document_heading(out, 2, "Why");
    for (size_t i = 0; i < c->rows.count; i++)
        if (is_first_of_reason(c, i))
            write_reason(c, &c->rows.items[i], out);
    for (size_t i = 0, said = 0; i < c->rows.count && said < FAILURES_SHOWN; i++)
        if (*c->rows.items[i].detail) {
            write_failure(&c->rows.items[i], out);
            said++;
        }
    if (*c->machines) {
        document_bullet(out);
        document_span(out, SPAN_PLAIN, "Machines: %s.", c->machines);
    }
}

static void write_only_after(const struct benchmark_comparisons *c, struct document *out)
{
    if (!c->only_after.count)
        return;
    document_paragraph(out);
    document_span(out, SPAN_PLAIN, "Only the second side has ");
    for (size_t i = 0; i < c->only_after.count && i < ONLY_AFTER_SHOWN; i++) {
        document_span(out, SPAN_PLAIN, "%s", i ? ", " : "");
        document_span(out, SPAN_CODE, "%s", c->only_after.items[i]);
    }
    if (c->only_after.count > ONLY_AFTER_SHOWN)
        document_span(out, SPAN_PLAIN, ", and %zu more", c->only_after.count - ONLY_AFTER_SHOWN);
    document_span(out, SPAN_PLAIN, ".");
}

/* ---- all ---- */

static void write_side(const struct benchmarks_report *r, size_t side, const char *name, struct document *out)
{
    const struct benchmark_side *s = &r->comparisons->sides[side];
    char processes[UNITS_TEXT_BYTES];
    document_fact(out, name);
    document_span(out, SPAN_CODE, "%s", r->sides[side].source);
    document_span(out, SPAN_PLAIN, ", %s, %s", s->tool,
                  words_count(processes, (int64_t)s->processes, "process", "processes"));
}

int report_benchmarks(const struct benchmarks_report *r, struct document *out, struct err *e)
{
    static const struct row_table table = {.lists = {&benchmark_columns}, .formats = {ROW_TABLE}};
    const struct benchmark_comparisons *c = r->comparisons;
    write_answer(c, out);
    write_limits(c, out);
    write_side(r, 0, "A, before", out);
    write_side(r, 1, "B, after", out);
    document_heading(out, 2, "Benchmarks");
    row_table_add(out, &table, c->rows.items, c->rows.count);
    write_only_after(c, out);
    write_reasons(c, out);
    words_caveats(out, r->sides, TRACE_SIDES);
    return out->failed ? err_memory(e) : 0;
}

int csv_benchmarks(const struct benchmarks_report *r, struct str *out, struct err *e)
{
    return row_csv(&benchmark_columns, r->comparisons->rows.items, r->comparisons->rows.count, NULL, out, e);
}
