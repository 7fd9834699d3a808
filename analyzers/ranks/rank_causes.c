/* Was it a late arrival or a slow transfer, and whose lateness costs what? */
#include "analyzers/ranks/rank_causes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzers/ranks/rank_transfers.h"
#include "base/count_sum.h"
#include "base/key_table.h"

struct judging {
    struct rank_arrivals *a;
    struct rank_meetings_found *m;
    struct rank_costs *out;
    struct key_table origins; /* (place, cause) */
    uint32_t *by_place;       /* arrivals of each place, in order */
    uint32_t *index;          /* of each arrival there */
    size_t *first;            /* of each place */
};

/* ---- what a collective costs ---- */

static int64_t sum_waits(const struct judging *j, const struct rank_meeting *x)
{
    int64_t sum_ns = 0;
    for (size_t i = 0; i < x->count; i++)
        count_add(&sum_ns, rank_arrival_at(j->a, j->m, x, i)->exposed_wait_ns);
    return sum_ns;
}

/* The part of each transfer that is exposed, up to what it takes too long. */
static int64_t sum_excess(const struct judging *j, const struct rank_meeting *x, int64_t excess_ns)
{
    int64_t sum_ns = 0;
    for (size_t i = 0; i < x->count; i++) {
        const int64_t exposed_ns = rank_arrival_at(j->a, j->m, x, i)->exposed_ns;
        count_add(&sum_ns, exposed_ns < excess_ns ? exposed_ns : excess_ns);
    }
    return sum_ns;
}

static int64_t slow_from(int64_t expected_ns)
{
    const int64_t percent_ns = expected_ns / 100 * RANK_SLOW_PERCENT;
    return percent_ns > RANK_FLOOR_NS ? percent_ns : RANK_FLOOR_NS;
}

static void weigh(const struct judging *j, struct rank_meeting *x)
{
    const int64_t longer_ns = x->expected_ns >= 0 ? x->transfer_ns - x->expected_ns : x->transfer_ns;
    const bool is_slow = x->expected_ns < 0 || longer_ns > slow_from(x->expected_ns);
    x->late_ns = sum_waits(j, x) / (int64_t)(x->count - 1);
    x->slow_ns = is_slow ? sum_excess(j, x, longer_ns) / (int64_t)x->count : 0;
}

/* How much earlier the last but one rank arrives. */
static int64_t lead_of_last(const struct judging *j, const struct rank_meeting *x)
{
    int64_t least_ns = INT64_MAX;
    for (size_t i = 0; i < x->count; i++) {
        const struct rank_arrival *k = rank_arrival_at(j->a, j->m, x, i);
        const int64_t wait_ns = k->wait_end_ns - k->start_ns;
        if (rank_place_at(j->a, j->m, x, i) != x->last && wait_ns < least_ns)
            least_ns = wait_ns;
    }
    return least_ns;
}

/* ---- why is the last rank late? ---- */

enum { ORIGINS_AT_ONCE = 16 };

/* What makes the last rank later than the mean of the others, by whose it is. */
struct beyond {
    struct {
        uint32_t place, cause;
        double ns;
    } items[ORIGINS_AT_ONCE];
    size_t count;
    double unknown_ns;
};

/* The last rank comes first: what only others waited for makes it no later. */
static void add_beyond(struct beyond *b, uint32_t place, uint32_t cause, double ns)
{
    for (size_t i = 0; i < b->count; i++)
        if (b->items[i].place == place && b->items[i].cause == cause) {
            b->items[i].ns += ns;
            return;
        }
    if (ns <= 0)
        return;
    if (b->count == ORIGINS_AT_ONCE) {
        b->unknown_ns += ns;
        return;
    }
    b->items[b->count].place = place;
    b->items[b->count].cause = cause;
    b->items[b->count++].ns = ns;
}

/* What a rank waited, in collectives since the last one of all ranks that meet here, by whose lateness that was. They
 * are judged before this one. Everything counts `weight` times. */
static void add_waits(const struct judging *j, const struct rank_arrival *k, double weight, struct beyond *b)
{
    const struct rank_arrival *all = j->a->items.items;
    const size_t own = (size_t)(k - all), first = j->first[j->a->tracks.items[k->track].place];
    double rest_ns = (double)k->spent_ns[SPENT_WAIT];
    for (size_t i = j->index[own]; i-- > first;) {
        const struct rank_arrival *before = &all[j->by_place[i]];
        if (before->meeting && before->meeting == k->since)
            break;
        if (!before->meeting || !before->exposed_wait_ns)
            continue;
        const struct rank_share *shares = j->m->items.items[before->meeting - 1].shares;
        for (size_t s = 0; s < RANK_SHARES && shares[s].part > 0; s++) {
            add_beyond(b, shares[s].place, shares[s].cause, weight * shares[s].part * (double)before->exposed_wait_ns);
            rest_ns -= shares[s].part * (double)before->exposed_wait_ns;
        }
    }
    b->unknown_ns += weight * rest_ns;
}

