/* What is this kernel called in its source? */
#include "base/demangle.h"

#include <libiberty/demangle.h>
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

/* Cuts from the first '<' or '(' that opens at the name's own level, and what
 * stands before the last space left of it (the return type). */
void demangle_short(struct str *out, const char *symbol)
{
    struct str full;
    str_init(&full);
    demangle_full(&full, symbol);
    const char *text = str_text(&full);
    size_t end = strlen(text), start = 0;
    for (size_t i = 0; text[i]; i++) {
        if (text[i] == ' ' && strncmp(text, "operator", 8) != 0)
            start = i + 1;
        else if (text[i] == '(' && !strncmp(text + i, "(anonymous namespace)", 21))
            i += 20;
        else if (text[i] == '<' || text[i] == '(') {
            end = i;
            break;
        }
    }
    str_add_bytes(out, text + start, end > start ? end - start : 0);
    str_release(&full);
}
