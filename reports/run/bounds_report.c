/* What bounds each kernel, and by which evidence? */
#include <stdint.h>
#include <string.h>

#include "analyzers/bounds/bound_repeats.h"
#include "analyzers/bounds/ncu_words.h"
#include "analyzers/columns.h"
#include "analyzers/counted_thresholds.h"
#include "core/base/count_of.h"
#include "core/gpu/thresholds.h"
#include "reports/pictures/lost_time_picture.h"
#include "reports/reports.h"
#include "reports/rows/row_formats.h"
#include "reports/run/run_report.h"

/* Is there a kernel that was counted more than once? Only then is there anything to agree. */
static bool has_repeats(const struct analysis *a)
{
    for (size_t i = 0; i < a->bounds.count; i++)
        if (a->bounds.items[i].repeats > 1)
            return true;
    return false;
}

static void add_classes(const struct analysis *a, struct short_names *names, struct document *d)
{
    const struct row_table table = {.lists = {&bound_columns},
                                    .formats = {BOUND_CLASSES | (has_repeats(a) ? BOUND_READINGS : 0)},
                                    .context = a,
                                    .names = names};
    row_table_add(d, &table, a->bounds.items, a->bounds.count);
    const enum tier tier = document_evidence(d);
    document_paragraph(d);
    document_span(
        d, SPAN_PLAIN,
        "Compute and memory are shares of peak over elapsed cycles; the margin is the distance to the nearest "
        "other class, in points of those shares or of the launch interval that is idle.");
    document_tier(d, tier);
}

static void write_advice(const char *label, const char *advice, struct document *d)
{
    if (*advice)
        document_span(d, SPAN_PLAIN, "%s%s.", label, advice);
}

static void add_reasons(const struct analysis *a, const struct bound *b, struct document *d)
{
    document_bullet(d);
    words_arm(d, b->variant, b->config);
    if (bundle_programs(a->bundle) && *b->kernel) {
        document_span(d, SPAN_PLAIN, ", ");
        words_kernel(d, b->kernel);
    }
    document_span(d, SPAN_PLAIN, ": ");
    document_span(d, SPAN_STRONG, "%s", bound_class_name(b->class_));
    document_span(d, SPAN_PLAIN, "%s%s", *b->cause ? ", " : "", b->cause);
    words_repeats(d, b);
    document_span(d, SPAN_PLAIN, ".");
    if (*b->stated)
        document_span(d, SPAN_PLAIN, " By construction it is %s: %s.", b->stated,
                      bound_is_as_stated(b) ? "as found" : "NOT what was found");
    write_advice(" To try: ", b->advice, d);
    write_advice(" Will not help: ", b->will_not_help, d);
    struct str ncu;
    str_init(&ncu);
    ncu_words_add_difference(&ncu, b);
    if (ncu.length)
        document_span(d, SPAN_PLAIN, " %s", str_text(&ncu));
    str_release(&ncu);
}

/* Which bound, and one of its parts. Programs have several kernels and one config. */
static struct row_table part_table(const struct analysis *a, struct short_names *names, const struct row_columns *parts)
{
    return (struct row_table){.lists = {&bound_columns, parts},
                              .formats = {bundle_programs(a->bundle) ? BOUND_BY_KERNEL : BOUND_BY_CONFIG, ROW_TABLE},
                              .context = a,
                              .names = names};
}

/* A row for each part: the whole is one launch to the next, or the kernel where nothing was traced. */
static void add_lost_time(const struct analysis *a, struct short_names *names, struct document *d)
{
    const struct row_table table = part_table(a, names, &lost_part_columns);
    bool begun = false;
    for (size_t i = 0; i < a->bounds.count; i++) {
        const struct bound *b = &a->bounds.items[i];
        if (!begun && b->lost_count) {
            document_heading(d, 3, "Where the time goes");
            if (a->comparisons.count > 1) /* a single one is on the first screen */
                lost_time_picture_add(a, d);
            row_table_begin(d, &table);
            begun = true;
        }
        for (size_t k = 0; k < b->lost_count; k++)
            row_table_row(d, &table, b, &b->lost[k]);
    }
    if (!begun)
        return;
    const enum tier tier = document_evidence(d);
    document_paragraph(d);
    document_span(
        d, SPAN_PLAIN,
        "From one launch to the next, all of it: parts of an arm add up to 100%%. What the busiest unit, idle SMs and "
        "the host leave is shared out by what the warps wait for meanwhile.");
    document_tier(d, tier);
}

static void add_evidence(const struct analysis *a, struct short_names *names, struct document *d)
{
    const struct row_table table = part_table(a, names, &evidence_columns);
    document_heading(d, 3, "Evidence");
    row_table_begin(d, &table);
    for (size_t i = 0; i < a->bounds.count; i++) {
        const struct bound *b = &a->bounds.items[i];
        for (size_t k = 0; k < b->evidence.count; k++)
            row_table_row(d, &table, b, &b->evidence.items[k]);
    }
}

