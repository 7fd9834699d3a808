/* What became of the rules, in words and tables? */
#include "reports/rule_rows.h"

#include <math.h>
#include <string.h>

#include "core/base/count_of.h"
#include "core/base/demangle.h"
#include "core/trace/duration_groups.h"

#define MOMENT_UNKNOWN "unknown"

const char *event_label(struct arena *arena, const struct strtab *strings, uint32_t id)
{
    if (!id)
        return "(no name)";
    struct str name;
    str_init(&name);
    demangle_full(&name, strtab_text(strings, id));
    const char *copy = arena_copy(arena, str_text(&name));
    str_release(&name);
    return copy;
}

const char *place_label(struct arena *arena, int rank, int device, bool has_gpu_work)
{
    const char *rank_text = rank >= 0 ? arena_printf(arena, "rank %d, ", rank) : "";
    if (device >= 0)
        return arena_printf(arena, "%sdevice %d", rank_text, device);
    return arena_printf(arena, "%s%s", rank_text, has_gpu_work ? "unknown device" : "host");
}

const char *row_status(struct arena *arena, const struct rule_result *row)
{
    const char *name = rule_status_name(row->status);
    return *row->failure ? arena_printf(arena, "%s (%s)", name, row->failure) : name;
}

const char *row_place(struct arena *arena, const struct check_report *r, const struct rule_result *row)
{
    if (row->config)
        return row->variant ? arena_printf(arena, "%s at %s", row->variant, row->config) : row->config;
    if (row->variant)
        return row->variant;
    if (row->threshold_word)
        return "the bundle";
    const bool untied = row->rank < 0 && row->device < 0;
    if (row->status == RULE_VACUOUS && untied)
        return "anywhere";
    if (!untied)
        return place_label(arena, row->rank, row->device, false);
    for (size_t i = 0; i < r->timeline->device_count; i++)
        if (r->timeline->devices[i].device >= 0)
            return "all devices";
    return "host";
}

/* "0.5 at small", "0.5 for f/two at small", "0.5 on device 0". */
static const char *row_preposition(const struct rule_result *row)
{
    return row->variant ? " for " : row->config ? " at " : " on ";
}

const char *row_sentence(struct arena *arena, const struct check_report *r, const struct rule_result *row)
{
    if (*row->reason)
        return row->reason;
    const char *behind = *row->note ? row->note : row->failure;
    return arena_printf(arena, "%s%s%s, compared with %s%s%s%s", row_value(arena, row), row_preposition(row),
                        row_place(arena, r, row), row_threshold(arena, row), *behind ? " (" : "", behind,
                        *behind ? ")" : "");
}

const char *moment_label(struct arena *arena, const struct rank_starts *starts, int rank, int64_t start_ns)
{
    char text[UNITS_TEXT_BYTES];
    int64_t from_ns;
    if (!starts || !rank_starts_get(starts, rank, &from_ns))
        return MOMENT_UNKNOWN;
    return arena_copy(arena, unit_format_moment(text, duration_ns(from_ns, start_ns)));
}

/* Some tools' names say it themselves: "Memcpy DtoH (Device -> Pageable)". */
static const char *with_memory(struct arena *arena, const char *name, bool is_pageable)
{
    return is_pageable && !strstr(name, "ageable") ? arena_printf(arena, "%s (pageable)", name) : name;
}

const char *example_label(struct arena *arena, const struct strtab *strings, const struct timeline_example *x)
{
    return with_memory(arena, event_label(arena, strings, x->name), x->is_pageable);
}

const char *example_other_label(struct arena *arena, const struct strtab *strings, const struct timeline_example *x)
{
    return with_memory(arena, event_label(arena, strings, x->other_name), x->other_is_pageable);
}

static const char *moment_words(struct arena *arena, const struct rank_starts *starts, int rank, int64_t start_ns)
{
    const char *label = moment_label(arena, starts, rank, start_ns);
    return strcmp(label, MOMENT_UNKNOWN) ? arena_printf(arena, "%s since start", label) : "at an unknown time";
}

const char *example_line(struct arena *arena, const struct check_report *r, const struct rule_result *row,
                         const struct timeline_example *x, const char *name, const char *other)
{
    const char *start = moment_words(arena, r->starts, row->rank, x->start_ns);
    char length[UNITS_TEXT_BYTES];
    unit_format(length, UNIT_NS, (double)timeline_example_ns(x));
    if (x->is_gap)
        return arena_printf(arena, "%s, gap of %s before %s (stream %u), after %s (stream %u)", start, length, name,
                            (unsigned)x->stream, other, (unsigned)x->other_stream);
    return arena_printf(arena, "%s, %s long, stream %u: %s%s%s", start, length, (unsigned)x->stream, name,
                        x->other_name ? "; " : "", x->other_name ? other : "");
}

