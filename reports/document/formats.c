/* Which formats can a document be written in? */
#include <string.h>

#include "reports/document/block.h"
#include "reports/document/document.h"

static const struct document_format formats[] = {
    {"text", render_text},
    {"ansi", render_ansi},
    {"md", render_markdown},
    {"html", render_html},
};

const struct document_format *document_format_by_name(const char *name)
{
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
        if (!strcmp(formats[i].name, name))
            return &formats[i];
    return NULL;
}

const char *document_format_names(void)
{
    return "text, md, html";
}
