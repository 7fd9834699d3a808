/* caveat.h - which remarks about its input must a reader pass on with the data? */
#ifndef CPPROF_CAVEAT_H
#define CPPROF_CAVEAT_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/err.h"

enum caveat_kind {
    CAVEAT_NOTE,   /* worth saying; changes no verdict (unknown columns, coarse resolution) */
    CAVEAT_RANGES, /* NVTX ranges may be missing: only rules about ranges become inconclusive */
    CAVEAT_HIDDEN, /* work ran that no record shows: weakens, and what more kernels could change does not fail either */
    CAVEAT_TIMES,  /* rows with times that cannot be: what they could change is inconclusive */
    CAVEAT_WEAKENS,  /* evidence may be missing (dropped records, incomplete bundle): a pass becomes inconclusive */
    CAVEAT_TRUNCATED /* the rest of the input is unreadable: the good part is shown, exit 5 */
};

struct caveat {
    enum caveat_kind kind;
    char *text; /* one line, place first: "trace.csv:1042: ..." */
    /* For a trace in a bundle: the remark is about another file of the bundle, and the trace itself is complete. */
    bool elsewhere;
};

struct caveat_list {
    struct caveat *items;
    size_t count;
    size_t capacity;
};

void caveat_list_init(struct caveat_list *list);
void caveat_list_release(struct caveat_list *list);
/* Adds a copy of the formatted text. A list that has 64 entries takes only kinds that it does not have yet. Returns 0
 * or ERR_MEMORY. */
int caveat_add(struct caveat_list *list, enum caveat_kind kind, struct err *e, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
bool caveat_says(const struct caveat_list *list, const char *text); /* does the list have this text? */
/* Returns the text of the first caveat of that kind; NULL when there is none. */
const char *caveat_first(const struct caveat_list *list, enum caveat_kind kind);
/* Is there one of that kind, or one that says as much and more? */
bool caveat_has(const struct caveat_list *list, enum caveat_kind kind);

#endif
