/* How does a stranger's name stand in a script for gnuplot? */
#include "reports/charts/chart_text.h"

#include <ctype.h>
#include <string.h>

#include "reports/document/block.h"
#include "reports/document/document.h"

enum { LABEL_COLUMNS_MAX = 48 };

/* Names are strangers' text: whatever gnuplot could take for more than a character
 * is written as a number, and so is a digit behind one, which would join it. */
void chart_add_quoted(struct str *out, const char *text)
{
    struct str line;
    bool behind_number = false;
    str_init(&line);
    visible_add(&line, text, LABEL_COLUMNS_MAX);
    for (const char *at = str_text(&line); *at; at++) {
        const bool is_plain =
            isdigit((unsigned char)*at) ? !behind_number : isalpha((unsigned char)*at) || strchr(" ._/=-,:()+", *at);
        if (is_plain)
            str_add_char(out, *at);
        else
            str_addf(out, "\\%03o", (unsigned)(unsigned char)*at);
        behind_number = !is_plain;
    }
    out->failed |= line.failed;
    str_release(&line);
}
