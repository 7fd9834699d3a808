/* What did a program do on the GPU, where, and what took the time? */
#define _GNU_SOURCE
#include "reports/capture_report.h"

#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <string.h>

#include "core/base/causal_plan.h"
#include "core/base/count_of.h"
#include "core/base/units.h"
#include "core/trace/event_work.h"
#include "core/trace/object_names.h"
#include "cpprof/shard.h"
#include "reports/causal_report.h"
#include "reports/dependencies_report.h"
#include "reports/device_time_report.h"
#include "reports/gaps_report.h"
#include "reports/kernel_replays_report.h"
#include "reports/kernel_windows_report.h"
#include "reports/launch_report.h"
#include "reports/owners_report.h"
#include "reports/pictures/copy_picture.h"
#include "reports/pictures/device_time_picture.h"
#include "reports/pictures/gap_picture.h"
#include "reports/pictures/rank_picture.h"
#include "reports/pictures/trace_pictures.h"
#include "reports/program_gains_report.h"
#include "reports/recorded_words.h"
#include "reports/reports.h"
#include "reports/run/provenance.h"
#include "reports/stats_report.h"
#include "reports/trace_words.h"

enum {
    ROWS_SHOWN = 10,
    PROCESSES_SHOWN = 64,
    NAMES_SHOWN = 64,
    NAME_COLUMNS = 44,
    TOP_KERNELS = 5,
    KERNELS_ON_A_SCREEN = 7,
    WEAKENING_SHOWN = 3,
    SHARES_SHOWN = 8
};

/* ---- words ---- */

static const char *program_name(const struct capture_facts *f)
{
    return json_get_text(json_object_get(f->bundle.manifest, "capture"), "program", "a program");
}

/* The share of all devices' spans in which anything runs. */
static double busy_share(const struct capture_facts *f)
{
    double span_ns = 0, idle_ns = 0;
    for (size_t i = 0; i < f->gaps.count; i++) {
        span_ns += (double)gaps_span_ns(&f->gaps.items[i]);
        idle_ns += (double)gaps_idle_ns(&f->gaps.items[i]);
    }
    return words_ratio(span_ns - idle_ns, span_ns);
}

/* The share in which only communication runs, which may be waiting for a rank. */
static double communication_share(const struct capture_facts *f)
{
    double span_ns = 0, alone_ns = 0;
    for (size_t i = 0; i < f->gaps.count; i++) {
        span_ns += (double)gaps_span_ns(&f->gaps.items[i]);
        alone_ns += (double)f->times[i].part_ns[DEVICE_COMMUNICATION];
    }
    return words_ratio(alone_ns, span_ns);
}

static double device_busy_share(const struct gaps_device *d)
{
    return words_ratio((double)(gaps_span_ns(d) - gaps_idle_ns(d)), (double)gaps_span_ns(d));
}

/* Several ranks may share one. */
static int64_t gpus_with_work(const struct idle_gaps *gaps)
{
    int64_t count = 0;
    for (size_t i = 0; i < gaps->count; i++) {
        size_t first = 0;
        while (gaps->items[first].device != gaps->items[i].device)
            first++;
        count += first == i;
    }
    return count;
}

static double bytes_of(const struct trace_statistics *s, int section)
{
    double bytes = 0;
    for (size_t i = 0; i < s->count; i++)
        if ((int)s->items[i].section == section)
            bytes += (double)s->items[i].size_bytes;
    return bytes;
}

/* Devices are sorted by rank. */
static int64_t ranks_with_work(const struct idle_gaps *gaps)
{
    int64_t count = 0;
    for (size_t i = 0; i < gaps->count; i++)
        count += !i || gaps->items[i - 1].rank != gaps->items[i].rank;
    return count;
}

/* Whose devices 0 may be one GPU or two: their traces do not say. */
static bool has_foreign_ranks(const struct capture_facts *f)
{
    return f->is_foreign && ranks_with_work(&f->gaps) > 1;
}

/* A trace of another tool does not say how many processes there were, nor how long they ran. */
static void write_processes(const struct capture_facts *f, struct str *text)
{
    char processes[UNITS_TEXT_BYTES], wall[UNITS_TEXT_BYTES];
    if (!f->is_foreign)
        str_addf(text, "%s in %s", words_count(processes, (int64_t)f->map.processes.count, "process", "processes"),
                 unit_format(wall, UNIT_NS, f->cost.wall_ns ? (double)f->cost.wall_ns : NAN));
    else if (has_foreign_ranks(f))
        str_add(text, words_count(processes, ranks_with_work(&f->gaps), "rank", "ranks"));
    else if (event_stream_recordings(f->stream))
        str_addf(text, "one process, %s",
                 words_count(processes, (int64_t)event_stream_recordings(f->stream), "recording", "recordings"));
    else
        str_add(text, "one trace");
}

/* "2 copies (8.00 KiB), 1 memset (4 B), " */
static void write_transfers(const struct trace_statistics *s, struct str *text)
{
    char number[UNITS_TEXT_BYTES], bytes[UNITS_TEXT_BYTES];
    if (!s->section_count[STATISTICS_COPIES])
        str_add(text, "no copies, ");
    for (int c = 0; c < TRANSFER_CLASSES; c++) {
        const struct transfer_words *words = transfer_words((enum transfer_class)c);
        const int64_t count = s->section_count[STATISTICS_COPIES + c];
        if (count)
            str_addf(text, "%s (%s), ", words_count(number, count, words->key, words->many),
                     unit_format(bytes, UNIT_BYTES, bytes_of(s, STATISTICS_COPIES + c)));
    }
}

