/* How did a kernel get here, stage by stage? */
#include <math.h>
#include <string.h>

#include "core/base/count_of.h"
#include "reports/reports.h"
#include "reports/run/run_report.h"

enum {
    STAGES_WORTH_A_TABLE = 3, /* in the report of one run: two arms are a comparison */
    LADDERS_MAX = 4           /* side by side */
};

/* As of a comparison; above GAIN_SATURATES times the speed the speedup stands for the gain, too. */
static void gain_words_of_stage(struct gain_words *out, struct bounded gain, double margin)
{
    const struct comparison c = {.gain = gain.value,
                                 .speedup = 1 / (1 - gain.value),
                                 .margin = margin,
                                 .ci_low = isnan(gain.value) ? NAN : 1 - gain.high,
                                 .ci_high = isnan(gain.value) ? NAN : 1 - gain.low};
    gain_words_of(out, &c);
    if (out->saturates)
        unit_format(out->gain, UNIT_FACTOR, c.speedup);
}

static void cells_stage_gain(struct document *d, struct bounded gain, double margin)
{
    struct gain_words words;
    gain_words_of_stage(&words, gain, margin);
    document_cell(d, "%s", words.gain);
    document_cell(d, "%s", words.interval);
}

/* A name, or nothing. */
static void cell_name(struct document *d, const char *name)
{
    if (*name)
        document_cell_code(d, name);
    else
        document_cell(d, "%s", "");
}

static void add_stage(const struct evolution_report *r, const struct evolution_stage *s, bool with_bundles,
                      struct document *d)
{
    const double times[] = {s->timing ? s->timing->p50_ns : NAN, s->timing ? s->timing->p90_ns : NAN,
                            s->timing ? s->timing->mean_ns : NAN, s->timing ? s->timing->std_ns : NAN};
    document_cell_code(d, s->variant);
    if (with_bundles)
        document_cell_code(d, r->sources[s->source].path);
    for (size_t i = 0; i < COUNT_OF(times); i++)
        document_cell_unit(d, UNIT_NS, times[i]);
    if (with_bundles)
        document_cell_unit(d, UNIT_NS, s->scaled_ns);
    cell_name(d, s->over);
    if (with_bundles)
        cell_name(d, s->through);
    const double target = *s->over ? r->evolution->target : NAN;
    document_cell_unit(d, UNIT_RATIO, target);
    cells_stage_gain(d, s->gain, *s->over && isfinite(target) ? target : r->evolution->margin);
    cells_stage_gain(d, s->cumulative, r->evolution->margin);
    document_cell(d, "%s", stage_status_name(s->status));
    document_cell(d, "%s", s->reason);
}

static void add_table(const struct evolution_report *r, const struct evolution_ladder *ladder, struct document *d)
{
    static const struct document_column one[] = {
        {"stage", false},       {"p50", true},     {"p90", true},         {"mean", true},         {"std", true},
        {"over", false},        {"target", true},  {"actual gain", true}, {"95% interval", true}, {"cumulative", true},
        {"95% interval", true}, {"status", false}, {"because", false}};
    static const struct document_column several[] = {{"stage", false},
                                                     {"bundle", false},
                                                     {"p50", true},
                                                     {"p90", true},
                                                     {"mean", true},
                                                     {"std", true},
                                                     {"p50 on the first's day", true},
                                                     {"over", false},
                                                     {"through", false},
                                                     {"target", true},
                                                     {"actual gain", true},
                                                     {"95% interval", true},
                                                     {"cumulative", true},
                                                     {"95% interval", true},
                                                     {"status", false},
                                                     {"because", false}};
    const bool with_bundles = r->source_count > 1;
    if (with_bundles)
        document_table(d, several, COUNT_OF(several));
    else
        document_table(d, one, COUNT_OF(one));
    for (size_t i = 0; i < ladder->count; i++)
        add_stage(r, &ladder->items[i], with_bundles, d);
}