/* What a rank spent otherwise; only what the last one spends more is its own doing. */
static void add_spent(const struct rank_arrival *k, double weight, double spent_ns[SPENT_KINDS])
{
    for (int kind = 0; kind < SPENT_KINDS; kind++)
        spent_ns[kind] += weight * (double)k->spent_ns[kind];
}

static size_t index_of_last(const struct judging *j, const struct rank_meeting *x)
{
    size_t index = 0;
    while (index + 1 < x->count && rank_place_at(j->a, j->m, x, index) != x->last)
        index++;
    return index;
}

/* Compares the last rank with the mean of the others; false where no collective of all of them is before. */
static bool compare_ranks(const struct judging *j, const struct rank_meeting *x, struct beyond *b)
{
    static const uint8_t causes[SPENT_KINDS] = {
        [SPENT_KERNEL] = CAUSE_KERNEL, [SPENT_COPY] = CAUSE_COPY, [SPENT_IDLE] = CAUSE_HOST};
    const uint32_t since = rank_arrival_at(j->a, j->m, x, 0)->since;
    double spent_ns[SPENT_KINDS] = {0};
    const size_t last = index_of_last(j, x);
    for (size_t i = 0; i < x->count; i++) { /* the last, then the others */
        const struct rank_arrival *k = rank_arrival_at(j->a, j->m, x, i == 0 ? last : i <= last ? i - 1 : i);
        const double weight = i == 0 ? 1 : -1 / (double)(x->count - 1);
        if (!k->since || k->since != since)
            return false;
        add_spent(k, weight, spent_ns);
        add_waits(j, k, weight, b);
    }
    for (int kind = 0; kind < SPENT_KINDS; kind++)
        if (causes[kind] && spent_ns[kind] > 0)
            add_beyond(b, x->last, causes[kind], spent_ns[kind]);
    b->unknown_ns += spent_ns[SPENT_TRANSFER];
    return true;
}

#define RANK_SHARE_MIN 0.05

/* The largest first. */
static void keep_shares(struct rank_meeting *x, const struct beyond *b, double sum_ns)
{
    for (size_t i = 0; i < b->count; i++) {
        const struct rank_share share = {b->items[i].place, b->items[i].cause, b->items[i].ns / sum_ns};
        size_t place = RANK_SHARES;
        while (place && share.part > x->shares[place - 1].part)
            place--;
        if (place == RANK_SHARES || share.part < RANK_SHARE_MIN)
            continue;
        memmove(&x->shares[place + 1], &x->shares[place], (RANK_SHARES - 1 - place) * sizeof share);
        x->shares[place] = share;
    }
}

/* Whose lateness is it? Returns false, with a doubt, where nobody has more than half of it. */
static bool find_cause(const struct judging *j, struct rank_meeting *x)
{
    struct beyond b = {.count = 0};
    x->doubt = DOUBT_NO_BEFORE;
    if (!compare_ranks(j, x, &b))
        return false;
    double sum_ns = b.unknown_ns > 0 ? b.unknown_ns : 0;
    for (size_t i = 0; i < b.count; i++)
        sum_ns += b.items[i].ns > 0 ? b.items[i].ns : 0;
    x->doubt = DOUBT_CAUSE;
    if (sum_ns * 2 <= (double)x->late_ns || sum_ns <= 0)
        return false;
    keep_shares(x, &b, sum_ns);
    if (x->shares[0].part <= 0.5)
        return false;
    x->origin = x->shares[0].place;
    x->cause = (uint8_t)x->shares[0].cause;
    x->doubt = DOUBT_NONE;
    return true;
}

/* ---- verdicts ---- */

