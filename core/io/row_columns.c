/* Which columns does a format have, and what are their values? */
#include "core/io/row_columns.h"

#include <assert.h>
#include <math.h>
#include <string.h>

struct row_value row_unknown(void)
{
    return (struct row_value){.type = ROW_UNKNOWN};
}

struct row_value row_text(const char *text)
{
    return text ? (struct row_value){.type = ROW_IS_TEXT, .text = text} : row_unknown();
}

struct row_value row_text_or_unknown(const char *text)
{
    return text && *text ? row_text(text) : row_unknown();
}

struct row_value row_number(double value)
{
    return isfinite(value) ? (struct row_value){.type = ROW_IS_NUMBER, .number = value} : row_unknown();
}

struct row_value row_integer(int64_t value)
{
    return (struct row_value){.type = ROW_IS_INTEGER, .integer = value};
}

struct row_value row_whole_or_number(double value)
{
    const bool is_whole = isfinite(value) && fabs(value) < 9e15 && value == floor(value);
    return is_whole ? row_integer((int64_t)value) : row_number(value);
}

struct row_value row_boolean(bool value)
{
    return (struct row_value){.type = ROW_IS_BOOLEAN, .boolean = value};
}

struct row_value row_ratio(double part, double whole)
{
    return whole > 0 ? row_number(part / whole) : row_unknown();
}

static struct row_value text_of(const struct row_source *source, const void *member)
{
    const char *text = *(const char *const *)member;
    return source->empty_is_unknown ? row_text_or_unknown(text) : row_text(text);
}

static struct row_value int_of(const struct row_source *source, const void *member)
{
    const int value = *(const int *)member;
    return source->empty_is_unknown && value < 0 ? row_unknown() : row_integer(value);
}

struct row_value row_value_of(const struct row_column *column, const void *row, const void *context,
                              struct str *scratch)
{
    const struct row_source *source = &column->source;
    const void *member = (const char *)row + source->offset;
    str_clear(scratch);
    if (source->inner)
        return row_unknown();
    if (source->make)
        return source->make(row, context, scratch);
    switch (source->member) {
    case ROW_AS_TEXT: return text_of(source, member);
    case ROW_AS_DOUBLE: return row_number(*(const double *)member);
    case ROW_AS_INT64: return row_integer(*(const int64_t *)member);
    case ROW_AS_SIZE: return row_integer((int64_t) * (const size_t *)member);
    case ROW_AS_INT: return int_of(source, member);
    case ROW_AS_REASON: return row_text_or_unknown(source->reasons[*(const unsigned *)member].key);
    case ROW_AS_BOOL: return row_boolean(*(const bool *)member);
    }
    return row_unknown();
}

static const char *order_of(const struct row_columns *list, unsigned formats)
{
    for (size_t i = 0; i < ROW_ORDERS_MAX; i++)
        if (list->orders[i].format & formats)
            return list->orders[i].first;
    return "";
}

static void choose(struct row_choice *out, const struct row_column *column)
{
    for (size_t i = 0; i < out->count; i++)
        if (out->items[i] == column)
            return;
    assert(out->count < ROW_COLUMNS_MAX);
    out->items[out->count++] = column;
}

void row_choose(struct row_choice *out, const struct row_columns *list, unsigned formats)
{
    out->count = 0;
    for (const char *name = order_of(list, formats); *name;) {
        const size_t length = strcspn(name, " ");
        for (size_t i = 0; i < list->count; i++)
            if ((list->items[i].formats & formats) && strlen(list->items[i].name) == length &&
                !memcmp(list->items[i].name, name, length))
                choose(out, &list->items[i]);
        name += length + strspn(name + length, " ");
    }
    for (size_t i = 0; i < list->count; i++)
        if (list->items[i].formats & formats)
            choose(out, &list->items[i]);
}