static void add_value(enum threshold_id id, double value, const char *capability, struct document *d)
{
    const struct threshold *t = threshold_get(id);
    document_cell_code(d, t->name);
    document_cell_unit(d, t->unit, value);
    if (*capability)
        document_cell(d, "on compute capability %s: %s", capability, t->meaning);
    else
        document_cell(d, "%s", t->meaning);
}

static void add_threshold(const struct analysis *a, enum threshold_id id, struct document *d)
{
    if (!counted_thresholds_differ(a, id)) {
        add_value(id, threshold(&a->thresholds, id), "", d);
        return;
    }
    for (size_t i = 0; i < a->by_capability.count; i++) {
        const struct capability_thresholds *of = &a->by_capability.items[i];
        add_value(id, threshold(&of->thresholds, id), *of->capability ? of->capability : "n/a", d);
    }
}

void run_thresholds_add(const struct analysis *a, struct document *d)
{
    static const struct document_column columns[] = {{"threshold", false}, {"value", true}, {"meaning", false}};
    document_heading(d, 3, "Thresholds of the bounds");
    const char *path = counted_thresholds_path(a);
    if (path) {
        document_paragraph(d);
        document_span(d, SPAN_PLAIN, "Overridden by ");
        document_span(d, SPAN_CODE, "%s", path);
    }
    document_table(d, columns, COUNT_OF(columns));
    for (int i = 0; i < THRESHOLD_COUNT; i++)
        add_threshold(a, (enum threshold_id)i, d);
}

bool run_thresholds_asked(const struct analysis *a, bool explain, struct document *d)
{
    const bool asked = explain || counted_thresholds_path(a);
    if (asked)
        run_thresholds_add(a, d);
    return asked;
}

void run_thresholds_hint(struct document *d)
{
    document_paragraph(d);
    document_span(d, SPAN_PLAIN, "Each step of the decision and its thresholds: ");
    document_span(d, SPAN_CODE, "cpprof classify --explain");
}

static void add_bounds(const struct analysis *a, struct document *d)
{
    struct short_names names;
    kernel_names_of(&names, a, d);
    document_heading(d, 2, "Bounds");
    add_classes(a, &names, d);
    document_evidence_of(d, run_solution_rows(a) > 2 ? SIZE_MAX : a->bounds.count);
    for (size_t i = 0; i < a->bounds.count; i++)
        add_reasons(a, &a->bounds.items[i], d);
    add_lost_time(a, &names, d);
    run_predictions_add(a, d);
    document_evidence(d);
    add_evidence(a, &names, d);
    short_names_release(&names);
}

void run_bounds_add(const struct analysis *a, struct document *d)
{
    if (!a->bounds.count)
        return;
    add_bounds(a, d);
    run_thresholds_add(a, d);
}

static void add_steps(const struct analysis *a, struct document *d)
{
    document_heading(d, 2, "How it was decided");
    for (size_t i = 0; i < a->bounds.count; i++) {
        const struct bound *b = &a->bounds.items[i];
        document_paragraph(d);
        words_arm(d, b->variant, b->config);
        if (*b->kernel) {
            document_span(d, SPAN_PLAIN, ", ");
            words_kernel(d, b->kernel);
        }
        document_span(d, SPAN_PLAIN, ": ");
        words_bound(d, b);
        for (size_t k = 0; k < b->step_count; k++) {
            document_bullet(d);
            document_span(d, SPAN_PLAIN, "%s", b->steps[k]);
        }
    }
}

static void write_headline(const struct analysis *a, struct document *d)
{
    document_heading(d, 1, "");
    if (!a->bounds.count) {
        document_span(d, SPAN_PLAIN, "no kernel could be classified: the bundle has no counters and no launches");
        return;
    }
    const struct bound *first = &a->bounds.items[0];
    if (a->bounds.count > 1) {
        document_span(d, SPAN_PLAIN, "%zu kernels", a->bounds.count);
        words_class_counts(d, a);
        return;
    }
    words_arm(d, first->variant, first->config);
    document_span(d, SPAN_PLAIN, " is ");
    words_bound(d, first);
    words_repeats(d, first);
}

int report_bounds(const struct analysis *a, bool explain, struct document *out, struct err *e)
{
    write_headline(a, out);
    if (a->bounds.count) {
        add_bounds(a, out);
        const bool told = run_thresholds_asked(a, explain, out);
        run_roofline_add(a, out);
        if (!told)
            run_thresholds_hint(out);
    }
    if (explain)
        add_steps(a, out);
    run_notes_add(a, out);
    return out->failed ? err_memory(e) : 0;
}
