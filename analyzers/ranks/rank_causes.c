/* Was it a late arrival or a slow transfer, and whose lateness costs what? */
#include "analyzers/ranks/rank_causes.h"

#include <math.h>
#include <stdlib.h>

#include "analyzers/ranks/rank_blame.h"
#include "analyzers/ranks/rank_transfers.h"
#include "core/base/count_sum.h"
#include "core/base/key_table.h"

struct judging {
    struct rank_arrivals *a;
    struct rank_meetings_found *m;
    struct rank_befores *befores;
    struct rank_costs *out;
    struct key_table origins; /* (place, cause) */
    struct rank_blame blame;
};

/* ---- what a collective costs ---- */

static int64_t sum_waits(const struct judging *j, const struct rank_meeting *x)
{
    int64_t sum_ns = 0;
    for (size_t i = 0; i < x->count; i++)
        count_add(&sum_ns, rank_arrival_at(j->a, j->m, x, i)->exposed_wait_ns);
    return sum_ns;
}

static int64_t sum_transfers(const struct judging *j, const struct rank_meeting *x)
{
    int64_t sum_ns = 0;
    for (size_t i = 0; i < x->count; i++)
        count_add(&sum_ns, rank_arrival_at(j->a, j->m, x, i)->exposed_ns);
    return sum_ns;
}

static int64_t slow_from(int64_t expected_ns)
{
    const int64_t percent_ns = expected_ns / 100 * RANK_SLOW_PERCENT;
    return percent_ns > RANK_FLOOR_NS ? percent_ns : RANK_FLOOR_NS;
}

/* Do the ends lie further apart than clocks and a transfer explain? */
static bool ends_are_apart(const struct rank_meeting *x)
{
    return x->apart_ns > slow_from(x->expected_ns) + x->uncertain_ns - x->apart_ns;
}

/* Is less known of the arrivals than the transfer takes? Then a collective on which nobody seems late says nothing. */
static bool is_vague(const struct rank_meeting *x)
{
    const int64_t most_ns = x->expected_ns > RANK_FLOOR_NS ? x->expected_ns : RANK_FLOOR_NS;
    return x->uncertain_ns - x->apart_ns > most_ns || ends_are_apart(x);
}

/* Is the transfer slow wherever the last arrival lies within the uncertainty? A later one takes as much from the
 * transfer as it adds to the lateness. The expected transfer can only be shorter. */
static bool is_surely_slow(const struct rank_meeting *x)
{
    return x->expected_ns >= 0 && x->slow_ns > 0 && !ends_are_apart(x) &&
           x->slow_ns - x->uncertain_ns >= RANK_CLEAR * (x->late_ns + x->uncertain_ns);
}

/* What a slow transfer costs a rank, in the mean, if it took `off_ns` longer than measured: the part that is exposed,
 * up to what it takes too long. An unknown expected transfer may be 0. */
static int64_t mean_slow(const struct judging *j, const struct rank_meeting *x, int64_t off_ns)
{
    const int64_t longer_ns = x->transfer_ns + off_ns - (x->expected_ns >= 0 ? x->expected_ns : 0);
    int64_t sum_ns = 0;
    if (x->expected_ns >= 0 && longer_ns <= slow_from(x->expected_ns))
        return 0;
    for (size_t i = 0; i < x->count; i++) {
        const int64_t exposed_ns = rank_arrival_at(j->a, j->m, x, i)->exposed_ns + off_ns;
        const int64_t slow_ns = exposed_ns < longer_ns ? exposed_ns : longer_ns;
        count_add(&sum_ns, slow_ns > 0 ? slow_ns : 0);
    }
    return sum_ns / (int64_t)x->count;
}

static void weigh(const struct judging *j, struct rank_meeting *x)
{
    x->late_ns = sum_waits(j, x) / (int64_t)(x->count - 1);
    x->slow_ns = mean_slow(j, x, 0);
}

/* ---- verdicts ---- */