static void add_ladder(const struct evolution_report *r, const struct evolution_ladder *ladder, struct document *d)
{
    document_heading(d, 3, "");
    document_span(d, SPAN_PLAIN, "%s", words_case(d, ladder->config, ladder->cache));
    if (*ladder->apart) {
        document_paragraph(d);
        document_span(d, SPAN_PLAIN, "Apart, as ");
        document_span(d, SPAN_CODE, "%s", r->sources[ladder->items[0].source].path);
        document_span(d, SPAN_PLAIN, " is %s.", ladder->apart);
    }
    add_table(r, ladder, d);
}

static void add_reading(const struct evolution_report *r, struct document *d)
{
    document_paragraph(d);
    document_span(
        d, SPAN_PLAIN,
        "Each stage is held against the last merged one before it (the reference, when there is none): gain = 1 - "
        "ratio of times, with its 95%% interval; cumulative is against the first stage. Above 3x both are speedups. merged: the whole interval "
        "is ");
    if (isnan(r->evolution->target)) {
        document_span(d, SPAN_PLAIN, "beyond the margin of ");
        words_unit(d, UNIT_RATIO, r->evolution->margin);
    } else {
        document_span(d, SPAN_PLAIN, "at the target of ");
        words_unit(d, UNIT_RATIO, r->evolution->target);
        document_span(d, SPAN_PLAIN, " or above; below target: faster, but the whole interval is below it");
    }
    document_span(d, SPAN_PLAIN,
                  "; marginal: the interval does not decide; valid negative: shown to be no faster and no "
                  "slower than the margin; regression: slower.");
}

/* ---- all shapes in one table ---- */

static const struct evolution_stage *stage_of(const struct evolution_ladder *ladder, const char *variant)
{
    for (size_t i = 0; i < ladder->count; i++)
        if (!strcmp(ladder->items[i].variant, variant))
            return &ladder->items[i];
    return NULL;
}

static void cell_speedup(struct document *d, struct bounded gain)
{
    document_cell_unit(d, UNIT_FACTOR, 1 / (1 - gain.value));
}

static void begin_overview(const struct evolution_report *r, size_t least, struct document *d)
{
    struct document_column columns[1 + 3 * LADDERS_MAX] = {{"stage", false}};
    size_t count = 1, ladders = 0;
    for (size_t i = 0; i < r->evolution->ladders.count && ladders < LADDERS_MAX; i++) {
        const struct evolution_ladder *ladder = &r->evolution->ladders.items[i];
        if (ladder->count < least)
            continue;
        const char *at = words_case(d, ladder->config, ladder->cache);
        columns[count++] = (struct document_column){*at ? at : "time", true};
        columns[count++] = (struct document_column){"to the first", true};
        columns[count++] = (struct document_column){"to the one before", true};
        ladders++;
    }
    document_table(d, columns, count);
}

static void add_overview_row(const struct evolution_report *r, size_t least, const char *variant, struct document *d)
{
    document_cell_code(d, variant);
    for (size_t i = 0, ladders = 0; i < r->evolution->ladders.count && ladders < LADDERS_MAX; i++) {
        const struct evolution_ladder *ladder = &r->evolution->ladders.items[i];
        if (ladder->count < least)
            continue;
        const struct evolution_stage *s = stage_of(ladder, variant);
        document_cell_unit(d, UNIT_NS, s && s->timing ? s->timing->p50_ns : NAN);
        cell_speedup(d, s ? s->cumulative : (struct bounded){NAN, NAN, NAN});
        cell_speedup(d, s ? s->gain : (struct bounded){NAN, NAN, NAN});
        ladders++;
    }
}

static size_t ladders_of(const struct evolution *ev, size_t least)
{
    size_t count = 0;
    for (size_t i = 0; i < ev->ladders.count; i++)
        count += ev->ladders.items[i].count >= least;
    return count;
}

