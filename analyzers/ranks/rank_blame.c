/* Whose lateness is it that ranks wait at a collective? */
#include "analyzers/ranks/rank_blame.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define RANK_SHARE_MIN  0.05
#define RANK_FOLDED_MAX 0.1

/* A rank of the meeting. */
struct rank_late_one {
    size_t index;
    double wait_ns; /* up to the last arrival */
    double part;    /* of all waits that are its fault */
};

int rank_blame_init(struct rank_blame *b, const struct rank_arrivals *a, struct rank_meetings_found *m,
                    const struct rank_befores *befores, struct err *e)
{
    size_t most = 0;
    for (size_t i = 0; i < m->items.count; i++)
        most = m->items.items[i].count > most ? m->items.items[i].count : most;
    *b = (struct rank_blame){.a = a, .m = m, .befores = befores, .order = calloc(most + 1, sizeof *b->order)};
    return b->order ? 0 : err_memory(e);
}

void rank_blame_release(struct rank_blame *b)
{
    rank_waits_release(&b->waits);
    free(b->order);
    *b = (struct rank_blame){0};
}

/* ---- which ranks are late? ---- */

/* The longest wait first: in the order of arrival. */
static int by_arrival(const void *left, const void *right)
{
    const struct rank_late_one *a = left, *b = right;
    if (a->wait_ns != b->wait_ns)
        return a->wait_ns < b->wait_ns ? 1 : -1;
    return (a->index > b->index) - (a->index < b->index);
}

/* Fills the order of arrival, and each rank's part of the waits. */
static void share_waits(struct rank_blame *b, const struct rank_meeting *x)
{
    struct rank_late_one *o = b->order;
    double sum_ns = 0, own_ns = 0;
    for (size_t i = 0; i < x->count; i++) {
        const struct rank_arrival *k = rank_arrival_at(b->a, b->m, x, i);
        o[i] = (struct rank_late_one){.index = i, .wait_ns = k->wait_ns > x->uncertain_ns ? (double)k->wait_ns : 0};
    }
    qsort(o, x->count, sizeof *o, by_arrival);
    for (size_t i = 1; i < x->count; i++) { /* from one arrival to the next, i ranks wait */
        const double waits_ns = (o[i - 1].wait_ns - o[i].wait_ns) * (double)i;
        own_ns += waits_ns / (double)(x->count - i);
        sum_ns += waits_ns;
        o[i].part = own_ns;
    }
    for (size_t i = 0; i < x->count && sum_ns > 0; i++)
        o[i].part /= sum_ns;
}

/* ---- why is one of them late? ---- */

enum { ORIGINS_AT_ONCE = 16 };

/* What makes a rank later than the mean of the others, by whose it is. */
struct beyond {
    struct {
        uint32_t place, cause;
        double ns;
    } items[ORIGINS_AT_ONCE];
    size_t count;
    double unknown_ns;
};

static void add_beyond(struct beyond *b, uint32_t place, uint32_t cause, double ns)
{
    for (size_t i = 0; i < b->count; i++)
        if (b->items[i].place == place && b->items[i].cause == cause) {
            b->items[i].ns += ns;
            return;
        }
    if (b->count == ORIGINS_AT_ONCE) {
        b->unknown_ns += ns;
        return;
    }
    b->items[b->count].place = place;
    b->items[b->count].cause = cause;
    b->items[b->count++].ns = ns;
}

/* What all ranks of a meeting spent since the last one of all of them. */
struct spent {
    double ns[SPENT_KINDS];
    double unexplained_ns; /* waits without an origin */
};

/* What collectives that it overlaps with waited within what it has spent, less what they waited before, as far as they
 * have this origin; cause CAUSE_UNKNOWN: any. */
static double of_overlaps(const struct rank_blame *b, const struct rank_meeting *x, const struct rank_before *before,
                          uint32_t origin, uint32_t cause)
{
    const uint32_t now = (uint32_t)(x - b->m->items.items);
    double sum_ns = 0;
    for (size_t i = 0; i < before->overlap_count; i++) {
        const struct rank_overlap *o = &b->befores->overlaps.items[before->overlap_first + i];
        const uint32_t meeting = b->a->items.items[o->arrival].meeting;
        if (!meeting || meeting > now) /* it is not judged yet */
            continue;
        const struct rank_meeting *other = &b->m->items.items[meeting - 1];
        for (size_t s = 0; s < other->share_count; s++) {
            const struct rank_share *share = rank_meeting_share(b->m, other, s);
            if (cause == CAUSE_UNKNOWN || (share->place == origin && share->cause == cause))
                sum_ns += (double)share->part * (double)(o->is_before ? -o->waited_ns : o->waited_ns);
        }
    }
    return sum_ns;
}

