/* Which words does a process get? */
#define _GNU_SOURCE
#include "cli/record/runner_arguments.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/array.h"

int runner_argument(struct runner_arguments *a, struct err *e, const char *format, ...)
{
    char *text = NULL;
    va_list args;
    va_start(args, format);
    int length = vasprintf(&text, format, args);
    va_end(args);
    /* one slot more than used: the list stays NULL-terminated */
    if (length < 0 || array_reserve((void **)&a->items, &a->capacity, a->count + 2, sizeof *a->items)) {
        if (length >= 0)
            free(text);
        return err_memory(e);
    }
    a->items[a->count++] = text;
    a->items[a->count] = NULL;
    return 0;
}

const char *runner_argument_value(const char *word, const char *option)
{
    const size_t length = strlen(option);
    return !strncmp(word, option, length) ? word + length : NULL;
}

const char *runner_arguments_find(const struct runner_arguments *a, const char *option)
{
    const char *found = NULL;
    for (size_t i = 0; i < a->count && !found; i++)
        found = runner_argument_value(a->items[i], option);
    return found;
}

int runner_arguments_in(struct runner_arguments *out, const struct runner_arguments *from, const char *folder,
                        struct err *e)
{
    int rc = 0;
    for (size_t i = 0; i < from->count && !rc; i++)
        rc = runner_argument_value(from->items[i], "--dir=") ? runner_argument(out, e, "--dir=%s", folder)
                                                             : runner_argument(out, e, "%s", from->items[i]);
    return rc;
}

void runner_arguments_release(struct runner_arguments *a)
{
    for (size_t i = 0; i < a->count; i++)
        free(a->items[i]);
    free(a->items);
    *a = (struct runner_arguments){0};
}
