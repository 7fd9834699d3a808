/* Which launches, with which counters, are in the CSV of Nsight Compute?
 *
 * ncu prints one table: a row for each metric and rule (the page details, and --metrics), or a row for each launch
 * after a row of units (the page raw). Its own remarks and the program's output may surround the table. Rows are read
 * one at a time; one struct is kept for each launch. The first row that cannot be understood ends the good part. */
#define _GNU_SOURCE
#include "core/run/ncu/ncu_csv.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/count_of.h"
#include "core/base/str.h"
#include "core/base/utf8.h"
#include "core/io/csv.h"
#include "core/run/ncu/ncu_doubts.h"
#include "core/run/ncu/ncu_launch.h"
#include "core/run/ncu/ncu_value.h"

#define EXPORT "LC_ALL=C ncu --import REPORT.ncu-rep --csv --page raw"

/* A header may lack a column of those that are read here: that many of them show what it is. */
enum { ERROR_BYTES_MAX = 200, HEADER_COLUMNS_MIN = 4 };

enum ncu_column {
    COLUMN_ID,
    COLUMN_KERNEL,
    COLUMN_PROCESS,
    COLUMN_PROCESS_NAME,
    COLUMN_GRID,
    COLUMN_BLOCK,
    COLUMN_DEVICE,
    COLUMN_CC,
    COLUMN_SECTION,
    COLUMN_METRIC,
    COLUMN_UNIT,
    COLUMN_VALUE,
    COLUMN_RULE,
    COLUMN_RULE_TEXT,
    COLUMNS
};

static const char *const column_names[COLUMNS] = {
    [COLUMN_ID] = "ID",
    [COLUMN_KERNEL] = "Kernel Name",
    [COLUMN_PROCESS] = "Process ID",
    [COLUMN_PROCESS_NAME] = "Process Name",
    [COLUMN_GRID] = "Grid Size",
    [COLUMN_BLOCK] = "Block Size",
    [COLUMN_DEVICE] = "Device",
    [COLUMN_CC] = "CC",
    [COLUMN_SECTION] = "Section Name",
    [COLUMN_METRIC] = "Metric Name",
    [COLUMN_UNIT] = "Metric Unit",
    [COLUMN_VALUE] = "Metric Value",
    [COLUMN_RULE] = "Rule Name",
    [COLUMN_RULE_TEXT] = "Rule Description",
};

/* The columns of ncu's pages. The first ones say which launch it is, and are all that a raw page has besides metrics.
 */
enum { OF_LAUNCH = 11, OF_ROWS = 18 };
static const char *const all_columns[OF_ROWS] = {
    "ID",          "Process ID",  "Process Name", "Host Name", "Kernel Name", "Context",
    "Stream",      "Block Size",  "Grid Size",    "Device",    "CC",          "Section Name",
    "Metric Name", "Metric Unit", "Metric Value", "Rule Name", "Rule Type",   "Rule Description"};

#define NO_FIELD ((size_t)-1)

/* A column of the raw page that is used. */
struct raw_column {
    size_t field;
    struct ncu_slot slot;
    const char *name; /* owned by the list's texts */
    ncu_name_id name_id;
    double factor; /* NAN: an unknown unit */
    bool has_no_unit;
};

struct ncu_table {
    struct csv_reader *csv;
    const char *path;
    struct imported_launches *out;

    size_t field[COLUMNS], of_launch[OF_LAUNCH];
    size_t field_count, field_need; /* fields of the header; the fewest that a row must have */
    int64_t header_line;
    size_t header_count;
    const char *lacking; /* the first column of ncu's that the header lacks; NULL when it has all */
    bool is_raw, has_units;
    struct {
        struct raw_column *items;
        size_t count, capacity;
    } raw;

    struct {
        struct ncu_notes *items; /* one for each launch */
        size_t count, capacity;
    } notes;
    struct strtab keys;       /* keys of the launches: the id of a key is the launch's index plus 1 */
    bool is_named[NCU_SLOTS]; /* in the launches' list of names */
    struct ncu_doubts doubts;
    bool has_header;
    bool is_misread;                 /* nothing can be trusted then, not even earlier rows */
    int64_t passed_over;             /* lines in the table that are not rows */
    char error[ERROR_BYTES_MAX + 1]; /* the first ==ERROR== line */
};

