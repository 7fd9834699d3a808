/* What ran beside what, what did not, and do the assertions hold? The answer is
 * the first line; devices, counterexamples and caveats follow. */
#include <math.h>

#include "base/demangle.h"
#include "reports/reports.h"

static const char *event_name(struct document *d, const struct strtab *strings, uint32_t id)
{
    if (!id)
        return "(no name)";
    struct str name;
    str_init(&name);
    demangle_full(&name, strtab_text(strings, id));
    const char *copy = arena_copy(&d->arena, str_text(&name));
    str_release(&name);
    return copy;
}

/* "rank 1, device 0", "device 0", "host" ... */
static const char *place_name(struct document *d, int rank, int device, bool has_gpu_work)
{
    const char *rank_text = rank >= 0 ? arena_printf(&d->arena, "rank %d, ", rank) : "";
    if (device >= 0)
        return arena_printf(&d->arena, "%sdevice %d", rank_text, device);
    return arena_printf(&d->arena, "%s%s", rank_text, has_gpu_work ? "unknown device" : "host");
}

/* The set of a class among those that every trace is measured for, or -1. */
static int class_set(const struct overlap_report *r, enum event_class c)
{
    for (size_t i = 0; i < r->class_count; i++)
        if (r->classes[i] == c)
            return (int)i;
    return -1;
}

static const struct timeline_pair *class_pair(const struct overlap_report *r, const struct timeline_device *device,
                                              enum event_class a, enum event_class b)
{
    const int set_a = class_set(r, a), set_b = class_set(r, b);
    for (size_t i = 0; i < r->query->pair_count; i++)
        if (r->query->pairs[i].a == set_a && r->query->pairs[i].b == set_b)
            return &device->pairs[i];
    return NULL;
}

static double ratio(double part, double whole)
{
    return whole > 0 ? part / whole : NAN;
}

/* Copies against kernels over all devices, in one line. */
static void say_copies(const struct overlap_report *r, struct document *out)
{
    const int copy = class_set(r, CLASS_COPY), kernel = class_set(r, CLASS_KERNEL);
    double busy_ns = 0, hidden_ns = 0;
    int64_t copies = 0, kernels = 0;
    for (size_t i = 0; copy >= 0 && kernel >= 0 && i < r->timeline->device_count; i++) {
        const struct timeline_device *device = &r->timeline->devices[i];
        const struct timeline_pair *pair = class_pair(r, device, CLASS_COPY, CLASS_KERNEL);
        copies += device->sets[copy].count;
        kernels += device->sets[kernel].count;
        busy_ns += (double)device->sets[copy].busy_ns;
        hidden_ns += pair ? (double)pair->overlap_ns : 0;
    }
    document_paragraph(out);
    char hidden[UNITS_TEXT_BYTES], open[UNITS_TEXT_BYTES], open_time[UNITS_TEXT_BYTES];
    if (!copies || !kernels)
        document_span(out, SPAN_STRONG, "%s", copies ? "copies: no kernel to hide under" : "no copies");
    else
        document_span(out, SPAN_STRONG, "copies: %s hidden under kernels, %s exposed (%s)",
                      unit_format(hidden, UNIT_RATIO, ratio(hidden_ns, busy_ns)),
                      unit_format(open, UNIT_RATIO, ratio(busy_ns - hidden_ns, busy_ns)),
                      unit_format(open_time, UNIT_NS, busy_ns - hidden_ns));
}

static const char *result_place(struct document *out, const struct overlap_report *r, const struct rule_result *row)
{
    const bool untied = row->rank < 0 && row->device < 0;
    if (row->status == RULE_VACUOUS && untied)
        return "anywhere";
    if (!untied)
        return place_name(out, row->rank, row->device, false);
    for (size_t i = 0; i < r->timeline->device_count; i++)
        if (r->timeline->devices[i].device >= 0)
            return "all devices";
    return "host";
}

