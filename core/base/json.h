/* json.h - jansson, and helpers that keep our JSON exact and bounded. Only this file includes jansson.h. */
#ifndef CPPROF_JSON_H
#define CPPROF_JSON_H

#include <jansson.h>
#include <stddef.h>

#include "core/base/err.h"
#include "core/base/str.h"

enum { JSON_FILE_BYTES_MAX = 16 * 1024 * 1024 };

/* Parses a file of at most JSON_FILE_BYTES_MAX. The message of an error has its place. The caller owns the value
 * (json_decref). */
int json_read_file(const char *path, json_t **out, struct err *e);

/* Writes with an indent of two spaces, keys in the order in which they were set, and a newline at the end. */
int json_write_file(const char *path, const json_t *value, struct err *e);

/* Returns the text that json_write_file would write, for the caller to free; NULL when memory is out. */
char *json_to_text(const json_t *value);

/* Returns a JSON string that is always valid UTF-8: invalid bytes become U+FFFD. */
json_t *json_text(const char *text);

/* Appends the bytes as a JSON string with quotes, for output that is too large for a json_t. Invalid UTF-8 is replaced
 * as in json_text, and control characters are escaped. */
void json_add_quoted(struct str *out, const char *bytes, size_t count);

/* Returns a JSON number, or null when the value is not finite. */
json_t *json_number_or_null(double value);

/* Return a member's value, or `absent` when it is missing or has another type. */
const char *json_get_text(const json_t *object, const char *key, const char *absent);
double json_get_number(const json_t *object, const char *key, double absent);
long long json_get_integer(const json_t *object, const char *key, long long absent);

#endif
