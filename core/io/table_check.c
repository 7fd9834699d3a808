/* Which row of a table is the first that cannot be right? */
#include "core/io/table_check.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/hash.h"

static const struct {
    double min, max;
    bool above; /* the minimum itself is not allowed */
    const char *words;
} ranges[] = {
    [RANGE_ANY] = {-INFINITY, INFINITY, false, ""},   [RANGE_FROM_0] = {0, INFINITY, false, "0 or more"},
    [RANGE_ABOVE_0] = {0, INFINITY, true, "above 0"}, [RANGE_FROM_1] = {1, INFINITY, false, "1 or more"},
    [RANGE_SHARE] = {0, 1, false, "0 to 1"},
};

/* ---- the rule in words ---- */

static void add_item(struct str *out, size_t begin, const char *text)
{
    if (*text)
        str_addf(out, "%s%s", out->length > begin ? ", " : "", text);
}

void column_rule_words(const struct column *column, struct str *out)
{
    const struct column_rule *rule = &column->rule;
    const size_t begin = out->length;
    add_item(out, begin, rule->traits & COLUMN_REQUIRED ? "required" : "");
    add_item(out, begin, rule->traits & (COLUMN_KEY | COLUMN_KEY_KNOWN) ? "key" : "");
    add_item(out, begin, rule->traits & COLUMN_WHOLE ? "whole" : "");
    add_item(out, begin, ranges[rule->range].words);
    for (const char *word = rule->words, *end; word && *word; word = end + strspn(end, " ")) {
        end = word + strcspn(word, " ");
        str_addf(out, "%s`%.*s`",
                 word > rule->words    ? " or "
                 : out->length > begin ? ", "
                                       : "",
                 (int)(end - word), word);
    }
}

/* ---- cells ---- */

static bool is_one_of(const char *text, const char *words)
{
    const size_t length = strlen(text);
    for (const char *word = words, *end; *word; word = end + strspn(end, " ")) {
        end = word + strcspn(word, " ");
        if ((size_t)(end - word) == length && !memcmp(word, text, length))
            return true;
    }
    return false;
}

/* 2^53: beyond it a double cannot represent every whole number. */
#define WHOLE_MOST INT64_C(9007199254740992)

/* Integers are compared as integers: as a double, the first one beyond the bound would be rounded to the bound. */
static bool is_countable(const struct cell *cell)
{
    return cell->type == CELL_INTEGER ? cell->integer >= -WHOLE_MOST && cell->integer <= WHOLE_MOST
                                      : fabs(cell->number) <= (double)WHOLE_MOST;
}

static bool is_whole(const struct cell *cell)
{
    return is_countable(cell) && (cell->type == CELL_INTEGER || floor(cell->number) == cell->number);
}

static bool number_fits(const struct column_rule *rule, const struct cell *cell)
{
    const double value = cell->type == CELL_INTEGER ? (double)cell->integer : cell->number;
    const bool is_above =
        value > ranges[rule->range].min || (!ranges[rule->range].above && value >= ranges[rule->range].min);
    return is_above && value <= ranges[rule->range].max && (!(rule->traits & COLUMN_WHOLE) || is_whole(cell));
}

static bool cell_fits(const struct column_rule *rule, const struct cell *cell)
{
    switch (cell->type) {
    case CELL_MISSING: return !(rule->traits & COLUMN_REQUIRED);
    case CELL_TEXT: return !rule->words || is_one_of(cell->text, rule->words);
    case CELL_INTEGER:
    case CELL_NUMBER: return number_fits(rule, cell);
    }
    return false;
}

static void describe_cell(const struct column *column, const struct cell *cell, struct str *why)
{
    str_addf(why, "column '%s' is ", column->name);
    switch (cell->type) {
    case CELL_MISSING: str_add(why, "empty"); break;
    case CELL_TEXT: str_addf(why, "'%.40s'", cell->text); break;
    case CELL_INTEGER: str_addf(why, "%" PRId64, cell->integer); break;
    case CELL_NUMBER: str_addf(why, "%.9g", cell->number); break;
    }
    const bool is_number = cell->type == CELL_INTEGER || cell->type == CELL_NUMBER;
    if (is_number && column->rule.traits & COLUMN_WHOLE && !is_countable(cell))
        str_add(why, ", beyond 2^53, where whole numbers cannot be told apart");
    str_add(why, ", expected: ");
    column_rule_words(column, why);
}

static bool row_fits(const struct table *t, table_contradiction *contradiction, size_t row, struct str *why)
{
    for (size_t c = 0; c < t->column_count; c++)
        if (!cell_fits(&t->columns[c].rule, table_at(t, row, c))) {
            str_addf(why, "row %zu: ", row + 1);
            describe_cell(&t->columns[c], table_at(t, row, c), why);
            return false;
        }
    const char *wrong = contradiction ? contradiction(t, row) : NULL;
    if (wrong)
        str_addf(why, "row %zu: %s", row + 1, wrong);
    return !wrong;
}