static int judge(struct judging *j, struct rank_meeting *x, struct err *e)
{
    int rc = 0;
    weigh(j, x);
    const bool is_late = x->late_ns > RANK_FLOOR_NS && x->late_ns > x->uncertain_ns;
    const bool is_slow = x->slow_ns > 0;
    if (is_surely_slow(x)) {
        x->verdict = RANK_SLOW;
    } else if (!is_late && x->late_ns > RANK_FLOOR_NS) {
        x->doubt = DOUBT_PRECISION;
    } else if (x->expected_ns < 0 && (!is_late || x->late_ns < RANK_CLEAR * x->slow_ns)) {
        x->doubt = DOUBT_SIZES;
    } else if (!is_late && is_vague(x)) {
        x->doubt = DOUBT_PRECISION;
    } else if (!is_late) {
        x->verdict = is_slow ? RANK_SLOW : RANK_IN_TIME;
    } else if (is_slow && x->slow_ns >= RANK_CLEAR * x->late_ns) {
        x->verdict = RANK_SLOW;
    } else {
        rc = rank_blame_find(&j->blame, x, e);
        if (!rc && !x->doubt)
            x->verdict = is_slow && x->late_ns < RANK_CLEAR * x->slow_ns ? RANK_MIXED : RANK_LATE;
    }
    if (x->expected_ns < 0)
        x->slow_ns = 0; /* it was the whole transfer, as the most that it may be */
    return rc;
}

/* What the origin spent before a collective that it takes part in, and the others. */
static void add_present(const struct judging *j, const struct rank_meeting *x, struct rank_origin *o)
{
    static const uint8_t kinds[RANK_CAUSES] = {[CAUSE_KERNEL] = SPENT_KERNEL,
                                               [CAUSE_HOST] = SPENT_IDLE,
                                               [CAUSE_COPY] = SPENT_COPY,
                                               [CAUSE_MEMSET] = SPENT_MEMSET,
                                               [CAUSE_MIGRATION] = SPENT_MIGRATION};
    double own_ns = -1, sum_ns = 0;
    for (size_t i = 0; i < x->count; i++) {
        const double one_ns = (double)rank_before_at(j->befores, i)->spent_ns[kinds[o->cause]];
        own_ns = rank_place_at(j->a, j->m, x, i) == o->place ? one_ns : own_ns;
        sum_ns += one_ns;
    }
    if (own_ns < 0)
        return;
    o->present++;
    o->own_ns += own_ns;
    o->usual_ns += (sum_ns - own_ns) / (double)(x->count - 1);
}

static int64_t uncertain_waits(const struct rank_meeting *x)
{
    return x->uncertain_ns * (int64_t)(x->count - 1);
}

/* A cost is shared by all whose lateness it is. */
static int charge(struct judging *j, const struct rank_meeting *x, struct err *e)
{
    const double sum_ns = (double)sum_waits(j, x);
    for (size_t i = 0; i < x->share_count; i++) {
        const struct rank_share *share = rank_meeting_share(j->m, x, i);
        const uint32_t id = key_table_add(&j->origins, (int32_t)share->place, share->cause);
        if (!id || (id > j->out->origins.count && !ARRAY_PUSH(&j->out->origins)))
            return err_memory(e);
        struct rank_origin *o = &j->out->origins.items[id - 1];
        o->place = share->place;
        o->cause = (enum rank_cause)share->cause;
        add_present(j, x, o);
        o->collectives += i == 0 || x->origin == RANK_PLACES_MAX;
        o->victims += i == 0 && x->origin < RANK_PLACES_MAX && x->last != x->origin;
        count_add(&o->sum_ns, llround(sum_ns * (double)share->part));
        count_add(&o->uncertain_ns, llround((double)uncertain_waits(x) * (double)share->part));
    }
    return 0;
}

/* The time that ranks waited because recording had not begun at all of them is none of the program. */
static void leave_out(struct judging *j, const struct rank_meeting *x)
{
    for (size_t i = 0; i < x->count; i++) {
        const struct rank_arrival *k = rank_arrival_at(j->a, j->m, x, i);
        struct rank_place *p = &j->a->places.items[rank_place_at(j->a, j->m, x, i)];
        p->spent_ns[SPENT_WAIT] -= k->exposed_wait_ns;
        p->spent_ns[SPENT_TRANSFER] -= k->exposed_ns;
        count_add(&j->out->unrecorded_ns, k->exposed_wait_ns + k->exposed_ns);
    }
}