/* What a rank waited for an origin since the last collective of all ranks; cause CAUSE_UNKNOWN: for any. */
static double waited_for(const struct rank_blame *b, const struct rank_meeting *x, size_t index, uint32_t origin,
                         uint32_t cause)
{
    const struct rank_before *k = rank_before_at(b->befores, index);
    const uint32_t place = rank_place_at(b->a, b->m, x, index);
    const struct rank_waits_span span = {k->waits_from, k->waits_to};
    const double ended_ns = cause == CAUSE_UNKNOWN ? rank_waits_all(&b->waits, place, span)
                                                   : rank_waits_for(&b->waits, place, span, origin, cause);
    return ended_ns + of_overlaps(b, x, k, origin, cause);
}

static void add_spent(const struct rank_blame *b, const struct rank_meeting *x, size_t index, struct spent *sum)
{
    const struct rank_before *k = rank_before_at(b->befores, index);
    for (int kind = 0; kind < SPENT_KINDS; kind++)
        sum->ns[kind] += (double)k->spent_ns[kind];
    sum->unexplained_ns += (double)k->spent_ns[SPENT_WAIT] - waited_for(b, x, index, 0, CAUSE_UNKNOWN);
}

/* False where no collective of all ranks is before. */
static bool sum_spent(const struct rank_blame *b, const struct rank_meeting *x, struct spent *sum)
{
    const uint32_t since = rank_before_at(b->befores, 0)->since;
    *sum = (struct spent){.unexplained_ns = 0};
    for (size_t i = 0; i < x->count; i++) {
        if (!since || rank_before_at(b->befores, i)->since != since)
            return false;
        add_spent(b, x, i, sum);
    }
    return true;
}

/* What it waited for, less the mean of what the others waited for the same. */
static void compare_waits(const struct rank_blame *b, const struct rank_meeting *x, size_t index, struct beyond *out)
{
    const uint32_t place = rank_place_at(b->a, b->m, x, index);
    const uint32_t from = rank_before_at(b->befores, index)->waits_from;
    struct rank_wait_origin w;
    for (uint32_t at = 0; rank_waits_next(&b->waits, place, from, &at, &w);) {
        const double own_ns = waited_for(b, x, index, w.origin, w.cause);
        if (own_ns > 0) /* what only others waited for makes it no later */
            add_beyond(out, w.origin, w.cause, own_ns);
    }
    for (size_t i = 0; i < out->count; i++)
        for (size_t k = 0; k < x->count; k++)
            if (k != index)
                out->items[i].ns -=
                    waited_for(b, x, k, out->items[i].place, out->items[i].cause) / (double)(x->count - 1);
}

/* Waits without an origin, beyond those of the others. Where the others have more, they may have waited for the same
 * origins: whether those make it late is not known. */
static void add_unexplained(struct beyond *b, double ns)
{
    for (size_t i = 0; i < b->count && ns < 0; i++) {
        const double same_ns = b->items[i].ns > 0 ? fmin(b->items[i].ns, -ns) : 0;
        b->items[i].ns -= same_ns;
        b->unknown_ns += same_ns;
        ns += same_ns;
    }
    b->unknown_ns += ns > 0 ? ns : 0;
}

/* Compares one rank with the mean of the others. */
static void compare_rank(const struct rank_blame *b, const struct rank_meeting *x, size_t index,
                         const struct spent *sum, struct beyond *out)
{
    static const uint8_t causes[SPENT_KINDS] = {[SPENT_KERNEL] = CAUSE_KERNEL,
                                                [SPENT_COPY] = CAUSE_COPY,
                                                [SPENT_MEMSET] = CAUSE_MEMSET,
                                                [SPENT_MIGRATION] = CAUSE_MIGRATION,
                                                [SPENT_IDLE] = CAUSE_HOST};
    const double others = (double)(x->count - 1);
    struct spent own = {.unexplained_ns = 0};
    double more_ns[SPENT_KINDS];
    *out = (struct beyond){.count = 0};
    compare_waits(b, x, index, out);
    add_spent(b, x, index, &own);
    add_unexplained(out, own.unexplained_ns - (sum->unexplained_ns - own.unexplained_ns) / others);
    for (int kind = 0; kind < SPENT_KINDS; kind++) {
        more_ns[kind] = own.ns[kind] - (sum->ns[kind] - own.ns[kind]) / others;
        if (causes[kind] && more_ns[kind] > 0)
            add_beyond(out, rank_place_at(b->a, b->m, x, index), causes[kind], more_ns[kind]);
    }
    out->unknown_ns += more_ns[SPENT_TRANSFER];
}

/* ---- all of them ---- */

/* Adds `part` times what makes a rank late, unless that is less than half of how late it is. */
static void add_parts(const struct beyond *one, double part, double late_ns, struct beyond *all)
{
    double sum_ns = one->unknown_ns > 0 ? one->unknown_ns : 0;
    for (size_t i = 0; i < one->count; i++)
        sum_ns += one->items[i].ns > 0 ? one->items[i].ns : 0;
    if (sum_ns * 2 <= late_ns || sum_ns <= 0)
        return;
    for (size_t i = 0; i < one->count; i++)
        if (one->items[i].ns > 0)
            add_beyond(all, one->items[i].place, one->items[i].cause, part * one->items[i].ns / sum_ns);
}

