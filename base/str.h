/* str.h - a growable text buffer.
 *
 * Appending never fails visibly: when memory runs out the buffer keeps what it
 * has and `failed` is set, for the caller to check once at the end. */
#ifndef CPPROF_STR_H
#define CPPROF_STR_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

struct str {
    char *text; /* always terminated after the first append; use str_text for an empty one */
    size_t length;
    size_t capacity;
    bool failed;
};

void str_init(struct str *s);
void str_release(struct str *s);
void str_clear(struct str *s); /* empty, memory kept */
void str_add(struct str *s, const char *text);
void str_add_bytes(struct str *s, const char *bytes, size_t count);
void str_add_char(struct str *s, char c);
void str_addf(struct str *s, const char *format, ...) __attribute__((format(printf, 2, 3)));
void str_addv(struct str *s, const char *format, va_list args);
const char *str_text(const struct str *s); /* "" when empty; valid until the next change */
char *str_take(struct str *s);             /* the text, now the caller's to free; the buffer is empty again */

#endif