static void sum_unjudged(struct judging *j, const struct rank_meeting *x)
{
    struct rank_costs *out = j->out;
    const int64_t waits_ns = sum_waits(j, x);
    int64_t exposed_ns = waits_ns;
    count_add(&exposed_ns, sum_transfers(j, x));
    out->doubts[x->doubt]++;
    count_add(&out->doubted_ns[x->doubt], exposed_ns);
    if (x->doubt == DOUBT_UNRECORDED) {
        leave_out(j, x);
        return;
    }
    count_add(&out->unjudged_ns, exposed_ns);
    count_add(&out->uncompared_ns, exposed_ns);
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
    if (x->expected_ns < 0) {
        count_add(&out->uncompared_ns, sum_transfers(j, x));
    } else {
        const bool is_slow = x->verdict == RANK_SLOW || x->verdict == RANK_MIXED;
        out->compared++;
        out->slow += is_slow;
        out->copied_beside[!is_slow] += x->is_beside_copy;
        count_add(&out->slow_low_ns, mean_slow(j, x, -x->uncertain_ns) * (int64_t)x->count);
        count_add(&out->slow_high_ns, mean_slow(j, x, x->uncertain_ns) * (int64_t)x->count);
    }
    if (x->verdict != RANK_LATE && x->verdict != RANK_MIXED) {
        count_add(&out->unassigned_ns, sum_waits(j, x));
        return 0;
    }
    double known = 0;
    for (size_t i = 0; i < x->share_count; i++)
        known += (double)rank_meeting_share(j->m, x, i)->part;
    count_add(&out->late_ns, sum_waits(j, x));
    count_add(&out->unassigned_ns, llround((double)sum_waits(j, x) * fmax(0, 1 - known)));
    return charge(j, x, e);
}

/* ---- in total ---- */

static int by_cost(const void *left, const void *right)
{
    const struct rank_origin *a = left, *b = right;
    if (a->sum_ns != b->sum_ns)
        return a->sum_ns < b->sum_ns ? 1 : -1;
    return a->place != b->place ? (a->place > b->place) - (a->place < b->place) : (int)a->cause - (int)b->cause;
}

/* What was not recorded is the reason only where there is no other. */
static enum rank_doubt main_doubt(const struct rank_costs *out)
{
    int most = DOUBT_NONE;
    for (int doubt = 0; doubt < DOUBTS; doubt++)
        if (doubt == DOUBT_UNRECORDED)
            continue;
        else if (out->doubted_ns[doubt] > out->doubted_ns[most] ||
                 (out->doubted_ns[doubt] == out->doubted_ns[most] && out->doubts[doubt] > out->doubts[most]))
            most = doubt;
    return most || !out->doubts[DOUBT_UNRECORDED] ? (enum rank_doubt)most : DOUBT_UNRECORDED;
}

enum { SMALL_PART = 100 }; /* of the time: as good as nothing */

/* Collectives that were not found at other ranks: why. */
static enum rank_doubt doubt_of_unmatched(const struct rank_arrivals *a, const struct rank_arrival *k)
{
    if (rank_exchange_of(a, k)->operation == RANK_PAIRED)
        return DOUBT_ROOTED;
    return a->communicators.items[a->tracks.items[k->track].communicator].count < 2 ? DOUBT_INCOMPLETE : DOUBT_MISMATCH;
}

static void sum_unmatched(struct rank_costs *out, const struct rank_arrivals *a)
{
    for (size_t i = 0; i < a->items.count; i++) {
        const struct rank_arrival *k = &a->items.items[i];
        if (k->meeting)
            continue;
        count_add(&out->doubted_ns[doubt_of_unmatched(a, k)], k->exposed_ns + k->exposed_wait_ns);
        count_add(&out->unjudged_ns, k->exposed_ns + k->exposed_wait_ns);
        count_add(&out->uncompared_ns, k->exposed_ns + k->exposed_wait_ns);
        count_add(&out->unassigned_ns, k->exposed_ns + k->exposed_wait_ns);
    }
    for (size_t i = 0; i < a->places.count; i++)
        count_add(&out->span_ns, a->places.items[i].collectives ? rank_place_span_ns(&a->places.items[i]) : 0);
}

