/* How is text put together? */
#include "core/base/str.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"

void str_init(struct str *s)
{
    *s = (struct str){0};
}

void str_release(struct str *s)
{
    free(s->text);
    str_init(s);
}

void str_clear(struct str *s)
{
    s->length = 0;
    if (s->text)
        s->text[0] = '\0';
}

void str_add_bytes(struct str *s, const char *bytes, size_t count)
{
    if (s->failed || array_reserve((void **)&s->text, &s->capacity, s->length + count + 1, 1)) {
        s->failed = true;
        return;
    }
    if (count)
        memcpy(s->text + s->length, bytes, count);
    s->length += count;
    s->text[s->length] = '\0';
}

void str_add(struct str *s, const char *text)
{
    str_add_bytes(s, text, strlen(text));
}

void str_add_char(struct str *s, char c)
{
    str_add_bytes(s, &c, 1);
}

void str_addv(struct str *s, const char *format, va_list args)
{
    va_list again;
    va_copy(again, args);
    int count = vsnprintf(NULL, 0, format, args);
    if (count < 0 || s->failed || array_reserve((void **)&s->text, &s->capacity, s->length + (size_t)count + 1, 1)) {
        s->failed = true;
    } else {
        vsnprintf(s->text + s->length, (size_t)count + 1, format, again);
        s->length += (size_t)count;
    }
    va_end(again);
}

void str_addf(struct str *s, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    str_addv(s, format, args);
    va_end(args);
}

const char *str_text(const struct str *s)
{
    return s->text ? s->text : "";
}

char *str_take(struct str *s)
{
    str_add_bytes(s, "", 0);
    char *text = s->failed ? NULL : s->text;
    if (s->failed)
        free(s->text);
    str_init(s);
    return text;
}
