/* When does the GPU run no kernel, and why? */
#include "reports/gaps_report.h"

#include <assert.h>

#include "analyzers/capture/gap_words.h"
#include "analyzers/columns.h"
#include "core/base/str.h"
#include "core/trace/event_work.h"
#include "reports/alike_devices.h"
#include "reports/rows/row_formats.h"

enum { NAME_COLUMNS = 22 }; /* 120 columns in all */

static const char *const side_names[TRACE_SIDES] = {"A", "B"};

/* ---- tables ---- */

static double share(int64_t part_ns, int64_t whole_ns)
{
    return words_ratio((double)part_ns, (double)whole_ns);
}

static const struct row_table cause_table = {.lists = {&gap_share_columns}, .formats = {ROW_TABLE}};
static const struct row_table pair_table = {.lists = {&gap_share_pair_columns}, .formats = {ROW_TABLE}};

static void add_causes(const struct gaps_device *d, struct document *out)
{
    row_table_begin(out, &cause_table);
    for (int cause = 0; cause < GAP_CAUSES; cause++) {
        const struct gap_share share = gaps_share(d, (enum gap_cause)cause);
        row_table_row(out, &cause_table, &share, NULL);
    }
    const struct gap_share all = gaps_share_of_all(d);
    row_table_row(out, &cause_table, &all, NULL);
}

static void add_largest(const struct gaps_report *r, size_t side, const struct gaps_device *d, struct document *out)
{
    const struct gap_context context = {.arena = &out->arena,
                                        .strings = r->strings[side],
                                        .style = r->style,
                                        .starts = r->starts[side],
                                        .rank = d->rank};
    const struct row_table table = {.lists = {&gap_columns},
                                    .formats = {ROW_TABLE},
                                    .context = &context,
                                    .code_columns = r->style == NAMES_SHORT ? NAME_COLUMNS : 0};
    if (!d->largest_count)
        return;
    document_heading(out, 3, "The largest gaps");
    row_table_add(out, &table, d->largest, d->largest_count);
}

/* Copies always, other classes where the device has them. */
static void write_others(const struct gaps_device *d, struct document *out)
{
    char time[UNITS_TEXT_BYTES];
    for (int c = 0; c < TRANSFER_CLASSES; c++)
        if (c == TRANSFER_COPY || d->cause_ns[GAP_COPY + c])
            document_span(out, SPAN_PLAIN, ", %s for %s", gap_cause_only((enum gap_cause)(GAP_COPY + c)),
                          unit_format(time, UNIT_NS, (double)d->cause_ns[GAP_COPY + c]));
}

static void write_device(const struct gaps_device *d, struct document *out)
{
    char operations[UNITS_TEXT_BYTES], span[UNITS_TEXT_BYTES], kernels[UNITS_TEXT_BYTES],
        kernel_share[UNITS_TEXT_BYTES], idle[UNITS_TEXT_BYTES], idle_share[UNITS_TEXT_BYTES];
    document_paragraph(out);
    document_span(out, SPAN_PLAIN, "%s over %s: kernels run for %s (%s)",
                  words_count(operations, d->operations, "operation", "operations"),
                  unit_format(span, UNIT_NS, (double)gaps_span_ns(d)),
                  unit_format(kernels, UNIT_NS, (double)d->kernel_ns),
                  unit_format(kernel_share, UNIT_RATIO, share(d->kernel_ns, gaps_span_ns(d))));
    write_others(d, out);
    document_span(out, SPAN_PLAIN, ", nothing for %s (%s).", unit_format(idle, UNIT_NS, (double)gaps_idle_ns(d)),
                  unit_format(idle_share, UNIT_RATIO, share(gaps_idle_ns(d), gaps_span_ns(d))));
}

static void add_device(const struct gaps_report *r, size_t side, const struct gaps_device *d, struct document *out)
{
    document_heading(out, 2,
                     arena_printf(&out->arena, "%sOn %s", r->side_count > 1 ? (side ? "B: " : "A: ") : "",
                                  words_place(out, d->rank, d->device, false)));
    const enum tier tier = out->tier; /* the first screen of a capture has the sums, too */
    if (r->gaps[side].count == 1)
        document_evidence(out);
    write_device(d, out);
    document_evidence(out);
    if (r->side_count == 1)
        add_causes(d, out);
    document_tier(out, tier);
    add_largest(r, side, d, out);
}