/* The most telling row: a failure before what could not be judged. */
static const struct rule_result *worst_result(const struct rule_results *results)
{
    static const enum rule_status order[] = {RULE_FAIL, RULE_VACUOUS, RULE_INCONCLUSIVE};
    for (size_t s = 0; s < COUNT_OF(order); s++)
        for (size_t i = 0; i < results->count; i++)
            if (results->items[i].status == order[s])
                return &results->items[i];
    return NULL;
}

static size_t count_not_passed(const struct rule_results *results)
{
    size_t count = 0;
    for (size_t i = 0; i < results->count; i++)
        count += results->items[i].status != RULE_PASS;
    return count;
}

void rule_rows_headline(const struct check_report *r, const char *all_hold, struct document *out)
{
    static const char *const words[] = {
        [RULE_FAIL] = "FAIL", [RULE_VACUOUS] = "VACUOUS", [RULE_INCONCLUSIVE] = "INCONCLUSIVE"};
    document_paragraph(out);
    const struct rule_result *worst = worst_result(r->results);
    if (!worst) {
        document_span(out, SPAN_STRONG, "%s", all_hold);
        return;
    }
    document_span(out, SPAN_STRONG, "%s", words[worst->status]);
    document_span(out, SPAN_PLAIN, " ");
    document_span(out, SPAN_CODE, "%s", worst->rule);
    if (*worst->reason)
        document_span(out, SPAN_PLAIN, ": %s", worst->reason);
    else
        document_span(out, SPAN_PLAIN, ": %s %s %s", row_value(&out->arena, worst), worst->config ? "at" : "on",
                      row_place(&out->arena, r, worst));
    if (!*worst->reason && *worst->note && worst->rank < 0 && worst->device < 0 && !worst->config && !worst->variant)
        document_span(out, SPAN_PLAIN, "; %s", worst->note);
    const size_t not_passed = count_not_passed(r->results);
    if (not_passed > 1)
        document_span(out, SPAN_PLAIN, " (%zu of %zu checks do not pass)", not_passed, r->results->count);
}

/* A gap is nobody's: the event that ends it is not as long as that. */
static void add_gaps(const struct check_report *r, int rank, const struct timeline_example *gaps, size_t count,
                     struct document *out)
{
    static const struct document_column columns[] = {{"gap since start", true}, {"gap of", true},
                                                     {"stream", true},          {"ends before it", false},
                                                     {"stream", true},          {"begins after it", false}};
    document_table(out, columns, COUNT_OF(columns));
    for (size_t i = 0; i < count; i++) {
        const struct timeline_example *x = &gaps[i];
        document_cell(out, "%s", moment_label(&out->arena, r->starts, rank, x->start_ns));
        document_cell_unit(out, UNIT_NS, (double)timeline_example_ns(x));
        document_cell(out, "%u", (unsigned)x->other_stream);
        document_cell_code(out, example_other_label(&out->arena, r->strings, x));
        document_cell(out, "%u", (unsigned)x->stream);
        document_cell_code(out, example_label(&out->arena, r->strings, x));
    }
}

void rule_rows_examples(const struct check_report *r, int rank, const struct timeline_example *examples, size_t count,
                        struct document *out)
{
    static const struct document_column columns[] = {
        {"since start", true}, {"length", true}, {"stream", true}, {"event", false}, {"other event", false}};
    if (count && examples[0].is_gap) {
        add_gaps(r, rank, examples, count, out);
        return;
    }
    bool has_other = false;
    for (size_t i = 0; i < count; i++)
        has_other |= examples[i].other_name != 0;
    document_table(out, columns, has_other ? 5 : 4);
    for (size_t i = 0; i < count; i++) {
        const struct timeline_example *x = &examples[i];
        document_cell(out, "%s", moment_label(&out->arena, r->starts, rank, x->start_ns));
        document_cell_unit(out, UNIT_NS, (double)timeline_example_ns(x));
        document_cell(out, "%u", (unsigned)x->stream);
        document_cell_code(out, example_label(&out->arena, r->strings, x));
        if (has_other)
            document_cell_code(out, example_other_label(&out->arena, r->strings, x));
    }
}

static bool any_reason(const struct rule_results *results)
{
    for (size_t i = 0; i < results->count; i++)
        if (*results->items[i].reason || *results->items[i].note)
            return true;
    return false;
}

/* ---- rows of one rule ---- */

enum { ROWS_WHOLE = 16, ROWS_SHOWN = 3 /* of a rule with more: the first that do not pass */ };

static size_t end_of_rule(const struct rule_results *results, size_t first)
{
    size_t end = first + 1;
    while (end < results->count && results->items[end].index == results->items[first].index)
        end++;
    return end;
}

static bool is_condensed(const struct check_report *r, size_t first, size_t end)
{
    return !r->is_full && end - first > ROWS_WHOLE;
}

