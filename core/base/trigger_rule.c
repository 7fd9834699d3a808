/* What does a condition such as 100..103 mean? */
#include "core/base/trigger_rule.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Reads digits alone: strtoull also takes signs and blanks. */
static const char *read_number(const char *text, uint64_t *out)
{
    *out = 0;
    const char *at = text;
    for (; *at >= '0' && *at <= '9' && *out < UINT64_MAX / 100; at++)
        *out = *out * 10 + (uint64_t)(*at - '0');
    return at == text || !*out ? NULL : at;
}

static bool read_occurrences(const char *text, struct trigger_rule *out)
{
    const char *at = read_number(text, &out->first);
    out->kind = TRIGGER_OCCURRENCES;
    out->last = out->first;
    if (at && !strncmp(at, "..", 2))
        at = read_number(at + 2, &out->last);
    return at && !*at && out->first <= out->last;
}

static bool read_slower(const char *text, struct trigger_rule *out)
{
    static const char word[] = "slower:";
    char *end;
    if (strncmp(text, word, sizeof word - 1) != 0)
        return false;
    const char *number = text + sizeof word - 1;
    out->kind = TRIGGER_SLOWER;
    out->ratio = strtod(number, &end);
    return *number >= '0' && *number <= '9' && !*end && out->ratio > 1 && isfinite(out->ratio);
}

int trigger_rule_read(const char *text, struct trigger_rule *out, struct err *e)
{
    *out = (struct trigger_rule){0};
    if (!text)
        return 0;
    if (read_slower(text, out) || read_occurrences(text, out))
        return 0;
    *out = (struct trigger_rule){.kind = TRIGGER_FILE_APPEARS};
    return strcmp(text, "file") != 0
               ? err_set(e, ERR_USAGE,
                         "'%.64s' is neither FIRST..LAST (from 1 on), nor slower:RATIO (above 1), nor file", text)
               : 0;
}

bool trigger_rule_counts(const struct trigger_rule *rule)
{
    return rule->kind == TRIGGER_OCCURRENCES || rule->kind == TRIGGER_SLOWER;
}
