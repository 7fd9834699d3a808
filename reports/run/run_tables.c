/* What are the numbers behind each line of the verdict? One section a question. */
#include <math.h>
#include <string.h>

#include "analyzers/columns.h"
#include "core/base/count_of.h"
#include "reports/rows/row_formats.h"
#include "reports/run/run_cases.h"
#include "reports/run/run_report.h"
#include "reports/trace_words.h"

#define COLUMNS(d, columns) document_table(d, columns, COUNT_OF(columns))

/* Rows of evidence that a report shows; the bundle's CSV file has them all. */
enum { ROWS_MAX = 24 };

static void cell_arm(struct document *d, const char *variant, const char *config)
{
    document_cell_code(d, variant);
    document_cell(d, "%s", case_short(d, config));
}

static void add_rest(struct document *d, size_t count, const char *file)
{
    if (count <= ROWS_MAX)
        return;
    document_paragraph(d);
    document_span(d, SPAN_PLAIN, "%zu more rows in ", count - ROWS_MAX);
    document_span(d, SPAN_CODE, "%s", file);
}

/* What passed is evidence: the first screen says so. */
static bool all_selected(const struct analysis *a)
{
    for (size_t i = 0; i < a->selection.count; i++)
        if (a->selection.items[i].status != VERDICT_PASS)
            return false;
    return true;
}

static bool all_correct(const struct analysis *a)
{
    for (size_t i = 0; i < a->correctness.count; i++)
        if (a->correctness.items[i].status != VERDICT_PASS)
            return false;
    return true;
}

void run_selection_add(const struct analysis *a, struct document *d)
{
    const struct row_table table = {.lists = {&selection_columns}, .formats = {ROW_TABLE}};
    if (!a->selection.count)
        return;
    document_heading(d, 2, "Selection");
    if (all_selected(a))
        document_evidence(d);
    row_table_add(d, &table, a->selection.items, a->selection.count);
}

static void add_failed_checks(const struct table *verify, struct document *d)
{
    static const struct document_column columns[] = {{"variant", false},     {"shape", false}, {"process", true},
                                                     {"seed", true},         {"phase", false}, {"largest error", true},
                                                     {"wrong values", true}, {"of", true},     {"hint", false}};
    size_t failed = 0;
    for (size_t row = 0; row < table_rows(verify); row++) {
        if (!strcmp(table_text(verify, row, VERIFY_PASS), "yes") || failed++ >= ROWS_MAX)
            continue;
        if (failed == 1) {
            document_heading(d, 3, "Failed checks");
            COLUMNS(d, columns);
        }
        cell_arm(d, table_text(verify, row, VERIFY_VARIANT), table_text(verify, row, VERIFY_SHAPE));
        document_cell_unit(d, UNIT_COUNT, table_number(verify, row, VERIFY_PROCESS));
        document_cell(d, "%s", table_text(verify, row, VERIFY_SEED));
        document_cell(d, "%s", table_text(verify, row, VERIFY_PHASE));
        document_cell(d, "%.3g", table_number(verify, row, VERIFY_MAX_ABS_ERR));
        document_cell_unit(d, UNIT_RATIO, table_number(verify, row, VERIFY_BAD_RATIO));
        document_cell_unit(d, UNIT_COUNT, table_number(verify, row, VERIFY_VALUES));
        document_cell(d, "%s", table_text(verify, row, VERIFY_HINT));
    }
    add_rest(d, failed, bundle_table_file(BUNDLE_VERIFY));
}

static void add_mismatches(const struct table *t, struct document *d)
{
    static const struct document_column columns[] = {{"variant", false}, {"shape", false}, {"seed", true},
                                                     {"phase", false},   {"index", true},  {"where", false},
                                                     {"expected", true}, {"got", true}};
    size_t rows = table_rows(t);
    if (!rows)
        return;
    document_heading(d, 3, "First wrong values");
    COLUMNS(d, columns);
    for (size_t row = 0; row < rows && row < ROWS_MAX; row++) {
        cell_arm(d, table_text(t, row, MISMATCHES_VARIANT), table_text(t, row, MISMATCHES_SHAPE));
        document_cell(d, "%s", table_text(t, row, MISMATCHES_SEED));
        document_cell(d, "%s", table_text(t, row, MISMATCHES_PHASE));
        document_cell_unit(d, UNIT_COUNT, table_number(t, row, MISMATCHES_INDEX));
        document_cell(d, "%s", table_text(t, row, MISMATCHES_WHERE));
        document_cell(d, "%.9g", table_number(t, row, MISMATCHES_EXPECTED));
        document_cell(d, "%.9g", table_number(t, row, MISMATCHES_GOT));
    }
    add_rest(d, rows, bundle_table_file(BUNDLE_MISMATCHES));
}