static void write_amounts(const struct capture_facts *f, bool with_busy, struct str *text)
{
    char gpus[UNITS_TEXT_BYTES], kernels[UNITS_TEXT_BYTES], calls[UNITS_TEXT_BYTES], busy[UNITS_TEXT_BYTES];
    const int64_t *count = f->statistics.section_count;
    write_processes(f, text);
    if (f->damage.length) {
        str_add(text, ", nothing of which can be read");
        return;
    }
    if (f->gaps.operations && !has_foreign_ranks(f))
        str_addf(text, " on %s", words_count(gpus, gpus_with_work(&f->gaps), "GPU", "GPUs"));
    str_addf(text, ": %s, ", words_count(kernels, count[STATISTICS_KERNELS], "kernel", "kernels"));
    write_transfers(&f->statistics, text);
    str_add(text, words_count(calls, count[STATISTICS_API], "API call", "API calls"));
    if (with_busy && f->gaps.operations)
        str_addf(text, "; from the first operation to the last the GPU was busy %s",
                 unit_format(busy, UNIT_RATIO, busy_share(f)));
}

static void write_signal(long long number, bool killed, struct document *d)
{
    const char *name = number < NSIG ? sigabbrev_np((int)number) : NULL;
    document_span(d, SPAN_PLAIN, "was ended by signal %lld", number);
    if (name)
        document_span(d, SPAN_PLAIN, " (SIG%s, %s)", name, strsignal((int)number));
    if (killed)
        document_span(d, SPAN_PLAIN, ", by cpprof, which was asked twice to end");
}

/* What became of the program, as what it "ended with" or "was ended by". */
static void write_end(const struct capture_facts *f, struct document *d)
{
    const json_t *capture = json_object_get(f->bundle.manifest, "capture");
    const long long signal = json_get_integer(capture, "signal", 0),
                    status = json_get_integer(capture, "exit_status", -1);
    if (!f->bundle.complete)
        document_span(d, SPAN_PLAIN, "has no recorded end, as the capture was not sealed");
    else if (signal > 0)
        write_signal(signal, json_is_true(json_object_get(capture, "killed")), d);
    else if (status >= 0)
        document_span(d, SPAN_PLAIN, "ended with exit status %lld", status);
    else
        document_span(d, SPAN_PLAIN, "has no recorded end");
}

/* ---- what ran where ---- */

/* A process sees all GPUs of the machine. Those that it used have work of it. */
static bool is_used(const struct capture_facts *f, const struct capture_process *p, int16_t device)
{
    for (size_t i = 0; i < f->gaps.count && p->has_events; i++)
        if (f->gaps.items[i].rank == p->rank && f->gaps.items[i].device == device)
            return true;
    return false;
}

static const char *process_devices(const struct capture_facts *f, const struct capture_process *p, struct document *d)
{
    const json_t *gpus = json_object_get(p->report, "gpus");
    struct str text;
    str_init(&text);
    for (size_t i = 0; i < json_array_size(gpus) && i < CAPTURE_ORDINALS_MAX; i++) {
        const long long ordinal = json_get_integer(json_array_get(gpus, i), "ordinal", -1);
        if (ordinal < 0 || ordinal >= CAPTURE_ORDINALS_MAX || !is_used(f, p, p->devices[ordinal]))
            continue;
        str_addf(&text, "%s%d", text.length ? ", " : "", p->devices[ordinal]);
        if (p->devices[ordinal] != ordinal)
            str_addf(&text, " (its %lld)", ordinal);
    }
    if (!text.length)
        str_add(&text, "none");
    const char *copied = arena_copy(&d->arena, str_text(&text));
    str_release(&text);
    return copied;
}

static const char *process_end(const struct capture_process *p)
{
    if (!p->report)
        return "its report is lost";
    if (!p->trace)
        return "no trace";
    if (json_get_integer(p->report, "cut_bytes", 0) > 0)
        return "in the middle of a write";
    if (strcmp(json_get_text(p->report, "state", ""), "ended") != 0)
        return "without telling";
    return json_get_text(p->report, "ended_by", "in good order");
}

static void add_process(const struct capture_facts *f, const struct capture_process *p, struct document *d)
{
    const json_t *collector = json_object_get(p->report, "collector");
    document_cell(d, "%lld", p->pid);
    if (p->rank >= 0)
        document_cell(d, "%d", p->rank);
    else
        document_cell(d, "-");
    document_cell_code(d, capture_process_program(p));
    document_cell(d, "%s", process_devices(f, p, d));
    document_cell_unit(d, UNIT_COUNT, json_get_number(collector, "records", NAN));
    document_cell_unit(d, UNIT_BYTES, json_get_number(collector, "trace_bytes", NAN));
    document_cell_unit(d, UNIT_NS,
                       json_get_number(collector, "cpu_ns", NAN) + json_get_number(collector, "callbacks_ns", 0));
    document_cell(d, "%s", process_end(p));
}

static void add_processes(const struct capture_facts *f, struct document *d)
{
    static const struct document_column columns[] = {
        {"pid", true},     {"rank", true},  {"program", false},        {"GPUs used", false},
        {"records", true}, {"trace", true}, {"collector's CPU", true}, {"ended", false}};
    const size_t count = f->map.processes.count;
    if (!count)
        return;
    document_heading(d, 2, "Processes");
    const bool is_said = count == 1 && !capture_facts_nothing(f); /* by the first screen */
    const enum tier tier = is_said ? document_evidence(d) : d->tier;
    document_table(d, columns, COUNT_OF(columns));
    for (size_t i = 0; i < count && i < PROCESSES_SHOWN; i++)
        add_process(f, &f->map.processes.items[i], d);
    document_tier(d, tier);
    if (count <= PROCESSES_SHOWN)
        return;
    document_paragraph(d);
    document_span(d, SPAN_PLAIN, "%zu more are left out.", count - PROCESSES_SHOWN);
}

