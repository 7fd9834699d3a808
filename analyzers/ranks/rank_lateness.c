/* Who arrives last at each collective? */
#include "analyzers/ranks/rank_lateness.h"

#include <stdlib.h>

#include "core/base/count_sum.h"

enum { GUESS_PART = 4, GUESS_MIN_NS = 2000 };

struct timing {
    struct rank_arrivals *a;
    struct rank_meetings_found *m;
    const struct rank_clocks *clocks;
    int64_t time_error_ns;
    bool *is_over;          /* by communicator: what follows is not matched */
    int64_t *unrecorded_ns; /* by reference: a rank of it was not recorded until then */
};

const struct rank_arrival *rank_arrival_at(const struct rank_arrivals *a, const struct rank_meetings_found *m,
                                           const struct rank_meeting *meeting, size_t index)
{
    return &a->items.items[m->attendance[meeting->first + index]];
}

uint32_t rank_place_at(const struct rank_arrivals *a, const struct rank_meetings_found *m,
                       const struct rank_meeting *meeting, size_t index)
{
    return rank_place_of(a, rank_arrival_at(a, m, meeting, index));
}

static const struct rank_clock *clock_at(const struct timing *t, const struct rank_meeting *meeting, size_t index)
{
    return &t->clocks->items.items[t->a->places.items[rank_place_at(t->a, t->m, meeting, index)].clock];
}

static bool is_one_clock(const struct timing *t, const struct rank_meeting *meeting)
{
    bool is_one = true;
    for (size_t i = 1; i < meeting->count; i++)
        is_one &= clock_at(t, meeting, i) == clock_at(t, meeting, 0);
    return is_one;
}

/* By how much the common time of an arrival, or of its end, may be off. */
static int64_t uncertain_at(const struct timing *t, const struct rank_meeting *meeting, size_t index)
{
    const struct rank_arrival *k = rank_arrival_at(t->a, t->m, meeting, index);
    const struct rank_clock *c = clock_at(t, meeting, index);
    const int64_t start_ns = rank_clock_uncertain(c, k->start_ns), end_ns = rank_clock_uncertain(c, k->end_ns);
    return start_ns > end_ns ? start_ns : end_ns;
}

/* Of two arrivals: rounding on one clock; else what the two least certain clocks are off. */
static int64_t uncertainty(const struct timing *t, const struct rank_meeting *meeting)
{
    const struct rank_clock *first = NULL;
    int64_t first_ns = 0, second_ns = 0; /* of the least certain clock, and of another one */
    for (size_t i = 0; i < meeting->count; i++) {
        const struct rank_clock *c = clock_at(t, meeting, i);
        const int64_t one_ns = uncertain_at(t, meeting, i);
        if (!first || one_ns > first_ns) {
            second_ns = first && c != first ? first_ns : second_ns;
            first = c;
            first_ns = one_ns;
        } else if (c != first && one_ns > second_ns) {
            second_ns = one_ns;
        }
    }
    return 2 * t->time_error_ns + (is_one_clock(t, meeting) ? 0 : first_ns + second_ns);
}

/* Are the clocks of all ranks of a meeting known against one reference? */
static bool is_comparable(const struct timing *t, const struct rank_meeting *meeting)
{
    const struct rank_clock *first = clock_at(t, meeting, 0);
    bool is_known = true;
    for (size_t i = 0; i < meeting->count; i++) {
        const struct rank_clock *c = clock_at(t, meeting, i);
        is_known &= c->is_known && c->reference == first->reference;
    }
    return is_known || is_one_clock(t, meeting);
}

/* Do its notes say that these kernels are one collective? The same number of the same communicator. */
static bool is_numbered(const struct timing *t, const struct rank_meeting *meeting)
{
    bool has_numbers = t->a->communicators.items[meeting->communicator].group;
    for (size_t i = 0; i < meeting->count && has_numbers; i++)
        has_numbers = rank_arrival_at(t->a, t->m, meeting, i)->sequence >= 0;
    return has_numbers;
}