/* ---- lines ---- */

/* Is one of the fields of this line exactly this word? It may be quoted or not, with any separator. */
static bool has_field(const char *line, size_t length, const char *word)
{
    const size_t word_length = strlen(word);
    for (const char *at = line; (at = memmem(at, length - (size_t)(at - line), word, word_length)); at++) {
        const char *end = at + word_length;
        if ((at == line || memchr("\",;\t", at[-1], 4)) && (end == line + length || memchr("\",;\t", *end, 4)))
            return true;
    }
    return false;
}

static bool starts_with(const char *line, size_t length, const char *word)
{
    return length >= strlen(word) && !memcmp(line, word, strlen(word));
}

static bool is_header(const char *line, size_t length)
{
    return !starts_with(line, length, "==") && has_field(line, length, column_names[COLUMN_KERNEL]) &&
           (has_field(line, length, column_names[COLUMN_ID]) || has_field(line, length, "Invocations"));
}

/* Is it one that lacks a column by which a header is known? Asked until there is one, since it takes long. */
static bool is_part_of_header(const char *line, size_t length)
{
    size_t named = 0;
    for (size_t c = 0; c < COLUMNS && length && !starts_with(line, length, "=="); c++)
        named += has_field(line, length, column_names[c]);
    return named >= HEADER_COLUMNS_MIN;
}

bool ncu_csv_recognise(const struct open_input *input)
{
    const char *line = input->head, *limit = line + input->head_bytes;
    while (line < limit) {
        const char *end = memchr(line, '\n', (size_t)(limit - line));
        const size_t length = (size_t)((end ? end : limit) - line);
        if (is_header(line, length) || is_part_of_header(line, length))
            return true;
        line = end ? end + 1 : limit;
    }
    return false;
}

/* A row begins with a number; the row of units begins with nothing. */
static bool is_row(const char *line, size_t length)
{
    return length && (line[0] == '"' || line[0] == ',' || (line[0] >= '0' && line[0] <= '9'));
}

static void note_error(struct ncu_table *t, const char *line, size_t length)
{
    if (*t->error || !starts_with(line, length, "==ERROR=="))
        return;
    struct str shown;
    str_init(&shown);
    utf8_add_visible(&shown, line, length < ERROR_BYTES_MAX ? length : ERROR_BYTES_MAX);
    strncpy(t->error, str_text(&shown), ERROR_BYTES_MAX);
    str_release(&shown);
}

/* ---- names ---- */

/* Keeps a name that ncu --metrics takes; `name` must stay. */
static int keep_name(struct ncu_table *t, const struct ncu_slot *slot, const char *name, struct err *e)
{
    if (t->is_named[slot->at])
        return 0;
    const char **added = ARRAY_PUSH(&t->out->names);
    if (!added)
        return err_memory(e);
    *added = name;
    t->is_named[slot->at] = true;
    return 0;
}

/* ---- header ---- */

static bool is_named(const struct csv_field *field, const char *name)
{
    return field->length == strlen(name) && !memcmp(field->text, name, field->length);
}

static int find_columns(struct ncu_table *t, const struct csv_row *row, struct err *e)
{
    for (size_t c = 0; c < COLUMNS; c++) {
        t->field[c] = NO_FIELD;
        for (size_t i = 0; i < row->count; i++) {
            if (!is_named(&row->fields[i], column_names[c]))
                continue;
            if (t->field[c] != NO_FIELD)
                return err_set(e, ERR_INPUT, "%s:%lld: the header repeats column '%s'", t->path, (long long)row->line,
                               column_names[c]);
            t->field[c] = i;
        }
    }
    return 0;
}

static bool has_column(const struct ncu_table *t, enum ncu_column column)
{
    return t->field[column] != NO_FIELD;
}

/* A raw page has none of the columns of rows. */
static bool is_raw_page(const struct ncu_table *t)
{
    for (enum ncu_column c = COLUMN_SECTION; c < COLUMNS; c++)
        if (has_column(t, c))
            return false;
    return true;
}

static bool is_summary(const struct csv_row *header)
{
    for (size_t i = 0; i < header->count; i++)
        if (is_named(&header->fields[i], "Invocations"))
            return true;
    return false;
}

static int refuse_lacking(const struct ncu_table *t, const char *column, struct err *e)
{
    return err_set(e, ERR_INPUT, "%s:%lld: the header lacks column '%s'; export it again: " EXPORT, t->path,
                   (long long)t->header_line, column);
}

