/* Which message does the user see, and which exit status? */
#include "core/base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/base/count_of.h"

/* The functions behind the macros. */
#undef err_set
#undef err_context
#undef err_memory

static int failure(int code)
{
    return code < 0 ? code : ERR_INTERNAL;
}

int err_set(struct err *e, int code, const char *format, ...)
{
    code = failure(code);
    if (!e)
        return code;
    va_list args;
    va_start(args, format);
    vsnprintf(e->text, sizeof e->text, format, args);
    va_end(args);
    e->code = code;
    return code;
}

int err_context(struct err *e, const char *format, ...)
{
    if (!e)
        return ERR_INTERNAL;
    char before[sizeof e->text];
    memcpy(before, e->text, sizeof before);
    va_list args;
    va_start(args, format);
    int used = vsnprintf(e->text, sizeof e->text, format, args);
    va_end(args);
    if (used >= 0 && (size_t)used < sizeof e->text)
        snprintf(e->text + used, sizeof e->text - (size_t)used, ": %.*s", (int)(sizeof e->text) - used - 3, before);
    return e->code = failure(e->code);
}

int err_memory(struct err *e)
{
    return err_set(e, ERR_MEMORY, "out of memory");
}

enum exit_status err_exit_status(int code)
{
    static const struct {
        int code;
        enum exit_status status;
    } table[] = {
        {0, EXIT_PASS},
        {ERR_USAGE, EXIT_USAGE},
        {ERR_ENVIRONMENT, EXIT_ENVIRONMENT},
        {ERR_INPUT, EXIT_UNUSABLE_INPUT},
        {ERR_MEMORY, EXIT_ENVIRONMENT},
    };
    for (size_t i = 0; i < COUNT_OF(table); i++)
        if (table[i].code == code)
            return table[i].status;
    return EXIT_ENVIRONMENT;
}

enum exit_status exit_status_worse(enum exit_status a, enum exit_status b)
{
    static const enum exit_status order[] = {EXIT_USAGE,          EXIT_ENVIRONMENT,  EXIT_CHECK_FAILED,
                                             EXIT_UNUSABLE_INPUT, EXIT_INCONCLUSIVE, EXIT_PASS};
    for (size_t i = 0; i < COUNT_OF(order); i++)
        if (a == order[i] || b == order[i])
            return order[i];
    return EXIT_PASS;
}
