/* What is a row as JSON? */
#include "reports/rows/row_formats.h"

static json_t *plain_item(const struct row_source *source, const void *items, size_t at)
{
    return source->member == ROW_AS_INT64 ? json_integer(((const int64_t *)items)[at])
                                          : json_text(((const char *const *)items)[at]);
}

static json_t *inner_array(const struct row_source *source, const void *items, size_t count, const void *context)
{
    if (source->inside)
        return row_json_array(source->inside, 0, items, count, context);
    json_t *array = json_array();
    for (size_t i = 0; array && i < count; i++)
        if (json_array_append_new(array, plain_item(source, items, i))) {
            json_decref(array);
            return NULL;
        }
    return array;
}

static json_t *inner_json(const struct row_source *source, const void *row, const void *context)
{
    const void *items = NULL;
    const size_t count = source->inner(row, context, &items);
    if (count && !items)
        return NULL;
    if (source->kind == ROW_LIST)
        return inner_array(source, items, count, context);
    return count ? row_json(source->inside, 0, items, context) : json_null();
}

static json_t *plain_json(const struct row_column *column, const void *row, const void *context, struct str *scratch)
{
    const struct row_value value = row_value_of(column, row, context, scratch);
    if (scratch->failed)
        return NULL;
    switch (value.type) {
    case ROW_UNKNOWN: return json_null();
    case ROW_IS_TEXT: return json_text(value.text);
    case ROW_IS_NUMBER: return json_real(value.number);
    case ROW_IS_INTEGER: return json_integer(value.integer);
    case ROW_IS_BOOLEAN: return json_boolean(value.boolean);
    }
    return NULL;
}

static json_t *chosen_json(const struct row_choice *chosen, const void *row, const void *context, struct str *scratch)
{
    json_t *object = json_object();
    for (size_t i = 0; object && i < chosen->count; i++) {
        const struct row_column *column = chosen->items[i];
        json_t *value = column->source.inner ? inner_json(&column->source, row, context)
                                             : plain_json(column, row, context, scratch);
        if ((column->formats & ROW_JSON_KNOWN) && json_is_null(value))
            continue; /* jansson's null needs no release */
        /* The value is freed also when it does not get in. */
        if (!value || json_object_set_new(object, column->name, value)) {
            json_decref(object);
            return NULL;
        }
    }
    return object;
}

json_t *row_json(const struct row_columns *list, unsigned more, const void *row, const void *context)
{
    struct row_choice chosen;
    struct str scratch;
    row_choose(&chosen, list, ROW_JSON | ROW_JSON_KNOWN | more);
    str_init(&scratch);
    json_t *object = chosen_json(&chosen, row, context, &scratch);
    str_release(&scratch);
    return object;
}

json_t *row_json_array(const struct row_columns *list, unsigned more, const void *rows, size_t count,
                       const void *context)
{
    struct row_choice chosen;
    struct str scratch;
    json_t *array = json_array();
    row_choose(&chosen, list, ROW_JSON | ROW_JSON_KNOWN | more);
    str_init(&scratch);
    for (size_t i = 0; array && i < count; i++) {
        json_t *row = chosen_json(&chosen, (const char *)rows + i * list->row_bytes, context, &scratch);
        if (!row || json_array_append_new(array, row)) {
            json_decref(array);
            array = NULL;
        }
    }
    str_release(&scratch);
    return array;
}

json_t *row_json_joined(json_t *object, json_t *more)
{
    const int failed = !object || !more || json_object_update(object, more);
    json_decref(more);
    if (!failed)
        return object;
    json_decref(object);
    return NULL;
}
