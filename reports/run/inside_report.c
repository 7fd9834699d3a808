/* What happens inside each kernel that was recorded, and may it be believed? */
#include <math.h>
#include <string.h>

#include "analyzers/columns.h"
#include "analyzers/inside/inside_words.h"
#include "reports/pictures/inside_picture.h"
#include "reports/reports.h"
#include "reports/rows/row_formats.h"
#include "reports/run/run_report.h"

/* An interval of E that is wider says little. */
#define WIDE 0.3

static void write_name(const struct inside *row, struct document *d)
{
    words_arm(d, *row->of ? row->of : row->variant, row->config);
}

/* ---- why it is inconclusive ---- */

static void write_reason(const struct inside *row, struct document *d)
{
    char cost[INSIDE_COST_BYTES] = "";
    document_span(d, SPAN_PLAIN, "%s", row->why);
    if (row->reason == INSIDE_RECORDS_MISSING)
        document_span(d, SPAN_PLAIN, " (%lld)", (long long)row->missing);
    else if (row->reason == INSIDE_OTHER_WORK)
        document_span(d, SPAN_PLAIN, ": %s differs", row->receipt.differs);
    else if (row->reason == INSIDE_SLOWER || row->reason == INSIDE_FASTER || row->reason == INSIDE_COST_UNCLEAR)
        document_span(d, SPAN_PLAIN, " (%s)", inside_cost_words(cost, row->cost, ", ", ""));
}

/* ---- the answer ---- */

/* A share of the time; near its ends with a digit more, so that 0.2% is not nothing. */
static void write_percent(double share, struct document *d)
{
    document_span(d, SPAN_PLAIN, share < 0.0995 || share > 0.995 ? "%.1f%%" : "%.0f%%", 100 * share);
}

static struct bounded e_of(const struct inside *row)
{
    return row->overlap_count ? row->overlaps[0].e : (struct bounded){NAN, NAN, NAN};
}

static bool is_wide(struct bounded e)
{
    return e.high - e.low > WIDE;
}

static void write_overlap(const struct inside *row, struct document *d)
{
    const struct bounded e = e_of(row);
    if (!isfinite(e.value))
        document_span(d, SPAN_PLAIN, "no copy was recorded that work could hide");
    else if (is_wide(e))
        document_span(d, SPAN_PLAIN, "how much of the copy is hidden is not known (E %.0f to %.0f%%, scope cta)",
                      100 * e.low, 100 * e.high);
    else
        document_span(d, SPAN_PLAIN, "%.0f%% of the copy that could be hidden is hidden (E %.0f to %.0f%%, scope cta)",
                      100 * e.value, 100 * e.low, 100 * e.high);
}

/* Neighbours of a block count only where they do: the SM idles less than the block, and less than late tiles take. */
static bool is_bound_by_neighbours(const struct inside *row)
{
    const struct inside_overlap *widest = &row->overlaps[row->overlap_count ? row->overlap_count - 1 : 0];
    return row->overlap_count > 1 && !strcmp(widest->scope, INSIDE_SM) && row->savable.high >= widest->idle.high &&
           widest->idle.high < row->overlaps[0].idle.low;
}

static void write_waits(const struct inside *row, struct document *d)
{
    if (!isfinite(row->exposed_wait.value))
        return;
    document_span(d, SPAN_PLAIN, "warps wait ");
    write_percent(row->exposed_wait.value, d);
    document_span(d, SPAN_PLAIN, " of the time for tiles");
    if (!isfinite(row->savable.value))
        return;
    document_span(d, SPAN_PLAIN, "%s earlier tiles save about ",
                  is_bound_by_neighbours(row) ? ", but others work meanwhile:" : ",");
    write_percent(row->savable.value, d);
}

static void write_arrived(const struct inside *row, struct document *d)
{
    if (isfinite(row->arrived))
        document_span(d, SPAN_PLAIN, "%s%.0f%% of the tiles are there when asked for",
                      isfinite(row->exposed_wait.value) ? ", " : "", 100 * row->arrived);
}

/* E is said first, unless it is unknown or may be anything. */
static bool begins_with_waits(const struct inside *row)
{
    return isfinite(row->exposed_wait.value) && (!isfinite(e_of(row).value) || is_wide(e_of(row)));
}