/* The columns of rules come together, and some pages have none. */
static int need_columns(struct ncu_table *t, const struct csv_row *row, struct err *e)
{
    static const enum ncu_column of_rows[] = {COLUMN_ID,    COLUMN_KERNEL, COLUMN_METRIC,   COLUMN_UNIT,
                                              COLUMN_VALUE, COLUMN_RULE,   COLUMN_RULE_TEXT};
    const bool has_rules = has_column(t, COLUMN_RULE) || has_column(t, COLUMN_RULE_TEXT);
    const size_t needed = t->is_raw ? 2 : has_rules ? 7 : 5;
    t->field_need = 0;
    for (size_t i = 0; i < needed; i++) {
        const size_t field = t->field[of_rows[i]];
        if (field == NO_FIELD)
            return refuse_lacking(t, column_names[of_rows[i]], e);
        if (field >= t->field_need && i < 5)
            t->field_need = field + 1;
    }
    if (t->is_raw)
        t->field_need = row->count;
    return 0;
}

static int keep_text(struct ncu_table *t, const struct csv_field *field, uint32_t *id, struct err *e)
{
    *id = strtab_add_bytes(&t->out->texts, field->text, field->length);
    if (*id)
        return 0;
    return t->out->texts.is_full
               ? err_set(e, ERR_INPUT, "%s:%lld: names take more than %zu MiB; export fewer launches", t->path,
                         (long long)csv_reader_line(t->csv), t->out->texts.size_bytes_max >> 20)
               : err_memory(e);
}

static int find_raw_columns(struct ncu_table *t, const struct csv_row *row, struct err *e)
{
    t->raw.count = 0;
    for (size_t i = 0; i < row->count; i++) {
        struct raw_column column = {.field = i, .factor = NAN};
        if (!ncu_slot_find("", row->fields[i].text, &column.slot))
            continue;
        uint32_t name;
        int rc = keep_text(t, &row->fields[i], &name, e);
        if (rc)
            return rc;
        column.name = strtab_text(&t->out->texts, name);
        column.name_id = ncu_doubts_name(&t->doubts, &column.slot, column.name);
        struct raw_column *added = ARRAY_PUSH(&t->raw);
        if (!added)
            return err_memory(e);
        *added = column;
        const bool is_on_each_page = starts_with(column.name, strlen(column.name), "launch__") ||
                                     starts_with(column.name, strlen(column.name), "device__");
        rc = is_on_each_page ? 0 : keep_name(t, &column.slot, column.name, e);
        if (rc)
            return rc;
    }
    return 0;
}

/* A spreadsheet or a person may have changed the separator. */
static int refuse_other_separator(struct ncu_table *t, struct err *e)
{
    const char *line;
    size_t length;
    const int got = csv_reader_peek_line(t->csv, &line, &length, e);
    if (got != 1 || memchr(line, ',', length))
        return got < 0 ? got : 0;
    return err_set(e, ERR_INPUT, "%s:%lld: a table of ncu, but not separated by commas; export it again: " EXPORT,
                   t->path, (long long)csv_reader_line(t->csv));
}

/* Returns the first column of ncu's page that the header lacks; NULL: it has them all. Notes where those of a launch
 * are. */
static const char *first_lacking(struct ncu_table *t, const struct csv_row *header)
{
    const char *lacking = NULL;
    for (size_t c = 0; c < (t->is_raw ? OF_LAUNCH : OF_ROWS); c++) {
        size_t at = 0;
        while (at < header->count && !is_named(&header->fields[at], all_columns[c]))
            at++;
        if (c < OF_LAUNCH)
            t->of_launch[c] = at;
        if (at == header->count && !lacking)
            lacking = all_columns[c];
    }
    return lacking;
}

