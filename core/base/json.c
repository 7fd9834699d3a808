/* How do we read and write JSON? */
#include "core/base/json.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/files.h"
#include "core/base/str.h"
#include "core/base/utf8.h"

int json_read_file(const char *path, json_t **out, struct err *e)
{
    struct str text;
    str_init(&text);
    int rc = files_read(path, JSON_FILE_BYTES_MAX, &text, e);
    if (!rc) {
        json_error_t error;
        *out = json_loadb(str_text(&text), text.length, JSON_REJECT_DUPLICATES, &error);
        if (!*out)
            rc = err_set(e, ERR_INPUT, "%s:%d:%d: not valid JSON: %s", path, error.line, error.column, error.text);
    }
    str_release(&text);
    return rc;
}

char *json_to_text(const json_t *value)
{
    char *dumped = json_dumps(value, JSON_INDENT(2) | JSON_REAL_PRECISION(15) | JSON_ENCODE_ANY);
    if (!dumped)
        return NULL;
    struct str text;
    str_init(&text);
    str_addf(&text, "%s\n", dumped);
    free(dumped);
    return str_take(&text);
}

int json_write_file(const char *path, const json_t *value, struct err *e)
{
    char *text = json_to_text(value);
    if (!text)
        return err_memory(e);
    int rc = files_write_atomic(path, text, strlen(text), e);
    free(text);
    return rc;
}

json_t *json_text(const char *text)
{
    struct str valid;
    str_init(&valid);
    utf8_add_valid(&valid, text, strlen(text));
    json_t *value = json_string(str_text(&valid));
    str_release(&valid);
    return value;
}

/* Returns where the run of bytes from `at` ends that are all plain, or all not ASCII. */
static size_t stretch_end(const char *bytes, size_t at, size_t count, bool is_ascii)
{
    for (; at < count; at++) {
        const unsigned char c = (unsigned char)bytes[at];
        if (is_ascii ? c < 0x20 || c >= 0x7f || c == '"' || c == '\\' : c < 0x80)
            break;
    }
    return at;
}

void json_add_quoted(struct str *out, const char *bytes, size_t count)
{
    str_add_char(out, '"');
    for (size_t at = 0; at < count;) {
        const size_t plain = stretch_end(bytes, at, count, true);
        str_add_bytes(out, bytes + at, plain - at);
        const size_t wide = stretch_end(bytes, plain, count, false);
        utf8_add_valid(out, bytes + plain, wide - plain);
        at = wide;
        if (at == count || wide > plain)
            continue;
        const char c = bytes[at++];
        if (c == '"' || c == '\\')
            str_addf(out, "\\%c", c);
        else
            str_addf(out, "\\u%04x", (unsigned)(unsigned char)c);
    }
    str_add_char(out, '"');
}

json_t *json_number_or_null(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

const char *json_get_text(const json_t *object, const char *key, const char *absent)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : absent;
}

double json_get_number(const json_t *object, const char *key, double absent)
{
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : absent;
}

long long json_get_integer(const json_t *object, const char *key, long long absent)
{
    const json_t *value = json_object_get(object, key);
    return json_is_integer(value) ? json_integer_value(value) : absent;
}