static void add_gpus(const struct capture_facts *f, struct document *d)
{
    static const struct document_column columns[] = {
        {"device", true}, {"name", false}, {"compute capability", false}, {"PCI", false}, {"UUID", false}};
    if (!f->map.gpus.count)
        return;
    document_heading(d, 2, "GPUs");
    document_table(d, columns, COUNT_OF(columns));
    for (size_t i = 0; i < f->map.gpus.count; i++) {
        const struct capture_gpu *gpu = &f->map.gpus.items[i];
        document_cell(d, "%d", gpu->device);
        document_cell(d, "%s", json_get_text(gpu->about, "name", "unknown"));
        document_cell(d, "%s", json_get_text(gpu->about, "compute_capability", "unknown"));
        document_cell(d, "%s", json_get_text(gpu->about, "pci", "unknown"));
        document_cell_code(d, json_get_text(gpu->about, "uuid", "unknown"));
    }
}

/* Whether any device has time in which only work of this class runs: copies have a column in any case. */
static bool has_class(const struct capture_facts *f, int c)
{
    for (size_t i = 0; i < f->gaps.count; i++)
        if (f->gaps.items[i].cause_ns[GAP_COPY + c])
            return true;
    return c == TRANSFER_COPY;
}

static void add_place(const struct capture_facts *f, const struct gaps_device *g, struct document *d)
{
    document_cell(d, "%s", words_place(d, g->rank, g->device, false));
    document_cell_unit(d, UNIT_COUNT, (double)g->operations);
    document_cell_unit(d, UNIT_NS, (double)gaps_span_ns(g));
    document_cell_unit(d, UNIT_NS, (double)g->kernel_ns);
    for (int c = 0; c < TRANSFER_CLASSES; c++)
        if (has_class(f, c))
            document_cell_unit(d, UNIT_NS, (double)g->cause_ns[GAP_COPY + c]);
    document_cell_unit(d, UNIT_NS, (double)gaps_idle_ns(g));
    document_cell_unit(d, UNIT_RATIO, device_busy_share(g));
}

static void add_places(const struct capture_facts *f, struct document *d)
{
    struct document_column columns[6 + TRANSFER_CLASSES] = {
        {"where", false}, {"operations", true}, {"span", true}, {"kernels", true}};
    size_t count = 4;
    if (!f->gaps.count)
        return;
    for (int c = 0; c < TRANSFER_CLASSES; c++)
        if (has_class(f, c))
            columns[count++] = (struct document_column){transfer_words((enum transfer_class)c)->only, true};
    columns[count++] = (struct document_column){"idle", true};
    columns[count++] = (struct document_column){"busy", true};
    document_heading(d, 2, "What ran where");
    document_table(d, columns, count);
    for (size_t i = 0; i < f->gaps.count; i++)
        add_place(f, &f->gaps.items[i], d);
}

static const char *object_word(uint32_t object)
{
    static const char *const words[] = {
        [CPPROF_NAMED_THREAD] = "thread",
        [CPPROF_NAMED_DEVICE] = "device",
        [CPPROF_NAMED_CONTEXT] = "context",
        [CPPROF_NAMED_STREAM] = "stream",
    };
    return object < COUNT_OF(words) && words[object] ? words[object] : NULL;
}

static void add_name(const struct object_name *n, const struct strtab *strings, struct document *d)
{
    if (n->rank >= 0)
        document_cell(d, "%d", n->rank);
    else
        document_cell(d, "-");
    document_cell(d, "%s", object_word(n->object));
    if (n->object == CPPROF_NAMED_STREAM)
        document_cell(d, "%" PRIu32 " of context %" PRIu32, n->id, n->context);
    else
        document_cell(d, "%" PRIu32, n->id);
    document_cell_code(d, arena_copy(&d->arena, strtab_text(strings, n->name)));
}

static void add_names(const struct capture_facts *f, struct document *d)
{
    static const struct document_column columns[] = {
        {"rank", true}, {"what", false}, {"number", false}, {"name", false}};
    const struct object_names *names = event_stream_object_names(f->stream);
    size_t count = 0;
    for (size_t i = 0; i < names->count; i++) {
        if (!object_word(names->items[i].object) || ++count > NAMES_SHOWN)
            continue;
        if (count == 1) {
            document_heading(d, 2, "What the program calls them");
            document_table(d, columns, COUNT_OF(columns));
        }
        add_name(&names->items[i], event_stream_strings(f->stream), d);
    }
    if (count + names->left_out <= NAMES_SHOWN)
        return;
    document_paragraph(d);
    document_span(d, SPAN_PLAIN, "%zu more are left out.", count + names->left_out - NAMES_SHOWN);
}

/* ---- the parts that other commands have ---- */

static struct trace_side side_of(const struct capture_facts *f, const char *path, bool is_part)
{
    return (struct trace_side){.source = path, .caveats = event_stream_caveats(f->stream), .is_part = is_part};
}

static struct stats_report stats_of(const struct capture_facts *f, const char *path, bool is_part)
{
    return (struct stats_report){.sides = {side_of(f, path, is_part)},
                                 .statistics = {f->statistics},
                                 .side_count = 1,
                                 .names = &f->names,
                                 .top = is_part ? ROWS_SHOWN : 0};
}

