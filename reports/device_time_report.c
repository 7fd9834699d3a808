/* Where did the time of each device go, and what is to be done first about it? */
#include "reports/device_time_report.h"

#include <math.h>
#include <string.h>

#include "analyzers/capture/gap_words.h"
#include "analyzers/columns.h"
#include "core/base/units.h"
#include "core/trace/duration_groups.h"
#include "reports/program_gains_report.h"
#include "reports/rows/row_formats.h"
#include "reports/trace_words.h"

enum { DEVICES_SHOWN = 16, NAME_COLUMNS = 44 };

/* ---- the table ---- */

/* Other parts than kernels only where some device has them. */
static bool is_shown(const struct capture_facts *f, int part)
{
    struct time_part parts[TIME_PARTS];
    for (size_t i = 0; i < f->gaps.count; i++) {
        time_parts_of(&f->times[i], parts);
        if (!part || parts[part].ns)
            return true;
    }
    return false;
}

/* A reader of the first screen looks for what takes time: the section on idle time has each cause. */
static const double small_share = 0.01;

static bool is_small(const struct time_part *parts, int part)
{
    return part && parts[part].ns && (double)parts[part].ns < small_share * (double)parts[part].span_ns;
}

/* Several small parts are one row. */
static void add_one(const struct capture_facts *f, struct document *d)
{
    static const struct row_table table = {.lists = {&time_part_columns}, .formats = {ROW_TABLE}};
    struct time_part parts[TIME_PARTS], rest = {.name = "the rest, each below 1%", .span_ns = f->times[0].span_ns};
    int small = 0;
    time_parts_of(&f->times[0], parts);
    for (int part = 0; part < TIME_PARTS; part++) {
        small += is_small(parts, part);
        rest.ns += is_small(parts, part) ? parts[part].ns : 0;
    }
    row_table_begin(d, &table);
    for (int part = 0; part < TIME_PARTS; part++)
        if (is_shown(f, part) && (small < 2 || !is_small(parts, part)))
            row_table_row(d, &table, &parts[part], NULL);
    if (small > 1)
        row_table_row(d, &table, &rest, NULL);
    const struct time_part all = {.name = "all of it", .ns = f->times[0].span_ns, .span_ns = f->times[0].span_ns};
    row_table_row(d, &table, &all, NULL);
}

/* Kernels have another title where any device communicates. */
static const char *title_of(const struct capture_facts *f, int part)
{
    struct time_part parts[TIME_PARTS];
    for (size_t i = 0; i < f->gaps.count; i++) {
        time_parts_of(&f->times[i], parts);
        if (f->times[i].part_ns[DEVICE_COMMUNICATION])
            break;
    }
    return parts[part].title;
}

static void add_several(const struct capture_facts *f, struct document *d)
{
    struct document_column columns[TIME_PARTS + 2] = {{"where", false}};
    struct time_part parts[TIME_PARTS];
    size_t count = 1;
    for (int part = 0; part < TIME_PARTS; part++)
        if (is_shown(f, part))
            columns[count++] = (struct document_column){title_of(f, part), true};
    columns[count++] = (struct document_column){"all of it", true};
    document_table(d, columns, count);
    for (size_t i = 0; i < f->gaps.count && i < DEVICES_SHOWN; i++) {
        time_parts_of(&f->times[i], parts);
        document_cell(d, "%s", words_place(d, f->times[i].rank, f->times[i].device, false));
        for (int part = 0; part < TIME_PARTS; part++)
            if (is_shown(f, part))
                document_cell_unit(d, UNIT_NS, (double)parts[part].ns);
        document_cell_unit(d, UNIT_NS, (double)f->times[i].span_ns);
    }
    if (f->gaps.count <= DEVICES_SHOWN)
        return;
    document_paragraph(d);
    document_span(d, SPAN_PLAIN, "%zu more devices are left out.", f->gaps.count - DEVICES_SHOWN);
}

void device_time_report_add(const struct capture_facts *f, struct document *d)
{
    if (f->gaps.count == 1)
        add_one(f, d);
    else if (f->gaps.count > 1)
        add_several(f, d);
}

json_t *json_device_time(const struct capture_facts *f)
{
    struct arena arena;
    arena_init(&arena);
    const struct time_context context = {&arena};
    json_t *list = row_json_array(&device_time_columns, 0, f->times, f->gaps.count, &context);
    arena_release(&arena);
    return list;
}

/* ---- what to do first ---- */

/* Gaps shorter than this, on average, are what a launch costs the GPU and no more. */
static const double short_gap_ns = 10000;

/* Gaps longer than this, on average, are no cost of launches. */
static const double host_work_ns = 100000;

