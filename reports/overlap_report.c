/* What ran beside what, what did not, and do the assertions hold? The answer is
 * the first line; devices, counterexamples and caveats follow. */
#include <math.h>

#include "analyzers/columns.h"
#include "analyzers/overlap/overlap_rows.h"
#include "reports/alike_devices.h"
#include "reports/rows/row_formats.h"
#include "reports/rule_rows.h"
#include "reports/trace_words.h"

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

struct hidden_sum {
    int64_t count;
    double busy_ns, hidden_ns;
};

/* `of` against `under` over all devices. */
static struct hidden_sum sum_hidden(const struct overlap_report *r, enum event_class of, enum event_class under)
{
    struct hidden_sum sum = {0};
    const int set = class_set(r, of);
    for (size_t i = 0; set >= 0 && i < r->timeline->device_count; i++) {
        const struct timeline_device *device = &r->timeline->devices[i];
        const struct timeline_pair *pair = class_pair(r, device, of, under);
        sum.count += device->sets[set].count;
        sum.busy_ns += (double)device->sets[set].busy_ns;
        sum.hidden_ns += pair ? (double)pair->overlap_ns : 0;
    }
    return sum;
}

/* Nothing can overlap: then at least how busy the GPUs are. */
static void add_kernels_alone(const struct overlap_report *r, struct str *out)
{
    double busy_ns = 0, span_ns = 0;
    char busy[UNITS_TEXT_BYTES];
    for (size_t i = 0; i < r->timeline->device_count; i++) {
        busy_ns += (double)r->timeline->devices[i].busy_ns;
        span_ns += (double)overlap_span_ns(&r->timeline->devices[i]);
    }
    str_addf(out, "kernels alone: busy %s, no copies or communication to overlap",
             unit_format(busy, UNIT_RATIO, ratio(busy_ns, span_ns)));
}

static void add_hidden_words(struct str *out, const char *name, const struct hidden_sum *sum, const char *under)
{
    char hidden[UNITS_TEXT_BYTES], open[UNITS_TEXT_BYTES], open_time[UNITS_TEXT_BYTES];
    str_addf(out, "%s%s: %s hidden under %s, %s exposed (%s)", out->length ? "; " : "", name,
             unit_format(hidden, UNIT_RATIO, ratio(sum->hidden_ns, sum->busy_ns)), under,
             unit_format(open, UNIT_RATIO, ratio(sum->busy_ns - sum->hidden_ns, sum->busy_ns)),
             unit_format(open_time, UNIT_NS, sum->busy_ns - sum->hidden_ns));
}

/* Communication comes first: it is what a program of several GPUs has to hide. Memsets speak where there is no copy. A
 * kernel at whose side pages move may wait for them. */
static void write_copies(const struct overlap_report *r, struct document *out)
{
    const struct hidden_sum comm = sum_hidden(r, CLASS_COMM, CLASS_COMPUTE),
                            copies = sum_hidden(r, CLASS_COPY, CLASS_KERNEL),
                            memsets = sum_hidden(r, CLASS_MEMSET, CLASS_KERNEL),
                            pages = sum_hidden(r, CLASS_MIGRATION, CLASS_KERNEL),
                            kernels = sum_hidden(r, CLASS_KERNEL, CLASS_COPY);
    char hidden[UNITS_TEXT_BYTES], open_time[UNITS_TEXT_BYTES];
    struct str text, answer;
    str_init(&text);
    str_init(&answer);
    if (comm.busy_ns > 0)
        add_hidden_words(&text, "communication", &comm, "compute");
    if (copies.count && kernels.count)
        add_hidden_words(&text, "copies", &copies, "kernels");
    else if (copies.count)
        str_addf(&text, "%scopies: no kernel to hide under, all exposed (%s)", text.length ? "; " : "",
                 unit_format(open_time, UNIT_NS, copies.busy_ns));
    else if (!text.length && !pages.count && memsets.busy_ns <= 0 && kernels.count)
        add_kernels_alone(r, &text);
    else if (!text.length)
        str_add(&text, "no copies");
    if (!copies.count && !pages.count && memsets.busy_ns > 0 && kernels.count)
        add_hidden_words(&text, "memsets", &memsets, "kernels");
    if (pages.count)
        str_addf(&text, "; migrations of managed memory: %s of their time (%s) beside kernels",
                 unit_format(hidden, UNIT_RATIO, ratio(pages.hidden_ns, pages.busy_ns)),
                 unit_format(open_time, UNIT_NS, pages.hidden_ns));
    str_addf(&answer, "%s%s", words_in_doubt(r->caveats), str_text(&text));
    answer.failed |= text.failed;
    str_release(&text);
    words_answer(out, &answer);
}

