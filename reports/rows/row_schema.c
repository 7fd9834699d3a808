/* What does JSON Schema say of a result's members? */
#include <string.h>

#include "reports/rows/row_formats.h"

void row_schema_name(const struct row_columns *list, struct str *out)
{
    for (const char *c = list->name; *c; c++)
        str_add_char(out, *c == ' ' ? '_' : *c);
}

static json_t *reference_to(const struct row_columns *list)
{
    struct str text;
    str_init(&text);
    str_add(&text, "#/$defs/");
    row_schema_name(list, &text);
    json_t *value = json_pack("{so}", "$ref", json_text(str_text(&text)));
    str_release(&text);
    return value;
}

static const char *type_name(const struct row_source *source)
{
    static const char *const names[] = {[ROW_TEXT] = "string",     [ROW_NUMBER] = "number", [ROW_INTEGER] = "integer",
                                        [ROW_BOOLEAN] = "boolean", [ROW_LIST] = "array",    [ROW_OBJECT] = "object"};
    return names[source->kind];
}

/* A double that is not finite is null; what a function makes may be unknown. */
static bool may_be_null(const struct row_source *source)
{
    return source->make || source->empty_is_unknown || source->member == ROW_AS_DOUBLE;
}

static json_t *plain_schema(const struct row_source *source)
{
    return may_be_null(source) ? json_pack("{s[ss]}", "type", type_name(source), "null")
                               : json_pack("{ss}", "type", type_name(source));
}

static json_t *list_schema(const struct row_source *source)
{
    json_t *items = source->inside ? reference_to(source->inside)
                                   : json_pack("{ss}", "type", source->member == ROW_AS_INT64 ? "integer" : "string");
    return json_pack("{ss so}", "type", "array", "items", items);
}

static json_t *object_schema(const struct row_source *source)
{
    return json_pack("{s[o{ss}]}", "anyOf", reference_to(source->inside), "type", "null");
}

/* The words of docs/json.md without their links, which lead nowhere from here. */
static void add_without_links(struct str *out, const char *markdown)
{
    while (*markdown) {
        const char *text = strchr(markdown, '['), *middle = text ? strstr(text, "](") : NULL,
                   *end = middle ? strchr(middle, ')') : NULL;
        if (!end) {
            str_add(out, markdown);
            return;
        }
        str_add_bytes(out, markdown, (size_t)(text - markdown));
        str_add_bytes(out, text + 1, (size_t)(middle - text - 1));
        markdown = end + 1;
    }
}

static json_t *description_of(const struct row_column *column)
{
    const char *unit = row_unit_name(column);
    struct str text;
    str_init(&text);
    if (unit)
        str_addf(&text, "[%s] ", unit);
    add_without_links(&text, column->description);
    json_t *value = json_text(str_text(&text));
    str_release(&text);
    return value;
}

static json_t *member_schema(const struct row_column *column)
{
    const struct row_source *source = &column->source;
    json_t *schema = source->kind == ROW_LIST     ? list_schema(source)
                     : source->kind == ROW_OBJECT ? object_schema(source)
                                                  : plain_schema(source);
    json_object_set_new(schema, "description", description_of(column));
    return schema;
}

json_t *row_schema(const struct row_columns *list)
{
    struct row_choice chosen;
    row_choose(&chosen, list, ROW_ALL_JSON);
    json_t *members = json_object(), *required = json_array();
    for (size_t i = 0; i < chosen.count; i++) {
        const struct row_column *column = chosen.items[i];
        json_object_set_new(members, column->name, member_schema(column));
        if (column->formats & ROW_JSON)
            json_array_append_new(required, json_string(column->name));
    }
    return json_pack("{ss so so}", "type", "object", "properties", members, "required", required);
}
