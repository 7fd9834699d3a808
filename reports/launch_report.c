/* What does a launch cost the host, how long does it wait, and does the GPU wait for it? */
#include "reports/launch_report.h"

#include <assert.h>
#include <math.h>

#define COLUMNS(table) (sizeof(table) / sizeof((table)[0]))

enum { NAME_COLUMNS = 32, PAIR_NAME_COLUMNS = 36 }; /* 120 columns in all */

static const struct document_column single_columns[] = {
    {"count", true}, {"first", true},     {"p50", true},         {"mean", true},   {"p99", true},    {"max", true},
    {"queue", true}, {"queue p99", true}, {"kernel time", true}, {"longer", true}, {"kernel", false}};
static const struct document_column pair_columns[] = {
    {"count A", true}, {"count B", true}, {"p50 A", true},   {"p50 B", true},   {"B / A", true},
    {"mean A", true},  {"mean B", true},  {"queue A", true}, {"queue B", true}, {"kernel", false}};
static const struct document_column wait_columns[] = {{"total", true}, {"count", true}, {"p50", true},
                                                      {"p99", true},   {"max", true},   {"call", false}};
static const struct document_column wait_pair_columns[] = {{"total A", true}, {"total B", true}, {"B - A", true},
                                                           {"count A", true}, {"count B", true}, {"p50 A", true},
                                                           {"p50 B", true},   {"call", false}};
static const struct document_column starved_columns[] = {{"idle", true},       {"starved by the host", true},
                                                         {"of idle", true},    {"of the span", true},
                                                         {"call known", true}, {"where", false}};

static const char *row_name(const struct launch_report *r, const struct launch_row *row, struct document *out)
{
    const char *name = words_name(out, r->names, row->name, row->is_call ? NAMES_FULL : r->style,
                                  r->side_count > 1 ? PAIR_NAME_COLUMNS : NAME_COLUMNS);
    return row->no_kernel ? arena_printf(&out->arena, "%s (no kernel recorded)", name) : name;
}

static void add_longer(const struct launch_row *row, struct document *out)
{
    document_cell_unit(out, UNIT_RATIO, words_ratio((double)row->longer, (double)row->kernels));
}

static void add_numbers(const struct launch_row *row, struct document *out)
{
    document_cell_unit(out, UNIT_COUNT, (double)row->launches);
    document_cell_unit(out, UNIT_NS, (double)row->first_ns);
    document_cell_unit(out, UNIT_NS, row->api.p50_ns);
    document_cell_unit(out, UNIT_NS, row->api.mean_ns);
    document_cell_unit(out, UNIT_NS, row->api.p99_ns);
    document_cell_unit(out, UNIT_NS, row->api.count ? (double)row->api.max_ns : NAN);
    document_cell_unit(out, UNIT_NS, row->queue.p50_ns);
    document_cell_unit(out, UNIT_NS, row->queue.p99_ns);
    document_cell_unit(out, UNIT_NS, row->kernel.p50_ns);
    add_longer(row, out);
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
    document_table(out, single_columns, COLUMNS(single_columns));
    for (size_t i = 0; i < shown; i++) {
        add_numbers(&t->items[i], out);
        document_cell_code(out, row_name(r, &t->items[i], out));
    }
    add_numbers(&t->total, out);
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
    document_table(out, wait_columns, COLUMNS(wait_columns));
    for (size_t i = 0; i < t->waits.count; i++) {
        const struct duration_summary *d = &t->waits.items[i].waits;
        document_cell_unit(out, UNIT_NS, (double)d->total_ns);
        document_cell_unit(out, UNIT_COUNT, (double)d->count);
        document_cell_unit(out, UNIT_NS, d->p50_ns);
        document_cell_unit(out, UNIT_NS, d->p99_ns);
        document_cell_unit(out, UNIT_NS, (double)d->max_ns);
        document_cell_code(out, short_names_full(r->names, t->waits.items[i].name));
    }
}

/* ---- two traces ---- */

static void add_two(const struct launch_pair *p, enum unit unit, double a, double b, struct document *out)
{
    const double values[] = {a, b};
    const struct launch_row *const rows[] = {p->a, p->b};
    for (size_t i = 0; i < TRACE_SIDES; i++) {
        if (rows[i])
            document_cell_unit(out, unit, values[i]);
        else
            document_cell(out, "-");
    }
}

static void add_pair_numbers(const struct launch_pair *p, struct document *out)
{
    static const struct launch_row none;
    const struct launch_row *a = p->a ? p->a : &none, *b = p->b ? p->b : &none;
    add_two(p, UNIT_COUNT, (double)a->launches, (double)b->launches, out);
    add_two(p, UNIT_NS, a->api.p50_ns, b->api.p50_ns, out);
    if (p->a && p->b)
        document_cell_unit(out, UNIT_FACTOR, words_ratio(b->api.p50_ns, a->api.p50_ns));
    else
        document_cell(out, "only in %s", p->a ? "A" : "B");
    add_two(p, UNIT_NS, a->api.mean_ns, b->api.mean_ns, out);
    add_two(p, UNIT_NS, a->queue.p50_ns, b->queue.p50_ns, out);
}

