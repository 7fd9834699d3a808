/* In which order do notes on collectives come? */
#include "core/trace/collective_notes.h"

enum { NOTES_IN_MEMORY = 64 * 1024 };

static int note_order(const void *left, const void *right)
{
    const struct collective_note *a = left, *b = right;
#define COMPARE(x, y)                                                                                                  \
    if ((x) != (y))                                                                                                    \
        return (x) < (y) ? -1 : 1;
    COMPARE(a->start_ns, b->start_ns)
    COMPARE(a->rank, b->rank)
    COMPARE(a->device, b->device)
    COMPARE(a->stream, b->stream)
    COMPARE(a->correlation, b->correlation)
#undef COMPARE
    return 0;
}

int collective_note_spool_new(struct record_spool **out, struct err *e)
{
    return record_spool_new(out, sizeof(struct collective_note), NOTES_IN_MEMORY, note_order, e);
}
