/* What does a launch cost the host, how long does it wait, and does the GPU wait for it? */
#include "reports/launch_report.h"

#include <assert.h>
#include <math.h>

#include "analyzers/columns.h"
#include "reports/rows/row_formats.h"

enum { NAME_COLUMNS = 32, PAIR_NAME_COLUMNS = 36 }; /* 120 columns in all */

static const struct row_table single_table = {.lists = {&launch_number_columns}, .formats = {ROW_TABLE}};
static const struct row_table pair_table = {.lists = {&launch_pair_columns}, .formats = {ROW_TABLE}};
static const struct row_table wait_table = {.lists = {&duration_columns}, .formats = {ROW_TABLE}};
static const struct row_table wait_pair_table = {.lists = {&wait_pair_columns}, .formats = {ROW_TABLE}};
static const struct row_table starved_table = {.lists = {&launch_device_columns}, .formats = {ROW_TABLE}};

/* Behind the columns of a row stands what it is of. */
static void begin_table(const struct row_table *table, const char *subject, struct document *out)
{
    struct document_column columns[ROW_PARTS_MAX * ROW_COLUMNS_MAX];
    size_t count = row_table_columns(table, columns);
    columns[count++] = (struct document_column){subject, false};
    document_table(out, columns, count);
}

static const char *row_name(const struct launch_report *r, const struct launch_row *row, struct document *out)
{
    const char *name = words_name(out, r->names, row->name, row->is_call ? NAMES_FULL : r->style,
                                  r->side_count > 1 ? PAIR_NAME_COLUMNS : NAME_COLUMNS);
    return row->no_kernel ? arena_printf(&out->arena, "%s (no kernel)", name) : name;
}

static void explain(struct document *out)
{
    document_paragraph(out);
    document_span(out, SPAN_PLAIN,
                  "Call: host time in the launch. First: the first one of each rank, summed, and in no other column. "
                  "Queue: start of the kernel minus start of its call. Queue and kernel are medians. Longer: launches "
                  "whose call took longer than their kernel.");
}

static void write_left_out(size_t shown, size_t count, struct document *out)
{
    if (shown >= count)
        return;
    document_paragraph(out);
    document_span(out, SPAN_PLAIN, "%zu more are left out; 'cpprof launch --top' shows them.", count - shown);
}

static size_t rows_shown(const struct launch_report *r, size_t count)
{
    return r->top && r->top < count ? r->top : count;
}

static void add_launches(const struct launch_report *r, struct document *out)
{
    const struct kernel_launch_costs *t = &r->launches[0];
    const size_t shown = rows_shown(r, t->count);
    document_heading(out, 2, "Launches");
    begin_table(&single_table, "kernel", out);
    for (size_t i = 0; i < shown; i++) {
        row_table_row(out, &single_table, &t->items[i], NULL);
        document_cell_code(out, row_name(r, &t->items[i], out));
    }
    row_table_row(out, &single_table, &t->total, NULL);
    document_cell(out, "all");
    write_left_out(shown, t->count, out);
    explain(out);
}

static void add_waits(const struct launch_report *r, struct document *out)
{
    const struct kernel_launch_costs *t = &r->launches[0];
    document_heading(out, 2, "Waits of the host");
    if (!t->waits.count) {
        document_paragraph(out);
        document_span(out, SPAN_PLAIN, t->has_waits ? "No call that synchronises." : "Not recorded.");
        return;
    }
    begin_table(&wait_table, "call", out);
    for (size_t i = 0; i < t->waits.count; i++) {
        row_table_row(out, &wait_table, &t->waits.items[i].waits, NULL);
        document_cell_code(out, short_names_full(r->names, t->waits.items[i].name));
    }
}

/* ---- two traces ---- */

static void add_launch_pairs(const struct launch_report *r, struct document *out)
{
    const size_t shown = rows_shown(r, r->pairs->count);
    const struct launch_pair total = {&r->launches[0].total, &r->launches[1].total};
    document_heading(out, 2, "Launches");
    begin_table(&pair_table, "kernel", out);
    for (size_t i = 0; i < shown; i++) {
        const struct launch_pair *p = &r->pairs->items[i];
        row_table_row(out, &pair_table, p, NULL);
        document_cell_code(out, row_name(r, p->a ? p->a : p->b, out));
    }
    row_table_row(out, &pair_table, &total, NULL);
    document_cell(out, "all");
    write_left_out(shown, r->pairs->count, out);
}

static const struct wait_row *find_wait(const struct kernel_launch_costs *t, uint32_t name)
{
    for (size_t i = 0; i < t->waits.count; i++)
        if (t->waits.items[i].name == name)
            return &t->waits.items[i];
    return NULL;
}

static void add_wait_pair(const struct launch_report *r, const struct wait_row *a, const struct wait_row *b,
                          struct document *out)
{
    const struct wait_pair pair = {a, b, r->launches[0].has_waits, r->launches[1].has_waits};
    row_table_row(out, &wait_pair_table, &pair, NULL);
    document_cell_code(out, short_names_full(r->names, (a ? a : b)->name));
}

