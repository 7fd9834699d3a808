/* Why does a run not say what a counter of a variant is? */
#include "analyzers/counter_absence.h"

#include <math.h>
#include <string.h>

#include "core/base/nearest_word.h"
#include "core/gpu/metric_choice.h"
#include "core/run/counters.h"

/* A name may be any of CUPTI's, so those that were counted in this run are known, too. */
static bool find_name(const struct table *metrics, const char *name, struct nearest_word *near)
{
    const char *before = "";
    for (size_t row = 0; row < table_rows(metrics); row++) {
        const char *known = table_text(metrics, row, METRICS_METRIC);
        if (!strcmp(known, name))
            return true;
        if (strcmp(known, before) != 0)
            nearest_word_offer(near, name, known, known);
        before = known;
    }
    return false;
}

static const char *of_unknown_name(const struct nearest_word *near, const char *name, struct arena *arena)
{
    char question[NEAREST_QUESTION_BYTES];
    return arena_printf(arena, "unknown counter '%s', which the run did not count%s", name,
                        nearest_word_question(near, question));
}

/* "": all are credible. */
static const char *of_readings(const struct counted_rows *rows, size_t first, size_t end, const char *name,
                               const char *variant, struct arena *arena)
{
    char text[UNITS_TEXT_BYTES];
    for (size_t i = first; i < end; i++) {
        const double value = table_number(rows->metrics, rows->items[i], METRICS_VALUE);
        if (isnan(value))
            return arena_printf(arena, "a reading of %s of '%s' has no value", name, variant);
        if (value < 0 || counters_exceeds_peak(name, value))
            return arena_printf(arena, "a reading of %s of '%s' is %s, which is not credible", name, variant,
                                unit_format(text, metric_unit(name), value));
    }
    return "";
}

static const char *of_part(const struct analysis *a, const struct fact_place *place, const char *name,
                           const char *variant, struct arena *arena)
{
    size_t first, end;
    const struct metric *metric = metric_by_name(name);
    const struct chip *chip = analysis_chip(a);
    if (metric && chip && chip_lacks(chip, metric->id))
        return metric_is_largest(place->metric) ? "" : arena_printf(arena, "this chip has no %s", place->metric);
    counted_rows_find(&a->run->counted, place->arm, name, &first, &end);
    return first < end ? of_readings(&a->run->counted, first, end, name, variant, arena)
                       : arena_printf(arena, "the run has no %s of '%s'", place->metric, variant);
}

const char *counter_absence(const struct analysis *a, const struct fact_place *place, const char *variant,
                            struct arena *arena)
{
    struct nearest_word near = {0};
    const char *parts[METRIC_PARTS_MAX], *why = "";
    const size_t count = metric_parts(place->metric, parts);
    if (!metric_word_is_ours(place->metric) && !find_name(a->run->counted.metrics, place->metric, &near))
        return of_unknown_name(&near, place->metric, arena);
    for (size_t i = 0; i < count && why && !*why; i++)
        why = of_part(a, place, parts[i], variant, arena);
    return !why || *why
               ? why
               : arena_printf(arena, "'%s' has several kernels, each with a %s of its own", variant, place->metric);
}
