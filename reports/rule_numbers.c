/* How are the two numbers of a rule written, so that a reader can compare them? */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/base/count_of.h"
#include "reports/rule_rows.h"

enum { DIGITS_MAX = 12 };

struct step {
    double factor; /* base units in one of these */
    const char *suffix;
};

/* Largest first; the last one is the base unit. */
struct family {
    enum unit unit;
    bool is_decimal;
    struct step steps[5];
    size_t count;
};

static const struct family families[] = {
    {UNIT_NS, false, {{1e9, " s"}, {1e6, " ms"}, {1e3, " us"}, {1, " ns"}}, 4},
    {UNIT_BYTES, true, {{1e12, " TB"}, {1e9, " GB"}, {1e6, " MB"}, {1e3, " KB"}, {1, " B"}}, 5},
    {UNIT_BYTES,
     false,
     {{1099511627776.0, " TiB"}, {1073741824.0, " GiB"}, {1048576.0, " MiB"}, {1024.0, " KiB"}, {1, " B"}},
     5},
    {UNIT_RATIO, false, {{0.01, "%"}}, 1},
};

static const struct family *family_of(const struct rule_result *row)
{
    for (size_t i = 0; i < COUNT_OF(families); i++)
        if (families[i].unit == (enum unit)row->unit &&
            (row->unit != UNIT_BYTES || families[i].is_decimal == row->is_decimal))
            return &families[i];
    return NULL;
}

static const struct step *step_of(const struct family *family, double value)
{
    size_t i = 0;
    while (i + 1 < family->count && fabs(value) < family->steps[i].factor * 0.9995)
        i++;
    return &family->steps[i];
}

static void format_in(char text[UNITS_TEXT_BYTES], const struct step *step, int decimals, double value)
{
    snprintf(text, UNITS_TEXT_BYTES, "%.*f%s", decimals, value / step->factor, step->suffix);
}

/* As unit_format does, in the family that the rule is written in. */
static void format_short(char text[UNITS_TEXT_BYTES], const struct rule_result *row, double value)
{
    if (row->unit != UNIT_BYTES || !row->is_decimal || !isfinite(value)) {
        unit_format(text, (enum unit)row->unit, value);
        return;
    }
    const struct step *step = step_of(family_of(row), value);
    const double size = fabs(value / step->factor);
    format_in(text, step, size >= 99.95 || step->factor == 1 ? 0 : size >= 9.995 ? 1 : 2, value);
}

static void format_both(char texts[2][UNITS_TEXT_BYTES], const struct rule_result *row)
{
    const double values[2] = {row->value, row->threshold};
    for (size_t i = 0; i < 2; i++)
        format_short(texts[i], row, values[i]);
    const struct family *family = family_of(row);
    if (!family || strcmp(texts[0], texts[1]) != 0 || !isfinite(values[0]) || values[0] == values[1])
        return;
    const struct step *step = step_of(family, fmax(fabs(values[0]), fabs(values[1])));
    for (int decimals = 2; decimals <= DIGITS_MAX && !strcmp(texts[0], texts[1]); decimals++)
        for (size_t i = 0; i < 2; i++)
            format_in(texts[i], step, decimals, values[i]);
    if (strcmp(texts[0], texts[1]) != 0)
        return;
    for (size_t i = 0; i < 2; i++) /* the same but for rounding */
        format_short(texts[i], row, values[i]);
}

const char *row_value(struct arena *arena, const struct rule_result *row)
{
    char texts[2][UNITS_TEXT_BYTES];
    format_both(texts, row);
    return row->value_word ? row->value_word : arena_copy(arena, texts[0]);
}

const char *row_threshold(struct arena *arena, const struct rule_result *row)
{
    char texts[2][UNITS_TEXT_BYTES];
    format_both(texts, row);
    return row->threshold_word ? row->threshold_word : arena_copy(arena, texts[1]);
}
