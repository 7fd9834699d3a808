/* What does a spreadsheet read of a result? */
#include "reports/json/json_csv.h"

#include <string.h>

#include "core/io/csv.h"
#include "reports/document/inert_cell.h"

/* Rows are objects without objects in them. jansson counts its own failures to allocate as -1: `failed` keeps them. */
struct flat_rows {
    json_t *rows;
    json_t *columns; /* an object, which keeps the order in which names were first seen: whether one has a value */
    bool failed;
};

/* ---- rows ---- */

static void note_column(struct flat_rows *f, const char *name, bool has_value)
{
    if (has_value || !json_object_get(f->columns, name))
        f->failed |= json_object_set_new(f->columns, name, json_boolean(has_value)) != 0;
}

static void add_members(struct flat_rows *f, json_t *row, const char *prefix, const json_t *object)
{
    const char *name;
    json_t *value;
    json_object_foreach ((json_t *)object, name, value) {
        struct str column;
        str_init(&column);
        str_addf(&column, "%s%s", prefix, name);
        if (json_is_object(value)) {
            str_add_char(&column, '_');
            add_members(f, row, str_text(&column), value);
        } else if (!json_is_array(value)) {
            f->failed |= json_object_set(row, str_text(&column), value) != 0;
            note_column(f, str_text(&column), !json_is_null(value));
        }
        f->failed |= column.failed;
        str_release(&column);
    }
}

/* Takes `row`, which has what stands above. */
static void add_rows(struct flat_rows *f, const json_t *object, const char *const *path, json_t *row)
{
    const json_t *list = *path ? json_object_get(object, *path) : NULL;
    for (size_t i = 0; i < json_array_size(list); i++) {
        json_t *inner = json_copy(row);
        add_members(f, inner, "", json_array_get(list, i));
        add_rows(f, json_array_get(list, i), path + 1, inner);
    }
    if (!json_array_size(list) && json_object_size(row))
        f->failed |= json_array_append(f->rows, row) != 0;
    f->failed |= !row;
    json_decref(row);
}

static void add_list(struct flat_rows *f, const json_t *document, const struct json_rows *list, bool is_one_of_several)
{
    const json_t *rows = json_object_get(document, list->path[0]);
    json_t *row = json_object();
    if (is_one_of_several && json_array_size(rows)) {
        f->failed |= json_object_set_new(row, "section", json_string(list->path[0])) != 0;
        note_column(f, "section", true);
    }
    add_rows(f, document, list->path, row);
}

/* ---- text ---- */

static void add_text(struct str *out, const char *text)
{
    struct str inert;
    str_init(&inert);
    inert_cell_add(&inert, text, strlen(text));
    csv_add_field(out, str_text(&inert), inert.length);
    out->failed |= inert.failed;
    str_release(&inert);
}

static void add_cell(struct str *out, const json_t *value)
{
    if (json_is_string(value))
        add_text(out, json_string_value(value));
    else if (json_is_integer(value))
        str_addf(out, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
    else if (json_is_real(value))
        str_addf(out, "%.15g", json_real_value(value));
    else if (json_is_boolean(value))
        str_add(out, json_is_true(value) ? "yes" : "no");
}

/* Null in place of an object, whose own members are columns where it is there. */
static bool is_object_elsewhere(const struct flat_rows *f, const char *name)
{
    const size_t length = strlen(name);
    const char *other;
    json_t *unused;
    if (json_is_true(json_object_get(f->columns, name)))
        return false;
    json_object_foreach (f->columns, other, unused)
        if (!strncmp(other, name, length) && other[length] == '_')
            return true;
    return false;
}

static void drop_objects(struct flat_rows *f)
{
    const char *name;
    void *next;
    json_t *unused;
    json_object_foreach_safe(f->columns, next, name, unused) if (is_object_elsewhere(f, name))
        json_object_del(f->columns, name);
}

static void add_line(struct str *out, const struct flat_rows *f, const json_t *row)
{
    const char *name, *between = "";
    json_t *unused;
    json_object_foreach (f->columns, name, unused) {
        str_add(out, between);
        if (row)
            add_cell(out, json_object_get(row, name));
        else
            str_add(out, name);
        between = ",";
    }
    str_add_char(out, '\n');
}

int json_csv(const json_t *document, const struct json_rows *lists, struct str *out, struct err *e)
{
    struct flat_rows f = {json_array(), json_object(), false};
    f.failed = !document || !f.rows || !f.columns;
    if (!f.failed && !lists[0].path[0]) {
        json_t *row = json_object();
        add_members(&f, row, "", document);
        f.failed |= json_array_append_new(f.rows, row) != 0;
    }
    for (size_t i = 0; !f.failed && lists[i].path[0]; i++)
        add_list(&f, document, &lists[i], lists[1].path[0] != NULL);
    drop_objects(&f);
    add_line(out, &f, NULL);
    for (size_t i = 0; i < json_array_size(f.rows); i++)
        add_line(out, &f, json_array_get(f.rows, i));
    json_decref(f.rows);
    json_decref(f.columns);
    return f.failed || out->failed ? err_memory(e) : 0;
}