static int read_header(struct ncu_table *t, struct err *e)
{
    struct csv_row row;
    int rc = refuse_other_separator(t, e);
    if (rc)
        return rc;
    const int got = csv_reader_next(t->csv, &row, e);
    if (got != 1)
        return got ? got : err_set(e, ERR_INPUT, "'%s' ends in its header", t->path);
    rc = find_columns(t, &row, e);
    if (rc)
        return rc;
    t->field_count = row.count;
    t->header_line = row.line;
    t->header_count++;
    t->is_raw = is_raw_page(t);
    t->lacking = first_lacking(t, &row);
    t->has_units = false;
    t->has_header = true;
    if (!has_column(t, COLUMN_ID) && is_summary(&row))
        return err_set(
            e, ERR_INPUT,
            "%s:%lld: a summary of launches (--print-summary): a bound is about one; export it again: " EXPORT, t->path,
            (long long)row.line);
    rc = need_columns(t, &row, e);
    if (!rc && t->is_raw)
        rc = find_raw_columns(t, &row, e);
    return rc;
}

/* ---- launches ---- */

static const struct csv_field *field_of(const struct ncu_table *t, const struct csv_row *row, enum ncu_column column)
{
    static const struct csv_field none = {"", 0};
    return t->field[column] < row->count ? &row->fields[t->field[column]] : &none;
}

static int fill_launch(struct ncu_table *t, const struct csv_row *row, struct imported_launch *launch, struct err *e)
{
    const struct {
        enum ncu_column column;
        const char **to;
    } texts[] = {
        {COLUMN_ID, &launch->id},
        {COLUMN_KERNEL, &launch->kernel},
        {COLUMN_PROCESS, &launch->process_id},
        {COLUMN_PROCESS_NAME, &launch->process_name},
        {COLUMN_DEVICE, &launch->device},
        {COLUMN_CC, &launch->compute_capability},
        {COLUMN_GRID, &launch->grid},
        {COLUMN_BLOCK, &launch->block},
    };
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        uint32_t text;
        const int rc = keep_text(t, field_of(t, row, texts[i].column), &text, e);
        if (rc)
            return rc;
        *texts[i].to = strtab_text(&t->out->texts, text);
    }
    return 0;
}

/* `value` is in base units. A launch that failed has many values that are no number. */
static int take_value(struct ncu_table *t, const struct ncu_cell *cell, double value, struct err *e)
{
    const bool is_counter = cell->slot.at < COUNTERS_METRICS_MAX, is_share = cell->slot.unit == UNIT_RATIO;
    const bool is_quiet = (is_counter && is_share) || ((is_counter || is_share) && value == COUNTERS_NO_NUMBER);
    struct ncu_notes *notes = &t->notes.items[cell->place];
    if (!ncu_launch_take(&t->out->items[cell->place], notes, &cell->slot, cell->name_id, value))
        return ncu_doubts_add(&t->doubts, NCU_DOUBT_TWO, &cell->slot, e,
                              "%s:%lld: '%.*s' is '%.*s', and the launch has another value of it; neither is taken",
                              t->path, (long long)cell->line, NCU_SHOWN_NAME_BYTES, cell->name, NCU_SHOWN_BYTES,
                              cell->text);
    ncu_doubts_keep_share(&t->doubts, cell, value, t->out, t->notes.items);
    if (is_quiet || ncu_slot_allows(&cell->slot, value))
        return 0;
    return ncu_doubts_add(&t->doubts, NCU_DOUBT_VALUE, &cell->slot, e,
                          "%s:%lld: '%.*s' is '%.*s', expected %s; taken as missing, like all such values of it",
                          t->path, (long long)cell->line, NCU_SHOWN_NAME_BYTES, cell->name, NCU_SHOWN_BYTES, cell->text,
                          ncu_slot_range(&cell->slot));
}

/* The columns of the grid and of the block, which all pages have. For a launch that failed ncu writes zeros alone. */
static int take_dimensions(struct ncu_table *t, const struct csv_row *row, size_t place, struct err *e)
{
    static const struct {
        enum ncu_column column;
        enum ncu_fact fact;
    } dimensions[2] = {{COLUMN_GRID, NCU_GRID_BLOCKS}, {COLUMN_BLOCK, NCU_BLOCK_THREADS}};
    double products[2];
    int rc = 0;
    for (size_t i = 0; i < 2; i++)
        products[i] = ncu_dimensions_read(field_of(t, row, dimensions[i].column)->text);
    const bool failed = products[0] == 0 && products[1] == 0;
    for (size_t i = 0; i < 2 && !failed && !rc; i++) {
        const struct ncu_cell cell = {.line = row->line,
                                      .place = place,
                                      .slot = ncu_fact_slot(dimensions[i].fact),
                                      .name = column_names[dimensions[i].column],
                                      .text = field_of(t, row, dimensions[i].column)->text};
        if (!isnan(products[i]))
            rc = take_value(t, &cell, products[i], e);
    }
    return rc;
}