static bool write_doubt(const struct inside *row, struct document *d)
{
    write_name(row, d);
    document_span(d, SPAN_PLAIN, ": ");
    if (row->is_ok)
        return false;
    document_span(d, SPAN_STRONG, "inconclusive");
    document_span(d, SPAN_PLAIN, ", because ");
    write_reason(row, d);
    return true;
}

static void write_all_waits(const struct inside *row, struct document *d)
{
    write_waits(row, d);
    write_arrived(row, d);
}

void run_inside_rest(const struct inside *row, struct document *d)
{
    if (begins_with_waits(row))
        write_overlap(row, d);
    else
        write_all_waits(row, d);
}

void run_inside_verdict(const struct inside *row, struct document *d)
{
    if (write_doubt(row, d))
        return;
    if (begins_with_waits(row))
        write_all_waits(row, d);
    else
        write_overlap(row, d);
}

void run_inside_answer(const struct inside *row, struct document *d)
{
    run_inside_verdict(row, d);
    if (!row->is_ok || (!isfinite(row->exposed_wait.value) && !isfinite(row->arrived)))
        return;
    document_span(d, SPAN_PLAIN, "; ");
    run_inside_rest(row, d);
}

static void write_short_overlap(const struct inside *row, struct document *d)
{
    const struct bounded e = e_of(row);
    if (!isfinite(e.value))
        return;
    document_span(d, SPAN_PLAIN, isfinite(row->exposed_wait.value) ? "; E " : "E ");
    if (is_wide(e))
        document_span(d, SPAN_PLAIN, "%.0f to %.0f%%", 100 * e.low, 100 * e.high);
    else
        document_span(d, SPAN_PLAIN, "%.0f%%", 100 * e.value);
}

/* "warps wait 25%, earlier tiles save about 3.8%; E 0%": short, for a screen has room for two of them. */
void run_inside_line(const struct inside *row, struct document *d)
{
    if (write_doubt(row, d))
        return;
    if (isfinite(row->exposed_wait.value)) {
        document_span(d, SPAN_PLAIN, "warps wait ");
        write_percent(row->exposed_wait.value, d);
    }
    if (isfinite(row->exposed_wait.value) && isfinite(row->savable.value)) {
        document_span(d, SPAN_PLAIN, ", earlier tiles save about ");
        write_percent(row->savable.value, d);
    }
    write_short_overlap(row, d);
}

/* ---- tables ---- */

/* One list of rows of all arms, each with the arm that it is of. */
static void add_parts(const struct analysis *a, const struct row_columns *parts, const char *title, struct document *d)
{
    const struct row_table table = {.lists = {&inside_columns, parts}, .formats = {INSIDE_ARM, ROW_TABLE}};
    const bool is_phases = parts == &inside_phase_columns;
    size_t rows = 0;
    document_heading(d, 3, title);
    row_table_begin(d, &table);
    for (size_t i = 0; i < a->insides.count; i++) {
        const struct inside *row = &a->insides.items[i];
        const size_t count = is_phases ? row->phase_count : row->overlap_count;
        rows += count;
        if (i < inside_pictures_of(a->insides.count)) /* who looks at the picture reads all of its phases */
            document_table_keep(d, rows);
        for (size_t k = 0; k < count; k++)
            row_table_row(d, &table, row, is_phases ? (const void *)&row->phases[k] : (const void *)&row->overlaps[k]);
    }
}

static void add_series(const struct analysis *a, struct document *d)
{
    const struct row_table table = {.lists = {&inside_columns, &inside_series_columns},
                                    .formats = {INSIDE_ARM, ROW_TABLE}};
    size_t count = 0;
    for (size_t i = 0; i < a->insides.count; i++)
        count += a->insides.items[i].series_count;
    if (!count)
        return;
    document_heading(d, 3, "Units of the GPU, sampled");
    row_table_begin(d, &table);
    for (size_t i = 0; i < a->insides.count; i++)
        for (size_t k = 0; k < a->insides.items[i].series_count; k++)
            row_table_row(d, &table, &a->insides.items[i], &a->insides.items[i].series[k]);
    const enum tier tier = document_evidence(d);
    document_paragraph(d);
    document_span(d, SPAN_PLAIN,
                  "Without marks. Bounds for units that are active at the same time, as means over the chip: they say "
                  "nothing about single tiles.");
    document_tier(d, tier);
    run_inside_fold_answers(a, d);
}

