/* history.h - how did times change over the bundles that were saved under one name, and where for good? */
#ifndef CPPROF_HISTORY_H
#define CPPROF_HISTORY_H

#include "analyzers/analysis.h"
#include "analyzers/history/history_rows.h"
#include "core/base/arena.h"
#include "core/base/array.h"
#include "core/base/caveat.h"

struct history {
    struct arena arena; /* owns the texts */
    struct arms known;  /* of all references */
    double margin;
    int64_t references;
    ARRAY_OF(const char *) recordings; /* what tells the timings of each reference from all others */
    ARRAY_OF(struct history_row) rows; /* arm by arm, each by number */
    ARRAY_OF(struct history_change) changes;
    ARRAY_OF(struct history_arm) arms; /* in the order of their first appearance */
    struct caveat_list caveats;        /* of all references, each with its number */
};

void history_init(struct history *h, double margin);
void history_release(struct history *h);

/* Adds the rows of a reference. `first` and `previous` are references that were added before, or NULL for the first
 * one. The analyses are not kept. */
struct history_reference {
    long number;
    const struct analysis *analysis, *first, *previous;
};
int history_add(struct history *h, const struct history_reference *reference, struct err *e);

/* Orders the rows and looks for changes, after the last reference. */
int history_judge(struct history *h, struct err *e);

#endif