void run_correctness_add(const struct analysis *a, struct document *d)
{
    const struct row_table table = {.lists = {&correctness_columns}, .formats = {ROW_TABLE}, .context = a};
    if (!a->correctness.count)
        return;
    document_heading(d, 2, "Correctness");
    if (all_correct(a))
        document_evidence(d);
    row_table_add(d, &table, a->correctness.items, a->correctness.count);
    run_iterations_compared(a, d);
    add_failed_checks(&a->bundle->tables[BUNDLE_VERIFY], d);
    add_mismatches(&a->bundle->tables[BUNDLE_MISMATCHES], d);
}

static void add_timings(const struct analysis *a, struct document *d)
{
    const struct row_table table = {.lists = {&timing_columns}, .formats = {ROW_TABLE}};
    document_heading(d, 3, "Timing of each arm");
    row_table_add(d, &table, a->timings.items, a->timings.count);
    if (!a->comparisons.count)
        return;
    document_paragraph(d);
    document_span(
        d, SPAN_PLAIN,
        "p50 to min are of all samples of all processes, each counting as much: not the times of the comparisons, "
        "which are those of a typical process.");
}

void run_speed_add(const struct analysis *a, struct document *d)
{
    if (!a->comparisons.count && !a->timings.count && !a->mark_costs.count)
        return;
    document_heading(d, 2, "Speed");
    comparison_tables_add(a, d);
    sweep_tables_add(a, d);
    run_transitions_add(a, d);
    document_evidence(d);
    if (a->timings.count)
        add_timings(a, d);
    mark_costs_add(a, d);
}

/* The numbers behind each finding. */
static void add_finding_evidence(const struct analysis *a, struct document *d)
{
    static const struct document_column columns[] = {
        {"finding", false}, {"variant", false}, {"shape", false}, {"metric", false}, {"value", true}};
    bool begun = false;
    document_evidence(d);
    for (size_t i = 0; i < a->findings.count; i++) {
        const struct finding *f = &a->findings.items[i];
        if (!begun && f->evidence.count) {
            document_heading(d, 3, "What they rest on");
            COLUMNS(d, columns);
            begun = true;
        }
        for (size_t k = 0; k < f->evidence.count; k++) {
            document_cell_code(d, f->id);
            cell_arm(d, f->variant, f->config);
            document_cell_code(d, f->evidence.items[k].metric);
            document_cell_unit(d, (enum unit)f->evidence.items[k].unit, f->evidence.items[k].value);
        }
    }
}

void run_findings_add(const struct analysis *a, struct document *d)
{
    static const char *const severities[] = {[SEVERITY_INFO] = "info",
                                             [SEVERITY_ADVICE] = "advice",
                                             [SEVERITY_WARNING] = "warning",
                                             [SEVERITY_FAILURE] = "failure"};
    if (!a->findings.count)
        return;
    document_heading(d, 2, "Findings");
    for (size_t i = 0; i < a->findings.count; i++) {
        const struct finding *f = &a->findings.items[i];
        document_bullet(d);
        document_span(d, SPAN_CODE, "%s", f->id);
        document_span(d, SPAN_PLAIN, " (%s)", severities[f->severity]);
        if (*f->variant) {
            document_span(d, SPAN_PLAIN, ", ");
            words_arm(d, f->variant, f->config);
        }
        document_span(d, SPAN_PLAIN, ": %s.", f->claim);
        document_span(d, SPAN_PLAIN, "%s%s", *f->advice ? " Advice: " : "", f->advice);
    }
    add_finding_evidence(a, d);
}

void run_launches_add(const struct analysis *a, struct document *d)
{
    const struct row_table table = {.lists = {&launch_columns}, .formats = {ROW_TABLE}};
    if (!a->launches.count)
        return;
    document_heading(d, 2, "Launch cost");
    document_evidence_of(d, a->launches.count);
    row_table_add(d, &table, a->launches.items, a->launches.count);
    document_evidence(d);
    document_paragraph(d);
    document_span(
        d, SPAN_PLAIN,
        "All from the traced process. Call: host time in the launch API; the first one on each device is apart, "
        "the longest of them shown, and not in median, mean and longest. Queue: start of the kernel minus start of its call; launches follow each "
        "other without a "
        "wait, so that it holds the kernels before. Interval: start to start. "
        "Between two launches the device is idle, copies, or runs other work (kernels, memsets). "
        "Queue, kernel, interval and these times are medians; the kernel's on the device where it is shortest, as "
        "on others a collective waits for launches.");
}

void run_resources_add(const struct analysis *a, struct document *d)
{
    if (!a->resources.count)
        return;
    struct short_names names;
    const struct row_table table = {.lists = {&resource_columns}, .formats = {ROW_TABLE}, .names = &names};
    kernel_names_of(&names, a, d);
    document_heading(d, 2, "Resources");
    document_evidence_of(d, a->resources.count);
    row_table_add(d, &table, a->resources.items, a->resources.count);
    short_names_release(&names);
}