static void judge(const struct judging *j, struct rank_meeting *x)
{
    weigh(j, x);
    const bool is_late = x->late_ns > RANK_FLOOR_NS && x->late_ns > x->uncertain_ns;
    const bool is_slow = x->slow_ns > 0;
    if (!is_late && x->late_ns > RANK_FLOOR_NS) {
        x->doubt = DOUBT_PRECISION;
    } else if (x->expected_ns < 0 && (!is_late || x->late_ns < RANK_CLEAR * x->slow_ns)) {
        x->doubt = DOUBT_SIZES;
    } else if (!is_late) {
        x->verdict = is_slow ? RANK_SLOW : RANK_IN_TIME;
    } else if (is_slow && x->slow_ns >= RANK_CLEAR * x->late_ns) {
        x->verdict = RANK_SLOW;
    } else if (lead_of_last(j, x) < x->uncertain_ns) {
        x->doubt = DOUBT_PRECISION; /* which of them is the last? */
    } else if (find_cause(j, x)) {
        x->verdict = is_slow && x->late_ns < RANK_CLEAR * x->slow_ns ? RANK_MIXED : RANK_LATE;
    }
    if (x->expected_ns < 0)
        x->slow_ns = 0; /* it was the whole transfer, as the most that it may be */
}

static int64_t uncertain_waits(const struct rank_meeting *x)
{
    return x->uncertain_ns * (int64_t)(x->count - 1);
}

/* A cost is shared by all whose lateness it is. */
static int charge(struct judging *j, const struct rank_meeting *x, struct err *e)
{
    const double sum_ns = (double)sum_waits(j, x);
    for (size_t i = 0; i < RANK_SHARES && x->shares[i].part > 0; i++) {
        const struct rank_share *share = &x->shares[i];
        const uint32_t id = key_table_add(&j->origins, (int32_t)share->place, share->cause);
        if (!id || (id > j->out->origins.count && !ARRAY_PUSH(&j->out->origins)))
            return err_memory(e);
        struct rank_origin *o = &j->out->origins.items[id - 1];
        o->place = share->place;
        o->cause = (enum rank_cause)share->cause;
        o->collectives += i == 0;
        o->victims += i == 0 && x->last != x->origin;
        count_add(&o->sum_ns, llround(sum_ns * share->part));
        count_add(&o->uncertain_ns, llround((double)uncertain_waits(x) * share->part));
    }
    return 0;
}

static void sum_unjudged(struct judging *j, const struct rank_meeting *x)
{
    struct rank_costs *out = j->out;
    const int64_t waits_ns = sum_waits(j, x);
    int64_t exposed_ns = waits_ns;
    for (size_t i = 0; i < x->count; i++)
        count_add(&exposed_ns, rank_arrival_at(j->a, j->m, x, i)->exposed_ns);
    out->doubts[x->doubt]++;
    count_add(&out->doubted_ns[x->doubt], exposed_ns);
    count_add(&out->unjudged_ns, exposed_ns);
    count_add(&out->unassigned_ns, rank_meeting_is_timed(x) ? waits_ns : exposed_ns);
}

/* Adds a judged meeting to the sums. */
static int sum_up(struct judging *j, const struct rank_meeting *x, struct err *e)
{
    struct rank_costs *out = j->out;
    out->counts[x->verdict]++;
    if (x->verdict == RANK_INCONCLUSIVE) {
        sum_unjudged(j, x);
        return 0;
    }
    count_add(&out->uncertain_ns, uncertain_waits(x));
    count_add(&out->slow_ns, x->slow_ns * (int64_t)x->count);
    if (x->verdict != RANK_LATE && x->verdict != RANK_MIXED) {
        count_add(&out->unassigned_ns, sum_waits(j, x));
        return 0;
    }
    count_add(&out->late_ns, sum_waits(j, x));
    return charge(j, x, e);
}

/* ---- arrivals of a place ---- */

static int index_places(struct judging *j, struct err *e)
{
    const struct rank_arrivals *a = j->a;
    size_t first = 0;
    j->by_place = calloc(a->items.count + 1, sizeof *j->by_place);
    j->index = calloc(a->items.count + 1, sizeof *j->index);
    j->first = calloc(a->places.count + 1, sizeof *j->first);
    if (!j->by_place || !j->index || !j->first)
        return err_memory(e);
    for (size_t i = 0; i < a->places.count; i++) {
        j->first[i] = first;
        first += (size_t)a->places.items[i].collectives;
    }
    for (size_t i = 0; i < a->items.count; i++) {
        const uint32_t place = a->tracks.items[a->items.items[i].track].place;
        j->by_place[j->first[place]] = (uint32_t)i;
        j->index[i] = (uint32_t)j->first[place]++;
    }
    for (size_t i = 0; i < a->places.count; i++)
        j->first[i] -= (size_t)a->places.items[i].collectives;
    return 0;
}

