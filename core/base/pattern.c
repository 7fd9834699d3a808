/* Is this a valid regular expression, and can we afford it? */
#define _GNU_SOURCE
#include "core/base/pattern.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Returns the place after a bracket expression such as "[]a[:digit:]+]": characters inside do not repeat anything. */
static const char *skip_brackets(const char *at)
{
    at++;
    at += *at == '^';
    at += *at == ']';
    while (*at && *at != ']') {
        bool named = *at == '[' && at[1] && strchr(":.=", at[1]); /* [:digit:] */
        const char *end = named ? strchr(at + 2, ']') : NULL;
        at = end ? end + 1 : at + 1;
    }
    return *at ? at + 1 : at;
}

/* Returns the larger count of "{2,5}", or the only one of "{2,}". */
static double largest_count(const char *at)
{
    char *end;
    double least = strtod(at + 1, &end);
    double most = *end == ',' ? strtod(end + 1, &end) : least;
    return most > least ? most : least;
}

/* Estimates how many nodes the C library's tree grows to: it copies what is repeated. */
static double cost(const char *pattern)
{
    double nodes = (double)strlen(pattern);
    for (const char *at = pattern; *at;) {
        if (*at == '\\' && at[1])
            at += 2;
        else if (*at == '[')
            at = skip_brackets(at);
        else {
            if (*at == '+')
                nodes *= 2;
            else if (*at == '{' && largest_count(at) > 1)
                nodes *= largest_count(at);
            at++;
        }
    }
    return nodes;
}

static bool has_back_reference(const char *pattern)
{
    for (const char *at = pattern; (at = strchr(at, '\\')) && at[1]; at += 2)
        if (at[1] >= '1' && at[1] <= '9')
            return true;
    return false;
}

/* Does the pattern contain ^? With ".*" in front, the C library would match it after a newline in the middle of a
 * text. */
static bool asks_for_beginning(const char *pattern)
{
    while (*pattern) {
        if (*pattern == '^')
            return true;
        if (*pattern == '[')
            pattern = skip_brackets(pattern);
        else
            pattern += *pattern == '\\' && pattern[1] ? 2 : 1;
    }
    return false;
}

/* When the C library tries a pattern at every place of a text, it takes time proportional to the square of the text's
 * length: half an hour for a name of 1 MiB. With ".*" in front it tries one place only, in one pass. A pattern that
 * begins with ^ needs no ".*". */
static void anchor(regex_t *regex, const char *pattern)
{
    char *anchored = NULL;
    regex_t other;
    if (asks_for_beginning(pattern) || asprintf(&anchored, "^.*(%s)", pattern) < 0)
        return;
    if (!regcomp(&other, anchored, REG_EXTENDED | REG_NOSUB)) {
        regfree(regex);
        *regex = other;
    }
    free(anchored);
}

int pattern_compile(regex_t *out, const char *pattern, const char *what, struct err *e)
{
    if (cost(pattern) > PATTERN_COST_MAX)
        return err_set(e, ERR_USAGE, "%s '%.200s' repeats too much: each + and {} multiplies what it repeats", what,
                       pattern);
    if (has_back_reference(pattern))
        return err_set(e, ERR_USAGE, "%s '%.200s' has a back reference; none can be used", what, pattern);
    int failed = regcomp(out, pattern, REG_EXTENDED | REG_NOSUB);
    if (!failed) {
        anchor(out, pattern);
        return 0;
    }
    char why[128];
    regerror(failed, out, why, sizeof why);
    return err_set(e, ERR_USAGE, "%s '%.200s' is no extended regular expression: %s", what, pattern, why);
}