static void add_launch_pairs(const struct launch_report *r, struct document *out)
{
    const size_t shown = rows_shown(r, r->pairs->count);
    const struct launch_pair total = {&r->launches[0].total, &r->launches[1].total};
    document_heading(out, 2, "Launches");
    document_table(out, pair_columns, COLUMNS(pair_columns));
    for (size_t i = 0; i < shown; i++) {
        const struct launch_pair *p = &r->pairs->items[i];
        add_pair_numbers(p, out);
        document_cell_code(out, row_name(r, p->a ? p->a : p->b, out));
    }
    add_pair_numbers(&total, out);
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
    const struct wait_row *const rows[] = {a, b};
    double total_ns[TRACE_SIDES], nothing[TRACE_SIDES];
    for (size_t i = 0; i < TRACE_SIDES; i++) {
        nothing[i] = r->launches[i].has_waits ? 0 : NAN;
        total_ns[i] = rows[i] ? (double)rows[i]->waits.total_ns : nothing[i];
        document_cell_unit(out, UNIT_NS, total_ns[i]);
    }
    words_cell_signed(out, UNIT_NS, total_ns[1] - total_ns[0]);
    for (size_t i = 0; i < TRACE_SIDES; i++)
        document_cell_unit(out, UNIT_COUNT, rows[i] ? (double)rows[i]->waits.count : nothing[i]);
    for (size_t i = 0; i < TRACE_SIDES; i++)
        document_cell_unit(out, UNIT_NS, rows[i] ? rows[i]->waits.p50_ns : NAN);
    document_cell_code(out, short_names_full(r->names, (a ? a : b)->name));
}

/* There are a dozen calls that wait: looking each up among the others is quick enough. */
static void add_wait_pairs(const struct launch_report *r, struct document *out)
{
    const struct kernel_launch_costs *a = &r->launches[0], *b = &r->launches[1];
    if (!a->waits.count && !b->waits.count)
        return;
    document_heading(out, 2, "Waits of the host");
    document_table(out, wait_pair_columns, COLUMNS(wait_pair_columns));
    for (size_t i = 0; i < a->waits.count; i++)
        add_wait_pair(r, &a->waits.items[i], find_wait(b, a->waits.items[i].name), out);
    for (size_t i = 0; i < b->waits.count; i++)
        if (!find_wait(a, b->waits.items[i].name))
            add_wait_pair(r, NULL, &b->waits.items[i], out);
}

/* ---- the first lines ---- */

static void write_side(const struct kernel_launch_costs *t, const struct idle_gaps *g, const char *before,
                       struct str *text)
{
    char count[UNITS_TEXT_BYTES], p50[UNITS_TEXT_BYTES], longer[UNITS_TEXT_BYTES], starved[UNITS_TEXT_BYTES];
    double idle_ns = 0, starved_ns = 0;
    for (size_t i = 0; i < g->count; i++) {
        idle_ns += (double)gaps_idle_ns(&g->items[i]);
        starved_ns += (double)g->items[i].starved_ns;
    }
    const struct launch_row *all = &t->total;
    str_addf(text, "%s%s: call %s at the median", before, words_count(count, all->launches, "launch", "launches"),
             unit_format(p50, UNIT_NS, all->api.p50_ns));
    if (all->kernels)
        str_addf(text, ", longer than its kernel in %s",
                 unit_format(longer, UNIT_RATIO, (double)all->longer / (double)all->kernels));
    if (idle_ns > 0)
        str_addf(text, "; the GPU waits for the host in %s of its idle time",
                 unit_format(starved, UNIT_RATIO, starved_ns / idle_ns));
}

static void write_sides(const struct launch_report *r, struct document *out)
{
    static const char *const before[] = {"A: ", "B: "};
    assert(r->side_count <= TRACE_SIDES);
    for (size_t i = 0; i < r->side_count; i++) {
        struct str answer;
        str_init(&answer);
        write_side(&r->launches[i], &r->gaps[i], r->side_count > 1 ? before[i] : "", &answer);
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
    document_table(out, starved_columns, COLUMNS(starved_columns));
    for (size_t s = 0; s < r->side_count && s < TRACE_SIDES; s++)
        for (size_t i = 0; i < r->gaps[s].count; i++) {
            const struct gaps_device *d = &r->gaps[s].items[i];
            const double idle_ns = (double)gaps_idle_ns(d);
            document_cell_unit(out, UNIT_NS, idle_ns);
            document_cell_unit(out, UNIT_NS, (double)d->starved_ns);
            document_cell_unit(out, UNIT_RATIO, words_ratio((double)d->starved_ns, idle_ns));
            document_cell_unit(out, UNIT_RATIO, words_ratio((double)d->starved_ns, (double)gaps_span_ns(d)));
            document_cell_unit(out, UNIT_RATIO, words_ratio((double)d->answered_ns, idle_ns));
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