/* With a single rank the first lines of the report say it. */
static void write_start_of_rank(const struct overlap_report *r, int rank, struct document *out)
{
    int64_t from_ns;
    if (r->starts->count > 1 && rank_starts_get(r->starts, rank, &from_ns))
        document_span(out, SPAN_PLAIN, " The rank's trace is from %lld ns.", (long long)from_ns);
}

static void add_device_line(const struct overlap_report *r, const struct timeline_device *device, struct document *out)
{
    const double span_ns = (double)overlap_span_ns(device);
    const double busy_ns = (double)device->busy_ns;
    char events[UNITS_TEXT_BYTES], span[UNITS_TEXT_BYTES], busy[UNITS_TEXT_BYTES], busy_share[UNITS_TEXT_BYTES],
        idle[UNITS_TEXT_BYTES], idle_share[UNITS_TEXT_BYTES];
    document_paragraph(out);
    document_span(out, SPAN_PLAIN, "%s over %s: busy %s (%s), idle %s (%s).",
                  words_count(events, (int64_t)device->events, "event", "events"), unit_format(span, UNIT_NS, span_ns),
                  unit_format(busy, UNIT_NS, busy_ns), unit_format(busy_share, UNIT_RATIO, ratio(busy_ns, span_ns)),
                  unit_format(idle, UNIT_NS, span_ns - busy_ns),
                  unit_format(idle_share, UNIT_RATIO, ratio(span_ns - busy_ns, span_ns)));
    write_start_of_rank(r, device->rank, out);
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
    const struct row_table table = {.lists = {&overlap_class_columns}, .formats = {ROW_TABLE}};
    const struct overlap_context context = overlap_context_of(r, &out->arena);
    row_table_begin(out, &table);
    for (size_t i = 0; i < r->class_count; i++) {
        const struct overlap_class row = overlap_class_of(&context, device, i);
        if (is_shown(r, device, i))
            row_table_row(out, &table, &row, NULL);
    }
}

static bool is_shown_pair(const struct overlap_report *r, const struct timeline_device *device, size_t pair)
{
    return is_shown(r, device, r->query->pairs[pair].a) && is_shown(r, device, r->query->pairs[pair].b);
}

static void add_pairs(const struct overlap_report *r, const struct timeline_device *device, struct document *out)
{
    const struct row_table table = {.lists = {&overlap_pair_columns}, .formats = {ROW_TABLE}};
    const struct overlap_context context = overlap_context_of(r, &out->arena);
    bool begun = false;
    for (size_t i = 0; i < r->query->pair_count; i++) {
        if (!overlap_pair_has_classes(&context, i) || !is_shown_pair(r, device, i))
            continue;
        if (!begun)
            row_table_begin(out, &table);
        begun = true;
        const struct overlap_pair row = overlap_pair_of(&context, device, i);
        row_table_row(out, &table, &row, NULL);
    }
}

/* How many operations ran at once, and for how long. */
static void add_levels(const struct timeline_device *device, struct document *out)
{
    const struct row_table table = {.lists = {&overlap_level_columns}, .formats = {ROW_TABLE}};
    row_table_begin(out, &table);
    for (size_t i = 0; i < TIMELINE_LEVELS; i++) {
        const struct overlap_level row = overlap_level_of(device, i);
        row_table_row(out, &table, &row, NULL);
    }
}

