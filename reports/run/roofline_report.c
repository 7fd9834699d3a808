/* How near does each kernel come to what its operations and its bytes would allow? */
#include <math.h>
#include <string.h>

#include "core/base/count_of.h"
#include "core/run/roofline.h"
#include "reports/pictures/roofline_picture.h"
#include "reports/run/run_report.h"

static void cell_case(const struct analysis *a, struct short_names *names, const struct roofline *r, struct document *d)
{
    document_cell_code(d, r->variant);
    if (bundle_programs(a->bundle)) /* several kernels, one config */
        cell_kernel(d, names, r->kernel);
    else
        document_cell(d, "%s", r->config);
}

/* Operations a byte span many decades. */
static void cell_intensity(struct document *d, double intensity)
{
    if (intensity >= 1000)
        document_cell_unit(d, UNIT_COUNT, intensity);
    else
        document_cell(d, isfinite(intensity) ? "%.3g" : "n/a", intensity);
}

static void add_kernels(const struct analysis *a, struct short_names *names, struct document *d)
{
    const struct document_column columns[] = {
        {"variant", false},      {bundle_programs(a->bundle) ? "kernel" : "shape", false},
        {"achieved", true},      {"FLOP/B at L1", true},
        {"at L2", true},         {"at DRAM", true},
        {"nearest roof", false}, {"reached", true},
        {"height", false}};
    document_table(d, columns, COUNT_OF(columns));
    for (size_t i = 0; i < a->rooflines.count; i++) {
        const struct roofline *r = &a->rooflines.items[i];
        cell_case(a, names, r, d);
        document_cell_unit(d, UNIT_FLOP_PER_S, r->flop_per_s);
        for (int level = 0; level < ROOF_LEVELS; level++)
            cell_intensity(d, r->levels[level].intensity);
        document_cell(d, "%s", *r->nearest ? r->nearest : "n/a");
        document_cell_unit(d, UNIT_RATIO, r->nearest_share);
        document_cell(d, "%s", !*r->nearest ? "n/a" : r->nearest_is_measured ? "measured" : "theory");
    }
}

static void add_roof(const struct analysis *a, struct short_names *names, const struct roofline *r,
                     const struct roof *roof, bool operations, struct document *d)
{
    const enum unit rate = operations ? UNIT_FLOP_PER_S : UNIT_BYTES_PER_S;
    if (!(roof->amount > 0))
        return;
    cell_case(a, names, r, d);
    document_cell(d, "%s", roof->name);
    if (operations)
        document_cell(d, "%.4g GFLOP", roof->amount * 1e-9);
    else
        document_cell_unit(d, UNIT_BYTES, roof->amount);
    document_cell_unit(d, rate, roof->per_s);
    document_cell_unit(d, rate, roof->peak);
    document_cell_unit(d, UNIT_RATIO, roof->per_s / roof->peak);
    document_cell_unit(d, rate, roof->measured);
    document_cell_unit(d, UNIT_RATIO, roof->per_s / roof->measured);
}

static void add_roofs(const struct analysis *a, struct short_names *names, struct document *d)
{
    const struct document_column columns[] = {
        {"variant", false}, {bundle_programs(a->bundle) ? "kernel" : "shape", false},
        {"roof", false},    {"amount", true},
        {"a second", true}, {"in theory", true},
        {"reached", true},  {"measured", true},
        {"reached", true}};
    document_heading(d, 3, "Roofs");
    document_table(d, columns, COUNT_OF(columns));
    for (size_t i = 0; i < a->rooflines.count; i++) {
        const struct roofline *r = &a->rooflines.items[i];
        for (size_t k = 0; k < r->precision_count; k++)
            add_roof(a, names, r, &r->precisions[k], true, d);
        for (int level = 0; level < ROOF_LEVELS; level++)
            add_roof(a, names, r, &r->levels[level], false, d);
    }
}

static bool has_measured(const struct analysis *a)
{
    for (size_t i = 0; i < a->rooflines.count; i++)
        for (int level = 0; level < ROOF_LEVELS; level++)
            if (!isnan(a->rooflines.items[i].levels[level].measured) ||
                strstr(a->rooflines.items[i].beaten, "measured"))
                return true;
    return false;
}

static const char *first_uncounted(const struct analysis *a)
{
    for (size_t i = 0; i < a->rooflines.count; i++)
        if (*a->rooflines.items[i].uncounted)
            return a->rooflines.items[i].uncounted;
    return "";
}

static void add_beaten(const struct analysis *a, struct document *d)
{
    for (size_t i = 0; i < a->rooflines.count; i++)
        if (*a->rooflines.items[i].beaten) {
            document_span(d, SPAN_PLAIN, " Not credible as a roof, and left out, because %s did more: %s.",
                          a->rooflines.items[i].variant, a->rooflines.items[i].beaten);
            return;
        }
}

static void add_words(const struct analysis *a, struct document *d)
{
    document_paragraph(d);
    document_span(
        d, SPAN_PLAIN,
        "Of one launch that was counted, over its duration then. A roof is the most that a precision's pipe or a "
        "memory level could do with the kernel's operations or bytes; the nearest is the one that would take "
        "most of the time. Not counted as operations: integers and the XU's functions.");
    if (*first_uncounted(a))
        document_span(d, SPAN_PLAIN, " No counter was read for: %s.", first_uncounted(a));
    add_beaten(a, d);
    if (!has_measured(a) && !bundle_programs(a->bundle)) {
        document_span(d, SPAN_PLAIN, " What this GPU reaches was not measured; this does: ");
        document_span(d, SPAN_CODE, "cpprof run ... --ceilings measure");
    }
}

/* Are there counters at all, among which operations are missing? */
static bool has_counters(const struct analysis *a)
{
    for (size_t i = 0; i < a->bounds.count; i++)
        if (isfinite(a->bounds.items[i].compute_share) || isfinite(a->bounds.items[i].memory_share))
            return true;
    return false;
}

void run_roofline_add(const struct analysis *a, struct document *d)
{
    if (!a->rooflines.count && !has_counters(a))
        return;
    document_heading(d, 2, "Roofline");
    if (!a->rooflines.count) {
        document_paragraph(d);
        document_span(d, SPAN_PLAIN,
                      "Not known: floating-point operations were not counted. The default set of counters "
                      "has them, and so has ");
        document_span(d, SPAN_CODE, "cpprof run ... --metrics flops");
        document_span(d, SPAN_PLAIN, ".");
        return;
    }
    roofline_picture_add(a, d);
    struct short_names names;
    kernel_names_of(&names, a, d);
    document_evidence_of(d, a->rooflines.count);
    add_kernels(a, &names, d);
    document_evidence(d);
    add_words(a, d);
    add_roofs(a, &names, d);
    short_names_release(&names);
}