/* The stages of the longest ladder, each with its times at all shapes. */
static void add_overview(const struct evolution_report *r, size_t least, struct document *d)
{
    const struct evolution_ladder *longest = NULL;
    for (size_t i = 0; i < r->evolution->ladders.count; i++)
        if (!longest || r->evolution->ladders.items[i].count > longest->count)
            longest = &r->evolution->ladders.items[i];
    if (!longest || longest->count < least || r->source_count > 1)
        return;
    document_heading(d, 2, "Evolution");
    begin_overview(r, least, d);
    for (size_t i = 0; i < longest->count; i++)
        add_overview_row(r, least, longest->items[i].variant, d);
    document_paragraph(d);
    document_span(d, SPAN_PLAIN, "Median times, and speedups to the first stage and to the last merged one before.");
    const size_t count = ladders_of(r->evolution, least);
    if (count > LADDERS_MAX)
        document_span(d, SPAN_PLAIN, " The first %d of %zu cases are shown.", LADDERS_MAX, count);
}

static void add_ladders(const struct evolution_report *r, size_t least, struct document *d)
{
    bool begun = d->tier != TIER_SCREEN, shown = false; /* in the report of a run the overview has the heading */
    for (size_t i = 0; i < r->evolution->ladders.count; i++) {
        const struct evolution_ladder *ladder = &r->evolution->ladders.items[i];
        if (ladder->count < least)
            continue;
        if (!begun)
            document_heading(d, 2, "Evolution");
        begun = shown = true;
        add_ladder(r, ladder, d);
    }
    if (shown)
        add_reading(r, d);
}

static void add_notes(const struct evolution *ev, struct document *d)
{
    for (size_t i = 0; i < ev->notes.count; i++) {
        if (!i)
            document_heading(d, 2, "How bundles were joined");
        document_bullet(d);
        document_span(d, SPAN_PLAIN, "%s", ev->notes.items[i]);
    }
}

/* The way from the first stage to the last one that was merged. */
static void add_headline(const struct evolution_report *r, struct document *d)
{
    const struct evolution_ladder *ladder = r->evolution->ladders.count ? &r->evolution->ladders.items[0] : NULL;
    document_heading(d, 1, "");
    if (!ladder) {
        document_span(d, SPAN_PLAIN, "nothing was timed: no stage to show");
        return;
    }
    size_t best = 0, merged = 0;
    for (size_t i = 1; i < ladder->count; i++)
        if (ladder->items[i].status == STAGE_MERGED) {
            best = i;
            merged++;
        }
    document_span(d, SPAN_PLAIN, "%zu of %zu stages merged at %s", merged, ladder->count - 1,
                  words_case(d, ladder->config, ladder->cache));
    if (!best)
        return;
    document_span(d, SPAN_PLAIN, ": ");
    document_span(d, SPAN_CODE, "%s", ladder->items[best].variant);
    struct gain_words words;
    gain_words_of_stage(&words, ladder->items[best].cumulative, r->evolution->margin);
    document_span(d, SPAN_PLAIN, words.saturates ? " is %s as fast as " : " gains %s over ", words.gain);
    document_span(d, SPAN_CODE, "%s", ladder->items[0].variant);
    document_span(d, SPAN_PLAIN, " (95%% interval %s)", words.interval);
}

int report_evolution(const struct evolution_report *r, struct document *out, struct err *e)
{
    add_headline(r, out);
    add_ladders(r, 1, out);
    add_notes(r->evolution, out);
    return out->failed ? err_memory(e) : 0;
}

static void add_both(const struct evolution_report *r, struct document *d)
{
    add_overview(r, STAGES_WORTH_A_TABLE, d);
    document_evidence(d);
    add_ladders(r, STAGES_WORTH_A_TABLE, d);
}