static int add_launch(struct ncu_table *t, const struct csv_row *row, struct err *e)
{
    if (t->out->count == IMPORTED_LAUNCHES_MAX)
        return err_set(e, ERR_INPUT, "%s:%lld: more than %d launches; choose some: ncu --kernel-name or --launch-count",
                       t->path, (long long)row->line, IMPORTED_LAUNCHES_MAX);
    struct imported_launch *launch = ARRAY_PUSH(t->out);
    struct ncu_notes *notes = launch ? ARRAY_PUSH(&t->notes) : NULL;
    if (!notes)
        return err_memory(e);
    ncu_launch_init(launch, notes);
    notes->line = row->line;
    notes->table = t->header_count;
    const int rc = fill_launch(t, row, launch, e);
    if (rc)
        t->out->count--; /* its notes are left unused */
    return rc ? rc : take_dimensions(t, row, t->out->count - 1, e);
}

/* Returns the index of the row's launch, which is added when it is new. The rows of a launch usually follow each other,
 * but need not. */
static int find_launch(struct ncu_table *t, const struct csv_row *row, size_t *place, struct err *e)
{
    static const enum ncu_column parts[] = {COLUMN_PROCESS, COLUMN_ID, COLUMN_KERNEL};
    uint32_t key[COUNT_OF(parts)];
    for (size_t i = 0; i < COUNT_OF(parts); i++) {
        const int rc = keep_text(t, field_of(t, row, parts[i]), &key[i], e);
        if (rc)
            return rc;
    }
    const size_t known = strtab_count(&t->keys);
    const uint32_t id = strtab_add_bytes(&t->keys, (const char *)key, sizeof key);
    if (!id)
        return err_memory(e);
    *place = id - 1;
    return strtab_count(&t->keys) > known ? add_launch(t, row, e) : 0;
}

/* ---- rows ---- */

static int refuse_locale(struct ncu_table *t, int64_t line, const char *name, const char *text, struct err *e)
{
    t->is_misread = true;
    return err_set(e, ERR_INPUT,
                   "%s:%lld: '%.*s' is '%.*s': digits as another locale writes them; export it again: " EXPORT, t->path,
                   (long long)line, NCU_SHOWN_BYTES, name, NCU_SHOWN_BYTES, text);
}

/* A counter in a unit that is none of it was counted all the same. */
static void take_as_no_number(struct ncu_table *t, const struct ncu_cell *cell)
{
    double value;
    if (ncu_number_read(cell->text, &value) == NCU_NUMBER)
        ncu_launch_take(&t->out->items[cell->place], &t->notes.items[cell->place], &cell->slot, cell->name_id,
                        COUNTERS_NO_NUMBER);
}

static int note_unit(struct ncu_table *t, int64_t line, const struct ncu_slot *slot, const char *name, const char *unit,
                     struct err *e)
{
    return ncu_doubts_add(&t->doubts, NCU_DOUBT_UNIT, slot, e,
                          "%s:%lld: '%.*s' is in '%.*s', which is no unit of it; not used", t->path, (long long)line,
                          NCU_SHOWN_BYTES, name, NCU_SHOWN_BYTES, unit);
}

/* A number without a unit is in base units, which shares always are. */
static int take_without_unit(struct ncu_table *t, const struct ncu_cell *cell, double factor, double value,
                             struct err *e)
{
    if (!ncu_value_is_unscaled(cell->slot.unit, cell->text, value)) {
        take_as_no_number(t, cell);
        return note_unit(t, cell->line, &cell->slot, cell->name, "", e);
    }
    const int rc = take_value(t, cell, value * factor, e);
    return rc ? rc
              : ncu_doubts_add(&t->doubts, NCU_DOUBT_NO_UNIT, &cell->slot, e,
                               "%s:%lld: '%.*s' has no unit there: taken to be in %s", t->path, (long long)cell->line,
                               NCU_SHOWN_NAME_BYTES, cell->name, cell->slot.unit == UNIT_RATIO ? "%" : "its base unit");
}

