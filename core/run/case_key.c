/* Which value does a parameter have in a case key, and what is the key without it? */
#include "core/run/case_key.h"

#include <stdlib.h>
#include <string.h>

/* Returns where "parameter=" begins as a word of its own; NULL when it does not occur. */
static const char *find_parameter(const char *key, const char *parameter)
{
    const size_t length = strlen(parameter);
    for (const char *at = key; (at = strstr(at, parameter)); at += length)
        if (at[length] == '=' && (at == key || at[-1] == ' '))
            return at;
    return NULL;
}

bool case_key_split(const char *key, const char *parameter, long *value, struct str *rest)
{
    const char *found = find_parameter(key, parameter);
    if (!found)
        return false;
    const char *digits = found + strlen(parameter) + 1;
    char *end;
    *value = strtol(digits, &end, 10);
    if (end == digits || (*end && *end != ' '))
        return false;
    str_clear(rest);
    str_add_bytes(rest, key, (size_t)(found - key));
    str_add(rest, *end ? end + 1 : end);
    while (rest->length && rest->text[rest->length - 1] == ' ')
        rest->text[--rest->length] = '\0';
    return !rest->failed;
}
