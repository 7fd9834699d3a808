/* How are thresholds written to a file that people edit, and read from it? */
#include "core/gpu/threshold_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/nearest_word.h"
#include "core/gpu/chip_words.h"
#include "core/io/csv.h"
#include "core/io/settings_csv.h"

enum { COLUMN_NAME, COLUMN_VALUE, COLUMN_CHIPS, COLUMN_UNIT, COLUMN_MEANING, COLUMNS };

static const char *const columns[COLUMNS] = {
    [COLUMN_NAME] = "threshold", [COLUMN_VALUE] = "value",     [COLUMN_CHIPS] = "chips",
    [COLUMN_UNIT] = "unit",      [COLUMN_MEANING] = "meaning",
};

static const struct settings_format format = {.name = "cpprof.thresholds",
                                              .version = THRESHOLDS_VERSION,
                                              .printed_by = "'cpprof list --thresholds --format csv'",
                                              .columns = columns,
                                              .column_count = COLUMNS,
                                              .needed_count = COLUMN_VALUE + 1};

static int refuse_name(const char *name, const char *place, struct err *e)
{
    struct nearest_word near = {0};
    for (int id = 0; id < THRESHOLD_COUNT; id++) {
        const char *known = threshold_get((enum threshold_id)id)->name;
        nearest_word_offer(&near, name, known, known);
    }
    return err_set(e, ERR_USAGE, "%s: no threshold is called '%.60s'%s%s%s", place, name,
                   *near.found ? ": is it '" : "", near.found, *near.found ? "'?" : "");
}

#define LEAST_CEILING 0.01 /* below this, every kernel would look full */

static int take_value(struct threshold_override *out, const char *text, const char *unit, const char *place,
                      struct err *e)
{
    const struct threshold *t = threshold_get(out->id);
    char *end;
    out->value = strtod(text, &end);
    if (!*text || *end || strspn(text, "0123456789+-.eE") != strlen(text) || !isfinite(out->value) || out->value < 0)
        return err_set(e, ERR_USAGE, "%s: '%.60s' is no value of '%s': a number from 0 on is expected", place, text,
                       t->name);
    if (t->unit == UNIT_RATIO && out->value > 1)
        return err_set(e, ERR_USAGE, "%s: '%s' is %s, and a ratio goes up to 1: write 0.6 for 60%%", place, t->name,
                       text);
    if (out->id == THRESHOLD_DRAM_CEILING && out->value < LEAST_CEILING)
        return err_set(e, ERR_USAGE, "%s: '%s' is %.60s, and shares are divided by it: at least %g is expected", place,
                       t->name, text, LEAST_CEILING);
    if (*unit && strcmp(unit, unit_name(t->unit)))
        return err_set(e, ERR_USAGE, "%s: '%s' is in '%s', not in '%.60s'", place, t->name, unit_name(t->unit), unit);
    return 0;
}

/* Empty stands for all chips. */
static int take_chips(struct threshold_override *out, const char *text, const char *place, struct err *e)
{
    struct str chips;
    str_init(&chips);
    int rc = chip_words_read(&chips, text, e);
    if (rc)
        err_context(e, "%s", place);
    else if (chips.length >= sizeof out->chips)
        rc = err_set(e, ERR_USAGE, "%s: more than %zu characters of chips: use two rows", place, sizeof out->chips - 1);
    else
        snprintf(out->chips, sizeof out->chips, "%s", chips.length ? str_text(&chips) : "*");
    str_release(&chips);
    return rc;
}

static int take_row(void *context, const char *const *fields, const char *place, struct err *e)
{
    struct threshold_overrides *out = context;
    if (out->count == THRESHOLD_OVERRIDES_MAX)
        return err_set(e, ERR_USAGE, "%s: more than %d rows", place, THRESHOLD_OVERRIDES_MAX);
    struct threshold_override *row = &out->items[out->count];
    row->id = threshold_by_name(fields[COLUMN_NAME]);
    if (row->id == THRESHOLD_COUNT)
        return refuse_name(fields[COLUMN_NAME], place, e);
    int rc = take_chips(row, fields[COLUMN_CHIPS], place, e);
    if (rc)
        return rc;
    for (size_t i = 0; i < out->count; i++)
        if (out->items[i].id == row->id && !strcmp(out->items[i].chips, row->chips))
            return err_set(e, ERR_USAGE, "%s: '%s' of the chips '%s' stands there twice", place, fields[COLUMN_NAME],
                           row->chips);
    rc = take_value(row, fields[COLUMN_VALUE], fields[COLUMN_UNIT], place, e);
    out->count += !rc;
    return rc;
}

int threshold_file_read(struct threshold_overrides *out, const char *path, struct err *e)
{
    out->path = path;
    out->count = 0;
    return settings_csv_read(path, &format, take_row, out, e);
}

void threshold_file_print(struct str *out)
{
    settings_csv_begin(out, &format);
    struct threshold_override row;
    for (size_t i = 0; threshold_embedded(i, &row); i++) {
        const struct threshold *t = threshold_get(row.id);
        str_addf(out, "%s,%.10g,%s,%s,", t->name, row.value, row.chips, unit_name(t->unit));
        csv_add_field(out, t->meaning, strlen(t->meaning));
        str_addf(out, "\n");
    }
}