static int take_number(struct ncu_table *t, const struct ncu_cell *cell, double factor, struct err *e)
{
    double value;
    switch (ncu_number_read(cell->text, &value)) {
    case NCU_MISSING: ncu_launch_lack(&t->notes.items[cell->place], !*cell->text); return 0;
    case NCU_NAN:
        ncu_launch_lack(&t->notes.items[cell->place], false);
        value = COUNTERS_NO_NUMBER;
        break;
    case NCU_LOCALE: return refuse_locale(t, cell->line, cell->name, cell->text, e);
    case NCU_GARBAGE:
        return err_set(e, ERR_INPUT, "%s:%lld: '%.*s' is '%.*s', which is no number", t->path, (long long)cell->line,
                       NCU_SHOWN_BYTES, cell->name, NCU_SHOWN_BYTES, cell->text);
    case NCU_NUMBER:
        if (cell->has_no_unit)
            return take_without_unit(t, cell, factor, value, e);
        break;
    }
    return take_value(t, cell, value * factor, e);
}

/* Rows of ncu --metrics have CUPTI's names and a section of their own, or none. */
static int note_name(struct ncu_table *t, const struct ncu_slot *slot, const char *section,
                     const struct csv_field *name, struct err *e)
{
    uint32_t kept;
    if (*section && strcmp(section, "Command line profiler metrics") != 0) {
        t->out->has_sections = true;
        return 0;
    }
    if (t->is_named[slot->at])
        return 0;
    const int rc = keep_text(t, name, &kept, e);
    return rc ? rc : keep_name(t, slot, strtab_text(&t->out->texts, kept), e);
}

static int read_metric(struct ncu_table *t, const struct csv_row *row, size_t place, struct err *e)
{
    const char *section = field_of(t, row, COLUMN_SECTION)->text, *name = field_of(t, row, COLUMN_METRIC)->text;
    const char *unit = field_of(t, row, COLUMN_UNIT)->text;
    struct ncu_cell cell = {
        .line = row->line, .place = place, .name = name, .text = field_of(t, row, COLUMN_VALUE)->text};
    double factor;
    t->notes.items[place].has_value |= *cell.text != 0;
    if (!ncu_slot_find(section, name, &cell.slot))
        return 0;
    const int rc = note_name(t, &cell.slot, section, &row->fields[t->field[COLUMN_METRIC]], e);
    if (rc)
        return rc;
    cell.name_id = ncu_doubts_name(&t->doubts, &cell.slot, name);
    cell.has_no_unit = ncu_unit_is_missing(unit, cell.slot.unit);
    if (!ncu_unit_factor(unit, cell.slot.unit, &factor)) {
        take_as_no_number(t, &cell);
        return note_unit(t, row->line, &cell.slot, name, unit, e);
    }
    return take_number(t, &cell, factor, e);
}

static void read_rule(struct ncu_table *t, const struct csv_row *row, size_t place)
{
    const struct ncu_said said =
        ncu_rule_read(field_of(t, row, COLUMN_RULE)->text, field_of(t, row, COLUMN_RULE_TEXT)->text);
    ncu_launch_hear(&t->out->items[place], &t->notes.items[place], &said);
}

static int read_units(struct ncu_table *t, const struct csv_row *row, struct err *e)
{
    int rc = 0;
    t->has_units = true;
    for (size_t i = 0; i < t->raw.count && !rc; i++) {
        struct raw_column *column = &t->raw.items[i];
        const char *unit = row->fields[column->field].text;
        column->has_no_unit = ncu_unit_is_missing(unit, column->slot.unit);
        if (!ncu_unit_factor(unit, column->slot.unit, &column->factor)) {
            column->factor = NAN;
            rc = note_unit(t, row->line, &column->slot, column->name, unit, e);
        }
    }
    return rc;
}

static bool is_of_launch(const struct ncu_table *t, size_t field)
{
    for (size_t c = 0; c < OF_LAUNCH; c++)
        if (t->of_launch[c] == field)
            return true;
    return false;
}

static bool has_any_value(const struct ncu_table *t, const struct csv_row *row)
{
    for (size_t i = 0; i < row->count; i++)
        if (row->fields[i].length && !is_of_launch(t, i))
            return true;
    return false;
}

