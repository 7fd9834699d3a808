/* What bound the kernels of a program that ran undisturbed? */
#include "reports/kernel_windows_report.h"

#include <string.h>

#include "analyzers/capture/busiest_words.h"
#include "analyzers/capture/window_bound.h"
#include "analyzers/columns.h"
#include "core/base/count_of.h"
#include "core/base/str.h"
#include "core/base/units.h"
#include "reports/rows/row_formats.h"
#include "reports/trace_words.h"

enum { NAME_COLUMNS = 40, ROWS_KEPT = 3, CLASSES = BOUND_BALANCED + 1 };

/* Where in the kernels' time would less work, more bytes a second, or more in flight help? */
static void write_answer(const struct capture_facts *f, struct document *d)
{
    const struct kernel_windows *w = &f->windows;
    const char *of = " of the kernels' time";
    double time_ns[CLASSES] = {0}, total_ns = 0;
    bool may_be_counted = false, are_too_few = w->kernel_count > 0;
    for (size_t i = 0; i < w->kernel_count; i++) {
        time_ns[w->kernels[i].class_] += (double)w->kernels[i].total_ns;
        total_ns += (double)w->kernels[i].total_ns;
        may_be_counted |= w->kernels[i].reason == WINDOW_UNITS_NOT_SAMPLED;
        are_too_few &= w->kernels[i].reason == WINDOW_TOO_FEW_SAMPLES;
    }
    document_paragraph(d);
    for (size_t i = 1; i <= CLASSES; i++) {
        const enum bound_class class_ = (enum bound_class)(i % CLASSES); /* inconclusive is the last */
        char share[UNITS_TEXT_BYTES];
        if (time_ns[class_] <= 0)
            continue;
        document_span(d, SPAN_PLAIN, "%s%s %s%s", *of ? "" : ", ", bound_class_name(class_),
                      unit_format(share, UNIT_RATIO, words_ratio(time_ns[class_], total_ns)), of);
        of = "";
    }
    if (*of)
        document_span(d, SPAN_PLAIN, "no kernel ran");
    if (may_be_counted && !capture_facts_replay(f))
        document_span(d, SPAN_PLAIN, "; 'cpprof profile --replay' counts units that were not sampled");
    if (are_too_few)
        document_span(d, SPAN_PLAIN, "; too few samples: record longer, or with another --interval or --replay");
}

/* How many kernels have a class, and who says so? */
static void write_sources(const struct kernel_windows *w, struct document *d)
{
    char all[UNITS_TEXT_BYTES];
    int64_t sampled = 0, replayed = 0;
    for (size_t i = 0; i < w->kernel_count; i++) {
        const struct kernel_window *k = &w->kernels[i];
        const bool is_replayed = k->reason == WINDOW_REPLAYED, is_bound = k->class_ != BOUND_INCONCLUSIVE;
        sampled += is_bound && !is_replayed;
        replayed += is_replayed;
    }
    if (sampled && replayed)
        document_span(d, SPAN_PLAIN, "samples show what bounds %lld, replays what bounds %lld more,",
                      (long long)sampled, (long long)replayed);
    else
        document_span(d, SPAN_PLAIN, "%s show what bounds %lld", replayed ? "replays" : "samples",
                      (long long)(sampled + replayed));
    document_span(d, SPAN_PLAIN, " of %s; ",
                  words_count(all, (int64_t)w->kernel_count, "distinct kernel", "distinct kernels"));
}

static void write_device(const struct sampled_device *s, struct document *d)
{
    char samples[UNITS_TEXT_BYTES], step[UNITS_TEXT_BYTES], part[UNITS_TEXT_BYTES], share[UNITS_TEXT_BYTES];
    document_span(d, SPAN_PLAIN, "device %d: %s of %s, in bursts that cover %s of the time; ", s->device,
                  words_count(samples, s->samples, "sample", "samples"), unit_format(step, UNIT_NS, (double)s->step_ns),
                  unit_format(part, UNIT_RATIO, words_ratio((double)s->sampled_ns, (double)s->span_ns)));
    if (s->doubt == WINDOW_OTHER_WORK)
        document_span(
            d, SPAN_PLAIN,
            "SMs work in %s of the samples in which the trace has no work, so something ran without a record, "
            "and nothing is said of bounds; ",
            unit_format(share, UNIT_RATIO, s->idle_active));
    else if (s->doubt)
        document_span(d, SPAN_PLAIN,
                      "samples and records contradict each other, as if their clocks differed, and nothing is said of "
                      "bounds; ");
}

static void add_table(const struct capture_facts *f, size_t shown, struct document *d)
{
    const struct row_table table = {
        .lists = {&kernel_window_columns}, .formats = {ROW_TABLE}, .context = &f->names, .code_columns = NAME_COLUMNS};
    row_table_add(d, &table, f->windows.kernels, shown);
    document_table_keep(d, ROWS_KEPT);
}

/* The units that can bound a kernel and that this chip did not sample, and what no sample shows. */
static const char *not_sampled(const struct capture_facts *f, struct str *out)
{
    for (int unit = 0; unit < SAMPLED_UNIT_COUNT; unit++)
        if (window_unit_can_bound((enum sampled_unit_id)unit) && !window_unit_is_link((enum sampled_unit_id)unit) &&
            !gpu_samples_have(&f->samples, (enum sampled_unit_id)unit))
            str_addf(out, "%s, ", sampled_unit((enum sampled_unit_id)unit)->id);
    str_add(out, window_bound_not_sampled);
    return out->failed ? window_bound_not_sampled : str_text(out);
}

