/* What is in row r, column c? And if it is missing, why? */
#include "core/io/table.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "core/base/array.h"

void table_init(struct table *t, const struct column *columns, size_t column_count)
{
    assert(column_count > 0);
    *t = (struct table){.columns = columns, .column_count = column_count};
    arena_init(&t->arena);
}

void table_release(struct table *t)
{
    arena_release(&t->arena);
    free(t->items);
    t->items = NULL;
    t->count = t->capacity = 0;
}

size_t table_rows(const struct table *t)
{
    return t->column_count ? t->count / t->column_count : 0;
}

const struct cell *table_at(const struct table *t, size_t row, size_t column)
{
    assert(column < t->column_count && row < table_rows(t));
    return &t->items[row * t->column_count + column];
}

struct cell *table_add_row(struct table *t)
{
    if (array_reserve((void **)&t->items, &t->capacity, t->count + t->column_count, sizeof *t->items))
        return NULL;
    struct cell *row = t->items + t->count;
    for (size_t i = 0; i < t->column_count; i++)
        row[i] = (struct cell){.type = CELL_MISSING, .text = ""};
    t->count += t->column_count;
    return row;
}

struct cell cell_number(double value)
{
    if (!isfinite(value))
        return (struct cell){.type = CELL_MISSING, .text = "not a number"};
    return (struct cell){.type = CELL_NUMBER, .number = value};
}

struct cell cell_integer(int64_t value)
{
    return (struct cell){.type = CELL_INTEGER, .integer = value};
}

struct cell cell_text(struct table *t, const char *text)
{
    return (struct cell){.type = CELL_TEXT, .text = arena_copy(&t->arena, text)};
}

struct cell cell_missing(struct table *t, const char *reason)
{
    return (struct cell){.type = CELL_MISSING, .text = arena_copy(&t->arena, reason)};
}

void table_clear(struct table *t, size_t row, size_t column, const char *reason)
{
    t->items[row * t->column_count + column] = cell_missing(t, reason);
}

void table_truncate(struct table *t, size_t rows)
{
    assert(rows <= table_rows(t));
    t->count = rows * t->column_count;
}

const char *table_text(const struct table *t, size_t row, size_t column)
{
    const struct cell *cell = table_at(t, row, column);
    return cell->type == CELL_TEXT ? cell->text : "";
}

double table_number(const struct table *t, size_t row, size_t column)
{
    const struct cell *cell = table_at(t, row, column);
    switch (cell->type) {
    case CELL_NUMBER: return cell->number;
    case CELL_INTEGER: return (double)cell->integer;
    case CELL_MISSING:
    case CELL_TEXT: break;
    }
    return NAN;
}
