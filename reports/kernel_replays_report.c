/* What do counters say of kernels whose launches were replayed? */
#include "reports/kernel_replays_report.h"

#include <string.h>

#include "analyzers/columns.h"
#include "core/base/count_of.h"
#include "core/base/units.h"
#include "reports/rows/row_formats.h"
#include "reports/trace_words.h"

enum { NAME_COLUMNS = 40, ROWS_KEPT = 3 };

static uint32_t name_of(const struct kernel_replay *r)
{
    return r->window ? r->window->name : 0;
}

static void add_table(const struct capture_facts *f, struct document *d)
{
    const struct row_table table = {
        .lists = {&kernel_replay_columns}, .formats = {ROW_TABLE}, .context = &f->names, .code_columns = NAME_COLUMNS};
    row_table_add(d, &table, f->replays.items, f->replays.count);
    document_table_keep(d, ROWS_KEPT);
}

/* Samples and counters are two witnesses: where they differ, both are named. */
static void write_difference(const struct kernel_replay *r, struct document *d)
{
    char sampled[UNITS_TEXT_BYTES], error[UNITS_TEXT_BYTES], counted[UNITS_TEXT_BYTES];
    const struct kernel_window *w = r->window;
    if (r->odd)
        document_span(d, SPAN_PLAIN, ". By samples %s is at %s +- %s, by counters at %s", r->odd->of_sample,
                      unit_format(sampled, UNIT_RATIO, r->odd->sampled), unit_format(error, UNIT_RATIO, r->odd->error),
                      unit_format(counted, UNIT_RATIO, r->odd->in_trace));
    if (w && w->reason != WINDOW_REPLAYED && w->class_ != BOUND_INCONCLUSIVE && r->class_ != BOUND_INCONCLUSIVE &&
        w->class_ != r->class_)
        document_span(d, SPAN_PLAIN, ". By the samples of the undisturbed program it is %s, which stands",
                      bound_class_name(w->class_));
}

static void explain(const struct capture_facts *f, const struct kernel_replay *r, struct document *d)
{
    document_bullet(d);
    document_span(d, SPAN_CODE, "%s",
                  r->window ? words_name(d, &f->names, name_of(r), NAMES_SHORT, NAME_COLUMNS) : r->kernel);
    document_span(d, SPAN_PLAIN, ": %s%s%s", kernel_replay_reasons[r->reason].sentence,
                  r->reason && *r->cause ? ": " : "", r->cause);
    if (*r->advice && !r->reason)
        document_span(d, SPAN_PLAIN, ". Try: %s", r->advice);
    write_difference(r, d);
}

static void write_missing(const json_t *replay, struct document *d)
{
    const json_t *missing = json_object_get(replay, "missing");
    for (size_t i = 0; i < json_array_size(missing); i++) {
        const json_t *one = json_array_get(missing, i);
        document_bullet(d);
        document_span(d, SPAN_PLAIN, "Not replayed: %s: %s", json_get_text(one, "what", ""),
                      json_get_text(one, "why", ""));
    }
}

static void write_answer(const struct capture_facts *f, const json_t *replay, struct document *d)
{
    char launches[UNITS_TEXT_BYTES], kernels[UNITS_TEXT_BYTES];
    int64_t replayed = 0;
    for (size_t i = 0; i < f->replays.count; i++)
        replayed += f->replays.items[i].launches;
    document_span(d, SPAN_PLAIN, "a second run replayed %lld of %s of %s", (long long)replayed,
                  words_count(launches, json_get_integer(replay, "launches", 0), "launch", "launches"),
                  words_count(kernels, (int64_t)f->replays.count, "kernel", "kernels"));
}

void kernel_replays_report_add(const struct capture_facts *f, struct document *d)
{
    const json_t *replay = capture_facts_replay(f);
    if (!replay)
        return;
    if (f->replays.count) {
        document_paragraph(d);
        write_answer(f, replay, d);
        add_table(f, d);
    }
    for (size_t i = 0; i < f->replays.count; i++)
        explain(f, &f->replays.items[i], d);
    write_missing(replay, d);
}

/* As its schema says, whatever the manifest holds. */
static json_t *json_missing(const json_t *replay)
{
    const json_t *missing = json_object_get(replay, "missing");
    json_t *list = json_array();
    for (size_t i = 0; i < json_array_size(missing); i++)
        json_array_append_new(list, json_pack("{so so}", "what",
                                              json_text(json_get_text(json_array_get(missing, i), "what", "")), "why",
                                              json_text(json_get_text(json_array_get(missing, i), "why", ""))));
    return list;
}

json_t *json_kernel_replays(const struct capture_facts *f)
{
    const json_t *replay = capture_facts_replay(f);
    if (!replay)
        return json_null();
    return json_pack("{so sI sI so}", "kernels",
                     row_json_array(&kernel_replay_columns, 0, f->replays.items, f->replays.count, &f->names),
                     "launches", (json_int_t)json_get_integer(replay, "launches", 0), "wall_ns",
                     (json_int_t)json_get_integer(replay, "wall_ns", 0), "missing", json_missing(replay));
}
