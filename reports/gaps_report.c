/* When does the GPU run no kernel, and why? */
#include "reports/gaps_report.h"

#include <assert.h>
#include <math.h>

#include "base/demangle.h"
#include "base/str.h"
#include "cpprof/event.h"
#include "reports/rule_rows.h"
#include "trace/duration_groups.h"

#define COLUMNS(table) (sizeof(table) / sizeof((table)[0]))

enum { NAME_COLUMNS = 22 }; /* 120 columns in all */

static const char *const side_names[TRACE_SIDES] = {"A", "B"};

/* ---- words for one gap ---- */

static const char *kernel_name(struct arena *arena, const struct strtab *strings, uint32_t id, enum name_style style)
{
    const char *text = strtab_text(strings, id);
    if (!*text)
        return "(no name)";
    if (style == NAMES_MANGLED)
        return arena_copy(arena, text);
    struct str name;
    str_init(&name);
    if (style == NAMES_SHORT)
        demangle_template(&name, text);
    else
        demangle_full(&name, text);
    const char *copy = arena_copy(arena, name.length ? str_text(&name) : text);
    str_release(&name);
    return copy;
}

const char *gap_neighbour_name(struct arena *arena, const struct strtab *strings, const struct gap_neighbour *n,
                               enum name_style style)
{
    static const char *const directions[] = {"", " h2d", " d2h", " d2d", " p2p", " h2h"};
    const char *direction = n->detail < COLUMNS(directions) ? directions[n->detail] : "";
    if (!n->is_there)
        return "";
    switch (n->kind) {
    case CPPROF_EVENT_KERNEL: return kernel_name(arena, strings, n->name, style);
    case CPPROF_EVENT_COPY: return arena_printf(arena, "copy%s%s", direction, n->is_pageable ? " (pageable)" : "");
    case CPPROF_EVENT_MIGRATION: return arena_printf(arena, "migration%s", direction);
    default: return "memset";
    }
}

static const char *time_text(struct arena *arena, int64_t from_ns, int64_t to_ns)
{
    char text[UNITS_TEXT_BYTES];
    return arena_copy(arena, unit_format(text, UNIT_NS, (double)duration_ns(from_ns, to_ns)));
}

const char *gap_call_name(struct arena *arena, const struct strtab *strings, uint32_t name)
{
    const char *text = strtab_text(strings, name);
    return *text ? arena_printf(arena, "%.*s", (int)call_name_length(text), text) : "(no name)";
}

static const char *describe_host_late(struct arena *arena, const struct strtab *strings, const struct idle_gap *g)
{
    const char *name = gap_call_name(arena, strings, g->call_name);
    if (g->call_start_ns < g->start_ns)
        return arena_printf(arena, "in %s for %s", name, time_text(arena, g->start_ns, g->call_end_ns));
    return arena_printf(arena, "%s after %s", name, time_text(arena, g->start_ns, g->call_start_ns));
}

static const char *describe_sync(struct arena *arena, const struct strtab *strings, const struct idle_gap *g)
{
    return arena_printf(arena, "%s took %s", gap_call_name(arena, strings, g->wait_name),
                        time_text(arena, g->wait_start_ns, g->wait_end_ns));
}

static const char *describe_dependency(struct arena *arena, const struct strtab *strings, const struct idle_gap *g)
{
    (void)strings;
    const bool is_before = g->call_start_ns < g->start_ns;
    const char *when = is_before ? "before" : "later";
    const char *lead =
        is_before ? time_text(arena, g->call_start_ns, g->start_ns) : time_text(arena, g->start_ns, g->call_start_ns);
    if (g->has_other)
        return arena_printf(arena, "called %s %s, device %d busy", lead, when, (int)g->other_device);
    if (g->before.is_there && g->before.stream != g->after.stream)
        return arena_printf(arena, "called %s %s, behind stream %u", lead, when, (unsigned)g->before.stream);
    return arena_printf(arena, "called %s %s, same stream", lead, when);
}

static const char *describe_copy(struct arena *arena, const struct strtab *strings, const struct idle_gap *g)
{
    return arena_printf(arena, "%s on stream %u", gap_neighbour_name(arena, strings, &g->copy, NAMES_SHORT),
                        (unsigned)g->copy.stream);
}

