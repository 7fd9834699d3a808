/* Is an outcome that an isolated process tells what its judge found? */
#define _GNU_SOURCE
#include "cli/record/judged_outcomes.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/files.h"
#include "core/bundle/bundle_tables.h"

enum { ROLE, PROCESS, SHAPE, NAMES, CHANGED, SEED, PASS, VALUES, MAX_ABS_ERR, HINT, COLUMNS };

#define TEXT                                                                                                           \
    {                                                                                                                  \
        COLUMN_REQUIRED, RANGE_ANY, NULL                                                                               \
    }

/* As in JUDGED_HEADER, which the judge does not write. */
static const struct column columns[COLUMNS] = {
    [ROLE] = {"role", UNIT_TEXT, TEXT},
    [PROCESS] = {"process", UNIT_TEXT, TEXT},
    [SHAPE] = COLUMN_ANY("shape", UNIT_TEXT),
    [NAMES] = COLUMN_ANY("names", UNIT_TEXT),
    [CHANGED] = COLUMN_ANY("changed", UNIT_TEXT),
    [SEED] = {"seed", UNIT_TEXT, TEXT},
    [PASS] = {"pass", UNIT_TEXT, {COLUMN_REQUIRED, RANGE_ANY, "yes no"}},
    [VALUES] = COLUMN_ANY("values", UNIT_COUNT),
    [MAX_ABS_ERR] = COLUMN_ANY("max_abs_err", UNIT_NONE),
    [HINT] = COLUMN_ANY("hint", UNIT_TEXT),
};

#define ERROR_AGREES 1e-6 /* of itself */

/* ---- the judge's rows ---- */

static int read_rows(struct judged_outcomes *o, struct err *e)
{
    struct str whole;
    str_init(&whole);
    str_add(&whole, JUDGED_HEADER);
    str_add_bytes(&whole, str_text(&o->text), o->text.length);
    FILE *file = whole.failed ? NULL : fmemopen(whole.text, whole.length, "r");
    const int rc = file ? table_read_csv_from(&o->rows, file, "what the judge wrote", e) : err_memory(e);
    if (file)
        fclose(file);
    str_release(&whole);
    return rc;
}

int judged_outcomes_read(struct judged_outcomes *o, int descriptor, struct err *e)
{
    char path[64];
    *o = (struct judged_outcomes){0};
    table_init(&o->rows, columns, COLUMNS);
    str_init(&o->text);
    snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
    int rc = descriptor < 0 ? 0 : files_read(path, (size_t)1 << 28, &o->text, e);
    if (!rc && o->text.length)
        rc = read_rows(o, e);
    o->used = calloc(table_rows(&o->rows) + 1, sizeof *o->used);
    return rc || o->used ? rc : err_memory(e);
}

void judged_outcomes_release(struct judged_outcomes *o)
{
    table_release(&o->rows);
    str_release(&o->text);
    free(o->used);
}

int judged_outcomes_keep(const struct judged_outcomes *o, const char *folder, struct err *e)
{
    struct str path;
    str_init(&path);
    files_join(&path, folder, JUDGED_FILE);
    const bool is_new = !files_exists(str_text(&path));
    FILE *file = o->text.length ? fopen(str_text(&path), "ae") : NULL;
    bool failed = o->text.length && !file;
    if (file) {
        failed = (is_new && fputs(JUDGED_HEADER, file) < 0) ||
                 fwrite(o->text.text, 1, o->text.length, file) != o->text.length;
        failed |= fclose(file) != 0;
    }
    const int rc = failed ? err_set(e, ERR_ENVIRONMENT, "cannot write '%s'", str_text(&path)) : 0;
    str_release(&path);
    return rc;
}

/* ---- is it the same case? ---- */

/* Is the word in a list that this character separates? */
static bool has_word(const char *list, char separator, const char *word, size_t length)
{
    for (const char *at = list; *at;) {
        const size_t here = strcspn(at, (char[]){separator, '\0'});
        if (here == length && !strncmp(at, word, length))
            return true;
        at += here + (at[here] != '\0');
    }
    return false;
}

