/* Which rank is each of several traces? */
#define _GNU_SOURCE
#include "core/trace/rank_table.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/str.h"

/* More ranks than traces, so there is always a free one. */
enum { RANKS = INT16_MAX };

enum { RANK_UNMAPPED = -1 };

/* The first trace whose content or path states a rank, and the rank that it was given. */
struct claim {
    const char *path;
    int rank;
};

struct rank_table {
    const char *holders[RANKS]; /* the trace that has this rank; NULL: it is free */
    struct claim claims[RANKS]; /* indexed by the stated rank */
    bool paths_are_good;
    const char *path;     /* path of the trace that has begun */
    int place;            /* its place; -1 before the first */
    const char *twins[2]; /* two traces that state the same rank; NULL: there are none */
    int twins_rank;
    int16_t of_own[RANKS + 1]; /* index own + 1: the rank given for `own` in this trace */
};

static bool paths_are_distinct(const struct trace_operand_list *operands)
{
    bool seen[TRACE_RANK_MAX + 1] = {false};
    for (size_t i = 0; i < operands->count; i++) {
        int rank = trace_rank_of_path(operands->items[i].path);
        if (rank >= 0 && seen[rank])
            return false;
        if (rank >= 0)
            seen[rank] = true;
    }
    return true;
}

int rank_table_new(struct rank_table **out, const struct trace_operand_list *operands, struct err *e)
{
    struct rank_table *t = calloc(1, sizeof *t);
    *out = t;
    if (!t)
        return err_memory(e);
    t->paths_are_good = paths_are_distinct(operands);
    t->place = -1;
    return 0;
}

void rank_table_free(struct rank_table *t)
{
    free(t);
}

bool rank_table_has_twins(const struct rank_table *t)
{
    return t->twins[0] != NULL;
}

char *rank_table_describe_twins(const struct rank_table *t)
{
    char *text = NULL;
    struct str s;
    if (!t->twins[0])
        return NULL;
    str_init(&s);
    str_addf(&s, "'%s' and '%s' both say that they are of rank %d", t->twins[0], t->twins[1], t->twins_rank);
    text = strdup(str_text(&s));
    str_release(&s);
    return text;
}

void rank_table_begin(struct rank_table *t, const char *path)
{
    t->path = path;
    t->place++;
    for (size_t i = 0; i <= RANKS; i++)
        t->of_own[i] = RANK_UNMAPPED;
}

static int wanted(const struct rank_table *t, int own)
{
    int named = t->paths_are_good ? trace_rank_of_path(t->path) : -1;
    if (own >= 0)
        return own;
    return named >= 0 ? named : t->place;
}

/* Returns the first free rank from `rank` on, continuing at 0 after the last; -1 when all are taken. */
static int first_free(const struct rank_table *t, int rank)
{
    for (int i = 0; i < RANKS; i++)
        if (!t->holders[(rank + i) % RANKS])
            return (rank + i) % RANKS;
    return -1;
}

/* Adds a caveat when a trace gets another rank than it wanted. `said` is the rank that the trace states, or -1. */
static int note_rank(struct rank_table *t, int said, int want, int got, struct caveat_list *caveats, struct err *e)
{
    const struct claim *first = said >= 0 ? &t->claims[said] : NULL;
    if (first && first->path && first->path != t->path)
        return caveat_add(caveats, CAVEAT_NOTE, e, "'%s' and '%s' both say rank %d: shown as rank %d and rank %d",
                          first->path, t->path, said, first->rank, got);
    if (got != want)
        return caveat_add(caveats, CAVEAT_NOTE, e, "%s: rank %d is that of '%s'; this one is shown as rank %d", t->path,
                          want, t->holders[want], got);
    if (said >= 0 && got != said)
        return caveat_add(caveats, CAVEAT_NOTE, e,
                          "%s: its name says rank %d, but other names are alike: shown as rank %d, its place", t->path,
                          said, got);
    return 0;
}

int rank_table_map(struct rank_table *t, int own, int16_t *rank, struct caveat_list *caveats, struct err *e)
{
    if (own < 0 || own >= RANKS)
        own = -1;
    int16_t *slot = &t->of_own[own + 1];
    *rank = *slot;
    if (*slot != RANK_UNMAPPED)
        return 0;
    int said = own >= 0 ? own : trace_rank_of_path(t->path);
    int want = wanted(t, own), got = first_free(t, want);
    if (got < 0)
        return err_set(e, ERR_INPUT, "'%s' is one rank too many: all %d are taken", t->path, RANKS);
    *slot = *rank = (int16_t)got;
    int rc = note_rank(t, said, want, got, caveats, e);
    if (said >= 0 && t->claims[said].path && t->claims[said].path != t->path && !t->twins[0]) {
        t->twins[0] = t->claims[said].path;
        t->twins[1] = t->path;
        t->twins_rank = said;
    }
    t->holders[got] = t->path;
    if (said >= 0 && !t->claims[said].path)
        t->claims[said] = (struct claim){t->path, got};
    return rc;
}