/* Small parts that are not kept are those of the others: so waits for one of them add up alike at all ranks. */
static double fold_rest(struct rank_share *shares, double kept, double all)
{
    if (kept <= 0 || all - kept > RANK_FOLDED_MAX)
        return kept;
    for (size_t i = 0; i < RANK_SHARES; i++)
        shares[i].part *= (float)(all / kept);
    return all;
}

/* Chooses the largest; the rest is zeroed. Returns their sum. */
static double choose_shares(const struct beyond *b, struct rank_share shares[RANK_SHARES])
{
    double sum = 0, all = 0;
    for (size_t i = 0; i < b->count; i++) {
        const struct rank_share share = {b->items[i].place, b->items[i].cause, (float)b->items[i].ns};
        size_t place = RANK_SHARES;
        all += b->items[i].ns;
        while (place && share.part > shares[place - 1].part)
            place--;
        if (place == RANK_SHARES || b->items[i].ns < RANK_SHARE_MIN)
            continue;
        memmove(&shares[place + 1], &shares[place], (RANK_SHARES - 1 - place) * sizeof share);
        shares[place] = share;
    }
    for (size_t i = 0; i < RANK_SHARES; i++)
        sum += (double)shares[i].part;
    return fold_rest(shares, sum, all);
}

static int keep_shares(struct rank_blame *b, struct rank_meeting *x, const struct rank_share shares[RANK_SHARES],
                       struct err *e)
{
    x->first_share = (uint32_t)b->m->shares.count;
    for (size_t i = 0; i < RANK_SHARES && shares[i].part > 0; i++) {
        struct rank_share *slot = ARRAY_PUSH(&b->m->shares);
        if (!slot)
            return err_memory(e);
        *slot = shares[i];
        x->share_count++;
    }
    return 0;
}

/* Adds what makes the late ranks late, each by its part; false where more are late than are told apart. */
static bool add_late_ranks(struct rank_blame *b, const struct rank_meeting *x, const struct spent *sum,
                           struct beyond *all)
{
    double waits_ns = 0;
    size_t late = 0;
    for (size_t i = 0; i < x->count; i++)
        waits_ns += b->order[i].wait_ns;
    const double exposed = waits_ns > 0 ? (double)x->late_ns * (double)(x->count - 1) / waits_ns : 0;
    for (size_t i = x->count; i-- > 0 && b->order[i].part >= RANK_SHARE_MIN; late++) {
        const struct rank_late_one *o = &b->order[i];
        const double others_ns = (waits_ns - o->wait_ns) / (double)(x->count - 1);
        struct beyond one;
        if (late == RANK_SHARES)
            return false;
        compare_rank(b, x, o->index, sum, &one);
        add_parts(&one, o->part, exposed * (others_ns - o->wait_ns), all);
    }
    return late > 0;
}

int rank_blame_find(struct rank_blame *b, struct rank_meeting *x, struct err *e)
{
    struct spent sum;
    struct beyond all = {.count = 0};
    struct rank_share shares[RANK_SHARES] = {{.part = 0}};
    x->doubt = DOUBT_NO_BEFORE;
    if (!sum_spent(b, x, &sum))
        return 0;
    x->doubt = DOUBT_CAUSE;
    share_waits(b, x);
    if (!add_late_ranks(b, x, &sum, &all))
        return 0;
    const double known = choose_shares(&all, shares);
    if (shares[0].part > 0.5F) {
        x->origin = shares[0].place;
        x->cause = (uint8_t)shares[0].cause;
        x->doubt = DOUBT_NONE;
    } else if (known > 0.5 && b->order[x->count - 1].part <= 0.5) {
        x->doubt = DOUBT_NONE;
    }
    return keep_shares(b, x, shares, e);
}

int rank_blame_keep(struct rank_blame *b, const struct rank_meeting *x, struct err *e)
{
    const uint32_t meeting = (uint32_t)(x - b->m->items.items);
    int rc = 0;
    for (size_t i = 0; i < x->count && x->share_count && !rc; i++) {
        const double wait_ns = (double)rank_arrival_at(b->a, b->m, x, i)->exposed_wait_ns;
        const uint32_t place = rank_place_at(b->a, b->m, x, i);
        for (size_t s = 0; s < x->share_count && wait_ns > 0 && !rc; s++) {
            const struct rank_share *share = rank_meeting_share(b->m, x, s);
            rc =
                rank_waits_add(&b->waits, place, meeting, share->place, share->cause, (double)share->part * wait_ns, e);
        }
    }
    return rc;
}