static struct launch_report launches_of(const struct capture_facts *f, const char *path, bool is_part)
{
    return (struct launch_report){.sides = {side_of(f, path, is_part)},
                                  .launches = {f->launches},
                                  .gaps = {f->gaps},
                                  .side_count = 1,
                                  .names = &f->names,
                                  .top = is_part ? ROWS_SHOWN : 0};
}

static struct gaps_report gaps_of(const struct capture_facts *f, const char *path, bool is_part)
{
    return (struct gaps_report){.sides = {side_of(f, path, is_part)},
                                .gaps = {f->gaps},
                                .strings = {event_stream_strings(f->stream)},
                                .starts = {event_stream_starts(f->stream)},
                                .side_count = 1};
}

static struct overlap_report overlap_of(const struct capture_facts *f, const char *path,
                                        const struct rule_results *no_rules, bool is_part)
{
    return (struct overlap_report){.source = path,
                                   .strings = event_stream_strings(f->stream),
                                   .query = &f->query,
                                   .timeline = &f->timeline,
                                   .assertions = no_rules,
                                   .starts = event_stream_starts(f->stream),
                                   .caveats = event_stream_caveats(f->stream),
                                   .classes = f->sets.classes,
                                   .class_count = CLASS_SETS,
                                   .dependent_launch = event_stream_dependent_launch(f->stream),
                                   .is_part = is_part};
}

/* A page of another command as a section. Its first paragraph is its answer, which the first screen gives as a bullet.
 */
struct capture_section {
    const char *title, *question;
    int (*report)(const struct capture_facts *f, const char *path, struct document *d, struct err *e);
    bool is_in_time;    /* the first screen has said it: by the time of the devices */
    bool is_in_kernels; /* of a profile, whose first screen has ten kernels instead */
};

static int section_stats(const struct capture_facts *f, const char *path, struct document *d, struct err *e)
{
    const struct stats_report r = stats_of(f, path, true);
    return report_stats(&r, d, e);
}

static int section_launches(const struct capture_facts *f, const char *path, struct document *d, struct err *e)
{
    const struct launch_report r = launches_of(f, path, true);
    return f->launches.total.launches ? report_launch(&r, d, e) : 0;
}

static int section_overlap(const struct capture_facts *f, const char *path, struct document *d, struct err *e)
{
    const struct rule_results no_rules = {0};
    const struct overlap_report r = overlap_of(f, path, &no_rules, true);
    if (!f->timeline.gpu_events)
        return 0;
    const struct trace_measures m = trace_measures_of(f);
    int rc = report_overlap(&r, d, e);
    const enum tier evidence = d->tier;
    document_tier(d, TIER_SECTIONS);
    if (!rc)
        rc = copy_picture_add(&m, d, e);
    document_tier(d, evidence);
    return rc ? rc : rank_picture_add(f->stream, d, e);
}

static int section_gaps(const struct capture_facts *f, const char *path, struct document *d, struct err *e)
{
    const struct gaps_report r = gaps_of(f, path, true);
    const struct trace_measures m = trace_measures_of(f);
    if (!f->gaps.operations)
        return 0;
    const int rc = report_gaps(&r, d, e);
    return rc ? rc : gap_picture_add(&m, d, e);
}

static int section_units(const struct capture_facts *f, const char *path, struct document *d, struct err *e)
{
    (void)path, (void)e;
    kernel_windows_report_add(f, ROWS_SHOWN, d);
    program_gains_report_add(f, d);
    kernel_replays_report_add(f, d);
    return 0;
}

static int section_dependencies(const struct capture_facts *f, const char *path, struct document *d, struct err *e)
{
    (void)path, (void)e;
    dependencies_report_add(f, ROWS_SHOWN, d);
    return 0;
}

static int section_owners(const struct capture_facts *f, const char *path, struct document *d, struct err *e)
{
    (void)e;
    owners_report_add(f, path, d);
    return 0;
}

static int section_steps(const struct capture_facts *f, const char *path, struct document *d, struct err *e)
{
    (void)path, (void)e;
    program_steps_report_add(f, d);
    return 0;
}

enum { BOUNDS_SECTION = 1 };

static const struct capture_section sections[] = {
    {"What took the time", "Time", section_stats, true, true},
    [BOUNDS_SECTION] = {"What bounds the kernels", "Bounds", section_units},
    {"Who launched it", "Launched", section_owners},
    {"Steps of the program", "Steps", section_steps},
    {"When no kernel ran, and why", "Idle", section_gaps, true, true},
    {"What ran beside what", "Overlap", section_overlap, false, true},
    {"What launches cost", "Launch", section_launches, false, true},
    {"What the program waits for", "Critical", section_dependencies},
};

static const size_t no_bullet = SIZE_MAX;

/* The bullet of the first screen which a section is to fill, unless it has one. */
static void begin_answer(struct document *d, size_t *bullet)
{
    if (*bullet != no_bullet)
        return;
    *bullet = d->count;
    document_bullet(d);
}

static int add_measures(const struct capture_facts *f, const char *path, const size_t *bullets, struct document *d,
                        struct err *e)
{
    int rc = 0;
    document_lower(d, 1);
    for (size_t i = 0; i < COUNT_OF(sections) && !rc; i++) {
        document_tier(d, TIER_SECTIONS);
        document_heading(d, 1, sections[i].title);
        const size_t answer = d->count;
        rc = sections[i].report(f, path, d, e);
        if (f->is_foreign || !capture_facts_nothing(f)) /* what can be read of it is no answer */
            document_answer(d, answer, bullets[i], sections[i].question);
    }
    document_lower(d, 0);
    return rc;
}