static double mean_gap_ns(const struct first_step *s)
{
    return s->gaps ? (double)s->ns / (double)s->gaps : 0;
}

/* Copies can hide behind kernels, as long as these run. */
static void write_hiding(const struct capture_facts *f, const struct first_step *s, struct document *d)
{
    char share[UNITS_TEXT_BYTES];
    int64_t kernel_ns = 0;
    for (size_t i = 0; i < f->gaps.count; i++)
        kernel_ns += f->times[i].part_ns[DEVICE_COMPUTE] + f->times[i].part_ns[DEVICE_COMMUNICATION];
    if (kernel_ns < s->ns)
        document_span(d, SPAN_PLAIN, "copy less (no more than %s of the time can be hidden behind kernels)",
                      unit_format(share, UNIT_RATIO, words_ratio((double)kernel_ns, (double)s->span_ns)));
    else
        document_span(d, SPAN_PLAIN, "copy on a stream of its own while kernels run, or copy less");
}

static void write_copy(const struct capture_facts *f, const struct first_step *s, struct document *d)
{
    char share[UNITS_TEXT_BYTES];
    if (2 * s->pageable_ns > s->ns)
        document_span(d, SPAN_PLAIN, ", %s of it from or to pageable memory: pin that memory, and ",
                      unit_format(share, UNIT_RATIO, words_ratio((double)s->pageable_ns, (double)s->ns)));
    else
        document_span(d, SPAN_PLAIN, ": ");
    write_hiding(f, s, d);
}

static void write_sync(const struct capture_facts *f, const struct first_step *s, struct document *d)
{
    const struct idle_gap *longest = &s->device->longest[GAP_SYNC];
    document_span(d, SPAN_PLAIN, ", the longest in ");
    document_span(d, SPAN_CODE, "%s", gap_call_name(&d->arena, event_stream_strings(f->stream), longest->wait.name));
    document_span(d, SPAN_PLAIN, ": launch what comes next before the host waits, or leave the wait out");
}

static void write_gap_name(const struct capture_facts *f, const struct idle_gap *gap, struct document *d)
{
    document_span(d, SPAN_CODE, "%s",
                  words_fitted(d,
                               gap_neighbour_name(&d->arena, event_stream_strings(f->stream), &gap->after, NAMES_SHORT),
                               NAME_COLUMNS));
}

/* A single gap is its own mean and the longest. */
static void write_gaps(const struct capture_facts *f, const struct first_step *s, enum gap_cause cause,
                       struct document *d)
{
    const struct idle_gap *longest = &s->device->longest[cause];
    char count[UNITS_TEXT_BYTES], mean[UNITS_TEXT_BYTES], length[UNITS_TEXT_BYTES];
    unit_format(length, UNIT_NS, (double)duration_ns(longest->start_ns, longest->end_ns));
    if (s->gaps == 1)
        document_span(d, SPAN_PLAIN, ", in 1 gap of %s, before ", length);
    else
        document_span(d, SPAN_PLAIN, ", in %s of %s on average; the longest, %s, is before ",
                      words_count(count, s->gaps, "gap", "gaps"), unit_format(mean, UNIT_NS, mean_gap_ns(s)), length);
    write_gap_name(f, longest, d);
}

/* Of a cause: gaps that lie before the program begins to repeat itself, or else in the first quarter of the span, and
 * hold this part of its time, are a start. */
static const double start_share = 0.8, start_span = 0.25;

/* Returns when the gaps at the start are over, counted from the first operation; 0: they are spread. */
static int64_t start_ends_ns(const struct gaps_device *g, enum gap_cause cause, int64_t steady_begin_ns)
{
    const int64_t quarter_ns =
        g->first_start_ns + (int64_t)(start_span * (double)duration_ns(g->first_start_ns, g->last_end_ns));
    const int64_t border_ns =
        steady_begin_ns > quarter_ns && steady_begin_ns < g->last_end_ns ? steady_begin_ns : quarter_ns;
    int64_t early_ns = 0, last_ns = g->first_start_ns;
    for (size_t i = 0; i < g->largest_count; i++) {
        const struct idle_gap *gap = &g->largest[i];
        if (gap->cause != cause || gap->end_ns > border_ns)
            continue;
        early_ns += duration_ns(gap->start_ns, gap->end_ns);
        last_ns = gap->end_ns > last_ns ? gap->end_ns : last_ns;
    }
    return (double)early_ns >= start_share * (double)g->cause_ns[cause] ? last_ns - g->first_start_ns : 0;
}

