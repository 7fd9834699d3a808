/* json.h - jansson, and the few helpers that keep our JSON exact and bounded.
 * jansson.h is included here and nowhere else. */
#ifndef CPPROF_JSON_H
#define CPPROF_JSON_H

#include <jansson.h>
#include <stddef.h>

#include "base/err.h"
#include "base/str.h"

enum { JSON_FILE_BYTES_MAX = 16 * 1024 * 1024 };

/* Parses a file of at most JSON_FILE_BYTES_MAX; the place of an error is in the
 * message. The value is the caller's (json_decref). */
int json_read_file(const char *path, json_t **out, struct err *e);

/* Two-space indent, keys in the order they were set, newline at the end. */
int json_write_file(const char *path, const json_t *value, struct err *e);

/* As json_write_file, as text for the caller to free. NULL when memory is out. */
char *json_to_text(const json_t *value);

/* A string that is always valid UTF-8: bytes that are not become U+FFFD. */
json_t *json_text(const char *text);

/* Appends the bytes as a JSON string with its quotes, for output that is too
 * large to be a json_t: valid UTF-8 as json_text, control characters escaped. */
void json_add_quoted(struct str *out, const char *bytes, size_t count);

/* A JSON number, or null when it is not finite. */
json_t *json_number_or_null(double value);

/* Members with a default when absent or of another type. */
const char *json_get_text(const json_t *object, const char *key, const char *absent);
double json_get_number(const json_t *object, const char *key, double absent);
long long json_get_integer(const json_t *object, const char *key, long long absent);

#endif
