/* caveat.h - what a reader must say about its input besides the data. */
#ifndef CPPROF_CAVEAT_H
#define CPPROF_CAVEAT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

enum caveat_kind {
    CAVEAT_NOTE,     /* worth saying; changes no verdict (unknown columns, coarse resolution) */
    CAVEAT_RANGES,   /* NVTX ranges may be missing: what asks about ranges is inconclusive, nothing else */
    CAVEAT_WEAKENS,  /* evidence may be missing (dropped records, incomplete bundle): a pass becomes inconclusive */
    CAVEAT_TRUNCATED /* the rest of the input is unreadable: the good part is shown, exit 5 */
};

struct caveat {
    enum caveat_kind kind;
    char *text;     /* one line, place first: "trace.csv:1042: ..." */
    bool elsewhere; /* of a trace in a bundle: about another file of the bundle, the trace itself is none the worse */
};

struct caveat_list {
    struct caveat *items;
    size_t count;
    size_t capacity;
};

void caveat_list_init(struct caveat_list *list);
void caveat_list_release(struct caveat_list *list);
/* Copies the formatted text. Beyond 64 entries only kinds not yet present are kept. */
int caveat_add(struct caveat_list *list, enum caveat_kind kind, struct err *e, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
bool caveat_says(const struct caveat_list *list, const char *text);              /* is this said already? */
const char *caveat_first(const struct caveat_list *list, enum caveat_kind kind); /* its text; NULL: there is none */
bool caveat_has(const struct caveat_list *list, enum caveat_kind kind);

#endif