/* A program that starts waits for its host, and that is not what it does later. Returns whether that is said. */
static bool write_start(const struct capture_facts *f, const struct first_step *s, struct document *d)
{
    char length[UNITS_TEXT_BYTES];
    const int64_t ends_ns =
        s->part == DEVICE_HOST_LATE ? start_ends_ns(s->device, GAP_HOST_LATE, f->steady_begin_ns) : 0;
    if (!ends_ns)
        return false;
    unit_format(length, UNIT_NS, (double)ends_ns);
    document_span(d, SPAN_PLAIN, ", most of it in the first %s, as when a program starts. What comes then is in ",
                  length);
    document_span(d, SPAN_CODE, "cpprof gaps %s --window '%.0fms:'", f->path, ceil((double)ends_ns / 1e6));
    return true;
}

/* By the recorded graph; without it the share is a bound. */
static void write_bound(const struct capture_facts *f, const struct first_step *s, struct document *d)
{
    const struct host_dependency *h = &f->dependencies.host;
    char low[UNITS_TEXT_BYTES], high[UNITS_TEXT_BYTES];
    if (s->part != DEVICE_HOST_LATE || !f->dependencies.graph || f->dependencies.reason || h->reason) {
        document_span(d, SPAN_PLAIN, ". No more than that share can be gained by it.");
        return;
    }
    unit_format(low, UNIT_RATIO, h->gain.low);
    unit_format(high, UNIT_RATIO, h->gain.high);
    document_span(d, SPAN_PLAIN, ". A tenth less of the host's time between calls saves %s%s%s.", low,
                  strcmp(low, high) ? " to " : "", strcmp(low, high) ? high : "");
}

/* Kernels of communication run while they wait for the last rank, too. */
static void write_ranks(const struct capture_facts *f, struct document *d)
{
    const bool has_ranks = f->gaps.count > 1;
    document_span(d, SPAN_PLAIN, " Is a rank late? See ");
    document_span(d, SPAN_CODE, "cpprof ranks %s", has_ranks ? f->path : "FOLDER");
    document_span(d, SPAN_PLAIN, "%s.", has_ranks ? "" : ", of the traces of all ranks");
}

/* By the names of its calls. Without any it may be. */
static bool may_be_cuda(const struct capture_facts *f)
{
    bool has_calls = false;
    for (size_t i = 0; i < f->statistics.count; i++) {
        const struct statistics_row *row = &f->statistics.items[i];
        if (row->section == STATISTICS_API && !strncmp(short_names_text(&f->names, row->name), "cu", 2))
            return true;
        has_calls |= row->section == STATISTICS_API;
    }
    return !has_calls;
}

static void write_part(const struct capture_facts *f, const struct first_step *s, struct document *d)
{
    static const char *const what[DEVICE_PARTS] = {
        [DEVICE_COMMUNICATION] = "only communication runs",
        [DEVICE_COPY] = "only copies run",
        [DEVICE_MEMSET] = "only memsets run",
        [DEVICE_MIGRATION] = "only pages of managed memory move",
        [DEVICE_HOST_LATE] = "the GPU waits for the host's next launch",
        [DEVICE_SYNC] = "the GPU is idle because the host waited before it launched more",
        [DEVICE_DEPENDENCY] = "work that was launched in time waits for other work",
    };
    char share[UNITS_TEXT_BYTES];
    document_span(d, SPAN_PLAIN, "for %s of the time %s",
                  unit_format(share, UNIT_RATIO, words_ratio((double)s->ns, (double)s->span_ns)), what[s->part]);
    switch (s->part) {
    case DEVICE_COPY: write_copy(f, s, d); break;
    case DEVICE_MEMSET:
        document_span(d, SPAN_PLAIN,
                      ": leave out those of memory that is written before it is read, or let the kernel that follows "
                      "clear its own");
        break;
    case DEVICE_MIGRATION: document_span(d, SPAN_PLAIN, ": " MOVE_PAGES); break;
    case DEVICE_SYNC: write_sync(f, s, d); break;
    case DEVICE_HOST_LATE:
        if (write_start(f, s, d))
            return;
        write_gaps(f, s, GAP_HOST_LATE, d);
        document_span(d, SPAN_PLAIN,
                      mean_gap_ns(s) < host_work_ns
                          ? arena_printf(&d->arena, ". Launch earlier or less often: larger or fused kernels%s",
                                         may_be_cuda(f) ? ", a CUDA graph" : "")
                      : s->gaps == 1 ? ". Find what the host does in it"
                                     : ". Find what the host does in them");
        break;
    case DEVICE_DEPENDENCY:
        write_gaps(f, s, GAP_DEPENDENCY, d);
        document_span(d, SPAN_PLAIN,
                      mean_gap_ns(s) < short_gap_ns
                          ? ". Fewer, larger kernels leave fewer such gaps"
                          : ". Start what it waits for earlier, or give the GPU other work meanwhile");
        break;
    default: document_span(d, SPAN_PLAIN, ": start it earlier, or let computation run meanwhile that does not need it");
    }
    write_bound(f, s, d);
    if (s->part == DEVICE_COMMUNICATION)
        write_ranks(f, d);
}