/* ---- in total ---- */

static int by_cost(const void *left, const void *right)
{
    const struct rank_origin *a = left, *b = right;
    if (a->sum_ns != b->sum_ns)
        return a->sum_ns < b->sum_ns ? 1 : -1;
    return a->place != b->place ? (a->place > b->place) - (a->place < b->place) : (int)a->cause - (int)b->cause;
}

static enum rank_doubt main_doubt(const struct rank_costs *out)
{
    int most = DOUBT_NONE;
    for (int doubt = 0; doubt < DOUBTS; doubt++)
        if (out->doubted_ns[doubt] > out->doubted_ns[most] ||
            (out->doubted_ns[doubt] == out->doubted_ns[most] && out->doubts[doubt] > out->doubts[most]))
            most = doubt;
    return (enum rank_doubt)most;
}

enum { SMALL_PART = 100 }; /* of the time: as good as nothing */

static void conclude(struct rank_costs *out, const struct rank_arrivals *a, const struct rank_meetings_found *m)
{
    const int64_t cost_ns = out->late_ns + out->slow_ns;
    int64_t unmatched_ns = 0;
    for (size_t i = 0; i < a->items.count; i++)
        if (!a->items.items[i].meeting)
            count_add(&unmatched_ns, a->items.items[i].exposed_ns + a->items.items[i].exposed_wait_ns);
    count_add(&out->unjudged_ns, unmatched_ns);
    count_add(&out->unassigned_ns, unmatched_ns);
    for (size_t i = 0; i < a->places.count; i++)
        count_add(&out->span_ns, a->places.items[i].collectives ? rank_place_span_ns(&a->places.items[i]) : 0);
    const bool is_judged = out->counts[RANK_INCONCLUSIVE] < (int64_t)m->items.count;
    if (!is_judged || (out->unjudged_ns > cost_ns && out->unjudged_ns > out->span_ns / SMALL_PART)) {
        out->doubt = main_doubt(out);
        if (!out->doubt)
            out->doubt = a->paired ? DOUBT_ROOTED : DOUBT_MISMATCH;
    } else if (cost_ns <= out->span_ns / SMALL_PART) {
        const bool is_certain = cost_ns + out->uncertain_ns <= out->span_ns / SMALL_PART;
        out->verdict = is_certain ? RANK_IN_TIME : RANK_INCONCLUSIVE;
        out->doubt = is_certain ? DOUBT_NONE : DOUBT_PRECISION;
    } else if (out->late_ns >= RANK_CLEAR * out->slow_ns) {
        out->verdict = RANK_LATE;
    } else {
        out->verdict = out->slow_ns >= RANK_CLEAR * out->late_ns ? RANK_SLOW : RANK_MIXED;
    }
}

/* Where a trace is lost, a communicator may have a rank that is not there. Notes say how many it has. */
static void doubt_lost(struct rank_arrivals *a, struct rank_meetings_found *m)
{
    for (size_t i = 0; i < m->items.count; i++)
        if (!m->items.items[i].doubt && !a->communicators.items[m->items.items[i].communicator].group_size)
            m->items.items[i].doubt = DOUBT_LOST;
}

static int judge_all(struct judging *j, struct err *e)
{
    int rc = 0;
    for (size_t i = 0; i < j->m->items.count && !rc; i++) {
        struct rank_meeting *x = &j->m->items.items[i];
        if (x->doubt == DOUBT_NONE)
            judge(j, x);
        rc = sum_up(j, x, e);
    }
    return rc;
}

int rank_causes_judge(struct rank_arrivals *a, struct rank_meetings_found *m, bool is_lost, struct rank_costs *out,
                      struct err *e)
{
    *out = (struct rank_costs){0};
    struct judging j = {.a = a, .m = m, .out = out};
    if (is_lost)
        doubt_lost(a, m);
    int rc = rank_transfers_expect(a, m, e);
    if (!rc)
        rc = index_places(&j, e);
    if (!rc)
        rc = judge_all(&j, e);
    if (!rc && out->origins.count)
        qsort(out->origins.items, out->origins.count, sizeof *out->origins.items, by_cost);
    if (!rc)
        conclude(out, a, m);
    key_table_release(&j.origins);
    free(j.by_place);
    free(j.index);
    free(j.first);
    return rc;
}

void rank_causes_release(struct rank_costs *c)
{
    free(c->origins.items);
    *c = (struct rank_costs){0};
}