static void add_receipts(const struct analysis *a, struct document *d)
{
    for (size_t i = 0; i < a->insides.count; i++) {
        const struct inside *row = &a->insides.items[i];
        const struct inside_receipt *r = &row->receipt;
        document_bullet(d);
        write_name(row, d);
        document_span(d, SPAN_PLAIN, ", without marks and with them: registers ");
        words_unit(d, UNIT_COUNT, r->registers_off);
        document_span(d, SPAN_PLAIN, " and ");
        words_unit(d, UNIT_COUNT, r->registers);
        document_span(d, SPAN_PLAIN, ", local memory ");
        words_unit(d, UNIT_BYTES, r->local_bytes_off);
        document_span(d, SPAN_PLAIN, " and ");
        words_unit(d, UNIT_BYTES, r->local_bytes);
        document_span(d, SPAN_PLAIN, ", blocks per SM ");
        words_unit(d, UNIT_COUNT, r->blocks_per_sm_off);
        document_span(d, SPAN_PLAIN, " and ");
        words_unit(d, UNIT_COUNT, r->blocks_per_sm);
        document_span(d, SPAN_PLAIN, "; %lld counters compared", (long long)r->counters_compared);
        if (row->devices > 1)
            document_span(d, SPAN_PLAIN, "; recorded on %lld GPUs, whose blocks count together",
                          (long long)row->devices);
        if (isfinite(row->cycles_per_ns.value))
            document_span(d, SPAN_PLAIN, "; %.3f cycles per ns (single warps %.3f to %.3f)", row->cycles_per_ns.value,
                          row->cycles_per_ns.low, row->cycles_per_ns.high);
        document_span(d, SPAN_PLAIN, ".");
    }
}

static void add_tables(const struct analysis *a, struct document *d)
{
    const struct row_table arms = {.lists = {&inside_columns}, .formats = {ROW_TABLE}};
    row_table_add(d, &arms, a->insides.items, a->insides.count);
    add_parts(a, &inside_overlap_columns, "Copies under work", d);
    const enum tier tier = document_evidence(d);
    document_paragraph(d);
    document_span(d, SPAN_PLAIN,
                  "H is the part of the copy that is hidden, E the part of what could be hidden: E is the "
                  "goal, H has none.");
    document_tier(d, tier);
    add_parts(a, &inside_phase_columns, "Phases of a tile", d);
    add_series(a, d);
    document_evidence(d);
    run_inside_fold_add(a, d);
    document_heading(d, 3, "Receipts");
    add_receipts(a, d);
}

static void add_answers(const struct analysis *a, struct document *d)
{
    for (size_t i = 0; i < a->insides.count; i++) {
        document_bullet(d);
        run_inside_answer(&a->insides.items[i], d);
        document_span(d, SPAN_PLAIN, ".");
    }
}

void run_inside_add(const struct analysis *a, struct document *d)
{
    if (!a->insides.count)
        return;
    document_heading(d, 2, "Inside");
    add_answers(a, d);
    if (a->insides.count > 1 || a->comparisons.count) /* else the first screen has it */
        inside_picture_add(a, d);
    add_tables(a, d);
}

void run_inside_counts(const struct analysis *a, struct document *d)
{
    size_t ok = 0;
    for (size_t i = 0; i < a->insides.count; i++)
        ok += a->insides.items[i].is_ok;
    document_span(d, SPAN_PLAIN, "%zu of %zu recorded kernels can be read", ok, a->insides.count);
}

static void write_headline(const struct analysis *a, struct document *d)
{
    document_heading(d, 1, "");
    if (!a->insides.count)
        document_span(d, SPAN_PLAIN, "no inside of a kernel was recorded");
    else if (a->insides.count == 1)
        run_inside_answer(&a->insides.items[0], d);
    else
        run_inside_counts(a, d);
}

int report_inside(const struct analysis *a, struct document *out, struct err *e)
{
    write_headline(a, out);
    if (a->insides.count > 1) /* a single one is the headline */
        add_answers(a, out);
    if (a->insides.count)
        add_tables(a, out);
    run_notes_add(a, out);
    return out->failed ? err_memory(e) : 0;
}
