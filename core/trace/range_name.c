/* Which range is meant by name, name@domain, and @thread behind it? */
#define _GNU_SOURCE
#include "core/trace/range_name.h"

#include <string.h>

size_t range_words_length(const char *wanted, bool *own_thread)
{
    static const char suffix[] = "@thread";
    const size_t length = strlen(wanted), suffix_length = sizeof suffix - 1;
    *own_thread = length > suffix_length && !strcmp(wanted + length - suffix_length, suffix);
    return *own_thread ? length - suffix_length : length;
}

static bool is_text(const char *bytes, size_t length, const char *text)
{
    return strlen(text) == length && !memcmp(bytes, text, length);
}

bool range_name_matches(const char *wanted, const char *name, const char *domain)
{
    bool own_thread;
    const size_t length = range_words_length(wanted, &own_thread);
    const char *border = memrchr(wanted, '@', length);
    if (!border)
        return is_text(wanted, length, name);
    return is_text(wanted, (size_t)(border - wanted), name) &&
           is_text(border + 1, length - (size_t)(border - wanted) - 1, domain);
}