/* The most telling row: a failure before what could not be judged. */
static const struct rule_result *worst_result(const struct rule_results *results)
{
    static const enum rule_status order[] = {RULE_FAIL, RULE_VACUOUS, RULE_INCONCLUSIVE};
    for (size_t s = 0; s < sizeof order / sizeof order[0]; s++)
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

static void say_assertions(const struct overlap_report *r, struct document *out)
{
    static const char *const words[] = {
        [RULE_FAIL] = "FAIL", [RULE_VACUOUS] = "VACUOUS", [RULE_INCONCLUSIVE] = "INCONCLUSIVE"};
    if (!r->assertions->count)
        return;
    document_paragraph(out);
    const struct rule_result *worst = worst_result(r->assertions);
    if (!worst) {
        document_span(out, SPAN_STRONG, "all assertions hold");
        return;
    }
    document_span(out, SPAN_STRONG, "%s", words[worst->status]);
    document_span(out, SPAN_PLAIN, " ");
    document_span(out, SPAN_CODE, "%s", worst->rule);
    char value[UNITS_TEXT_BYTES];
    if (*worst->reason)
        document_span(out, SPAN_PLAIN, ": %s", worst->reason);
    else
        document_span(out, SPAN_PLAIN, ": %s on %s", unit_format(value, (enum unit)worst->unit, worst->value),
                      result_place(out, r, worst));
    const size_t not_passed = count_not_passed(r->assertions);
    if (not_passed > 1)
        document_span(out, SPAN_PLAIN, " (%zu of %zu checks do not pass)", not_passed, r->assertions->count);
}

static void add_device_line(const struct timeline_device *device, struct document *out)
{
    const double span_ns = (double)(device->last_end_ns - device->first_start_ns);
    const double busy_ns = (double)device->busy_ns;
    char events[UNITS_TEXT_BYTES], span[UNITS_TEXT_BYTES], busy[UNITS_TEXT_BYTES], busy_share[UNITS_TEXT_BYTES],
        idle[UNITS_TEXT_BYTES], idle_share[UNITS_TEXT_BYTES];
    document_paragraph(out);
    document_span(out, SPAN_PLAIN, "%s events over %s: busy %s (%s), idle %s (%s).",
                  unit_format(events, UNIT_COUNT, (double)device->events), unit_format(span, UNIT_NS, span_ns),
                  unit_format(busy, UNIT_NS, busy_ns), unit_format(busy_share, UNIT_RATIO, ratio(busy_ns, span_ns)),
                  unit_format(idle, UNIT_NS, span_ns - busy_ns),
                  unit_format(idle_share, UNIT_RATIO, ratio(span_ns - busy_ns, span_ns)));
}

/* Without communication kernels, `compute` is `kernel` again. */
static bool is_shown(const struct overlap_report *r, const struct timeline_device *device, size_t set)
{
    const int comm = class_set(r, CLASS_COMM);
    if (r->classes[set] == CLASS_COMPUTE && comm >= 0 && !device->sets[comm].count)
        return false;
    return device->sets[set].count > 0;
}

static void add_classes(const struct overlap_report *r, const struct timeline_device *device, struct document *out)
{
    static const struct document_column columns[] = {{"class", false}, {"count", true},   {"busy", true},
                                                     {"sum", true},    {"at once", true}, {"two or more", true},
                                                     {"bytes", true}};
    document_table(out, columns, sizeof columns / sizeof columns[0]);
    for (size_t i = 0; i < r->class_count; i++) {
        if (!is_shown(r, device, i))
            continue;
        const struct timeline_set *set = &device->sets[i];
        document_cell(out, "%s", event_class_name(r->classes[i]));
        document_cell_unit(out, UNIT_COUNT, (double)set->count);
        document_cell_unit(out, UNIT_NS, (double)set->busy_ns);
        document_cell_unit(out, UNIT_NS, (double)set->sum_ns);
        document_cell_unit(out, UNIT_COUNT, (double)set->concurrency_max);
        document_cell_unit(out, UNIT_NS, (double)set->together_ns);
        document_cell_unit(out, UNIT_BYTES, (double)set->size_bytes);
    }
}

static bool is_shown_pair(const struct overlap_report *r, const struct timeline_device *device, size_t pair)
{
    const size_t a = r->query->pairs[pair].a, b = r->query->pairs[pair].b;
    return a < r->class_count && b < r->class_count && is_shown(r, device, a) && is_shown(r, device, b);
}

static void add_pairs(const struct overlap_report *r, const struct timeline_device *device, struct document *out)
{
    static const struct document_column columns[] = {{"a", false},       {"b", false},      {"a busy", true},
                                                     {"together", true}, {"a alone", true}, {"a hidden", true},
                                                     {"b hidden", true}};
    bool begun = false;
    for (size_t i = 0; i < r->query->pair_count; i++) {
        if (!is_shown_pair(r, device, i))
            continue;
        if (!begun)
            document_table(out, columns, sizeof columns / sizeof columns[0]);
        begun = true;
        const size_t a = r->query->pairs[i].a, b = r->query->pairs[i].b;
        const double a_busy_ns = (double)device->sets[a].busy_ns, b_busy_ns = (double)device->sets[b].busy_ns;
        const double overlap_ns = (double)device->pairs[i].overlap_ns;
        document_cell(out, "%s", event_class_name(r->classes[a]));
        document_cell(out, "%s", event_class_name(r->classes[b]));
        document_cell_unit(out, UNIT_NS, a_busy_ns);
        document_cell_unit(out, UNIT_NS, overlap_ns);
        document_cell_unit(out, UNIT_NS, a_busy_ns - overlap_ns);
        document_cell_unit(out, UNIT_RATIO, ratio(overlap_ns, a_busy_ns));
        document_cell_unit(out, UNIT_RATIO, ratio(overlap_ns, b_busy_ns));
    }
}

static void add_examples(const struct overlap_report *r, const struct timeline_example *examples, size_t count,
                         struct document *out)
{
    static const struct document_column columns[] = {
        {"start (ns)", true}, {"length", true}, {"stream", true}, {"event", false}, {"other event", false}};
    bool has_other = false;
    for (size_t i = 0; i < count; i++)
        has_other |= examples[i].other_name != 0;
    document_table(out, columns, has_other ? 5 : 4);
    for (size_t i = 0; i < count; i++) {
        const struct timeline_example *x = &examples[i];
        document_cell(out, "%lld", (long long)x->start_ns);
        document_cell_unit(out, UNIT_NS, (double)timeline_example_ns(x));
        document_cell(out, "%u", (unsigned)x->stream);
        document_cell_code(out, event_name(out, r->strings, x->name));
        if (has_other)
            document_cell_code(out, event_name(out, r->strings, x->other_name));
    }
}

static void add_device(const struct overlap_report *r, const struct timeline_device *device, struct document *out)
{
    document_heading(out, 2, arena_printf(&out->arena, "On %s", place_name(out, device->rank, device->device, true)));
    add_device_line(device, out);
    add_classes(r, device, out);
    add_pairs(r, device, out);
    const struct timeline_pair *copies = class_pair(r, device, CLASS_COPY, CLASS_KERNEL);
    if (!copies || !copies->exposed.count)
        return;
    document_heading(out, 3, "Longest stretches of copies without a kernel");
    add_examples(r, copies->exposed.items, copies->exposed.count, out);
}

static bool any_reason(const struct rule_results *results)
{
    for (size_t i = 0; i < results->count; i++)
        if (*results->items[i].reason)
            return true;
    return false;
}

static void add_results(const struct overlap_report *r, struct document *out)
{
    static const struct document_column columns[] = {{"rule", false}, {"where", false},        {"status", false},
                                                     {"value", true}, {"compared with", true}, {"reason", false}};
    const bool with_reason = any_reason(r->assertions);
    document_table(out, columns, with_reason ? 6 : 5);
    for (size_t i = 0; i < r->assertions->count; i++) {
        const struct rule_result *row = &r->assertions->items[i];
        document_cell_code(out, row->rule);
        document_cell(out, "%s", result_place(out, r, row));
        document_cell(out, "%s", rule_status_name(row->status));
        document_cell_unit(out, (enum unit)row->unit, row->value);
        document_cell_unit(out, (enum unit)row->unit, row->threshold);
        if (with_reason)
            document_cell(out, "%s", row->reason);
    }
}

static void add_assertions(const struct overlap_report *r, struct document *out)
{
    if (!r->assertions->count)
        return;
    document_heading(out, 2, "Assertions");
    add_results(r, out);
    for (size_t i = 0; i < r->assertions->count; i++) {
        const struct rule_result *row = &r->assertions->items[i];
        if (!row->counterexample_count)
            continue;
        document_paragraph(out);
        document_span(out, SPAN_PLAIN, "Against ");
        document_span(out, SPAN_CODE, "%s", row->rule);
        document_span(out, SPAN_PLAIN, " on %s:", result_place(out, r, row));
        add_examples(r, row->counterexamples, row->counterexample_count, out);
    }
}

static void add_caveats(const struct overlap_report *r, struct document *out)
{
    const int64_t unfinished = r->timeline->unfinished;
    if (!r->caveats->count && !unfinished)
        return;
    document_heading(out, 2, "Caveats");
    for (size_t i = 0; i < r->caveats->count; i++) {
        document_bullet(out);
        document_span(out, SPAN_PLAIN, "%s", r->caveats->items[i].text);
    }
    if (unfinished) {
        document_bullet(out);
        document_span(out, SPAN_PLAIN, "events that never ended: %lld (counted, not measured)", (long long)unfinished);
    }
}

static void say_source(const struct overlap_report *r, struct document *out)
{
    char events[UNITS_TEXT_BYTES];
    document_paragraph(out);
    document_span(out, SPAN_PLAIN, "Measured on %s GPU events of ",
                  unit_format(events, UNIT_COUNT, (double)r->timeline->gpu_events));
    document_span(out, SPAN_CODE, "%s", r->source);
    document_span(out, SPAN_PLAIN, ".");
}

int report_overlap(const struct overlap_report *r, struct document *out, struct err *e)
{
    say_assertions(r, out);
    if (r->timeline->gpu_events) {
        say_copies(r, out);
    } else {
        document_paragraph(out);
        document_span(out, SPAN_STRONG, "no GPU events: nothing to measure");
    }
    say_source(r, out);
    add_assertions(r, out);
    for (size_t i = 0; i < r->timeline->device_count; i++)
        if (r->timeline->devices[i].events)
            add_device(r, &r->timeline->devices[i], out);
    add_caveats(r, out);
    return out->failed ? err_memory(e) : 0;
}
