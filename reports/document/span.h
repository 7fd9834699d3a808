/* span.h - the smallest parts of a document: words in a style, and columns of tables. */
#ifndef CPPROF_SPAN_H
#define CPPROF_SPAN_H

#include <stdbool.h>

enum span_style { SPAN_PLAIN, SPAN_STRONG, SPAN_CODE };

struct span {
    enum span_style style;
    const char *text;
};

/* Numbers align right. */
struct document_column {
    const char *title;
    bool right;
};

#endif
