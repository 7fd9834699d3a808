/* fit.h - what a view shows of a document: blocks of tiers that it looks at, long tables and lists cut. */
#ifndef CPPROF_FIT_H
#define CPPROF_FIT_H

#include "core/base/arena.h"
#include "reports/document/block.h"
#include "reports/document/document.h"

/* Blocks that point into a document, which must live as long. */
struct fitted {
    struct arena arena; /* of what a cut adds */
    struct block *items;
    size_t count, capacity;
    bool failed; /* memory ran out */
};

/* Release it in any case. */
void document_fit(struct fitted *out, const struct document *d, const struct document_view *view);
void fitted_release(struct fitted *f);

/* A heading that begins a section which can be folded. */
bool block_begins_section(const struct block *block);

/* Its anchor in the document, which no other section has: "speed", "speed-2". */
void fitted_anchor(const struct fitted *f, size_t heading, struct str *out);

#endif
