/* How is one check added to the list, and what follows from all of them? */
#include "cli/doctor/checkup.h"

#include <stdarg.h>
#include <stdlib.h>

#include "core/base/array.h"
#include "core/base/str.h"

void checkup_init(struct checkup *c, const json_t *probe)
{
    *c = (struct checkup){.group = "", .probe = probe};
    arena_init(&c->arena);
}

void checkup_release(struct checkup *c)
{
    free(c->items);
    arena_release(&c->arena);
    *c = (struct checkup){0};
}

static const char *keep(struct checkup *c, const char *format, va_list args)
{
    struct str text;
    str_init(&text);
    str_addv(&text, format, args);
    const char *kept = arena_copy(&c->arena, str_text(&text));
    c->failed |= text.failed;
    str_release(&text);
    return kept;
}

static void add(struct checkup *c, const char *name, enum check_level level, unsigned stops, const char *format,
                va_list args)
{
    struct checkup_item *item = ARRAY_PUSH(c);
    if (!item) {
        c->failed = true;
        return;
    }
    *item = (struct checkup_item){.group = c->group, .level = level, .stops = stops, .advice = ""};
    item->name = arena_copy(&c->arena, name);
    item->found = keep(c, format, args);
}

void checkup_ok(struct checkup *c, const char *name, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    add(c, name, CHECK_OK, 0, format, args);
    va_end(args);
}

void checkup_note(struct checkup *c, const char *name, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    add(c, name, CHECK_NOTE, 0, format, args);
    va_end(args);
}

void checkup_missing(struct checkup *c, const char *name, unsigned stops, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    add(c, name, CHECK_MISSING, stops, format, args);
    va_end(args);
}

void checkup_advise(struct checkup *c, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (c->count)
        c->items[c->count - 1].advice = keep(c, format, args);
    va_end(args);
}

size_t checkup_level_count(const struct checkup *c, enum check_level level)
{
    size_t count = 0;
    for (size_t i = 0; i < c->count; i++)
        count += c->items[i].level == level;
    return count;
}

unsigned checkup_stops(const struct checkup *c)
{
    unsigned stops = 0;
    for (size_t i = 0; i < c->count; i++)
        stops |= c->items[i].stops;
    return stops;
}

const char *check_level_name(enum check_level level)
{
    static const char *const names[] = {[CHECK_OK] = "ok", [CHECK_NOTE] = "note", [CHECK_MISSING] = "missing"};
    return names[level];
}