static void add_exposed(const struct overlap_report *r, const struct timeline_device *device, enum event_class a,
                        enum event_class b, const char *title, struct document *out)
{
    const struct timeline_pair *pair = class_pair(r, device, a, b);
    const int set = class_set(r, b);
    const struct check_report rules = check_report_of(r);
    if (!pair || !pair->exposed.count || set < 0 || (a == CLASS_COMM && !device->sets[set].count))
        return;
    document_heading(out, 3, title);
    rule_rows_examples(&rules, device->rank, pair->exposed.items, pair->exposed.count, out);
}

/* Programmatic dependent launch does this with the kernel right before, on chips that have it. */
static const char *same_stream_cause(const struct overlap_report *r, const struct timeline_set *set)
{
    if (r->dependent_launch == DEPENDENT_LAUNCH_CANNOT)
        return "the chip has no programmatic dependent launch";
    return r->dependent_launch == DEPENDENT_LAUNCH_CAN && !set->serial_apart ? "programmatic dependent launch" : "";
}

/* In parentheses; "" when there is nothing to say. */
static const char *same_stream_remark(const struct overlap_report *r, struct arena *arena,
                                      const struct timeline_set *set)
{
    const char *cause = same_stream_cause(r, set);
    if (!set->serial_proven)
        return " (by no more than the rounding of the times: whether they overlapped is not known)";
    if (set->serial_proven == set->serial_violations)
        return *cause ? arena_printf(arena, " (%s)", cause) : "";
    return arena_printf(arena, " (%lld by more than the rounding of the times%s%s)", (long long)set->serial_proven,
                        *cause ? ": " : "", cause);
}

static void add_same_stream(const struct overlap_report *r, const struct timeline_device *device, struct document *out)
{
    const int kernel = class_set(r, CLASS_KERNEL);
    const struct timeline_set *set = kernel >= 0 ? &device->sets[kernel] : NULL;
    if (!set || !set->serial_violations)
        return;
    const struct check_report rules = check_report_of(r);
    char count[UNITS_TEXT_BYTES], sum[UNITS_TEXT_BYTES];
    document_heading(out, 3, "Kernels that overlap on one stream");
    document_paragraph(out);
    document_span(out, SPAN_PLAIN, "%s began before the one before it on its stream had ended%s: %s together.",
                  unit_format(count, UNIT_COUNT, (double)set->serial_violations),
                  same_stream_remark(r, &out->arena, set), unit_format(sum, UNIT_NS, (double)set->violation_ns));
    rule_rows_examples(&rules, device->rank, set->violations.items, set->violations.count, out);
}

static void add_device(const struct overlap_report *r, const struct timeline_device *device, struct document *out)
{
    document_heading(out, 2,
                     arena_printf(&out->arena, "On %s", place_label(&out->arena, device->rank, device->device, true)));
    add_device_line(r, device, out);
    add_classes(r, device, out);
    add_pairs(r, device, out);
    document_evidence(out);
    add_levels(device, out);
    add_same_stream(r, device, out);
    add_exposed(r, device, CLASS_COPY, CLASS_KERNEL, "Longest stretches of copies without a kernel", out);
    add_exposed(r, device, CLASS_COMM, CLASS_COMPUTE, "Longest stretches of communication without computation", out);
}

static size_t devices_with_work(const struct timeline *t)
{
    size_t count = 0;
    for (size_t i = 0; i < t->device_count; i++)
        count += t->devices[i].events > 0;
    return count;
}

static void add_hidden(const struct overlap_report *r, const struct timeline_device *device, enum event_class a,
                       enum event_class b, struct hidden_time *to)
{
    const struct timeline_pair *pair = class_pair(r, device, a, b);
    to->busy_ns += pair ? (double)device->sets[class_set(r, a)].busy_ns : 0;
    to->hidden_ns += pair ? (double)pair->overlap_ns : 0;
}