static int read_raw(struct ncu_table *t, const struct csv_row *row, size_t place, struct err *e)
{
    int rc = 0;
    t->notes.items[place].has_value = has_any_value(t, row);
    for (size_t i = 0; i < t->raw.count && !rc; i++) {
        const struct raw_column *column = &t->raw.items[i];
        const struct ncu_cell cell = {.line = row->line,
                                      .place = place,
                                      .slot = column->slot,
                                      .name = column->name,
                                      .text = row->fields[column->field].text,
                                      .name_id = column->name_id,
                                      .has_no_unit = column->has_no_unit};
        if (isfinite(column->factor))
            rc = take_number(t, &cell, column->factor, e);
        else
            take_as_no_number(t, &cell);
    }
    return rc;
}

static bool is_id(const struct csv_field *field)
{
    for (size_t i = 0; i < field->length; i++)
        if (field->text[i] < '0' || field->text[i] > '9')
            return false;
    return field->length > 0;
}

/* ncu quotes each field: a comma in one does not end it. */
static int refuse_long_row(const struct ncu_table *t, const struct csv_row *row, bool is_quoted, struct err *e)
{
    if (!is_quoted)
        return err_set(e, ERR_INPUT,
                       "%s:%lld: %zu fields where the header has %zu; if these are decimal commas, export it "
                       "again: " EXPORT,
                       t->path, (long long)row->line, row->count, t->field_count);
    return err_set(e, ERR_INPUT, "%s:%lld: %zu fields where the header has %zu%s%s%s; export it again: " EXPORT,
                   t->path, (long long)row->line, row->count, t->field_count,
                   t->lacking ? ": the header lacks column '" : "", t->lacking ? t->lacking : "",
                   t->lacking ? "'" : "");
}

static int check_row(const struct ncu_table *t, const struct csv_row *row, bool is_quoted, struct err *e)
{
    if (row->count > t->field_count)
        return refuse_long_row(t, row, is_quoted, e);
    if (row->count < t->field_need && !row->terminated)
        return err_set(e, ERR_INPUT, "%s:%lld: the file ends in the middle of a row", t->path, (long long)row->line);
    if (row->count < t->field_need)
        return err_set(e, ERR_INPUT, "%s:%lld: %zu fields where the header has %zu", t->path, (long long)row->line,
                       row->count, t->field_count);
    return 0;
}

/* The row of units is the first row of a raw page, and has no id. */
static bool is_units_row(const struct ncu_table *t, const struct csv_row *row)
{
    return t->is_raw && !t->has_units && !field_of(t, row, COLUMN_ID)->length;
}

static int check_launch(const struct ncu_table *t, const struct csv_row *row, struct err *e)
{
    const struct csv_field *id = field_of(t, row, COLUMN_ID);
    if (!is_id(id))
        return err_set(e, ERR_INPUT, "%s:%lld: column 'ID' is '%.*s', expected a number", t->path, (long long)row->line,
                       NCU_SHOWN_BYTES, id->text);
    if (t->is_raw && !t->has_units)
        return err_set(e, ERR_INPUT, "%s:%lld: the row of units is missing behind the header; export it again: " EXPORT,
                       t->path, (long long)row->line);
    return 0;
}

/* Names for people mean something in their section alone. */
static int check_section(struct ncu_table *t, const struct csv_row *row, struct err *e)
{
    if (t->is_raw || has_column(t, COLUMN_SECTION) || !ncu_name_needs_section(field_of(t, row, COLUMN_METRIC)->text))
        return 0;
    t->is_misread = true;
    return refuse_lacking(t, column_names[COLUMN_SECTION], e);
}

static int read_row(struct ncu_table *t, const struct csv_row *row, bool is_quoted, struct err *e)
{
    size_t place = 0;
    int rc = check_row(t, row, is_quoted, e);
    if (rc)
        return rc;
    if (is_units_row(t, row))
        return read_units(t, row, e);
    rc = check_launch(t, row, e);
    if (!rc)
        rc = check_section(t, row, e);
    if (!rc)
        rc = find_launch(t, row, &place, e);
    if (rc)
        return rc;
    if (!row->terminated &&
        (rc = caveat_add(&t->out->caveats, CAVEAT_WEAKENS, e,
                         "%s:%lld: the file does not end with a newline: rows may be missing; export it again", t->path,
                         (long long)row->line)))
        return rc;
    if (t->is_raw)
        return read_raw(t, row, place, e);
    if (field_of(t, row, COLUMN_RULE)->length)
        read_rule(t, row, place);
    return field_of(t, row, COLUMN_METRIC)->length ? read_metric(t, row, place, e) : 0;
}

