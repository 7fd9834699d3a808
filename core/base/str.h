/* str.h - a growable text buffer.
 *
 * Appending reports no error: when memory is out the buffer keeps its text and sets `failed`, which the caller checks
 * once at the end. */
#ifndef CPPROF_STR_H
#define CPPROF_STR_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

struct str {
    char *text; /* always terminated after the first append; str_text also works for an empty buffer */
    size_t length;
    size_t capacity;
    bool failed;
};

void str_init(struct str *s);
void str_release(struct str *s);
void str_clear(struct str *s); /* makes it empty and keeps the memory */
void str_add(struct str *s, const char *text);
void str_add_bytes(struct str *s, const char *bytes, size_t count);
void str_add_char(struct str *s, char c);
void str_addf(struct str *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
void str_addv(struct str *s, const char *format, va_list args);
const char *str_text(const struct str *s); /* "" when empty; valid until the next change */
char *str_take(struct str *s);             /* returns the text for the caller to free, and leaves the buffer empty */

#endif