/* The next row of a rule that is shown, from `at` on; `end` when there is none. */
static size_t next_shown(const struct check_report *r, size_t first, size_t end, size_t at, size_t *shown)
{
    while (at < end && is_condensed(r, first, end) &&
           (r->results->items[at].status == RULE_PASS || *shown == ROWS_SHOWN))
        at++;
    ++*shown;
    return at;
}

static void add_result(const struct check_report *r, const struct rule_result *row, bool with_reason,
                       struct document *out)
{
    document_cell_code(out, row->rule);
    document_cell(out, "%s", row_place(&out->arena, r, row));
    document_cell(out, "%s", row_status(&out->arena, row));
    document_cell(out, "%s", row_value(&out->arena, row));
    document_cell(out, "%s", row_threshold(&out->arena, row));
    if (with_reason)
        document_cell(out, "%s", *row->reason ? row->reason : row->note);
}

/* "990 pass, 10 fail" */
static const char *statuses_of(struct arena *arena, const struct rule_result *rows, size_t count)
{
    const char *text = "";
    for (int status = 0; status < RULE_STATUSES; status++) {
        size_t some = 0;
        for (size_t i = 0; i < count; i++)
            some += rows[i].status == (enum rule_status)status;
        if (some)
            text = arena_printf(arena, "%s%s%zu %s", text, *text ? ", " : "", some,
                                rule_status_name((enum rule_status)status));
    }
    return text;
}

/* "from 1.0% to 9.0%" */
static const char *values_of(struct arena *arena, const struct rule_result *rows, size_t count)
{
    const struct rule_result *least = NULL, *most = NULL;
    for (size_t i = 0; i < count; i++) {
        if (isnan(rows[i].value))
            continue;
        least = !least || rows[i].value < least->value ? &rows[i] : least;
        most = !most || rows[i].value > most->value ? &rows[i] : most;
    }
    if (!least)
        return "n/a";
    return least->value < most->value ? arena_printf(arena, "%s to %s", row_value(arena, least), row_value(arena, most))
                                      : row_value(arena, least);
}

/* All rows of a rule, in one. */
static void add_all(const struct check_report *r, size_t first, size_t end, bool with_reason, struct document *out)
{
    const struct rule_result *rows = &r->results->items[first];
    document_cell_code(out, rows->rule);
    document_cell(out, "all %zu", end - first);
    document_cell(out, "%s", statuses_of(&out->arena, rows, end - first));
    document_cell(out, "%s", values_of(&out->arena, rows, end - first));
    document_cell(out, "%s", row_threshold(&out->arena, rows));
    if (with_reason)
        document_cell(out, "%s", "");
}

static void add_results(const struct check_report *r, struct document *out)
{
    static const struct document_column columns[] = {{"rule", false}, {"where", false},        {"status", false},
                                                     {"value", true}, {"compared with", true}, {"reason", false}};
    const bool with_reason = any_reason(r->results);
    document_table(out, columns, with_reason ? 6 : 5);
    for (size_t i = 0, end, shown = 0; i < r->results->count; i = end, shown = 0) {
        end = end_of_rule(r->results, i);
        for (size_t k = i; (k = next_shown(r, i, end, k, &shown)) < end; k++)
            add_result(r, &r->results->items[k], with_reason, out);
        if (is_condensed(r, i, end))
            add_all(r, i, end, with_reason, out);
    }
}

static void add_counterexamples(const struct check_report *r, const struct rule_result *row, struct document *out)
{
    if (!row->counterexample_count)
        return;
    document_paragraph(out);
    document_span(out, SPAN_PLAIN, "Against ");
    document_span(out, SPAN_CODE, "%s", row->rule);
    document_span(out, SPAN_PLAIN, " on %s:", row_place(&out->arena, r, row));
    rule_rows_examples(r, row->rank, row->counterexamples, row->counterexample_count, out);
}

void rule_rows_add(const struct check_report *r, struct document *out)
{
    bool has_more = false;
    add_results(r, out);
    for (size_t i = 0, end, shown = 0; i < r->results->count; i = end, shown = 0) {
        end = end_of_rule(r->results, i);
        has_more |= is_condensed(r, i, end);
        for (size_t k = i; (k = next_shown(r, i, end, k, &shown)) < end; k++)
            add_counterexamples(r, &r->results->items[k], out);
    }
    if (!has_more)
        return;
    document_paragraph(out);
    document_span(out, SPAN_PLAIN,
                  "Of a rule with many rows the first %d that do not pass are shown; --full shows each, and the JSON "
                  "has all.",
                  ROWS_SHOWN);
}

void rule_rows_caveats(const struct check_report *r, struct document *out)
{
    const size_t count = check_caveat_count(r);
    if (count)
        document_heading(out, 2, "Caveats");
    for (size_t i = 0; i < count; i++) {
        document_bullet(out);
        document_span(out, SPAN_PLAIN, "%s", check_caveat(&out->arena, r, i).text);
    }
}
