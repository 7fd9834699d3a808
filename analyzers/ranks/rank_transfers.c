/* How long does the transfer of a collective take when nothing slows it down? */
#include "analyzers/ranks/rank_transfers.h"

#include <stdlib.h>

struct transfer {
    uint32_t communicator, name, meeting;
    int64_t bytes, ns;
};

#define COMPARE(x, y)                                                                                                  \
    if ((x) != (y))                                                                                                    \
        return (x) < (y) ? -1 : 1;

static int by_kind(const struct transfer *a, const struct transfer *b)
{
    COMPARE(a->communicator, b->communicator)
    COMPARE(a->name, b->name)
    COMPARE(a->bytes, b->bytes)
    return 0;
}

static int by_time(const void *left, const void *right)
{
    const struct transfer *a = left, *b = right;
    const int kind = by_kind(a, b);
    if (kind)
        return kind;
    COMPARE(a->ns, b->ns)
    COMPARE(a->meeting, b->meeting)
    return 0;
}
#undef COMPARE

static void expect(struct rank_meetings_found *m, const struct transfer *t, size_t count)
{
    const int64_t fastest_ns = t[(count + 9) / 10 - 1].ns;
    if (count < RANK_ALIKE_MIN)
        return;
    for (size_t i = 0; i < count; i++)
        m->items.items[t[i].meeting].expected_ns = fastest_ns;
}

int rank_transfers_expect(struct rank_meetings_found *m, struct err *e)
{
    struct transfer *all = calloc(m->items.count + 1, sizeof *all);
    size_t count = 0;
    if (!all)
        return err_memory(e);
    for (size_t i = 0; i < m->items.count; i++) {
        const struct rank_meeting *x = &m->items.items[i];
        if (x->doubt == DOUBT_NONE && x->bytes >= 0)
            all[count++] = (struct transfer){x->communicator, x->name, (uint32_t)i, x->bytes, x->transfer_ns};
    }
    qsort(all, count, sizeof *all, by_time);
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && !by_kind(&all[i], &all[end]);)
            end++;
        expect(m, all + i, end - i);
    }
    free(all);
    return 0;
}
