/* Which formats can a document be written in? In the order in which help names them. */
#include <string.h>

#include "reports/document/document.h"

extern const struct document_format text_format;
extern const struct document_format markdown_format;
extern const struct document_format html_format;

const struct document_format *const document_formats[] = {
    &text_format,
    &markdown_format,
    &html_format,
    NULL,
};

const struct document_format *document_format_by_name(const char *name)
{
    for (size_t i = 0; document_formats[i]; i++)
        if (!strcmp(document_formats[i]->name, name))
            return document_formats[i];
    return NULL;
}
