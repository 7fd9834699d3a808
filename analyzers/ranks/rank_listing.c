/* Which ranks does the note of a communicator list? */
#include "analyzers/ranks/rank_listing.h"

#include <stdlib.h>
#include <string.h>

static int by_number(const void *left, const void *right)
{
    const int32_t a = *(const int32_t *)left, b = *(const int32_t *)right;
    return (a > b) - (a < b);
}

static void sort_once(struct rank_listing *l)
{
    size_t kept = 0;
    if (l->ranks.count)
        qsort(l->ranks.items, l->ranks.count, sizeof *l->ranks.items, by_number);
    for (size_t i = 0; i < l->ranks.count; i++)
        if (!i || l->ranks.items[i] != l->ranks.items[kept - 1])
            l->ranks.items[kept++] = l->ranks.items[i];
    l->ranks.count = kept;
}

/* Anything but numbers and commas, such as "...", stands for ranks that are not known. */
int rank_listing_read(const char *note, struct rank_listing *out, struct err *e)
{
    const char *at = strrchr(note, '[');
    *out = (struct rank_listing){.is_whole = at && at[1] != ']'};
    for (at = at ? at + 1 : ""; *at && *at != ']';) {
        char *end;
        const long rank = strtol(at, &end, 10);
        const bool is_number = *at >= '0' && *at <= '9' && rank <= INT32_MAX && (*end == ',' || *end == ']');
        int32_t *slot = is_number ? ARRAY_PUSH(&out->ranks) : NULL;
        if (is_number && !slot)
            return err_memory(e);
        if (slot)
            *slot = (int32_t)rank;
        out->is_whole &= is_number;
        at += strcspn(at, ",]");
        at += *at == ',';
    }
    sort_once(out);
    return 0;
}

void rank_listing_release(struct rank_listing *l)
{
    free(l->ranks.items);
    *l = (struct rank_listing){0};
}

bool rank_listing_has(const struct rank_listing *l, int32_t rank)
{
    return l->ranks.count && bsearch(&rank, l->ranks.items, l->ranks.count, sizeof rank, by_number);
}