/* There are a dozen calls that wait: looking each up among the others is quick enough. */
static void add_wait_pairs(const struct launch_report *r, struct document *out)
{
    const struct kernel_launch_costs *a = &r->launches[0], *b = &r->launches[1];
    if (!a->waits.count && !b->waits.count)
        return;
    document_heading(out, 2, "Waits of the host");
    begin_table(&wait_pair_table, "call", out);
    for (size_t i = 0; i < a->waits.count; i++)
        add_wait_pair(r, &a->waits.items[i], find_wait(b, a->waits.items[i].name), out);
    for (size_t i = 0; i < b->waits.count; i++)
        if (!find_wait(a, b->waits.items[i].name))
            add_wait_pair(r, NULL, &b->waits.items[i], out);
}

/* ---- the first lines ---- */

static void write_side(const struct kernel_launch_costs *t, const struct idle_gaps *g, struct str *text)
{
    char count[UNITS_TEXT_BYTES], p50[UNITS_TEXT_BYTES], longer[UNITS_TEXT_BYTES], starved[UNITS_TEXT_BYTES];
    double idle_ns = 0, starved_ns = 0;
    for (size_t i = 0; i < g->count; i++) {
        idle_ns += (double)gaps_idle_ns(&g->items[i]);
        starved_ns += (double)g->items[i].starved_ns;
    }
    const struct launch_row *all = &t->total;
    /* A launch that is recorded into a graph runs no kernel, and says nothing about those that do. */
    const struct duration_summary *calls = all->kernels ? &all->started : &all->api;
    const bool has_median = isfinite(calls->p50_ns); /* not of first calls alone */
    const int64_t without = all->kernels ? all->launches - all->kernels : 0;
    str_addf(text, "%s", words_count(count, all->launches - without, "launch", "launches"));
    if (has_median)
        str_addf(text, ": call %s at the median", unit_format(p50, UNIT_NS, calls->p50_ns));
    if (all->kernels)
        str_addf(text, "%s longer than its kernel in %s", has_median ? "," : ": call",
                 unit_format(longer, UNIT_RATIO, (double)all->longer / (double)all->kernels));
    if (without)
        str_addf(text, "; %s without a kernel", words_count(count, without, "more call", "more calls"));
    if (idle_ns > 0)
        str_addf(text, "; in %s of the GPU's idle time its next work was not yet launched",
                 unit_format(starved, UNIT_RATIO, starved_ns / idle_ns));
}

static void write_sides(const struct launch_report *r, struct document *out)
{
    static const char *const before[] = {"A: ", "B: "};
    assert(r->side_count <= TRACE_SIDES);
    for (size_t i = 0; i < r->side_count; i++) {
        struct str answer;
        str_init(&answer);
        str_add(&answer, r->side_count > 1 ? before[i] : "");
        str_add(&answer, words_in_doubt(r->sides[i].caveats));
        write_side(&r->launches[i], &r->gaps[i], &answer);
        words_answer(out, &answer);
    }
}

static void add_starved(const struct launch_report *r, struct document *out)
{
    static const char *const side_names[] = {"A, ", "B, "};
    size_t devices = 0;
    for (size_t i = 0; i < r->side_count; i++)
        devices += r->gaps[i].count;
    if (!devices)
        return;
    document_heading(out, 2, "GPU idle and waiting for a launch");
    begin_table(&starved_table, "where", out);
    for (size_t s = 0; s < r->side_count && s < TRACE_SIDES; s++)
        for (size_t i = 0; i < r->gaps[s].count; i++) {
            const struct gaps_device *d = &r->gaps[s].items[i];
            row_table_row(out, &starved_table, d, NULL);
            document_cell(out, "%s%s", r->side_count > 1 ? side_names[s] : "",
                          words_place(out, d->rank, d->device, false));
        }
}

static void write_unmatched(const struct launch_report *r, struct document *out)
{
    for (size_t i = 0; i < r->side_count; i++) {
        const struct kernel_launch_costs *t = &r->launches[i];
        char kernels[UNITS_TEXT_BYTES], unmatched[UNITS_TEXT_BYTES];
        if (!t->kernels_unmatched)
            continue;
        document_paragraph(out);
        document_span(out, SPAN_PLAIN, "The calls of %s of %s kernels are not in ",
                      unit_format(unmatched, UNIT_COUNT, (double)t->kernels_unmatched),
                      unit_format(kernels, UNIT_COUNT, (double)t->kernels));
        document_span(out, SPAN_CODE, "%s", r->sides[i].source);
        document_span(out, SPAN_PLAIN, ".");
    }
}

int report_launch(const struct launch_report *r, struct document *out, struct err *e)
{
    write_sides(r, out);
    words_sources(out, r->sides, r->side_count);
    write_unmatched(r, out);
    if (r->side_count == 1) {
        add_launches(r, out);
        document_evidence(out);
        add_starved(r, out);
        add_waits(r, out);
    } else {
        add_launch_pairs(r, out);
        add_starved(r, out);
        add_wait_pairs(r, out);
    }
    words_caveats(out, r->sides, r->side_count);
    return out->failed ? err_memory(e) : 0;
}