static void add_to_line(const struct overlap_report *r, const struct timeline_device *device, struct overlap_line *l)
{
    l->events += (double)device->events;
    l->span_ns += (double)overlap_span_ns(device);
    l->busy_ns += (double)device->busy_ns;
    add_hidden(r, device, CLASS_COPY, CLASS_KERNEL, &l->copies);
    add_hidden(r, device, CLASS_COMM, CLASS_COMPUTE, &l->comm);
}

/* ---- many devices ---- */

static bool is_condensed(const struct overlap_report *r)
{
    return !r->is_full && devices_with_work(r->timeline) > ALIKE_WHOLE;
}

static double share_of(const struct overlap_report *r, const struct timeline_device *d, enum event_class c)
{
    const int set = class_set(r, c);
    return set < 0 ? NAN : ratio((double)d->sets[set].busy_ns, (double)overlap_span_ns(d));
}

static double hidden_share(const struct overlap_report *r, const struct timeline_device *d, enum event_class a,
                           enum event_class b)
{
    struct hidden_time hidden = {0};
    add_hidden(r, d, a, b, &hidden);
    return ratio(hidden.hidden_ns, hidden.busy_ns);
}

/* What makes devices alike: how busy they are with what, and how much of it is hidden. */
static struct alike_device alike_of(const struct overlap_report *r, size_t index)
{
    const struct timeline_device *d = &r->timeline->devices[index];
    return (struct alike_device){.rank = d->rank,
                                 .device = d->device,
                                 .shares = {ratio((double)d->busy_ns, (double)overlap_span_ns(d)),
                                            share_of(r, d, CLASS_KERNEL), share_of(r, d, CLASS_COPY),
                                            share_of(r, d, CLASS_COMM), hidden_share(r, d, CLASS_COPY, CLASS_KERNEL),
                                            hidden_share(r, d, CLASS_COMM, CLASS_COMPUTE)},
                                 .index = index};
}

struct alike {
    struct alike_device *devices;
    struct alike_group *groups;
    size_t count; /* groups; 0 when memory is out */
};

static struct alike group_devices(const struct overlap_report *r, struct document *out)
{
    const size_t devices = devices_with_work(r->timeline);
    struct alike a = {.devices = arena_alloc(&out->arena, devices * sizeof *a.devices),
                      .groups = arena_alloc(&out->arena, devices * sizeof *a.groups)};
    size_t count = 0;
    out->failed |= !a.devices || !a.groups;
    for (size_t i = 0; i < r->timeline->device_count && !out->failed; i++)
        if (r->timeline->devices[i].events)
            a.devices[count++] = alike_of(r, i);
    if (!out->failed)
        a.count = alike_devices_group(&out->arena, a.devices, count, a.groups);
    return a;
}

enum { GROUP_LINES = 12 };

/* A line for each of the largest groups, one for all others, and the sum. */
static void add_group_lines(const struct overlap_report *r, struct document *out)
{
    const struct row_table table = {.lists = {&overlap_line_columns}, .formats = {ROW_TABLE}};
    const struct alike a = group_devices(r, out);
    struct overlap_line all = {.where = "sum"}, rest = {.where = "others"};
    for (size_t g = 0; g < a.count; g++) {
        const struct alike_group *group = &a.groups[g];
        const struct alike_device *first = &a.devices[group->first];
        struct overlap_line line = {.where = arena_printf(&out->arena, "%zu as %s", group->count,
                                                          place_label(&out->arena, first->rank, first->device, true))};
        for (size_t i = 0; i < group->count; i++) {
            const struct timeline_device *d = &r->timeline->devices[a.devices[group->first + i].index];
            add_to_line(r, d, g < GROUP_LINES ? &line : &rest);
            add_to_line(r, d, &all);
        }
        if (g < GROUP_LINES)
            row_table_row(out, &table, &line, NULL);
    }
    if (a.count > GROUP_LINES)
        row_table_row(out, &table, &rest, NULL);
    row_table_row(out, &table, &all, NULL);
}