static void write_headroom(const struct capture_facts *f, struct document *d)
{
    const struct kernel_window *most = kernel_windows_most_headroom(&f->windows);
    char share[UNITS_TEXT_BYTES];
    if (!most) {
        document_span(d, SPAN_PLAIN, ". What bounds it is in the table of kernels.");
        return;
    }
    document_span(d, SPAN_PLAIN, ". The kernel with most headroom is ");
    document_span(d, SPAN_CODE, "%s", words_name(d, &f->names, most->name, NAMES_SHORT, NAME_COLUMNS));
    document_span(d, SPAN_PLAIN, ": if its busiest unit were busy all the time, %s of its device's time would go.",
                  unit_format(share, UNIT_RATIO, most->device_share * most->headroom_ns / (double)most->total_ns));
}

static void write_kernels(const struct capture_facts *f, const struct first_step *s, struct document *d)
{
    char share[UNITS_TEXT_BYTES], first[UNITS_TEXT_BYTES];
    document_span(d, SPAN_PLAIN, "kernels run for %s of the time, and no other part reaches 5%%",
                  unit_format(share, UNIT_RATIO, words_ratio((double)s->ns, (double)s->span_ns)));
    for (size_t i = 0; i < f->statistics.count; i++) {
        const struct statistics_row *row = &f->statistics.items[i];
        if (row->section != STATISTICS_KERNELS)
            continue;
        document_span(d, SPAN_PLAIN, ": begin with ");
        document_span(d, SPAN_CODE, "%s", words_name(d, &f->names, row->name, NAMES_SHORT, NAME_COLUMNS));
        document_span(d, SPAN_PLAIN, ", %s of the GPU's work", unit_format(first, UNIT_RATIO, row->share));
        break;
    }
    if (f->windows.kernel_count) {
        write_headroom(f, d);
        return;
    }
    document_span(d, SPAN_PLAIN, ". What bounds a kernel is in counters, not in a trace: ");
    document_span(d, SPAN_CODE, "cpprof profile --replay -- PROGRAM");
    document_span(d, SPAN_PLAIN, ".");
}

static void write_unknown(const struct capture_facts *f, const struct first_step *s, struct document *d)
{
    char share[UNITS_TEXT_BYTES];
    if (2 * s->paging_ns >= s->ns)
        document_span(d, SPAN_PLAIN,
                      "for %s of the time the GPU is idle before pages of managed memory move: " MOVE_PAGES ".",
                      unit_format(share, UNIT_RATIO, words_ratio((double)s->paging_ns, (double)s->span_ns)));
    else
        document_span(
            d, SPAN_PLAIN, "inconclusive: the GPU is idle for %s of the time, and why is not in the trace: %s.",
            unit_format(share, UNIT_RATIO, words_ratio((double)s->ns, (double)s->span_ns)),
            f->gaps.calls ? "the calls that started the next work are missing"
                          : "it has no calls of the CUDA API, which a capture, nsys's SQLite and Kineto have");
}

/* The headroom of kernels may be more than the largest part without them. */
static void write_larger_gain(const struct capture_facts *f, const struct first_step *s, struct document *d)
{
    const struct gain_of_all most = program_gains_most(&f->gain);
    if (!most.most || most.most->kind != GAIN_KERNEL || most.gain.low <= words_ratio((double)s->ns, (double)s->span_ns))
        return;
    program_gains_report_share(f, &most, d);
    document_span(d, SPAN_PLAIN, " of the time is to be gained in it. Then: ");
}

static void write_nothing(const struct capture_facts *f, struct document *d)
{
    const bool is_false = caveat_has(event_stream_caveats(f->stream), CAVEAT_TIMES);
    document_span(d, SPAN_PLAIN, "inconclusive: %s",
                  capture_facts_is_whole(f) ? "the work takes no time."
                  : is_false                ? "times in the trace cannot be, see the caveats."
                                            : "a part of the trace is missing, see the caveats.");
}

void device_time_report_first(const struct capture_facts *f, struct document *d)
{
    if (!f->gaps.operations)
        return;
    const struct first_step s = first_step_of(&f->gaps, f->times, capture_facts_is_whole(f));
    document_fact(d, "Do first");
    switch (s.kind) {
    case STEP_PART:
        write_larger_gain(f, &s, d);
        write_part(f, &s, d);
        break;
    case STEP_KERNELS: write_kernels(f, &s, d); break;
    case STEP_UNKNOWN_CAUSE: write_unknown(f, &s, d); break;
    default: write_nothing(f, d);
    }
}