static bool has_all(const char *list, const char *words)
{
    for (const char *at = words; *at;) {
        const size_t here = strcspn(at, ",");
        if (here && !has_word(list, ',', at, here))
            return false;
        at += here + (at[here] != '\0');
    }
    return true;
}

/* The process has a name, or those dimensions that were asked for; all others are at their default then. */
static bool is_shape(const struct judged_outcomes *o, size_t row, const char *shape)
{
    if (!strchr(shape, '='))
        return has_word(table_text(&o->rows, row, NAMES), ' ', shape, strlen(shape));
    return has_all(table_text(&o->rows, row, SHAPE), shape) && has_all(shape, table_text(&o->rows, row, CHANGED));
}

/* "007 sorted" and "7 sorted" are the same. */
static bool is_seed(const char *judged, const char *said)
{
    char *judged_rest, *said_rest;
    return strtoull(judged, &judged_rest, 10) == strtoull(said, &said_rest, 10) && !strcmp(judged_rest, said_rest);
}

static bool is_same(double a, double b)
{
    return fabs(a - b) <= ERROR_AGREES * fmax(fabs(a), fabs(b));
}

static bool is_case(const struct judged_outcomes *o, size_t row, const struct table *verify, size_t said)
{
    return is_seed(table_text(&o->rows, row, SEED), table_text(verify, said, VERIFY_SEED)) &&
           is_shape(o, row, table_text(verify, said, VERIFY_SHAPE));
}

/* ---- comparing ---- */

static bool says_yes(const char *pass)
{
    return !strcmp(pass, "yes");
}

static bool take_right(struct judged_outcomes *o, const struct table *verify, size_t said)
{
    for (size_t row = 0; row < table_rows(&o->rows); row++) {
        if (o->used[row] || !says_yes(table_text(&o->rows, row, PASS)) || !is_case(o, row, verify, said) ||
            table_number(&o->rows, row, VALUES) != table_number(verify, said, VERIFY_VALUES) ||
            !is_same(table_number(&o->rows, row, MAX_ABS_ERR), table_number(verify, said, VERIFY_MAX_ABS_ERR)))
            continue;
        return o->used[row] = true;
    }
    return false;
}

static void take_wrong(struct judged_outcomes *o, const struct table *verify, size_t said)
{
    for (size_t row = 0; row < table_rows(&o->rows); row++)
        if (!says_yes(table_text(&o->rows, row, PASS)) && is_case(o, row, verify, said))
            o->used[row] = true;
}

static void make_wrong(struct table *verify, size_t row, const char *why)
{
    struct cell *cells = &verify->items[row * verify->column_count];
    cells[VERIFY_PASS] = cell_text(verify, "no");
    cells[VERIFY_HINT] = cell_text(verify, why);
}

/* Nothing that such a process says is right. */
static int judge_silence(const struct judged_outcomes *o, size_t row, struct table *verify, size_t first, struct err *e)
{
    const int rc = err_set(
        e, ERR_INPUT, "the judge found outputs wrong that the process does not report: %.80s, seed %.40s: %.100s",
        table_text(&o->rows, row, SHAPE), table_text(&o->rows, row, SEED), table_text(&o->rows, row, HINT));
    for (size_t i = first; i < table_rows(verify); i++)
        if (says_yes(table_text(verify, i, VERIFY_PASS)))
            make_wrong(verify, i, e->text);
    return rc;
}

int judged_outcomes_compare(struct judged_outcomes *o, struct table *verify, size_t first, struct err *e)
{
    for (size_t row = first; row < table_rows(verify); row++) {
        if (!says_yes(table_text(verify, row, VERIFY_PASS)))
            take_wrong(o, verify, row);
        else if (!take_right(o, verify, row))
            make_wrong(verify, row, "the process says that this is right, and its judge reported no such outcome");
    }
    for (size_t row = 0; row < table_rows(&o->rows); row++)
        if (!o->used[row] && !says_yes(table_text(&o->rows, row, PASS)))
            return judge_silence(o, row, verify, first, e);
    return 0;
}