/* Sets the times of a meeting, and which attendance ends first. */
static size_t set_times(const struct timing *t, struct rank_meeting *meeting)
{
    int64_t first_ns = INT64_MAX, last_end_ns = INT64_MIN;
    size_t ends_first = 0;
    meeting->last_ns = INT64_MIN;
    meeting->end_ns = INT64_MAX;
    for (size_t i = 0; i < meeting->count; i++) {
        const struct rank_arrival *k = rank_arrival_at(t->a, t->m, meeting, i);
        const struct rank_clock *c = clock_at(t, meeting, i);
        const int64_t start_ns = rank_clock_common(c, k->start_ns), end_ns = rank_clock_common(c, k->end_ns);
        first_ns = start_ns < first_ns ? start_ns : first_ns;
        if (start_ns > meeting->last_ns) {
            meeting->last_ns = start_ns;
            meeting->last = rank_place_at(t->a, t->m, meeting, i);
            meeting->transfer_ns = k->end_ns - k->start_ns;
        }
        last_end_ns = end_ns > last_end_ns ? end_ns : last_end_ns;
        if (end_ns < meeting->end_ns) {
            meeting->end_ns = end_ns;
            ends_first = i;
        }
    }
    meeting->skew_ns = meeting->last_ns - first_ns;
    meeting->uncertain_ns = uncertainty(t, meeting);
    meeting->apart_ns = is_numbered(t, meeting) ? 0 : last_end_ns - meeting->end_ns;
    return ends_first;
}

static int note_apart(struct timing *t, struct rank_meeting *meeting, size_t ends_first, struct err *e)
{
    const bool has_numbers = rank_arrival_at(t->a, t->m, meeting, 0)->sequence >= 0;
    t->is_over[meeting->communicator] |= !has_numbers;
    meeting->doubt = DOUBT_MISMATCH;
    return rank_mismatch_add(t->m,
                             &(struct rank_mismatch){.kind = MISMATCH_APART,
                                                     .communicator = meeting->communicator,
                                                     .place = rank_place_at(t->a, t->m, meeting, ends_first),
                                                     .position = meeting->position,
                                                     .expected_count = -1,
                                                     .found_count = -1},
                             e);
}

/* Is it known when its last rank arrived? */
static bool is_sure(const struct rank_meeting *meeting)
{
    return meeting->doubt == DOUBT_NONE || meeting->doubt == DOUBT_UNRECORDED;
}

/* When recording of a place had not begun yet, on the common clock; INT64_MIN: unknown. */
static int64_t unrecorded_until(const struct timing *t, const struct rank_place *p)
{
    const struct rank_clock *c = &t->clocks->items.items[p->clock];
    if (p->recorded_from_ns == INT64_MIN || !p->collectives || !c->is_known)
        return INT64_MIN;
    return rank_clock_common(c, p->recorded_from_ns) - rank_clock_uncertain(c, p->recorded_from_ns);
}

static void find_unrecorded(struct timing *t)
{
    for (size_t i = 0; i < t->clocks->items.count; i++)
        t->unrecorded_ns[i] = INT64_MIN;
    for (size_t i = 0; i < t->a->places.count; i++) {
        const struct rank_place *p = &t->a->places.items[i];
        int64_t *latest_ns = &t->unrecorded_ns[t->clocks->items.items[p->clock].reference];
        const int64_t until_ns = unrecorded_until(t, p);
        *latest_ns = until_ns > *latest_ns ? until_ns : *latest_ns;
    }
}

/* What the others waited while one of its ranks was not recorded is no evidence. That waits of other ranks are the
 * reason is seen later (rank_causes.c). */
static void look_at_recording(const struct timing *t, struct rank_meeting *meeting, int64_t first_ns)
{
    const int64_t begins_ns = first_ns + meeting->uncertain_ns;
    meeting->is_early = t->unrecorded_ns[clock_at(t, meeting, 0)->reference] > begins_ns;
    for (size_t i = 0; i < meeting->count && meeting->is_early && !meeting->doubt; i++)
        if (unrecorded_until(t, &t->a->places.items[rank_place_at(t->a, t->m, meeting, i)]) > begins_ns)
            meeting->doubt = DOUBT_UNRECORDED;
}

