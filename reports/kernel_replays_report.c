/* What do counters say of kernels whose launches were replayed? */
#include "reports/kernel_replays_report.h"

#include <string.h>

#include "analyzers/columns.h"
#include "base/units.h"
#include "reports/rows/row_formats.h"
#include "reports/trace_words.h"

enum { NAME_COLUMNS = 40, KERNELS_EXPLAINED = 10, ROWS_KEPT = 5 };

static const json_t *replay_of(const struct capture_facts *f)
{
    return json_object_get(json_object_get(f->bundle.manifest, "capture"), "replay");
}

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

/* Samples and counters are two witnesses: where they differ beyond the error of the samples, both are named. */
static void write_difference(const struct kernel_replay *r, struct document *d)
{
    char off[UNITS_TEXT_BYTES];
    const struct kernel_window *w = r->window;
    if (r->largest_off > 0)
        document_span(d, SPAN_PLAIN, "; samples of %s differ by %s more than their error", r->off_unit,
                      unit_format(off, UNIT_RATIO, r->largest_off));
    if (w && strcmp(w->reason, "replayed") != 0 && w->class_ != BOUND_INCONCLUSIVE && r->class_ != BOUND_INCONCLUSIVE &&
        w->class_ != r->class_)
        document_span(d, SPAN_PLAIN, "; by the samples of the undisturbed program it is %s, which stands",
                      bound_class_name(w->class_));
}

static void explain(const struct capture_facts *f, const struct kernel_replay *r, struct document *d)
{
    document_bullet(d);
    document_span(d, SPAN_CODE, "%s",
                  r->window ? words_name(d, &f->names, name_of(r), NAMES_SHORT, NAME_COLUMNS) : r->kernel);
    document_span(d, SPAN_PLAIN, ": %s", *r->cause ? r->cause : "no replay took as long as in the trace");
    if (*r->advice)
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
    char launches[UNITS_TEXT_BYTES], kernels[UNITS_TEXT_BYTES], wall[UNITS_TEXT_BYTES];
    int64_t replayed = 0;
    for (size_t i = 0; i < f->replays.count; i++)
        replayed += f->replays.items[i].launches;
    document_paragraph(d);
    document_span(d, SPAN_PLAIN, "a further run of %s replayed %s of %s",
                  unit_format(wall, UNIT_NS, (double)json_get_integer(replay, "wall_ns", 0)),
                  words_count(launches, replayed, "launch", "launches"),
                  words_count(kernels, (int64_t)f->replays.count, "kernel", "kernels"));
}

void kernel_replays_report_add(const struct capture_facts *f, struct document *d)
{
    const json_t *replay = replay_of(f);
    if (!json_is_object(replay))
        return;
    if (f->replays.count) {
        write_answer(f, replay, d);
        add_table(f, d);
    }
    for (size_t i = 0; i < f->replays.count && i < KERNELS_EXPLAINED; i++)
        explain(f, &f->replays.items[i], d);
    write_missing(replay, d);
}

json_t *json_kernel_replays(const struct capture_facts *f)
{
    const json_t *replay = replay_of(f);
    if (!json_is_object(replay))
        return json_null();
    return json_pack("{so sI sI sO?}", "kernels",
                     row_json_array(&kernel_replay_columns, 0, f->replays.items, f->replays.count, &f->names),
                     "launches", (json_int_t)json_get_integer(replay, "launches", 0), "wall_ns",
                     (json_int_t)json_get_integer(replay, "wall_ns", 0), "missing", json_object_get(replay, "missing"));
}