/* Makes means as the page shows them: lateness over the ranks that wait for one, all else over all ranks. */
static void conclude(struct rank_costs *out, const struct rank_arrivals *a, const struct rank_meetings_found *m)
{
    const double all = (double)a->joined, others = a->joined > 1 ? all - 1 : 1;
    sum_unmatched(out, a);
    const double late_ns = (double)out->late_ns / others, slow_ns = (double)out->slow_ns / all;
    const double unjudged_ns = (double)out->unjudged_ns / all, small_ns = (double)out->span_ns / all / SMALL_PART;
    const bool is_judged = out->counts[RANK_INCONCLUSIVE] < (int64_t)m->items.count;
    if (!is_judged || (unjudged_ns > late_ns + slow_ns && unjudged_ns > small_ns)) {
        out->doubt = main_doubt(out);
        if (!out->doubt)
            out->doubt = a->paired ? DOUBT_ROOTED : DOUBT_MISMATCH;
    } else if (late_ns + slow_ns <= small_ns) {
        /* Where the last rank was later, the transfer was shorter. */
        const double later_ns = (double)out->uncertain_ns / others;
        const double slower_ns = (double)(out->slow_high_ns - out->slow_ns) / all;
        const bool is_certain = late_ns + slow_ns + fmax(later_ns, slower_ns) <= small_ns;
        out->verdict = is_certain ? RANK_IN_TIME : RANK_INCONCLUSIVE;
        out->doubt = is_certain ? DOUBT_NONE : DOUBT_PRECISION;
    } else if (late_ns >= RANK_CLEAR * slow_ns) {
        out->verdict = RANK_LATE;
    } else {
        out->verdict = slow_ns >= RANK_CLEAR * late_ns ? RANK_SLOW : RANK_MIXED;
    }
}

void rank_causes_doubt_lost(const struct rank_arrivals *a, struct rank_meetings_found *m)
{
    for (size_t i = 0; i < m->items.count; i++)
        if (!m->items.items[i].doubt && !a->communicators.items[m->items.items[i].communicator].group_size)
            m->items.items[i].doubt = DOUBT_LOST;
}

void rank_causes_doubt_twins(struct rank_meetings_found *m)
{
    for (size_t i = 0; i < m->items.count; i++)
        m->items.items[i].doubt = DOUBT_TWINS;
}

static int judge_all(struct judging *j, struct err *e)
{
    int rc = 0;
    for (size_t i = 0; i < j->m->items.count && !rc; i++) {
        struct rank_meeting *x = &j->m->items.items[i];
        if (x->doubt == DOUBT_NONE)
            rc = rank_befores_load(j->befores, j->a, j->m, x, e);
        if (!rc && x->doubt == DOUBT_NONE)
            rc = judge(j, x, e);
        if (x->doubt == DOUBT_NO_BEFORE && x->is_early) /* it waited for one that waited for a rank that was not */
            x->doubt = DOUBT_UNRECORDED;
        if (!rc)
            rc = rank_blame_keep(&j->blame, x, e);
        if (!rc)
            rc = sum_up(j, x, e);
    }
    return rc;
}

int rank_causes_judge(struct rank_arrivals *a, struct rank_meetings_found *m, struct rank_befores *befores,
                      struct rank_costs *out, struct err *e)
{
    *out = (struct rank_costs){0};
    struct judging j = {.a = a, .m = m, .befores = befores, .out = out};
    int rc = rank_transfers_expect(m, e);
    if (!rc)
        rc = rank_blame_init(&j.blame, a, m, befores, e);
    if (!rc)
        rc = rank_befores_rewind(befores, e);
    if (!rc)
        rc = judge_all(&j, e);
    if (!rc && out->origins.count)
        qsort(out->origins.items, out->origins.count, sizeof *out->origins.items, by_cost);
    if (!rc)
        conclude(out, a, m);
    key_table_release(&j.origins);
    rank_blame_release(&j.blame);
    return rc;
}

void rank_causes_release(struct rank_costs *c)
{
    free(c->origins.items);
    *c = (struct rank_costs){0};
}