/* Reads one line of the file, or the row that starts there. Returns 1, 0 at the end, or an error code. */
static int read_next(struct ncu_table *t, struct err *e)
{
    const char *line;
    size_t length;
    struct csv_row row;
    int got = csv_reader_peek_line(t->csv, &line, &length, e);
    if (got != 1)
        return got;
    if (is_header(line, length) || (!t->has_header && is_part_of_header(line, length))) {
        const int rc = read_header(t, e);
        return rc ? rc : 1;
    }
    if (!t->has_header || !is_row(line, length)) {
        note_error(t, line, length);
        t->passed_over += t->has_header && length && !starts_with(line, length, "==");
        csv_reader_skip_line(t->csv);
        return 1;
    }
    const bool is_quoted = line[0] == '"';
    got = csv_reader_next(t->csv, &row, e);
    if (got != 1)
        return got;
    const int rc = read_row(t, &row, is_quoted, e);
    return rc ? rc : 1;
}

/* Problems after the good part leave it usable. */
static int end_good_part(struct ncu_table *t, int rc, struct err *e)
{
    if (rc != ERR_INPUT || !t->out->count || t->is_misread)
        return rc;
    struct err told = *e;
    return caveat_add(&t->out->caveats, CAVEAT_TRUNCATED, e, "%s; only what stands before is used", told.text);
}

static int note_rest(const struct ncu_table *t, struct err *e)
{
    int rc = 0;
    if (*t->error)
        rc = caveat_add(&t->out->caveats, CAVEAT_WEAKENS, e, "%s: ncu met an error, launches may be missing: %s",
                        t->path, t->error);
    if (!rc && t->passed_over)
        rc = caveat_add(&t->out->caveats, CAVEAT_NOTE, e, "%s: %lld %s behind the header %s and not read", t->path,
                        (long long)t->passed_over, t->passed_over == 1 ? "line" : "lines",
                        t->passed_over == 1 ? "is no row" : "are no rows");
    return rc;
}

/* A report of `ncu --metrics` has no sections, so its page of details is always empty. */
static int refuse_empty(const struct ncu_table *t, struct err *e)
{
    if (t->is_raw)
        return err_set(e, ERR_INPUT, "'%s' has the header of an ncu table but no kernels: none was profiled", t->path);
    return err_set(
        e, ERR_INPUT,
        "'%s' is an ncu table without rows: no kernel was profiled, or by ncu --metrics, whose counters stand on "
        "the raw page alone: " EXPORT,
        t->path);
}

static int finish(struct ncu_table *t, const struct open_input *input, struct err *e)
{
    if (!t->has_header)
        return ncu_refuse(input, t->error, e);
    if (!t->out->count && *t->error)
        return ncu_refuse(input, t->error, e);
    if (!t->out->count)
        return refuse_empty(t, e);
    for (size_t i = 0; i < t->out->count; i++)
        ncu_launch_drop_nothing(&t->out->items[i], &t->notes.items[i]);
    const int rc =
        ncu_doubts_note(&t->doubts, t->out, t->notes.items, caveat_has(&t->out->caveats, CAVEAT_TRUNCATED), e);
    for (size_t i = 0; i < t->out->count; i++)
        ncu_launch_finish(&t->out->items[i], &t->notes.items[i]);
    return rc ? rc : note_rest(t, e);
}

int ncu_csv_read(const struct open_input *input, struct imported_launches *out, struct err *e)
{
    struct ncu_table t = {.path = input->path, .out = out};
    struct err own = {0};
    if (!e)
        e = &own;
    if (!input->file)
        return ncu_refuse(input, "", e);
    strtab_init(&t.keys);
    ncu_doubts_init(&t.doubts, input->path);
    int rc = csv_reader_new(&t.csv, input->file, input->path, e);
    while (!rc && (rc = read_next(&t, e)) == 1)
        rc = 0;
    if (rc)
        rc = end_good_part(&t, rc, e);
    if (!rc)
        rc = finish(&t, input, e);
    csv_reader_free(t.csv);
    strtab_release(&t.keys);
    ncu_doubts_release(&t.doubts);
    free(t.notes.items);
    free(t.raw.items);
    return rc;
}
