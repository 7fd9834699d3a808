/* How are counters written to a file that people edit, and read from it? */
#include "core/gpu/metric_set_file.h"

#include <string.h>

#include "core/base/array.h"
#include "core/gpu/metric_choice.h"
#include "core/io/csv.h"
#include "core/io/settings_csv.h"

enum { COLUMN_ID, COLUMN_NAME, COLUMN_UNIT, COLUMN_SIDE, COLUMN_SETS, COLUMN_MEANING, COLUMNS };

static const char *const columns[COLUMNS] = {
    [COLUMN_ID] = "id",     [COLUMN_NAME] = "name", [COLUMN_UNIT] = "unit",
    [COLUMN_SIDE] = "side", [COLUMN_SETS] = "sets", [COLUMN_MEANING] = "meaning",
};

static const struct settings_format format = {.name = "cpprof.metrics",
                                              .version = METRIC_SETS_VERSION,
                                              .printed_by = "'cpprof list --metrics --format csv'",
                                              .columns = columns,
                                              .column_count = COLUMNS,
                                              .needed_count = COLUMN_NAME + 1};

static int refuse_id(const char *id, const char *place, struct err *e)
{
    struct str near;
    str_init(&near);
    metric_words_near(&near, id);
    const int rc =
        err_set(e, ERR_USAGE, "%s: no counter has the id '%.60s'%s%s; leave the id empty for a name of CUPTI's", place,
                id, near.length ? "; nearest: " : "", str_text(&near));
    str_release(&near);
    return rc;
}

static int take_row(void *context, const char *const *fields, const char *place, struct err *e)
{
    struct metric_words *out = context;
    const char *id = fields[COLUMN_ID], *name = fields[COLUMN_NAME];
    const struct metric *metric = *id ? metric_by_id(id) : NULL;
    if (*id && !metric)
        return refuse_id(id, place, e);
    if (!*id && !*name)
        return err_set(e, ERR_USAGE, "%s: neither an id nor a name", place);
    if (metric && *name && metric_by_name(name) != metric)
        return err_set(
            e, ERR_USAGE,
            "%s: '%s' is '%s', not '%.120s', and verdicts rely on it: leave the id empty to count another one", place,
            id, metric->name, name);
    if (strlen(name) != strcspn(name, ", \t\""))
        return err_set(e, ERR_USAGE, "%s: '%.120s' is no name of a counter", place, name);
    const char *word = arena_copy(out->arena, *id ? id : name);
    const char **slot = *word ? ARRAY_PUSH(out) : NULL;
    if (!slot)
        return err_memory(e);
    *slot = word;
    return 0;
}

int metric_set_file_read(struct metric_words *out, const char *path, struct err *e)
{
    const size_t before = out->count;
    const int rc = settings_csv_read(path, &format, take_row, out, e);
    if (!rc && out->count == before)
        return err_set(e, ERR_USAGE, "'%s' names no counter", path);
    return rc;
}

void metric_set_file_begin(struct str *out)
{
    settings_csv_begin(out, &format);
}

void metric_add_sets(struct str *out, const struct metric *metric)
{
    const char *between = "";
    for (int set = 0; set < METRIC_SET_COUNT; set++)
        if (metric_in_set(metric, (enum metric_set_id)set)) {
            str_addf(out, "%s%s", between, metric_set((enum metric_set_id)set)->name);
            between = ", ";
        }
}

static void add_row(struct str *out, const char *const fields[COLUMNS])
{
    for (size_t i = 0; i < COLUMNS; i++) {
        str_addf(out, "%s", i ? "," : "");
        csv_add_field(out, fields[i], strlen(fields[i]));
    }
    str_addf(out, "\n");
}

void metric_set_file_add(struct str *out, const struct metric *metric, const char *name)
{
    struct str sets;
    str_init(&sets);
    metric_add_sets(&sets, metric);
    add_row(out, (const char *const[COLUMNS]){metric->id, name, unit_name(metric->unit), metric_role_name(metric->role),
                                              str_text(&sets), metric->meaning});
    str_release(&sets);
}

void metric_set_file_add_name(struct str *out, const char *name, const char *meaning)
{
    add_row(out, (const char *const[COLUMNS]){"", name, "", "", "", meaning});
}