static const char *describe_unknown(struct arena *arena, const struct strtab *strings, const struct idle_gap *g)
{
    (void)arena, (void)strings, (void)g;
    return "its call is not in the trace";
}

const char *gap_evidence(struct arena *arena, const struct strtab *strings, const struct idle_gap *gap)
{
    static const char *(*const say[GAP_CAUSES])(struct arena *, const struct strtab *,
                                                const struct idle_gap *) = {[GAP_HOST_LATE] = describe_host_late,
                                                                            [GAP_SYNC] = describe_sync,
                                                                            [GAP_DEPENDENCY] = describe_dependency,
                                                                            [GAP_COPY] = describe_copy,
                                                                            [GAP_UNKNOWN] = describe_unknown};
    return say[gap->cause](arena, strings, gap);
}

/* ---- tables ---- */

static double share(int64_t part_ns, int64_t whole_ns)
{
    return words_ratio((double)part_ns, (double)whole_ns);
}

static void add_cause(const struct gaps_device *d, enum gap_cause cause, struct document *out)
{
    document_cell(out, "%s", gap_cause_name(cause));
    document_cell_unit(out, UNIT_NS, (double)d->cause_ns[cause]);
    document_cell_unit(out, UNIT_RATIO, share(d->cause_ns[cause], gaps_no_kernel_ns(d)));
    document_cell_unit(out, UNIT_RATIO, share(d->cause_ns[cause], gaps_span_ns(d)));
    document_cell_unit(out, UNIT_COUNT, (double)d->cause_count[cause]);
}

static void add_causes(const struct gaps_device *d, struct document *out)
{
    static const struct document_column columns[] = {
        {"cause", false}, {"time", true}, {"of these", true}, {"of the span", true}, {"gaps", true}};
    document_table(out, columns, COLUMNS(columns));
    int64_t gaps = 0;
    for (int cause = 0; cause < GAP_CAUSES; cause++) {
        add_cause(d, (enum gap_cause)cause, out);
        gaps += d->cause_count[cause];
    }
    document_cell(out, "no kernel");
    document_cell_unit(out, UNIT_NS, (double)gaps_no_kernel_ns(d));
    document_cell_unit(out, UNIT_RATIO, share(gaps_no_kernel_ns(d), gaps_no_kernel_ns(d)));
    document_cell_unit(out, UNIT_RATIO, share(gaps_no_kernel_ns(d), gaps_span_ns(d)));
    document_cell_unit(out, UNIT_COUNT, (double)gaps);
}

static const char *fitted_neighbour(const struct gaps_report *r, size_t side, const struct gap_neighbour *n,
                                    struct document *out)
{
    const char *name = gap_neighbour_name(&out->arena, r->strings[side], n, r->style);
    return r->style == NAMES_SHORT ? words_fitted(out, name, NAME_COLUMNS) : name;
}

static void add_largest(const struct gaps_report *r, size_t side, const struct gaps_device *d, struct document *out)
{
    static const struct document_column columns[] = {{"since start", true},      {"length", true},
                                                     {"cause", false},           {"operation before", false},
                                                     {"operation after", false}, {"evidence", false}};
    if (!d->largest_count)
        return;
    document_heading(out, 3, "The largest gaps");
    document_table(out, columns, COLUMNS(columns));
    for (size_t i = 0; i < d->largest_count; i++) {
        const struct idle_gap *g = &d->largest[i];
        document_cell(out, "%s", moment_label(&out->arena, r->starts[side], d->rank, g->start_ns));
        document_cell_unit(out, UNIT_NS, (double)duration_ns(g->start_ns, g->end_ns));
        document_cell(out, "%s", gap_cause_name(g->cause));
        document_cell_code(out, fitted_neighbour(r, side, &g->before, out));
        document_cell_code(out, fitted_neighbour(r, side, &g->after, out));
        document_cell(out, "%s", gap_evidence(&out->arena, r->strings[side], g));
    }
}