/* ---- ranges, cost, caveats ---- */

static void add_spans(const struct capture_facts *f, uint16_t kind, const char *title, const char *subject,
                      struct document *d)
{
    const struct document_column columns[] = {{"total", true}, {"count", true}, {"p50", true},
                                              {"p99", true},   {"max", true},   {subject, false}};
    size_t count = 0;
    for (size_t i = 0; i < f->spans.count; i++) {
        const struct span_row *row = &f->spans.items[i];
        const struct strtab *strings = event_stream_strings(f->stream);
        if (row->kind != kind || ++count > ROWS_SHOWN)
            continue;
        if (count == 1) {
            document_heading(d, 2, title);
            document_table(d, columns, COUNT_OF(columns));
        }
        const char *name = strtab_text(strings, row->name);
        document_cell_unit(d, UNIT_NS, (double)row->durations.total_ns);
        document_cell_unit(d, UNIT_COUNT, (double)row->durations.count);
        document_cell_unit(d, UNIT_NS, row->durations.p50_ns);
        document_cell_unit(d, UNIT_NS, row->durations.p99_ns);
        document_cell_unit(d, UNIT_NS, (double)row->durations.max_ns);
        document_cell_code(d, row->domain ? arena_printf(&d->arena, "%s@%s", name, strtab_text(strings, row->domain))
                                          : arena_copy(&d->arena, *name ? name : "(no name)"));
    }
    if (count <= ROWS_SHOWN)
        return;
    document_paragraph(d);
    document_span(d, SPAN_PLAIN, "%zu more are left out.", count - ROWS_SHOWN);
}

static void write_cost(const struct capture_facts *f, struct document *d)
{
    char cpu[UNITS_TEXT_BYTES], share[UNITS_TEXT_BYTES], records[UNITS_TEXT_BYTES], bytes[UNITS_TEXT_BYTES],
        dropped[UNITS_TEXT_BYTES];
    if (f->cost.unended == f->map.processes.count) {
        document_span(d, SPAN_PLAIN, "what it cost is not known, as no process ended in good order");
        return;
    }
    document_span(d, SPAN_PLAIN, "%s of CPU time (%s of the program's wall time), %s, %s on disk, %s dropped",
                  unit_format(cpu, UNIT_NS, (double)f->cost.cpu_ns),
                  unit_format(share, UNIT_RATIO, words_ratio((double)f->cost.cpu_ns, (double)f->cost.wall_ns)),
                  words_count(records, f->cost.records, "record", "records"),
                  unit_format(bytes, UNIT_BYTES, (double)f->cost.bytes),
                  f->cost.dropped ? unit_format(dropped, UNIT_COUNT, (double)f->cost.dropped) : "none");
    if (f->cost.unended)
        document_span(d, SPAN_PLAIN, "; without %zu that did not end in good order", f->cost.unended);
}

static void add_cost(const struct capture_facts *f, struct document *d)
{
    if (!f->map.processes.count)
        return;
    document_heading(d, 2, "What the capture cost");
    document_evidence(d);
    document_paragraph(d);
    document_span(d, SPAN_PLAIN, "collector: ");
    write_cost(f, d);
    document_span(d, SPAN_PLAIN, ".");
    add_spans(f, CPPROF_EVENT_OVERHEAD, "Overhead that CUPTI and the driver report", "of what", d);
}

static void add_caveats(const struct capture_facts *f, struct document *d)
{
    const struct caveat_list *caveats = event_stream_caveats(f->stream);
    const struct trace_side side = {.caveats = caveats};
    words_caveats(d, &side, 1);
}

/* ---- JSON ---- */

static json_t *json_processes(const struct capture_facts *f)
{
    json_t *list = json_array();
    for (size_t i = 0; i < f->map.processes.count; i++) {
        const struct capture_process *p = &f->map.processes.items[i];
        json_t *devices = json_array();
        const json_t *gpus = json_object_get(p->report, "gpus");
        for (size_t k = 0; k < json_array_size(gpus); k++) {
            const long long ordinal = json_get_integer(json_array_get(gpus, k), "ordinal", -1);
            if (ordinal >= 0 && ordinal < CAPTURE_ORDINALS_MAX)
                json_array_append_new(devices, json_pack("{sI so sb}", "ordinal", (json_int_t)ordinal, "device",
                                                         json_integer_or_null(p->devices[ordinal]), "used",
                                                         is_used(f, p, p->devices[ordinal])));
        }
        json_array_append_new(list,
                              json_pack("{sI so so so ss}", "pid", (json_int_t)p->pid, "program",
                                        json_text(capture_process_program(p)), "rank", json_integer_or_null(p->rank),
                                        "devices", devices, "ended", process_end(p)));
    }
    return list;
}

static json_t *json_gpus(const struct capture_facts *f)
{
    json_t *list = json_array();
    for (size_t i = 0; i < f->map.gpus.count; i++) {
        json_t *gpu = json_pack("{si}", "device", f->map.gpus.items[i].device);
        json_object_update_missing(gpu, (json_t *)f->map.gpus.items[i].about);
        json_object_del(gpu, "ordinal");
        json_array_append_new(list, gpu);
    }
    return list;
}

