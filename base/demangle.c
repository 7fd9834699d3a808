/* What is this kernel called in its source? */
#include "base/demangle.h"

#include <libiberty/demangle.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { SYMBOL_BYTES_MAX = 16 * 1024 }; /* a longer one is somebody's attack on the demangler */

static void demangle(struct str *out, const char *symbol, int options)
{
    char *text = strlen(symbol) < SYMBOL_BYTES_MAX ? cplus_demangle_v3(symbol, options) : NULL;
    str_add(out, text ? text : symbol);
    free(text);
}

void demangle_full(struct str *out, const char *symbol)
{
    demangle(out, symbol, DMGL_PARAMS | DMGL_ANSI);
}

static bool is_anonymous_namespace(const char *text)
{
    return !strncmp(text, "(anonymous namespace)", 21);
}

/* Where the parameters begin: the first '(' outside of template arguments. A
 * name whose brackets do not match (operator<) is kept whole. */
static size_t parameters_of(const char *text)
{
    size_t depth = 0;
    for (size_t i = 0; text[i]; i++) {
        if (is_anonymous_namespace(text + i))
            i += 20;
        else if (text[i] == '<')
            depth++;
        else if (text[i] == '>' && depth)
            depth--;
        else if (text[i] == '(' && !depth)
            return i;
    }
    return strlen(text);
}

/* Cuts from the first '<' or '(' that opens at the name's own level, and what
 * stands before the last space left of it (the return type). */
static void add_without_type(struct str *out, const char *symbol, bool with_arguments)
{
    struct str full;
    str_init(&full);
    demangle_full(&full, symbol);
    const char *text = str_text(&full);
    size_t end = strlen(text), start = 0;
    for (size_t i = 0; text[i]; i++) {
        if (text[i] == ' ' && strncmp(text, "operator", 8) != 0)
            start = i + 1;
        else if (is_anonymous_namespace(text + i))
            i += 20;
        else if (text[i] == '<' || text[i] == '(') {
            end = i;
            break;
        }
    }
    if (with_arguments)
        end = parameters_of(text);
    str_add_bytes(out, text + start, end > start ? end - start : 0);
    str_release(&full);
}

void demangle_short(struct str *out, const char *symbol)
{
    add_without_type(out, symbol, false);
}

void demangle_template(struct str *out, const char *symbol)
{
    add_without_type(out, symbol, true);
}