/* The data that a launch moves to and from other GPUs, of the kernel that moves most. */
static void write_links(const struct kernel_windows *w, struct document *d)
{
    char sent[UNITS_TEXT_BYTES], received[UNITS_TEXT_BYTES];
    const struct kernel_window *most = NULL;
    for (size_t i = 0; i < w->kernel_count; i++) {
        const struct kernel_window *k = &w->kernels[i];
        if (k->sent_bytes + k->received_bytes > 0 && (!most || k->total_ns > most->total_ns))
            most = k;
    }
    if (most && most->communicates)
        document_span(d, SPAN_PLAIN, "; over links a launch on GPU %d sends %s and receives %s", most->device,
                      unit_format(sent, UNIT_BYTES, most->sent_bytes),
                      unit_format(received, UNIT_BYTES, most->received_bytes));
}

/* What the table leaves out, and what it rests on. */
static void write_basis(const struct capture_facts *f, size_t shown, struct document *d)
{
    const struct kernel_windows *w = &f->windows;
    struct str missing;
    char more[UNITS_TEXT_BYTES];
    document_paragraph(d);
    write_sources(w, d);
    if (w->kernel_count > shown)
        document_span(d, SPAN_PLAIN, "%s in the JSON; ",
                      words_count(more, (int64_t)(w->kernel_count - shown), "more kernel is", "more kernels are"));
    if (w->left_out)
        document_span(d, SPAN_PLAIN, "%lld launches of further kernels are counted nowhere; ", (long long)w->left_out);
    for (size_t i = 0; i < w->device_count; i++)
        write_device(&w->devices[i], d);
    str_init(&missing);
    document_span(d, SPAN_PLAIN, "not sampled: %s", not_sampled(f, &missing));
    str_release(&missing);
    write_links(w, d);
}

void kernel_windows_report_add(const struct capture_facts *f, size_t kernels_shown, struct document *d)
{
    const struct kernel_windows *w = &f->windows;
    if (!capture_facts_asked_for_samples(f))
        return;
    if (!f->samples.count) {
        document_paragraph(d);
        document_span(d, SPAN_PLAIN,
                      "no samples of the GPU were taken, so nothing is known of what bounds the kernels");
        return;
    }
    const size_t shown = w->kernel_count < kernels_shown ? w->kernel_count : kernels_shown;
    write_answer(f, d);
    add_table(f, shown, d);
    write_basis(f, shown, d);
    words_missing(d, &f->map, "samples", "Samples missing");
}

/* "compute-bound", "compute-bound or balanced", "too few samples". */
static void add_bound_cell(const struct kernel_window *k, struct document *d)
{
    if (k->reason == WINDOW_NEAR_BOUNDARY && k->other != BOUND_INCONCLUSIVE && k->seen != BOUND_INCONCLUSIVE)
        document_cell(d, "%s or %s", bound_class_name(k->seen), bound_class_name(k->other));
    else
        document_cell(d, "%s",
                      k->class_ == BOUND_INCONCLUSIVE ? kernel_window_reasons[k->reason].sentence
                                                      : bound_class_name(k->class_));
}

/* The sizes tell kernels of one name apart, so only the name is cut. */
static const char *name_of(const struct capture_facts *f, const struct kernel_window *k,
                           const char *(*fit)(struct document *d, const char *text, size_t columns), struct document *d)
{
    struct str sizes;
    str_init(&sizes);
    kernel_window_add_sizes(&sizes, k);
    const size_t room = sizes.length < NAME_COLUMNS / 2 ? NAME_COLUMNS - sizes.length : NAME_COLUMNS / 2;
    const char *name = fit(d, short_names_text(&f->names, k->name), room);
    const char *whole = arena_printf(&d->arena, "%s%s", name, str_text(&sizes));
    d->failed |= sizes.failed;
    str_release(&sizes);
    return whole;
}

const char *kernel_windows_report_name(const struct capture_facts *f, const struct kernel_window *k, struct document *d)
{
    return name_of(f, k, words_fitted, d);
}

static void add_brief_row(const struct capture_facts *f, const struct kernel_window *k, struct document *d)
{
    struct str headroom, unit;
    str_init(&headroom);
    str_init(&unit);
    add_busiest(&unit, k->unit, k->unit_share, k->unit_error, k->busiest_share);
    add_headroom(&headroom, k->headroom_ns, k->headroom_most_ns);
    document_cell(d, "%s", str_text(&headroom));
    document_cell_unit(d, UNIT_RATIO, k->device_share);
    add_bound_cell(k, d);
    document_cell(d, "%s", str_text(&unit));
    document_cell_code(d, name_of(f, k, words_fitted_last, d));
    str_release(&unit);
    str_release(&headroom);
}

bool kernel_windows_report_top(const struct capture_facts *f, size_t most, struct document *d)
{
    static const struct document_column columns[] = {
        {"headroom", true}, {"share", true}, {"bound", false}, {"unit", false}, {"kernel", false}};
    const struct kernel_window *k = kernel_windows_next(&f->windows, NULL);
    if (!k)
        return false;
    document_table(d, columns, COUNT_OF(columns));
    for (size_t i = 0; k && i < most; i++, k = kernel_windows_next(&f->windows, k))
        add_brief_row(f, k, d);
    return true;
}

json_t *json_kernel_windows(const struct capture_facts *f)
{
    const struct kernel_windows *w = &f->windows;
    if (!f->samples.count)
        return json_null();
    struct str missing;
    str_init(&missing);
    json_t *windows = json_pack(
        "{so so ss sI}", "devices", row_json_array(&sampled_device_columns, 0, w->devices, w->device_count, NULL),
        "kernels", row_json_array(&kernel_window_columns, 0, w->kernels, w->kernel_count, &f->names), "not_sampled",
        not_sampled(f, &missing), "left_out", (json_int_t)w->left_out);
    str_release(&missing);
    return windows;
}