static bool is_class(const struct analysis *a, size_t set, enum event_class c)
{
    return set >= a->own_sets_first && selector_class(a->query.sets[set]) == c;
}

/* Without communication all kernels are compute. */
static bool has_comm(const struct analysis *a, const struct timeline_device *on)
{
    for (size_t i = a->own_sets_first; i < a->query.set_count; i++)
        if (is_class(a, i, CLASS_COMM))
            return on->sets[i].count > 0;
    return false;
}

static void add_device_classes(const struct analysis *a, const struct timeline_device *on, struct document *d)
{
    static const struct document_column columns[] = {{"class", false}, {"events", true},
                                                     {"busy", true},   {"sum of durations", true},
                                                     {"bytes", true},  {"longest gap", true}};
    COLUMNS(d, columns);
    for (size_t i = 0; i < a->query.set_count; i++) {
        const struct timeline_set *set = &on->sets[i];
        if (!set->count || (is_class(a, i, CLASS_COMPUTE) && !has_comm(a, on)))
            continue;
        document_cell_code(d, selector_text(a->query.sets[i]));
        document_cell_unit(d, UNIT_COUNT, (double)set->count);
        document_cell_unit(d, UNIT_NS, (double)set->busy_ns);
        document_cell_unit(d, UNIT_NS, (double)set->sum_ns);
        document_cell_unit(d, UNIT_BYTES, (double)set->size_bytes);
        document_cell_unit(d, UNIT_NS, set->count > 1 ? (double)set->gap_max_ns : NAN);
    }
}

static double share(int64_t part, int64_t whole)
{
    return whole ? (double)part / (double)whole : NAN;
}

/* A pair is shown once, and where both sides occur. */
static bool is_shown(const struct analysis *a, const struct timeline_device *on, size_t pair)
{
    return on->sets[a->query.pairs[pair].a].count && on->sets[a->query.pairs[pair].b].count &&
           !mirrors_earlier_pair(&a->query, pair);
}

static void add_device_pairs(const struct analysis *a, const struct timeline_device *on, struct document *d)
{
    static const struct document_column columns[] = {
        {"A", false}, {"B", false}, {"overlap", true}, {"A hidden under B", true}, {"B hidden under A", true}};
    bool begun = false;
    for (size_t i = 0; i < a->query.pair_count; i++) {
        if (!is_shown(a, on, i))
            continue;
        if (!begun)
            COLUMNS(d, columns);
        begun = true;
        size_t first = a->query.pairs[i].a, second = a->query.pairs[i].b;
        int64_t overlap_ns = on->pairs[i].overlap_ns;
        document_cell_code(d, selector_text(a->query.sets[first]));
        document_cell_code(d, selector_text(a->query.sets[second]));
        document_cell_unit(d, UNIT_NS, (double)overlap_ns);
        document_cell_unit(d, UNIT_RATIO, share(overlap_ns, on->sets[first].busy_ns));
        document_cell_unit(d, UNIT_RATIO, share(overlap_ns, on->sets[second].busy_ns));
    }
}

/* Its trace was not cut to the arms that were chosen. */
static void add_whole_process(const struct analysis *a, struct document *d)
{
    if (!a->bundle->arms_left_out)
        return;
    document_paragraph(d);
    document_span(d, SPAN_PLAIN, "This is about the whole traced process, with the %s that %s not chosen.",
                  a->bundle->arms_left_out == 1 ? "arm" : "arms", a->bundle->arms_left_out == 1 ? "was" : "were");
}

void run_timeline_add(const struct analysis *a, struct document *d)
{
    if (!a->has_timeline || !a->timeline.device_count)
        return;
    document_heading(d, 2, "Overlap");
    add_whole_process(a, d);
    for (size_t i = 0; i < a->timeline.device_count; i++) {
        const struct timeline_device *on = &a->timeline.devices[i];
        if (!on->events)
            continue;
        char events[UNITS_TEXT_BYTES];
        document_paragraph(d);
        if (on->rank >= 0)
            document_span(d, SPAN_PLAIN, "Rank %d, ", (int)on->rank);
        document_span(d, SPAN_PLAIN, "%s %d: %s in ", on->rank >= 0 ? "device" : "Device", (int)on->device,
                      words_count(events, (int64_t)on->events, "event", "events"));
        words_unit(d, UNIT_NS, (double)(on->last_end_ns - on->first_start_ns));
        document_span(d, SPAN_PLAIN, ", busy for ");
        words_unit(d, UNIT_NS, (double)on->busy_ns);
        document_span(d, SPAN_PLAIN, ", idle ");
        words_unit(d, UNIT_RATIO, 1 - share(on->busy_ns, on->last_end_ns - on->first_start_ns));
        add_device_classes(a, on, d);
        add_device_pairs(a, on, d);
    }
}