static json_t *json_names(const struct capture_facts *f)
{
    const struct object_names *names = event_stream_object_names(f->stream);
    json_t *list = json_array();
    for (size_t i = 0; i < names->count; i++) {
        const struct object_name *n = &names->items[i];
        if (object_word(n->object))
            json_array_append_new(
                list,
                json_pack("{so ss so sI so}", "rank", json_integer_or_null(n->rank), "object", object_word(n->object),
                          "context", n->object == CPPROF_NAMED_STREAM ? json_integer(n->context) : json_null(), "id",
                          (json_int_t)n->id, "name", json_text(strtab_text(event_stream_strings(f->stream), n->name))));
    }
    return list;
}

static json_t *json_cost_of(const struct capture_facts *f)
{
    return json_pack("{sI sI sI sI sI sI}", "cpu_ns", (json_int_t)f->cost.cpu_ns, "wall_ns",
                     (json_int_t)f->cost.wall_ns, "records", (json_int_t)f->cost.records, "trace_bytes",
                     (json_int_t)f->cost.bytes, "dropped", (json_int_t)f->cost.dropped, "filtered",
                     (json_int_t)f->cost.filtered);
}

json_t *json_capture(const struct capture_facts *f, const char *path)
{
    const struct rule_results no_rules = {0};
    const struct stats_report stats = stats_of(f, path, false);
    const struct launch_report launches = launches_of(f, path, false);
    const struct gaps_report gaps = gaps_of(f, path, false);
    const struct overlap_report overlap = overlap_of(f, path, &no_rules, false);
    const char *nothing = capture_facts_nothing(f);
    const bool is_foreign = f->is_foreign, has_timeline = !event_stream_is_launches_only(f->stream);
    return json_pack(
        "{ss so ss so so so so so so so so so so so so so so so so so}", "schema", "cpprof.report/1", "bundle",
        json_text(path), "kind", is_foreign ? "trace" : CAPTURE_KIND, "nothing",
        nothing ? json_string(nothing) : json_null(), "processes", is_foreign ? json_null() : json_processes(f), "gpus",
        is_foreign ? json_null() : json_gpus(f), "names", json_names(f), "collector",
        is_foreign ? json_null() : json_cost_of(f), "stats", json_stats(&stats), "launch", json_launch(&launches),
        "time", has_timeline ? json_device_time(f) : json_null(), "overlap",
        has_timeline ? json_overlap(&overlap) : json_null(), "gaps", has_timeline ? json_gaps(&gaps) : json_null(),
        "profile", json_kernel_windows(f), "replays", json_kernel_replays(f), "gains", json_program_gains(f), "causal",
        json_causal(f), "dependencies", json_dependencies(f), "owners", json_owners(f), "steps", json_program_steps(f));
}

static void write_busy(const struct capture_facts *f, struct document *d)
{
    if (f->gaps.count < 2)
        return;
    document_paragraph(d);
    document_span(d, SPAN_PLAIN, "busy: ");
    for (size_t i = 0; i < f->gaps.count && i < SHARES_SHOWN; i++) {
        char share[UNITS_TEXT_BYTES];
        document_span(d, SPAN_PLAIN, "%s%s %s", i ? ", " : "",
                      words_place(d, f->gaps.items[i].rank, f->gaps.items[i].device, false),
                      unit_format(share, UNIT_RATIO, device_busy_share(&f->gaps.items[i])));
    }
    if (f->gaps.count > SHARES_SHOWN)
        document_span(d, SPAN_PLAIN, " and %zu more", f->gaps.count - SHARES_SHOWN);
}

static void add_top_kernels(const struct capture_facts *f, size_t most, struct document *d)
{
    static const struct document_column columns[] = {
        {"of GPU time", true}, {"total", true}, {"count", true}, {"median", true}, {"kernel", false}};
    size_t shown = 0;
    for (size_t i = 0; i < f->statistics.count && shown < most; i++) {
        const struct statistics_row *row = &f->statistics.items[i];
        if (row->section != STATISTICS_KERNELS || !strcmp(short_names_full(&f->names, row->name), CAUSAL_SHOWN))
            continue;
        if (!shown++)
            document_table(d, columns, COUNT_OF(columns));
        document_cell_unit(d, UNIT_RATIO, row->share);
        document_cell_unit(d, UNIT_NS, (double)row->durations.total_ns);
        document_cell_unit(d, UNIT_COUNT, (double)(row->durations.count + row->unfinished));
        document_cell_unit(d, UNIT_NS, row->durations.p50_ns);
        document_cell_code(d, words_name(d, &f->names, row->name, NAMES_SHORT, NAME_COLUMNS));
    }
}

/* What to do first follows from times, which delays have changed. */
static void add_first(const struct capture_facts *f, struct document *d)
{
    if (!f->causal.count)
        device_time_report_first(f, d);
}

/* The first line names the trace. */
static const char *without_path(const char *caveat, const char *path)
{
    const size_t length = strlen(path);
    return !strncmp(caveat, path, length) && !strncmp(caveat + length, ": ", 2) ? caveat + length + 2 : caveat;
}

/* What makes the numbers doubtful; without GPU work also the tool's notes, as they may say why. The section on caveats
 * has all. */
static void write_weakening(const struct capture_facts *f, const char *path, struct document *d)
{
    const struct caveat_list *caveats = event_stream_caveats(f->stream);
    const bool with_notes = f->is_foreign && capture_facts_nothing(f);
    size_t count = 0;
    for (size_t i = 0; i < caveats->count; i++) {
        if ((caveats->items[i].kind == CAVEAT_NOTE && !with_notes) || ++count > WEAKENING_SHOWN)
            continue;
        document_fact(d, "Caveat");
        document_span(d, SPAN_PLAIN, "%s", without_path(caveats->items[i].text, path));
    }
    if (count > WEAKENING_SHOWN)
        document_span(d, SPAN_PLAIN, "; and %zu more", count - WEAKENING_SHOWN);
}