bool run_has_evolution(const struct analysis *a)
{
    const char *last = NULL;
    size_t stages = 1;
    if (a->solutions.count) /* which are no stages of one kernel */
        return false;
    for (size_t i = 0; i < a->comparisons.count; i++) { /* shapes are the inner loop, or the outer one */
        const char *candidate = a->comparisons.items[i].candidate;
        stages += !last || strcmp(last, candidate) != 0;
        last = candidate;
    }
    return stages >= STAGES_WORTH_A_TABLE;
}

void run_evolution_add(const struct analysis *a, struct document *d)
{
    const struct evolution_source source = {a->bundle->path ? a->bundle->path : "", a};
    struct evolution ev;
    struct err e = {0};
    if (a->solutions.count)
        return;
    if (evolution_read(&ev, &source, 1, NAN, &e))
        d->failed = true;
    else
        add_both(&(struct evolution_report){&ev, &source, 1}, d);
    evolution_release(&ev);
}

/* ---- for programs ---- */

static json_t *bounded_value(struct bounded b)
{
    json_t *out = json_object();
    json_object_set_new(out, "value", json_number_or_null(b.value));
    json_object_set_new(out, "low", json_number_or_null(b.low));
    json_object_set_new(out, "high", json_number_or_null(b.high));
    return out;
}

static json_t *stage_value(const struct evolution_report *r, const struct evolution_stage *s)
{
    json_t *out = json_object();
    json_object_set_new(out, "variant", json_text(s->variant));
    json_object_set_new(out, "bundle", json_text(r->sources[s->source].path));
    json_object_set_new(out, "p50_ns", json_number_or_null(s->timing ? s->timing->p50_ns : NAN));
    json_object_set_new(out, "p90_ns", json_number_or_null(s->timing ? s->timing->p90_ns : NAN));
    json_object_set_new(out, "mean_ns", json_number_or_null(s->timing ? s->timing->mean_ns : NAN));
    json_object_set_new(out, "std_ns", json_number_or_null(s->timing ? s->timing->std_ns : NAN));
    json_object_set_new(out, "scaled_ns", json_number_or_null(s->scaled_ns));
    json_object_set_new(out, "over", *s->over ? json_text(s->over) : json_null());
    json_object_set_new(out, "through", *s->through ? json_text(s->through) : json_null());
    json_object_set_new(out, "gain", bounded_value(s->gain));
    json_object_set_new(out, "cumulative", bounded_value(s->cumulative));
    json_object_set_new(out, "status", json_text(stage_status_name(s->status)));
    json_object_set_new(out, "reason", json_text(s->reason));
    return out;
}

static json_t *ladder_value(const struct evolution_report *r, const struct evolution_ladder *ladder)
{
    json_t *out = json_object(), *stages = json_array();
    for (size_t i = 0; i < ladder->count; i++)
        json_array_append_new(stages, stage_value(r, &ladder->items[i]));
    json_object_set_new(out, "shape", json_text(ladder->config));
    json_object_set_new(out, "cache", json_text(ladder->cache));
    json_object_set_new(out, "apart", *ladder->apart ? json_text(ladder->apart) : json_null());
    json_object_set_new(out, "stages", stages);
    return out;
}

json_t *json_evolution(const struct evolution_report *r)
{
    json_t *out = json_object(), *ladders = json_array(), *notes = json_array();
    for (size_t i = 0; i < r->evolution->ladders.count; i++)
        json_array_append_new(ladders, ladder_value(r, &r->evolution->ladders.items[i]));
    for (size_t i = 0; i < r->evolution->notes.count; i++)
        json_array_append_new(notes, json_text(r->evolution->notes.items[i]));
    json_object_set_new(out, "schema", json_string("cpprof.evolution/1"));
    json_object_set_new(out, "target", json_number_or_null(r->evolution->target));
    json_object_set_new(out, "margin", json_number_or_null(r->evolution->margin));
    json_object_set_new(out, "ladders", ladders);
    json_object_set_new(out, "notes", notes);
    return out;
}
