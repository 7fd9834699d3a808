/* How do the clocks of traces differ? */
#include "analyzers/ranks/rank_clocks.h"

#include <math.h>
#include <stdlib.h>

enum { SLOPE_PAIRS_MAX = 512, REFERENCES_MAX = 4 };

#define UNCERTAIN_NS_MAX (RANK_UNCERTAIN_S_MAX * INT64_C(1000000000))

/* Both clocks at the end of one collective. */
struct anchor {
    int64_t time_ns;      /* of the clock that is compared */
    int64_t reference_ns; /* the common time */
    int64_t least_ns;     /* the shortest kernel */
    double rest_ns;       /* of the difference, without the slope */
};

/* A small collective, and the meetings of its communicator that are. */
struct small {
    const struct rank_meeting *meeting;
    int64_t least_ns;
};

struct slot {
    uint32_t clock, at; /* its place among those that attend */
};

struct group {
    size_t first, count; /* of the smalls */
    bool is_done;
};

struct comparison {
    const struct rank_arrivals *a;
    const struct rank_meetings_found *m;
    struct rank_clocks *clocks;
    int64_t time_error_ns;
    ARRAY_OF(struct small) smalls;
    ARRAY_OF(struct group) groups; /* communicators with enough of them */
    ARRAY_OF(struct slot) slots;   /* of the communicator that is looked at, by clock */
    ARRAY_OF(struct anchor) anchors;
    int64_t of_known_ns;      /* by how much the common time of the anchors may be off */
    ARRAY_OF(double) numbers; /* to be sorted */
};

/* ---- the curve ---- */