/* A wait lies within its kernel. Without a verdict on the last rank there is none. */
static void set_waits(const struct timing *t, struct rank_meeting *meeting)
{
    int64_t sum_ns = 0;
    for (size_t i = 0; i < meeting->count; i++) {
        struct rank_arrival *k = &t->a->items.items[t->m->attendance[meeting->first + i]];
        const int64_t own_ns = rank_clock_own(clock_at(t, meeting, i), meeting->last_ns);
        const int64_t end_ns = own_ns < k->end_ns ? own_ns : k->end_ns;
        k->wait_ns = is_sure(meeting) && end_ns > k->start_ns ? end_ns - k->start_ns : 0;
        count_add(&sum_ns, k->wait_ns);
    }
    const int64_t late_ns = sum_ns / (int64_t)(meeting->count - 1);
    meeting->may_be_late = late_ns > RANK_FLOOR_NS && late_ns > meeting->uncertain_ns && !meeting->doubt;
}

/* Without notes, ranks that end together may be groups of their own whose transfers differ as much as transfers do. */
static int64_t guess(const struct timing *t, const struct rank_meeting *meeting)
{
    const int64_t part_ns = meeting->transfer_ns / GUESS_PART;
    if (t->a->communicators.items[meeting->communicator].group || meeting->count < 3)
        return 0;
    return part_ns > GUESS_MIN_NS ? part_ns : GUESS_MIN_NS;
}

static int time_meeting(struct timing *t, struct rank_meeting *meeting, struct err *e)
{
    const size_t ends_first = set_times(t, meeting);
    const int64_t first_ns = meeting->last_ns - meeting->skew_ns;
    int rc = 0;
    if (!meeting->doubt && t->is_over[meeting->communicator])
        meeting->doubt = DOUBT_MISMATCH;
    if (!meeting->doubt && !is_comparable(t, meeting))
        meeting->doubt = DOUBT_CLOCKS;
    if (!meeting->doubt && meeting->end_ns < meeting->last_ns - meeting->uncertain_ns)
        rc = note_apart(t, meeting, ends_first, e);
    if (!meeting->doubt && meeting->last_ns > meeting->end_ns)
        meeting->last_ns = meeting->end_ns;
    /* Ranks of one collective end together. If they do not, it may be several, whose arrivals are as far apart. */
    meeting->uncertain_ns += meeting->apart_ns + guess(t, meeting);
    if (!meeting->doubt)
        look_at_recording(t, meeting, first_ns);
    set_waits(t, meeting);
    return rc;
}

/* Without notes, that streams are one communicator is a guess. A contradiction drops what was matched before it. */
static void drop_wrong_guesses(const struct timing *t)
{
    for (size_t i = 0; i < t->m->items.count; i++) {
        struct rank_meeting *x = &t->m->items.items[i];
        if (!t->is_over[x->communicator] || t->a->communicators.items[x->communicator].group || !is_sure(x))
            continue;
        x->doubt = DOUBT_MISMATCH;
        set_waits(t, x);
    }
}

/* ---- in the order of time ---- */

static int by_time(const void *left, const void *right)
{
    const struct rank_meeting *a = left, *b = right;
    if (a->last_ns != b->last_ns)
        return a->last_ns < b->last_ns ? -1 : 1;
    return (a->first > b->first) - (a->first < b->first);
}

static void sort_by_time(struct timing *t)
{
    struct rank_meetings_found *m = t->m;
    if (m->items.count)
        qsort(m->items.items, m->items.count, sizeof *m->items.items, by_time);
    rank_meetings_number(t->a, m);
}

int rank_lateness_find(struct rank_arrivals *a, const struct rank_clocks *clocks, int64_t time_error_ns,
                       struct rank_meetings_found *m, struct err *e)
{
    struct timing t = {.a = a,
                       .m = m,
                       .clocks = clocks,
                       .time_error_ns = time_error_ns,
                       .is_over = calloc(a->communicators.count + 1, sizeof(bool)),
                       .unrecorded_ns = calloc(clocks->items.count + 1, sizeof(int64_t))};
    int rc = t.is_over && t.unrecorded_ns ? 0 : err_memory(e);
    if (!rc)
        find_unrecorded(&t);
    for (size_t i = 0; i < a->items.count; i++)
        if (!a->items.items[i].meeting)
            a->items.items[i].wait_ns = 0;
    for (size_t i = 0; i < m->items.count && !rc; i++)
        rc = time_meeting(&t, &m->items.items[i], e);
    if (!rc)
        drop_wrong_guesses(&t);
    if (!rc)
        sort_by_time(&t);
    free(t.is_over);
    free(t.unrecorded_ns);
    return rc;
}