/* One device of each of the largest groups. */
static void add_one_of_each(const struct overlap_report *r, struct document *out)
{
    const struct alike a = group_devices(r, out);
    for (size_t g = 0; g < a.count && g < ALIKE_SHOWN; g++) {
        add_device(r, &r->timeline->devices[a.devices[a.groups[g].first].index], out);
        if (a.groups[g].count < 2)
            continue;
        document_paragraph(out);
        document_span(out, SPAN_PLAIN, "Ranks that are alike: %s.", a.groups[g].others);
    }
    document_paragraph(out);
    document_span(out, SPAN_PLAIN,
                  "One device of the largest groups is shown; --full shows each, and the JSON has all.");
}

/* Several ranks or devices beside one another, and their sums: time of one is
 * never measured against time of another. */
static void add_together(const struct overlap_report *r, struct document *out)
{
    const struct row_table table = {.lists = {&overlap_line_columns}, .formats = {ROW_TABLE}};
    if (devices_with_work(r->timeline) < 2)
        return;
    struct overlap_line all = {.where = "sum"};
    document_heading(out, 2, "Together");
    row_table_begin(out, &table);
    if (is_condensed(r)) {
        add_group_lines(r, out);
        return;
    }
    for (size_t i = 0; i < r->timeline->device_count; i++) {
        const struct timeline_device *device = &r->timeline->devices[i];
        if (!device->events)
            continue;
        struct overlap_line line = {.where = place_label(&out->arena, device->rank, device->device, true)};
        add_to_line(r, device, &line);
        add_to_line(r, device, &all);
        row_table_row(out, &table, &line, NULL);
    }
    row_table_row(out, &table, &all, NULL);
}

static void write_source(const struct overlap_report *r, struct document *out)
{
    char events[UNITS_TEXT_BYTES];
    if (r->is_part)
        return;
    document_paragraph(out);
    document_span(out, SPAN_PLAIN, "Measured on %s of ",
                  words_count(events, (int64_t)r->timeline->gpu_events, "GPU event", "GPU events"));
    document_span(out, SPAN_CODE, "%s", r->source);
    int64_t from_ns;
    if (rank_starts_get_only(r->starts, &from_ns))
        document_span(out, SPAN_PLAIN, ", from %lld ns", (long long)from_ns);
    document_span(out, SPAN_PLAIN, ".");
}

struct overlap_context overlap_context_of(const struct overlap_report *r, struct arena *arena)
{
    return (struct overlap_context){
        .query = r->query, .classes = r->classes, .class_count = r->class_count, .starts = r->starts, .arena = arena};
}

/* The page says the caveats of a part. */
static const struct caveat_list said_elsewhere;

struct check_report check_report_of(const struct overlap_report *r)
{
    return (struct check_report){.source = r->source,
                                 .strings = r->strings,
                                 .timeline = r->timeline,
                                 .results = r->assertions,
                                 .starts = r->starts,
                                 .caveats = r->is_part ? &said_elsewhere : r->caveats,
                                 .is_full = r->is_full};
}

int report_overlap(const struct overlap_report *r, struct document *out, struct err *e)
{
    const struct check_report rules = check_report_of(r);
    if (r->assertions->count)
        rule_rows_headline(&rules, "all assertions hold", out);
    if (r->timeline->gpu_events) {
        write_copies(r, out);
    } else {
        document_paragraph(out);
        document_span(out, SPAN_STRONG, "no GPU events: nothing to measure");
    }
    write_source(r, out);
    if (r->assertions->count) {
        document_heading(out, 2, "Assertions");
        rule_rows_add(&rules, out);
    }
    add_together(r, out);
    if (devices_with_work(r->timeline) > 1)
        document_evidence(out); /* of each by itself */
    if (is_condensed(r))
        add_one_of_each(r, out);
    for (size_t i = 0; i < r->timeline->device_count && !is_condensed(r); i++)
        if (r->timeline->devices[i].events)
            add_device(r, &r->timeline->devices[i], out);
    rule_rows_caveats(&rules, out);
    return out->failed ? err_memory(e) : 0;
}
