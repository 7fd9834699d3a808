/* What would the program gain from its kernels, copies and host? */
#include "reports/program_gains_report.h"

#include <math.h>
#include <string.h>

#include "analyzers/columns.h"
#include "core/base/units.h"
#include "reports/dependencies_report.h"
#include "reports/rows/row_formats.h"
#include "reports/trace_words.h"

enum { NAME_COLUMNS = 40, ROWS_SHOWN = 10, ROWS_KEPT = 3 };

/* Without delays: how much could go is known, not how much of it reaches the program. */
static void write_most_headroom(const struct capture_facts *f, struct document *d)
{
    const struct kernel_window *most = kernel_windows_most_headroom(&f->windows);
    char share[UNITS_TEXT_BYTES];
    if (!most)
        return;
    document_fact(d, "In kernels");
    document_span(d, SPAN_PLAIN, "the kernel with most headroom is ");
    document_span(d, SPAN_CODE, "%s", words_name(d, &f->names, most->name, NAMES_SHORT, NAME_COLUMNS));
    document_span(d, SPAN_PLAIN, ": at most %s of the time",
                  unit_format(share, UNIT_RATIO, most->device_share * most->headroom_ns / (double)most->total_ns));
}

static void write_most_gain(const struct capture_facts *f, const struct gain_of_all *all, struct document *d)
{
    const struct program_gain *g = all->most;
    char low[UNITS_TEXT_BYTES], high[UNITS_TEXT_BYTES];
    static const char *const titles[] = {
        [GAIN_KERNEL] = "In kernels", [GAIN_COPY] = "In copies", [GAIN_HOST] = "On the host"};
    static const char *const ifs[] = {[GAIN_KERNEL] = "if all its headroom went",
                                      [GAIN_COPY] = "if they took no time",
                                      [GAIN_HOST] = "if no GPU were idle before it"};
    document_fact(d, titles[g->kind]);
    document_span(d, SPAN_PLAIN, "most is to be gained %s ", g->kind == GAIN_HOST ? "before" : "in");
    program_gains_report_share(f, all, d);
    unit_format(low, UNIT_RATIO, all->gain.low);
    unit_format(high, UNIT_RATIO, all->gain.high);
    if (strcmp(low, high) != 0)
        document_span(d, SPAN_PLAIN, " (%s to %s)", low, high);
    document_span(d, SPAN_PLAIN, " of the time %s%s", ifs[g->kind], g->causal ? "" : ", by the recorded graph");
    if (g->is_beyond)
        document_span(d, SPAN_PLAIN, ", as far as savings beyond the delays that were tried go on as they begin");
}

void program_gains_report_share(const struct capture_facts *f, const struct gain_of_all *all, struct document *d)
{
    char gain[UNITS_TEXT_BYTES];
    document_span(d, SPAN_CODE, "%s", words_name(d, &f->names, all->most->name, NAMES_SHORT, NAME_COLUMNS));
    if (all->rows > 1)
        document_span(d, SPAN_PLAIN, ", over %zu shapes of it", all->rows);
    document_span(d, SPAN_PLAIN, ": at most %s", unit_format(gain, UNIT_RATIO, all->gain.value));
}

void program_gains_report_first(const struct capture_facts *f, struct document *d)
{
    const struct gain_of_all most = program_gains_most(&f->gain);
    if (most.most) {
        write_most_gain(f, &most, d);
    } else if (f->causal_run) {
        document_fact(d, "In kernels");
        document_span(d, SPAN_PLAIN, "of nothing that was delayed both headroom and criticality are known");
    } else {
        write_most_headroom(f, d);
    }
}

static void write_sources(const struct capture_facts *f, struct document *d)
{
    document_paragraph(d);
    document_span(d, SPAN_PLAIN, "what the program would gain, by ");
    if (f->causal_run) {
        document_span(d, SPAN_PLAIN, "the delays of ");
        document_span(d, SPAN_CODE, "%s", f->causal_run->bundle.path);
        document_span(d, SPAN_PLAIN, ", else by ");
    }
    document_span(d, SPAN_PLAIN, "a re-run of the recorded graph of what waited for what");
    if (f->dependencies.reason)
        document_span(d, SPAN_PLAIN, ", from which nothing follows: %s",
                      dependency_reasons[f->dependencies.reason].sentence);
}

static void write_beyond(const struct program_gains *g, size_t shown, struct document *d)
{
    bool is_any_beyond = false;
    for (size_t i = 0; i < shown; i++)
        is_any_beyond |= g->items[i].is_beyond;
    if (!is_any_beyond)
        return;
    document_paragraph(d);
    document_span(d, SPAN_PLAIN,
                  "* a launch would save more than the longest delay that was tried: from there on something else may "
                  "become critical");
}

void program_gains_report_add(const struct capture_facts *f, struct document *d)
{
    size_t steps;
    const bool has_steps = dependencies_steps(&f->dependencies, &steps);
    const struct row_table table = {.lists = {&program_gain_columns},
                                    .formats = {ROW_TABLE | (has_steps ? ROW_TABLE_2 : 0)},
                                    .context = &f->names,
                                    .code_columns = NAME_COLUMNS};
    const size_t shown = f->gain.count < ROWS_SHOWN ? f->gain.count : ROWS_SHOWN;
    if (!shown)
        return;
    write_sources(f, d);
    row_table_add(d, &table, f->gain.items, shown);
    document_table_keep(d, ROWS_KEPT);
    dependencies_report_host(&f->dependencies, d);
    dependencies_report_steps(&f->dependencies, "of a step: the same by the graph", d);
    write_beyond(&f->gain, shown, d);
}

json_t *json_program_gains(const struct capture_facts *f)
{
    return f->windows.kernel_count || f->causal_run
               ? row_json_array(&program_gain_columns, 0, f->gain.items, f->gain.count, &f->names)
               : json_null();
}
