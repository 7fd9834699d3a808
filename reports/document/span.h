/* span.h - the smallest parts of a document: words in a style, tiers, pictures, and columns of tables. */
#ifndef CPPROF_SPAN_H
#define CPPROF_SPAN_H

#include <stdbool.h>

enum span_style { SPAN_PLAIN, SPAN_STRONG, SPAN_CODE };

struct span {
    enum span_style style;
    const char *text;
};

/* How far does a reader look? A report is one screen, then sections that can be folded, then all evidence. */
enum tier { TIER_SCREEN, TIER_SECTIONS, TIER_ALL };

/* A picture in two drawings. It begins a block: the spans that follow are its caption. */
struct picture {
    const char *name;       /* of its file, without an ending: "ratios" */
    const char *svg;        /* NULL: only in characters */
    const char *characters; /* lines of at most 76 columns, for terminals and job summaries; NULL: only as SVG */
    const char *says;       /* what it shows, in a sentence: for who cannot see it */
};

/* Numbers align right. */
struct document_column {
    const char *title;
    bool right;
};

#endif