/* ---- many devices ---- */

/* What makes devices alike: kernels, and what the rest of the time is for. */
static struct alike_device alike_of(const struct gaps_device *d, size_t index)
{
    struct alike_device like = {.rank = d->rank, .device = d->device, .index = index};
    like.shares[0] = share(d->kernel_ns, gaps_span_ns(d));
    for (int cause = 0; cause < GAP_CAUSES && cause + 1 < ALIKE_SHARES; cause++)
        like.shares[cause + 1] = share(d->cause_ns[cause], gaps_span_ns(d));
    return like;
}

/* One device of each of the largest groups. */
static void add_one_of_each(const struct gaps_report *r, size_t side, struct document *out)
{
    const struct idle_gaps *g = &r->gaps[side];
    struct alike_device *devices = arena_alloc(&out->arena, g->count * sizeof *devices);
    struct alike_group *groups = arena_alloc(&out->arena, g->count * sizeof *groups);
    out->failed |= !devices || !groups;
    if (out->failed)
        return;
    for (size_t i = 0; i < g->count; i++)
        devices[i] = alike_of(&g->items[i], i);
    const size_t count = alike_devices_group(&out->arena, devices, g->count, groups);
    for (size_t i = 0; i < count && i < ALIKE_SHOWN; i++) {
        add_device(r, side, &g->items[devices[groups[i].first].index], out);
        document_paragraph(out);
        document_span(out, SPAN_PLAIN, "%zu of %zu devices are like this one%s%s.", groups[i].count, g->count,
                      *groups[i].others ? ", too: ranks " : "", groups[i].others);
    }
    document_paragraph(out);
    document_span(out, SPAN_PLAIN,
                  "One device of the largest groups is shown, of %zu; --full shows each, and the JSON has all.", count);
}

static bool is_condensed(const struct gaps_report *r)
{
    return !r->is_full && (r->gaps[0].count > ALIKE_WHOLE || (r->side_count > 1 && r->gaps[1].count > ALIKE_WHOLE));
}

/* ---- two traces ---- */

static const struct gaps_device *same_device(const struct idle_gaps *g, const struct gaps_device *like)
{
    for (size_t i = 0; i < g->count; i++)
        if (g->items[i].rank == like->rank && g->items[i].device == like->device)
            return &g->items[i];
    return NULL;
}

static void add_pair(struct gap_share a, struct gap_share b, struct document *out)
{
    const struct gap_share_pair pair = {a, b};
    row_table_row(out, &pair_table, &pair, NULL);
}

static void add_both(const struct gaps_device *a, const struct gaps_device *b, struct document *out)
{
    document_heading(out, 2,
                     arena_printf(&out->arena, "Side by side on %s", words_place(out, a->rank, a->device, false)));
    row_table_begin(out, &pair_table);
    for (int cause = 0; cause < GAP_CAUSES; cause++)
        add_pair(gaps_share(a, (enum gap_cause)cause), gaps_share(b, (enum gap_cause)cause), out);
    add_pair(gaps_share_of_all(a), gaps_share_of_all(b), out);
    add_pair(gaps_share_of_span(a), gaps_share_of_span(b), out);
}

static void add_side_by_side(const struct gaps_report *r, struct document *out)
{
    const struct idle_gaps *a = &r->gaps[0], *b = &r->gaps[1];
    for (size_t i = 0; i < a->count; i++) {
        const struct gaps_device *other = same_device(b, &a->items[i]);
        if (other)
            add_both(&a->items[i], other, out);
    }
    for (size_t side = 0; side < TRACE_SIDES; side++)
        for (size_t i = 0; i < r->gaps[side].count; i++) {
            const struct gaps_device *d = &r->gaps[side].items[i];
            if (same_device(&r->gaps[1 - side], d))
                continue;
            document_paragraph(out);
            document_span(out, SPAN_PLAIN, "Only in %s: %s.", side_names[side],
                          words_place(out, d->rank, d->device, false));
        }
}