static void write_recorded(const struct capture_facts *f, bool on_screen, struct document *d)
{
    struct str text;
    str_init(&text);
    if (words_recorded(f, &text)) {
        if (on_screen)
            document_fact(d, "Recorded");
        else
            document_paragraph(d);
        document_span(d, SPAN_PLAIN, "%s%s", on_screen ? "" : "recorded: ", str_text(&text));
    }
    d->failed |= text.failed;
    str_release(&text);
}

/* What a capture of ours would say. */
static void write_lacks(const struct capture_facts *f, struct document *d)
{
    document_fact(d, "Not in it");
    document_span(d, SPAN_PLAIN, "the program, how it ended, what recording it cost");
    if (!f->statistics.section_count[STATISTICS_API])
        document_span(d, SPAN_PLAIN,
                      "; calls of the CUDA API, so neither the causes of idle time nor the host's waits");
    if (event_stream_is_launches_only(f->stream))
        document_span(d, SPAN_PLAIN, "; copies and streams, so no time in which the GPU is idle");
}

/* ---- the page ---- */

static void write_look_closer(const struct capture_facts *f, const char *path, struct document *d)
{
    if (!f->gaps.operations)
        return;
    document_fact(d, "Look closer");
    document_span(d, SPAN_CODE, "cpprof export %s --to pftrace -o trace.pftrace", path);
}

/* Less of it changes no headline. */
static const double communication_said = 0.05;

static void write_busy_headline(const struct capture_facts *f, struct document *d)
{
    const bool is_many = gpus_with_work(&f->gaps) > 1 || has_foreign_ranks(f);
    const double alone = communication_share(f);
    char text[UNITS_TEXT_BYTES];
    document_span(d, SPAN_PLAIN, ": %sthe GPU%s busy %s of the time from %s first to %s last work",
                  words_in_doubt(event_stream_caveats(f->stream)), is_many ? "s are" : " is",
                  unit_format(text, UNIT_RATIO, busy_share(f)), is_many ? "their" : "its", is_many ? "their" : "its");
    if (alone >= communication_said)
        document_span(d, SPAN_PLAIN, ", %s with communication alone", unit_format(text, UNIT_RATIO, alone));
}

/* "1,744 times migration h2d (36.1 MiB in 5.49 ms), 195 times migration d2h (32.1 MiB in 926 us)" */
static void write_migrations(const struct capture_facts *f, struct document *d)
{
    const char *between = "";
    for (size_t i = 0; i < f->statistics.count; i++) {
        const struct statistics_row *row = &f->statistics.items[i];
        char count[UNITS_TEXT_BYTES], bytes[UNITS_TEXT_BYTES], time[UNITS_TEXT_BYTES];
        if (row->section != STATISTICS_MIGRATIONS)
            continue;
        document_span(d, SPAN_PLAIN, "%s%s times %s (%s in %s)", between,
                      unit_format(count, UNIT_COUNT, (double)row->durations.count),
                      short_names_text(&f->names, row->name), unit_format(bytes, UNIT_BYTES, (double)row->size_bytes),
                      unit_format(time, UNIT_NS, (double)row->durations.total_ns));
        between = ", ";
    }
}

/* Who waits for pages is not in a trace; that they move is. */
static void write_managed_memory(const struct capture_facts *f, struct document *d)
{
    const bool has_migrations = f->statistics.section_count[STATISTICS_MIGRATIONS];
    if (!has_migrations && !event_stream_lacks_migrations(f->stream))
        return;
    document_fact(d, "Managed memory");
    if (!has_migrations) {
        document_span(d, SPAN_PLAIN, "how its pages moved is not in the trace: ");
        document_span(d, SPAN_CODE, "cpprof capture --migrations -- PROGRAM");
        document_span(d, SPAN_PLAIN, " records it");
        return;
    }
    write_migrations(f, d);
    document_span(d, SPAN_PLAIN, ". Kernels wait for pages that are elsewhere: cudaMemPrefetchAsync, cudaMemAdvise");
    if (!f->is_foreign)
        document_span(
            d, SPAN_PLAIN,
            ". Records of migrations make such waits longer, which is no part of the collector's cost: time the program without "
            "--migrations");
}

