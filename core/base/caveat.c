/* Which remarks about its input must be passed on with the data? */
#define _GNU_SOURCE
#include "core/base/caveat.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"
#include "core/base/str.h"
#include "core/base/utf8.h"

enum { CAVEATS_MAX = 64 };

void caveat_list_init(struct caveat_list *list)
{
    *list = (struct caveat_list){0};
}

void caveat_list_release(struct caveat_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->items[i].text);
    free(list->items);
    caveat_list_init(list);
}

const char *caveat_first(const struct caveat_list *list, enum caveat_kind kind)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->items[i].kind == kind)
            return list->items[i].text;
    return NULL;
}

bool caveat_has(const struct caveat_list *list, enum caveat_kind kind)
{
    return caveat_first(list, kind) || (kind == CAVEAT_WEAKENS && caveat_first(list, CAVEAT_HIDDEN));
}

bool caveat_says(const struct caveat_list *list, const char *text)
{
    for (size_t i = 0; i < list->count; i++)
        if (!strcmp(list->items[i].text, text))
            return true;
    return false;
}

/* The text may quote bytes from outside. It becomes one inert line here, and nowhere else. */
static char *format_line(const char *format, va_list args)
{
    struct str raw, line;
    str_init(&raw);
    str_init(&line);
    str_addv(&raw, format, args);
    utf8_add_visible(&line, str_text(&raw), raw.length);
    line.failed |= raw.failed;
    str_release(&raw);
    return str_take(&line);
}

int caveat_add(struct caveat_list *list, enum caveat_kind kind, struct err *e, const char *format, ...)
{
    if (list->count >= CAVEATS_MAX && caveat_first(list, kind))
        return 0;
    va_list args;
    va_start(args, format);
    char *text = format_line(format, args);
    va_end(args);
    struct caveat *slot = text ? ARRAY_PUSH(list) : NULL;
    if (!slot) {
        free(text);
        return err_memory(e);
    }
    *slot = (struct caveat){.kind = kind, .text = text};
    return 0;
}