/* Returns the index of the first knot later than `own_ns`, or the number of knots when all are earlier. */
static size_t knot_behind(const struct rank_clock *c, int64_t own_ns)
{
    size_t low = 0, high = c->knots.count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (c->knots.items[middle].time_ns <= own_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

double rank_clock_ahead(const struct rank_clock *c, int64_t own_ns)
{
    const size_t count = c->knots.count, at = knot_behind(c, own_ns);
    if (!count)
        return 0;
    const struct rank_knot *before = &c->knots.items[at ? at - 1 : 0], *behind = &c->knots.items[at];
    const double passed = (double)(own_ns - before->time_ns);
    if (!at || at == count || behind->time_ns == before->time_ns)
        return before->ahead_ns + c->slope * passed;
    return before->ahead_ns +
           (behind->ahead_ns - before->ahead_ns) * passed / (double)(behind->time_ns - before->time_ns);
}

/* How far a time is from the anchors of a knot; among them, from the next one at most. */
static double far_from(const struct rank_knot *k, int64_t own_ns)
{
    if (own_ns < k->from_ns)
        return (double)(k->from_ns - own_ns);
    return own_ns > k->to_ns ? (double)(own_ns - k->to_ns) : (double)k->apart_ns / 2;
}

int64_t rank_clock_uncertain(const struct rank_clock *c, int64_t own_ns)
{
    const size_t count = c->knots.count, at = knot_behind(c, own_ns);
    if (!count)
        return c->uncertain_ns;
    const double before = far_from(&c->knots.items[at ? at - 1 : 0], own_ns);
    const double behind = far_from(&c->knots.items[at < count ? at : count - 1], own_ns);
    return c->uncertain_ns + llround(c->slope_error * fmin(before, behind));
}

int64_t rank_clock_common(const struct rank_clock *c, int64_t own_ns)
{
    return own_ns - llround(rank_clock_ahead(c, own_ns));
}

/* A clock gains far less than a thousandth, so three steps are exact. */
int64_t rank_clock_own(const struct rank_clock *c, int64_t common_ns)
{
    int64_t own_ns = common_ns + (c->knots.count ? llround(c->knots.items[0].ahead_ns) : 0);
    for (int i = 0; i < 3; i++)
        own_ns = common_ns + llround(rank_clock_ahead(c, own_ns));
    return own_ns;
}

/* ---- anchors ---- */

static uint32_t clock_of(const struct comparison *x, uint32_t arrival)
{
    return x->a->places.items[rank_place_of(x->a, &x->a->items.items[arrival])].clock;
}

static int64_t least_kernel(const struct comparison *x, const struct rank_meeting *m)
{
    int64_t least_ns = INT64_MAX;
    for (size_t i = 0; i < m->count; i++) {
        const struct rank_arrival *k = &x->a->items.items[x->m->attendance[m->first + i]];
        least_ns = k->end_ns - k->start_ns < least_ns ? k->end_ns - k->start_ns : least_ns;
    }
    return least_ns;
}

static int by_number(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* The value that a part of the numbers stays below. They are sorted. */
static double part_of(struct comparison *x, double part)
{
    const size_t count = x->numbers.count;
    qsort(x->numbers.items, count, sizeof *x->numbers.items, by_number);
    const size_t at = (size_t)ceil(part * (double)count);
    return x->numbers.items[at ? at - 1 : 0];
}

static int add_number(struct comparison *x, double number, struct err *e)
{
    double *slot = ARRAY_PUSH(&x->numbers);
    if (!slot)
        return err_memory(e);
    *slot = number;
    return 0;
}

static bool may_be_anchor(const struct rank_meeting *m)
{
    return m->operation == RANK_OF_ALL && m->doubt == DOUBT_NONE;
}

/* Of collectives whose bytes are unknown, the shortest tenth are anchors: kernels up to that length. */
static int longest_anchor(struct comparison *x, size_t first, size_t end, double *longest_ns, struct err *e)
{
    bool has_bytes = false;
    int rc = 0;
    x->numbers.count = 0;
    for (size_t i = first; i < end && !rc; i++) {
        const struct rank_meeting *m = &x->m->items.items[i];
        has_bytes |= m->bytes >= 0;
        if (may_be_anchor(m))
            rc = add_number(x, (double)least_kernel(x, m), e);
    }
    *longest_ns = has_bytes ? -1 : 0;
    const size_t tenth = x->numbers.count / 10, wanted = tenth < RANK_ANCHORS_MIN ? RANK_ANCHORS_MIN : tenth;
    if (!rc && !has_bytes && wanted <= x->numbers.count)
        *longest_ns = part_of(x, (double)wanted / (double)x->numbers.count);
    return rc;
}

static bool is_anchor(const struct comparison *x, const struct rank_meeting *m, double longest_ns)
{
    if (!may_be_anchor(m))
        return false;
    return longest_ns < 0 ? m->bytes >= 0 && m->bytes <= RANK_ANCHOR_BYTES_MAX
                          : (double)least_kernel(x, m) <= longest_ns;
}

/* Keeps the small ones of a communicator, meetings [first, end), if they are enough. */
static int add_group(struct comparison *x, size_t first, size_t end, struct err *e)
{
    double longest_ns;
    struct group g = {.first = x->smalls.count};
    int rc = longest_anchor(x, first, end, &longest_ns, e);
    for (size_t i = first; i < end && !rc; i++) {
        const struct rank_meeting *m = &x->m->items.items[i];
        struct small *slot = is_anchor(x, m, longest_ns) ? ARRAY_PUSH(&x->smalls) : NULL;
        if (slot)
            *slot = (struct small){m, least_kernel(x, m)};
        else if (is_anchor(x, m, longest_ns))
            return err_memory(e);
    }
    g.count = x->smalls.count - g.first;
    if (rc || g.count < RANK_ANCHORS_MIN) {
        x->smalls.count = g.first;
        return rc;
    }
    struct group *slot = ARRAY_PUSH(&x->groups);
    if (!slot)
        return err_memory(e);
    *slot = g;
    return 0;
}

static int find_groups(struct comparison *x, struct err *e)
{
    int rc = 0;
    for (size_t i = 0, end; i < x->m->items.count && !rc; i = end) {
        for (end = i + 1;
             end < x->m->items.count && x->m->items.items[end].communicator == x->m->items.items[i].communicator;)
            end++;
        rc = add_group(x, i, end, e);
    }
    return rc;
}

static int by_clock(const void *left, const void *right)
{
    const struct slot *a = left, *b = right;
    return a->clock != b->clock ? (a->clock > b->clock) - (a->clock < b->clock) : (a->at > b->at) - (a->at < b->at);
}

/* All meetings of a communicator have the same ranks in the same order. */
static int find_slots(struct comparison *x, const struct rank_meeting *m, struct err *e)
{
    x->slots.count = 0;
    for (size_t i = 0; i < m->count; i++) {
        struct slot *slot = ARRAY_PUSH(&x->slots);
        if (!slot)
            return err_memory(e);
        *slot = (struct slot){clock_of(x, x->m->attendance[m->first + i]), (uint32_t)i};
    }
    qsort(x->slots.items, x->slots.count, sizeof *x->slots.items, by_clock);
    return 0;
}

static size_t same_clock(const struct comparison *x, size_t first)
{
    size_t end = first + 1;
    while (end < x->slots.count && x->slots.items[end].clock == x->slots.items[first].clock)
        end++;
    return end;
}

/* The first end of a meeting at the slots [first, end), which have one clock. */
static int64_t end_at(const struct comparison *x, const struct rank_meeting *m, size_t first, size_t end)
{
    int64_t end_ns = INT64_MAX;
    for (size_t i = first; i < end; i++) {
        const int64_t one_ns = x->a->items.items[x->m->attendance[m->first + x->slots.items[i].at]].end_ns;
        end_ns = one_ns < end_ns ? one_ns : end_ns;
    }
    return end_ns;
}

/* Anchors between the clocks of two stretches of slots; the second is known. */
static int gather(struct comparison *x, const struct group *g, const size_t own[2], const size_t known[2],
                  struct err *e)
{
    const struct rank_clock *c = &x->clocks->items.items[x->slots.items[known[0]].clock];
    x->anchors.count = 0;
    x->of_known_ns = 0;
    for (size_t i = 0; i < g->count; i++) {
        const struct small *k = &x->smalls.items[g->first + i];
        const int64_t known_ns = end_at(x, k->meeting, known[0], known[1]);
        const int64_t uncertain_ns = rank_clock_uncertain(c, known_ns);
        struct anchor *slot = ARRAY_PUSH(&x->anchors);
        if (!slot)
            return err_memory(e);
        *slot = (struct anchor){end_at(x, k->meeting, own[0], own[1]), rank_clock_common(c, known_ns), k->least_ns, 0};
        x->of_known_ns = uncertain_ns > x->of_known_ns ? uncertain_ns : x->of_known_ns;
    }
    return 0;
}

/* ---- from anchors to a curve ---- */

static double ahead_at(const struct anchor *k)
{
    return (double)(k->time_ns - k->reference_ns);
}

/* The median slope of pairs that are half of the anchors apart. */
static int find_slope(struct comparison *x, double *slope, struct err *e)
{
    const size_t half = x->anchors.count / 2, each = half / SLOPE_PAIRS_MAX + 1;
    const struct anchor *k = x->anchors.items;
    int rc = 0;
    x->numbers.count = 0;
    for (size_t i = 0; i + half < x->anchors.count && !rc; i += each)
        if (k[i + half].time_ns > k[i].time_ns)
            rc = add_number(x,
                            ((double)(k[i + half].time_ns - k[i].time_ns) -
                             (double)(k[i + half].reference_ns - k[i].reference_ns)) /
                                (double)(k[i + half].time_ns - k[i].time_ns),
                            e);
    *slope = !rc && x->numbers.count ? part_of(x, 0.5) : 0;
    return rc;
}

static int by_length(const void *left, const void *right)
{
    const struct anchor *a = left, *b = right;
    return a->least_ns != b->least_ns ? (a->least_ns > b->least_ns) - (a->least_ns < b->least_ns)
                                      : (a->time_ns > b->time_ns) - (a->time_ns < b->time_ns);
}

static int by_time(const void *left, const void *right)
{
    const struct anchor *a = left, *b = right;
    return (a->time_ns > b->time_ns) - (a->time_ns < b->time_ns);
}

static int64_t most_apart(const struct anchor *k, size_t count)
{
    int64_t most_ns = 0;
    for (size_t i = 1; i < count; i++)
        most_ns = k[i].time_ns - k[i - 1].time_ns > most_ns ? k[i].time_ns - k[i - 1].time_ns : most_ns;
    return most_ns;
}

/* One knot from anchors that follow one another: the middle of the half with the shortest kernels. */
static int add_knot(struct comparison *x, struct rank_clock *c, struct anchor *k, size_t count, struct err *e)
{
    const int64_t first_ns = x->anchors.items[0].time_ns, from_ns = k[0].time_ns, to_ns = k[count - 1].time_ns;
    const int64_t middle_ns = from_ns + (to_ns - from_ns) / 2, apart_ns = most_apart(k, count);
    int rc = 0;
    qsort(k, count, sizeof *k, by_length);
    x->numbers.count = 0;
    for (size_t i = 0; i < (count + 1) / 2 && !rc; i++)
        rc = add_number(x, k[i].rest_ns, e);
    qsort(k, count, sizeof *k, by_time);
    struct rank_knot *knot = rc ? NULL : ARRAY_PUSH(&c->knots);
    if (!knot)
        return err_memory(e);
    *knot = (struct rank_knot){middle_ns, part_of(x, 0.5) + c->slope * (double)(middle_ns - first_ns), from_ns, to_ns,
                               apart_ns};
    return 0;
}

static int add_knots(struct comparison *x, struct rank_clock *c, struct err *e)
{
    struct anchor *k = x->anchors.items;
    const size_t count = x->anchors.count;
    int rc = 0;
    for (size_t i = 0; i < count; i++)
        k[i].rest_ns = ahead_at(&k[i]) - c->slope * (double)(k[i].time_ns - k[0].time_ns);
    for (size_t i = 0, size; i < count && !rc; i += size) {
        size = count - i < 2 * RANK_ANCHORS_EACH ? count - i : RANK_ANCHORS_EACH;
        rc = add_knot(x, c, k + i, size, e);
    }
    return rc;
}

/* What 95 in 100 anchors are off, a step of the ring, and rounding. */
static int find_uncertainty(struct comparison *x, struct rank_clock *c, struct err *e)
{
    const double steps = 2 * ((double)x->slots.count - 1); /* that a ring takes */
    const struct anchor *k = x->anchors.items;
    double step_ns = 0;
    int rc = 0;
    x->numbers.count = 0;
    for (size_t i = 0; i < x->anchors.count && !rc; i++)
        rc = add_number(x, (double)k[i].least_ns, e);
    if (!rc)
        step_ns = part_of(x, 0.5) / steps;
    x->numbers.count = 0;
    for (size_t i = 0; i < x->anchors.count && !rc; i++)
        rc = add_number(x, fabs(ahead_at(&k[i]) - rank_clock_ahead(c, k[i].time_ns)), e);
    if (rc)
        return rc;
    const double off_ns = ceil(part_of(x, 0.95) + step_ns) + 2 * (double)x->time_error_ns + (double)x->of_known_ns;
    c->uncertain_ns = off_ns < (double)UNCERTAIN_NS_MAX ? llround(off_ns) : UNCERTAIN_NS_MAX;
    return 0;
}

/* Two anchors that are half of the time apart may each be off by the uncertainty. However little that says, no clock
 * gains more on another than crystals do. */
static double find_slope_error(const struct rank_clock *c, int64_t first_ns, int64_t last_ns)
{
    const double most = fabs(c->slope) + RANK_DRIFT_PPM * 1e-6;
    return last_ns > first_ns ? fmin(most, 4 * (double)c->uncertain_ns / (double)(last_ns - first_ns)) : most;
}

/* Is the clock too uncertain, or does it gain or lose more than clocks do, all along or between two knots? */
static bool is_implausible(const struct rank_clock *c)
{
    const double most = RANK_DRIFT_PPM_MAX * 1e-6;
    if (c->uncertain_ns >= UNCERTAIN_NS_MAX)
        return true;
    for (size_t i = 1; i < c->knots.count; i++) {
        const double gained_ns = c->knots.items[i].ahead_ns - c->knots.items[i - 1].ahead_ns;
        const double passed_ns = (double)(c->knots.items[i].time_ns - c->knots.items[i - 1].time_ns);
        if (fabs(gained_ns) > most * passed_ns + 2 * (double)c->uncertain_ns)
            return true;
    }
    return fabs(c->slope) > most;
}

static void refuse(struct rank_clock *c)
{
    free(c->knots.items);
    *c = (struct rank_clock){.is_refused = true,
                             .first_place = c->first_place,
                             .places = c->places,
                             .slope = c->slope,
                             .anchors = c->anchors};
}

static int compare(struct comparison *x, uint32_t clock, uint32_t known, struct err *e)
{
    struct rank_clock *c = &x->clocks->items.items[clock];
    const size_t count = x->anchors.count;
    qsort(x->anchors.items, count, sizeof *x->anchors.items, by_time);
    int rc = find_slope(x, &c->slope, e);
    if (!rc)
        rc = add_knots(x, c, e);
    if (!rc)
        rc = find_uncertainty(x, c, e);
    c->slope_error = find_slope_error(c, x->anchors.items[0].time_ns, x->anchors.items[count - 1].time_ns);
    c->anchors = count;
    c->reference = x->clocks->items.items[known].reference;
    c->is_known = true;
    if (is_implausible(c))
        refuse(c);
    return rc;
}

/* ---- all clocks ---- */

/* The slots of the first known clock of a communicator; false when there is none. */
static bool find_known(const struct comparison *x, size_t known[2])
{
    for (size_t i = 0; i < x->slots.count; i = known[1]) {
        known[0] = i;
        known[1] = same_clock(x, i);
        if (x->clocks->items.items[x->slots.items[i].clock].is_known)
            return true;
    }
    return false;
}

/* Compares the clocks of a communicator with one that is known. */
static int compare_within(struct comparison *x, struct group *g, struct err *e)
{
    size_t known[2], own[2];
    int rc = find_slots(x, x->smalls.items[g->first].meeting, e);
    g->is_done = !rc && find_known(x, known);
    for (size_t i = 0; g->is_done && i < x->slots.count && !rc; i = own[1]) {
        const uint32_t clock = x->slots.items[i].clock;
        own[0] = i;
        own[1] = same_clock(x, i);
        if (x->clocks->items.items[clock].is_known)
            continue;
        rc = gather(x, g, own, known, e);
        if (!rc)
            rc = compare(x, clock, x->slots.items[known[0]].clock, e);
    }
    return rc;
}

/* Goes over the communicators until none is joined with a known clock. Each is done once. */
static int spread(struct comparison *x, struct err *e)
{
    bool more = true;
    int rc = 0;
    while (more && !rc) {
        more = false;
        for (size_t i = 0; i < x->groups.count && !rc; i++) {
            struct group *g = &x->groups.items[i];
            if (g->is_done)
                continue;
            rc = compare_within(x, g, e);
            more |= g->is_done;
        }
    }
    return rc;
}

/* The first reference is the clock `first`. */
static int find_from(const struct rank_arrivals *a, const struct rank_meetings_found *m, int64_t time_error_ns,
                     size_t first, struct rank_clocks *out, struct err *e)
{
    *out = (struct rank_clocks){0};
    struct comparison x = {.a = a, .m = m, .clocks = out, .time_error_ns = time_error_ns};
    int rc = 0;
    for (size_t i = 0; i < a->clock_count; i++)
        if (!ARRAY_PUSH(&out->items))
            return err_memory(e);
    for (size_t i = a->places.count; i-- > 0;) {
        out->items.items[a->places.items[i].clock].first_place = (uint32_t)i;
        out->items.items[a->places.items[i].clock].places++;
    }
    if (a->clock_count > 1)
        rc = find_groups(&x, e);
    for (size_t i = 0; i < out->items.count && !rc; i++) {
        const size_t at = (first + i) % out->items.count;
        struct rank_clock *c = &out->items.items[at];
        if (c->is_known)
            continue;
        c->is_known = c->is_reference = true;
        c->reference = at;
        rc = a->clock_count > 1 ? spread(&x, e) : 0;
    }
    free(x.smalls.items);
    free(x.groups.items);
    free(x.slots.items);
    free(x.anchors.items);
    free(x.numbers.items);
    return rc;
}

int rank_clocks_find(const struct rank_arrivals *a, const struct rank_meetings_found *m, int64_t time_error_ns,
                     struct rank_clocks *out, struct err *e)
{
    return find_from(a, m, time_error_ns, 0, out, e);
}

static size_t count_refused(const struct rank_clocks *c)
{
    size_t refused = 0;
    for (size_t i = 0; i < c->items.count; i++)
        refused += c->items.items[i].is_refused;
    return refused;
}

int rank_clocks_find_majority(const struct rank_arrivals *a, const struct rank_meetings_found *m, int64_t time_error_ns,
                              const struct rank_clocks *found, struct rank_clocks *out, struct err *e)
{
    size_t least = count_refused(found);
    int rc = 0;
    *out = (struct rank_clocks){0};
    for (size_t i = 0, tries = 0; i < found->items.count && tries < REFERENCES_MAX && least > 1 && !rc; i++) {
        struct rank_clocks other;
        if (!found->items.items[i].is_refused)
            continue;
        tries++;
        rc = find_from(a, m, time_error_ns, i, &other, e);
        const size_t refused = count_refused(&other);
        if (rc || !refused || refused >= least) {
            rank_clocks_release(&other);
            continue;
        }
        rank_clocks_release(out);
        *out = other;
        least = refused;
    }
    return rc;
}

void rank_clocks_release(struct rank_clocks *c)
{
    for (size_t i = 0; i < c->items.count; i++)
        free(c->items.items[i].knots.items);
    free(c->items.items);
    *c = (struct rank_clocks){0};
}