static void write_device(const struct gaps_device *d, struct document *out)
{
    char operations[UNITS_TEXT_BYTES], span[UNITS_TEXT_BYTES], kernels[UNITS_TEXT_BYTES],
        kernel_share[UNITS_TEXT_BYTES], copies[UNITS_TEXT_BYTES], idle[UNITS_TEXT_BYTES], idle_share[UNITS_TEXT_BYTES];
    document_paragraph(out);
    document_span(out, SPAN_PLAIN, "%s over %s: kernels run for %s (%s), only copies for %s, nothing for %s (%s).",
                  words_count(operations, d->operations, "operation", "operations"),
                  unit_format(span, UNIT_NS, (double)gaps_span_ns(d)),
                  unit_format(kernels, UNIT_NS, (double)d->kernel_ns),
                  unit_format(kernel_share, UNIT_RATIO, share(d->kernel_ns, gaps_span_ns(d))),
                  unit_format(copies, UNIT_NS, (double)d->cause_ns[GAP_COPY]),
                  unit_format(idle, UNIT_NS, (double)gaps_idle_ns(d)),
                  unit_format(idle_share, UNIT_RATIO, share(gaps_idle_ns(d), gaps_span_ns(d))));
}

static void add_device(const struct gaps_report *r, size_t side, const struct gaps_device *d, struct document *out)
{
    document_heading(out, 2,
                     arena_printf(&out->arena, "%sOn %s", r->side_count > 1 ? (side ? "B: " : "A: ") : "",
                                  words_place(out, d->rank, d->device, false)));
    write_device(d, out);
    if (r->side_count == 1)
        add_causes(d, out);
    add_largest(r, side, d, out);
}

/* ---- two traces ---- */

static const struct gaps_device *same_device(const struct idle_gaps *g, const struct gaps_device *like)
{
    for (size_t i = 0; i < g->count; i++)
        if (g->items[i].rank == like->rank && g->items[i].device == like->device)
            return &g->items[i];
    return NULL;
}

static void add_two(int64_t a_ns, int64_t b_ns, int64_t a_span_ns, int64_t b_span_ns, struct document *out)
{
    document_cell_unit(out, UNIT_NS, (double)a_ns);
    document_cell_unit(out, UNIT_NS, (double)b_ns);
    words_cell_signed(out, UNIT_NS, (double)duration_ns(a_ns, b_ns));
    document_cell_unit(out, UNIT_FACTOR, words_ratio((double)b_ns, (double)a_ns));
    document_cell_unit(out, UNIT_RATIO, share(a_ns, a_span_ns));
    document_cell_unit(out, UNIT_RATIO, share(b_ns, b_span_ns));
}

static void add_both(const struct gaps_device *a, const struct gaps_device *b, struct document *out)
{
    static const struct document_column columns[] = {{"cause", false},       {"A", true},     {"B", true},
                                                     {"B - A", true},        {"B / A", true}, {"of the span A", true},
                                                     {"of the span B", true}};
    const int64_t a_span_ns = gaps_span_ns(a), b_span_ns = gaps_span_ns(b);
    document_heading(out, 2,
                     arena_printf(&out->arena, "Side by side on %s", words_place(out, a->rank, a->device, false)));
    document_table(out, columns, COLUMNS(columns));
    for (int cause = 0; cause < GAP_CAUSES; cause++) {
        document_cell(out, "%s", gap_cause_name((enum gap_cause)cause));
        add_two(a->cause_ns[cause], b->cause_ns[cause], a_span_ns, b_span_ns, out);
    }
    document_cell(out, "no kernel");
    add_two(gaps_no_kernel_ns(a), gaps_no_kernel_ns(b), a_span_ns, b_span_ns, out);
    document_cell(out, "span");
    add_two(a_span_ns, b_span_ns, a_span_ns, b_span_ns, out);
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

/* The cause with the most time, over all devices. */
static void write_side(const struct idle_gaps *g, const char *before, struct str *text)
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
    str_addf(text, "%sno kernel for %s, %s of the time", before, unit_format(time, UNIT_NS, (double)no_kernel_ns),
             unit_format(of_span, UNIT_RATIO, share(no_kernel_ns, span_ns)));
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
        write_side(&r->gaps[i], r->side_count > 1 ? before[i] : "", &answer);
        words_answer(out, &answer);
    }
    words_sources(out, r->sides, r->side_count);
    write_calls(r, out);
    if (r->side_count > 1)
        add_side_by_side(r, out);
    for (size_t side = 0; side < r->side_count; side++)
        for (size_t i = 0; i < r->gaps[side].count; i++) {
            if (i)
                document_evidence(out);
            add_device(r, side, &r->gaps[side].items[i], out);
        }
    words_caveats(out, r->sides, r->side_count);
    return out->failed ? err_memory(e) : 0;
}