/* ---- the first lines ---- */

/* Time with other work alone has no kernel, and is no idle time either: the two shares would not add up. */
static const double others_told = 0.005;

static void write_told(const int64_t sums_ns[GAP_CAUSES], int64_t span_ns, struct str *text)
{
    char of_span[UNITS_TEXT_BYTES];
    const char *between = " (";
    for (int c = GAP_COPY; c < GAP_COPY + TRANSFER_CLASSES; c++)
        if (share(sums_ns[c], span_ns) >= others_told) {
            str_addf(text, "%s%s for %s", between, gap_cause_only((enum gap_cause)c),
                     unit_format(of_span, UNIT_RATIO, share(sums_ns[c], span_ns)));
            between = ", ";
        }
    str_add(text, *between == ',' ? ")" : "");
}

/* The cause with the most time, over all devices. */
static void write_side(const struct idle_gaps *g, struct str *text)
{
    int64_t sums_ns[GAP_CAUSES] = {0}, span_ns = 0, no_kernel_ns = 0;
    int worst = 0;
    for (size_t i = 0; i < g->count; i++) {
        span_ns += gaps_span_ns(&g->items[i]);
        no_kernel_ns += gaps_no_kernel_ns(&g->items[i]);
        for (int cause = 0; cause < GAP_CAUSES; cause++)
            sums_ns[cause] += g->items[i].cause_ns[cause];
    }
    for (int cause = 1; cause < GAP_CAUSES; cause++)
        if (sums_ns[cause] > sums_ns[worst])
            worst = cause;
    char time[UNITS_TEXT_BYTES], of_span[UNITS_TEXT_BYTES], of_these[UNITS_TEXT_BYTES];
    str_addf(text, "no kernel for %s, %s of the time", unit_format(time, UNIT_NS, (double)no_kernel_ns),
             unit_format(of_span, UNIT_RATIO, share(no_kernel_ns, span_ns)));
    write_told(sums_ns, span_ns, text);
    if (no_kernel_ns > 0)
        str_addf(text, "; largest cause: %s, %s", gap_cause_name((enum gap_cause)worst),
                 unit_format(of_these, UNIT_RATIO, share(sums_ns[worst], no_kernel_ns)));
}

static void write_calls(const struct gaps_report *r, struct document *out)
{
    for (size_t i = 0; i < r->side_count; i++) {
        if (r->gaps[i].calls)
            continue;
        document_paragraph(out);
        document_span(out, SPAN_CODE, "%s", r->sides[i].source);
        document_span(out, SPAN_PLAIN,
                      " has no calls of the CUDA API: why nothing ran is not in it. The SQLite export of "
                      "nsys and bundles have them.");
    }
}

int report_gaps(const struct gaps_report *r, struct document *out, struct err *e)
{
    static const char *const before[TRACE_SIDES] = {"A: ", "B: "};
    assert(r->side_count <= TRACE_SIDES);
    for (size_t i = 0; i < r->side_count; i++) {
        struct str answer;
        str_init(&answer);
        str_add(&answer, r->side_count > 1 ? before[i] : "");
        str_add(&answer, words_in_doubt(r->sides[i].caveats));
        write_side(&r->gaps[i], &answer);
        words_answer(out, &answer);
    }
    words_sources(out, r->sides, r->side_count);
    write_calls(r, out);
    if (r->side_count > 1 && !is_condensed(r))
        add_side_by_side(r, out);
    for (size_t side = 0; side < r->side_count && is_condensed(r); side++)
        add_one_of_each(r, side, out);
    for (size_t side = 0; side < r->side_count && !is_condensed(r); side++)
        for (size_t i = 0; i < r->gaps[side].count; i++) {
            if (i)
                document_evidence(out);
            add_device(r, side, &r->gaps[side].items[i], out);
        }
    words_caveats(out, r->sides, r->side_count);
    return out->failed ? err_memory(e) : 0;
}