/* What the program did, and how it ended; whatever was lost. */
static void add_screen(const struct capture_facts *f, const char *path, size_t *bullets, struct document *d)
{
    const char *nothing = capture_facts_nothing(f);
    struct str amounts;
    bool has_time = false, has_windows = false;
    document_tier(d, TIER_SCREEN);
    document_heading(d, 1, "");
    document_span(d, SPAN_CODE, "%s", f->is_foreign ? path : program_name(f));
    if (nothing)
        document_span(d, SPAN_PLAIN, ": %s", nothing);
    else if (f->gaps.operations)
        write_busy_headline(f, d);
    else if (event_stream_is_launches_only(f->stream))
        document_span(d, SPAN_PLAIN, ": launches alone, no timeline of the GPU");
    if (!nothing && capture_facts_is_damaged(f))
        document_span(d, SPAN_PLAIN, "%s",
                      f->is_foreign ? "; DAMAGED TRACE: see the caveats" : "; DAMAGED BUNDLE: see the caveats");
    if (!nothing) {
        const struct trace_measures m = trace_measures_of(f);
        if (f->causal.count) { /* its times are not the program's */
            causal_report_add(f, d);
        } else {
            has_time = f->gaps.count > 0;
            if (has_time)
                d->facts = json_brief_capture(f, d);
            device_time_report_add(f, d);
            device_time_picture_add(&m, d);
            begin_answer(d, &bullets[BOUNDS_SECTION]);
            if (capture_facts_asked_for_samples(f) && !f->samples.count)
                words_missing(d, &f->map, "samples", "Samples missing");
            has_windows = kernel_windows_report_top(f, ROWS_SHOWN, d);
            if (!has_windows)
                add_top_kernels(f, KERNELS_ON_A_SCREEN, d);
            add_first(f, d);
        }
        program_gains_report_first(f, d);
    }
    document_fact(d, f->is_foreign ? "Trace" : "Program");
    str_init(&amounts);
    write_amounts(f, false, &amounts);
    document_span(d, SPAN_PLAIN, "%s", str_text(&amounts));
    d->failed |= amounts.failed;
    str_release(&amounts);
    if (f->is_foreign) {
        write_lacks(f, d);
    } else {
        document_span(d, SPAN_PLAIN, "; it ");
        write_end(f, d);
        write_recorded(f, true, d);
    }
    write_managed_memory(f, d);
    for (size_t i = 0; i < COUNT_OF(sections); i++)
        if (!(has_time && sections[i].is_in_time) && !(has_windows && sections[i].is_in_kernels))
            begin_answer(d, &bullets[i]);
    write_weakening(f, path, d);
}

/* What the first screen ends with. */
typedef void screen_end(const struct capture_facts *f, const char *path, struct document *d);

/* The first screen, and the sections that answer its questions. */
static int add_answers(const struct capture_facts *f, const char *path, screen_end *write_screen_end,
                       struct document *d, struct err *e)
{
    size_t bullets[COUNT_OF(sections)];
    for (size_t i = 0; i < COUNT_OF(sections); i++)
        bullets[i] = no_bullet;
    add_screen(f, path, bullets, d);
    write_screen_end(f, path, d);
    return event_stream_count(f->stream) ? add_measures(f, path, bullets, d, e) : 0;
}

int report_capture(const struct capture_facts *f, const char *path, struct document *out, struct err *e)
{
    enum { LINES_MAX = 255 };
    out->lines_max = LINES_MAX;
    const int rc = add_answers(f, path, write_look_closer, out, e);
    if (rc)
        return rc;
    document_tier(out, TIER_SECTIONS);
    add_spans(f, CPPROF_EVENT_RANGE, "NVTX ranges", "range", out);
    add_processes(f, out);
    add_caveats(f, out);
    document_evidence(out);
    add_places(f, out);
    add_names(f, out);
    add_gpus(f, out);
    add_cost(f, out);
    document_tier(out, TIER_SECTIONS);
    if (!f->is_foreign)
        provenance_capture_add(out, f->bundle.manifest);
    return out->failed ? err_memory(e) : 0;
}

/* ---- the lines at the end of a capture ---- */

static void write_next(const struct capture_facts *f, const char *path, struct document *d)
{
    document_paragraph(d);
    document_span(d, SPAN_PLAIN, "captured in ");
    document_span(d, SPAN_CODE, "%s", path);
    if (capture_facts_nothing(f))
        return;
    document_span(d, SPAN_PLAIN, "; next: cpprof report, overlap, gaps or launch ");
    document_span(d, SPAN_CODE, "%s", path);
}

int report_capture_summary(const struct capture_facts *f, const char *path, struct document *out, struct err *e)
{
    const char *nothing = capture_facts_nothing(f);
    struct str answer;
    str_init(&answer);
    write_amounts(f, true, &answer);
    document_paragraph(out);
    document_span(out, SPAN_PLAIN, "cpprof: %s: %s; it ", program_name(f), nothing ? nothing : str_text(&answer));
    write_end(f, out);
    str_release(&answer);
    if (!nothing) {
        write_busy(f, out);
        add_top_kernels(f, TOP_KERNELS, out);
    }
    write_recorded(f, false, out);
    write_weakening(f, path, out);
    if (f->map.processes.count) {
        document_paragraph(out);
        document_span(out, SPAN_PLAIN, "collector: ");
        write_cost(f, out);
    }
    write_next(f, path, out);
    return out->failed ? err_memory(e) : 0;
}

static void write_captured(const struct capture_facts *f, const char *path, struct document *d)
{
    char share[UNITS_TEXT_BYTES], bytes[UNITS_TEXT_BYTES];
    document_paragraph(d);
    document_span(d, SPAN_PLAIN, "captured in ");
    document_span(d, SPAN_CODE, "%s", path);
    if (f->cost.unended < f->map.processes.count)
        document_span(d, SPAN_PLAIN, " (%s; collector: %s of a core)",
                      unit_format(bytes, UNIT_BYTES, (double)f->cost.bytes),
                      unit_format(share, UNIT_RATIO, words_ratio((double)f->cost.cpu_ns, (double)f->cost.wall_ns)));
    if (capture_facts_nothing(f))
        return;
    document_span(d, SPAN_PLAIN, "; next: ");
    document_span(d, SPAN_CODE, "cpprof report %s", path);
}

int report_profile_summary(const struct capture_facts *f, const char *path, struct document *out, struct err *e)
{
    const int rc = add_answers(f, path, write_captured, out, e);
    return !rc && out->failed ? err_memory(e) : rc;
}
