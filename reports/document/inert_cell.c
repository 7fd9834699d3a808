/* What would a spreadsheet make of this text? */
#include "reports/document/inert_cell.h"

#include <string.h>

#include "core/base/utf8.h"

static bool is_formula(const char *text, size_t length)
{
    size_t at = 0;
    while (at < length && strchr(" \t\r\n", text[at]) && text[at])
        at++;
    return at < length && text[at] && strchr("=+-@", text[at]);
}

void inert_cell_add(struct str *out, const char *text, size_t length)
{
    if (is_formula(text, length))
        str_add_char(out, '\'');
    utf8_add_visible(out, text, length);
}