/* ---- keys ---- */

struct keyed {
    uint64_t hash;
    size_t row;
};

static bool is_key(const struct table *t, size_t column)
{
    return t->columns[column].rule.traits & (COLUMN_KEY | COLUMN_KEY_KNOWN);
}

static uint64_t hash_cell(const struct cell *cell)
{
    if (cell->type == CELL_TEXT)
        return hash_bytes(cell->text, strlen(cell->text));
    if (cell->type == CELL_MISSING)
        return 0;
    const double number = (cell->type == CELL_INTEGER ? (double)cell->integer : cell->number) + 0.0; /* no -0 */
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    return hash_mix(bits);
}

/* Returns false for a row that agrees with no other. */
static bool hash_row(const struct table *t, size_t row, uint64_t *hash)
{
    *hash = 0;
    for (size_t c = 0; c < t->column_count; c++) {
        if (!is_key(t, c))
            continue;
        if ((t->columns[c].rule.traits & COLUMN_KEY_KNOWN) && table_at(t, row, c)->type == CELL_MISSING)
            return false;
        *hash = hash_mix(*hash * 31 + hash_cell(table_at(t, row, c)) + c);
    }
    return true;
}

bool table_same_cell(const struct table *t, size_t a, size_t b, size_t column)
{
    const struct cell *one = table_at(t, a, column), *other = table_at(t, b, column);
    const bool texts = one->type == CELL_TEXT && other->type == CELL_TEXT;
    const bool missing = one->type == CELL_MISSING, both = missing && other->type == CELL_MISSING;
    return both || (texts && !strcmp(one->text, other->text)) ||
           (!texts && table_number(t, a, column) == table_number(t, b, column));
}

static bool same_key(const struct table *t, size_t a, size_t b)
{
    for (size_t c = 0; c < t->column_count; c++)
        if (is_key(t, c) && !table_same_cell(t, a, b, c))
            return false;
    return true;
}

static int by_hash_and_row(const void *left, const void *right)
{
    const struct keyed *a = left, *b = right;
    const int order = (a->hash > b->hash) - (a->hash < b->hash);
    return order ? order : (a->row > b->row) - (a->row < b->row);
}

/* Finds the lowest row that repeats an earlier one. `keys` are sorted, so equal hashes are neighbours. */
static void find_repeated(const struct table *t, const struct keyed *keys, size_t count, size_t *good_rows, size_t *of)
{
    for (size_t i = 1; i < count; i++)
        if (keys[i].hash == keys[i - 1].hash && keys[i].row < *good_rows && same_key(t, keys[i].row, keys[i - 1].row)) {
            *good_rows = keys[i].row;
            *of = keys[i - 1].row;
        }
}

/* Appends the names of the key columns, "variant, shape". */
static void add_key_names(const struct table *t, struct str *out)
{
    const char *between = "";
    for (size_t c = 0; c < t->column_count; c++)
        if (is_key(t, c)) {
            str_addf(out, "%s%s", between, t->columns[c].name);
            between = ", ";
        }
}

static bool has_key(const struct table *t)
{
    for (size_t c = 0; c < t->column_count; c++)
        if (is_key(t, c))
            return true;
    return false;
}

static int check_keys(const struct table *t, size_t *good_rows, struct str *why, struct err *e)
{
    if (*good_rows < 2 || !has_key(t))
        return 0;
    struct keyed *keys = malloc(*good_rows * sizeof *keys);
    if (!keys)
        return err_memory(e);
    size_t count = 0, of = 0;
    const size_t before = *good_rows;
    for (size_t row = 0; row < before; row++)
        if (hash_row(t, row, &keys[count].hash))
            keys[count++].row = row;
    qsort(keys, count, sizeof *keys, by_hash_and_row);
    find_repeated(t, keys, count, good_rows, &of);
    free(keys);
    if (*good_rows == before)
        return 0;
    str_clear(why);
    str_addf(why, "row %zu: it is row %zu again: ", *good_rows + 1, of + 1);
    add_key_names(t, why);
    str_add(why, " are the same");
    return 0;
}

int table_check(const struct table *t, table_contradiction *contradiction, size_t *good_rows, struct str *why,
                struct err *e)
{
    const size_t rows = table_rows(t);
    size_t good = 0;
    while (good < rows && row_fits(t, contradiction, good, why))
        good++;
    *good_rows = good;
    const int rc = check_keys(t, good_rows, why, e);
    return rc ? rc : why->failed ? err_memory(e) : 0;
}
