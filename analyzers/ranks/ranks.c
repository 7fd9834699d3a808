/* Whose lateness costs us, and was it a late arrival or a slow transfer? */
#include "analyzers/ranks/ranks.h"

#include <malloc.h>
#include <math.h>
#include <stdlib.h>

#include "analyzers/ranks/rank_alike.h"
#include "core/base/count_sum.h"

/* ---- rows of places ---- */

static int add_rows(struct ranks *r, struct err *e)
{
    for (size_t i = 0; i < r->arrivals.places.count; i++) {
        struct rank_row *row = ARRAY_PUSH(&r->rows);
        if (!row)
            return err_memory(e);
        *row = (struct rank_row){.place = (uint32_t)i};
        r->unmatched += r->arrivals.places.items[i].unmatched;
    }
    for (size_t i = 0; i < r->costs.origins.count; i++) {
        const struct rank_origin *o = &r->costs.origins.items[i];
        count_add(&r->rows.items[o->place].caused_ns, o->sum_ns);
        count_add(&r->rows.items[o->place].uncertain_ns, o->uncertain_ns);
    }
    for (size_t i = 0; i < r->meetings.items.count; i++) {
        const struct rank_meeting *x = &r->meetings.items.items[i];
        r->rows.items[x->last].last += x->verdict == RANK_LATE || x->verdict == RANK_MIXED;
        for (size_t k = 0; k < x->count; k++)
            r->rows.items[rank_place_at(&r->arrivals, &r->meetings, x, k)].judged += x->verdict != RANK_INCONCLUSIVE;
    }
    return 0;
}

/* ---- the strip ---- */

static int by_start(const void *left, const void *right)
{
    const struct rank_step *a = left, *b = right;
    return (a->start_ns > b->start_ns) - (a->start_ns < b->start_ns);
}

/* In which step does a moment on the clock of the steps' rank lie? 0 before the first, too. */
static size_t step_at(const struct ranks *r, int64_t time_ns)
{
    size_t low = 0, high = r->arrivals.steps.count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (r->arrivals.steps.items[middle].start_ns <= time_ns)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? low - 1 : 0;
}

static const struct rank_clock *clock_of_steps(const struct ranks *r)
{
    for (size_t i = 0; i < r->arrivals.places.count && r->arrivals.steps.count; i++)
        if (r->arrivals.places.items[i].rank == r->arrivals.steps.items[0].rank)
            return &r->clocks.items.items[r->arrivals.places.items[i].clock];
    return NULL;
}

static size_t column_of(const struct ranks *r, size_t meeting, const struct rank_clock *clock)
{
    const struct rank_meeting *x = &r->meetings.items.items[meeting];
    const size_t step = clock ? step_at(r, rank_clock_own(clock, x->last_ns)) : meeting;
    const size_t column = step / r->steps_each;
    return column < r->columns ? column : r->columns - 1;
}

/* A column is some steps, or some collectives where steps are unknown. */
static int fill_strip(struct ranks *r, struct err *e)
{
    const bool has_steps = r->arrivals.step_count > 0 && r->arrivals.steps.count > 0;
    const struct rank_clock *clock = has_steps ? clock_of_steps(r) : NULL;
    const size_t all = clock ? r->arrivals.steps.count : r->meetings.items.count;
    if (!all)
        return 0;
    if (clock)
        qsort(r->arrivals.steps.items, all, sizeof *r->arrivals.steps.items, by_start);
    r->columns_are_steps = clock != NULL;
    r->steps_each = (all + RANK_COLUMNS_MAX - 1) / RANK_COLUMNS_MAX;
    r->columns = (all + r->steps_each - 1) / r->steps_each;
    r->strip_ns = calloc(r->columns * r->arrivals.places.count, sizeof *r->strip_ns);
    if (!r->strip_ns)
        return err_memory(e);
    for (size_t i = 0; i < r->meetings.items.count; i++) {
        const struct rank_meeting *x = &r->meetings.items.items[i];
        if (x->verdict != RANK_LATE && x->verdict != RANK_MIXED)
            continue;
        for (size_t k = 0; k < x->share_count; k++) {
            const struct rank_share *share = rank_meeting_share(&r->meetings, x, k);
            count_add(&r->strip_ns[share->place * r->columns + column_of(r, i, clock)],
                      llround((double)share->part * (double)x->late_ns * (double)(x->count - 1)));
        }
    }
    return 0;
}

/* ---- numbers ---- */

static int by_number(const void *left, const void *right)
{
    const double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

static double median_of(double *all, size_t count)
{
    if (!count)
        return NAN;
    qsort(all, count, sizeof *all, by_number);
    return (all[(count - 1) / 2] + all[count / 2]) / 2;
}

/* Collectives that are alike: what people compare. */
struct alike {
    uint32_t communicator, name, meeting;
    int64_t bytes;
};

static int by_kind(const void *left, const void *right)
{
    const struct alike *a = left, *b = right;
    if (a->communicator != b->communicator)
        return a->communicator < b->communicator ? -1 : 1;
    if (a->name != b->name)
        return a->name < b->name ? -1 : 1;
    return (a->bytes > b->bytes) - (a->bytes < b->bytes);
}

/* Those whose ranks can be compared and were recorded. */
static size_t gather_alike(const struct ranks *r, struct alike *out)
{
    size_t count = 0;
    for (size_t i = 0; i < r->meetings.items.count; i++) {
        const struct rank_meeting *x = &r->meetings.items.items[i];
        if (rank_meeting_is_timed(x) && x->doubt != DOUBT_UNRECORDED)
            out[count++] = (struct alike){x->communicator, x->name, (uint32_t)i, x->bytes};
    }
    if (count)
        qsort(out, count, sizeof *out, by_kind);
    return count;
}

/* Their median, each `off` times its uncertainty longer. */
static double skew_of(const struct ranks *r, const struct alike *some, size_t count, double off, double *scratch)
{
    for (size_t i = 0; i < count; i++) {
        const struct rank_meeting *x = &r->meetings.items.items[some[i].meeting];
        scratch[i] = fmax(0, (double)x->skew_ns + off * (double)x->uncertain_ns);
    }
    return median_of(scratch, count);
}

static void widen_skew(const struct ranks *r, const struct alike *some, size_t count, double *scratch,
                       struct rank_skew *out)
{
    const double ns = skew_of(r, some, count, 0, scratch);
    out->low_ns = fmax(out->low_ns, skew_of(r, some, count, -1, scratch));
    out->high_ns = fmax(out->high_ns, skew_of(r, some, count, 1, scratch));
    if (isfinite(out->ns) && ns <= out->ns)
        return;
    out->ns = ns;
    out->communicator = some[0].communicator;
    out->bytes = some[0].bytes;
    out->collectives = count;
}

/* Too few have no median that counts, but it may be as much as the largest of them. */
static double most_skew_of(const struct ranks *r, const struct alike *some, size_t count)
{
    double most_ns = 0;
    for (size_t i = 0; i < count; i++) {
        const struct rank_meeting *x = &r->meetings.items.items[some[i].meeting];
        most_ns = fmax(most_ns, (double)x->skew_ns + (double)x->uncertain_ns);
    }
    return most_ns;
}

/* The largest median of collectives that are alike; where none are, the median of all. */
static int find_skew(struct ranks *r, struct err *e)
{
    const size_t most = r->meetings.items.count + 1;
    double *scratch = calloc(most, sizeof *scratch);
    struct alike *all = calloc(most, sizeof *all);
    const size_t count = scratch && all ? gather_alike(r, all) : 0;
    r->skew = (struct rank_skew){.ns = NAN, .low_ns = NAN, .high_ns = NAN, .all_ns = NAN};
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && !by_kind(&all[i], &all[end]);)
            end++;
        if (end - i >= RANK_SKEW_ALIKE_MIN)
            widen_skew(r, &all[i], end - i, scratch, &r->skew);
        else
            r->skew.high_ns = fmax(r->skew.high_ns, most_skew_of(r, &all[i], end - i));
    }
    if (count)
        r->skew.all_ns = skew_of(r, all, count, 0, scratch);
    r->skew.is_of_alike = r->skew.collectives > 0;
    if (count && !r->skew.is_of_alike)
        widen_skew(r, all, count, scratch, &r->skew);
    const int rc = scratch && all ? 0 : err_memory(e);
    free(scratch);
    free(all);
    return rc;
}

double ranks_cost(const struct ranks *r, int64_t sum_ns)
{
    return r->arrivals.joined > 1 ? (double)sum_ns / (double)(r->arrivals.joined - 1) : NAN;
}

double ranks_late_cost(const struct ranks *r)
{
    const bool is_judged = r->costs.counts[RANK_INCONCLUSIVE] < (int64_t)r->meetings.items.count;
    return is_judged ? ranks_cost(r, r->costs.late_ns) : NAN;
}

double ranks_slow(const struct ranks *r)
{
    return r->costs.compared ? ranks_mean(r, r->costs.slow_ns) : NAN;
}

double ranks_mean(const struct ranks *r, int64_t sum_ns)
{
    return r->arrivals.joined ? (double)sum_ns / (double)r->arrivals.joined : NAN;
}

double ranks_part(const struct ranks *r, double ns)
{
    const double span_ns = ranks_mean(r, r->costs.span_ns);
    return span_ns > 0 ? ns / span_ns : NAN;
}

double ranks_per_step(const struct ranks *r, double ns)
{
    return r->arrivals.step_count > 0 ? ns / (double)r->arrivals.step_count : NAN;
}

struct rank_share_of_time ranks_slow_share(const struct ranks *r)
{
    const struct rank_costs *c = &r->costs;
    int64_t most_ns = c->slow_high_ns;
    count_add(&most_ns, c->uncompared_ns);
    return (struct rank_share_of_time){ranks_part(r, ranks_slow(r)), ranks_part(r, ranks_mean(r, c->slow_low_ns)),
                                       ranks_part(r, ranks_mean(r, most_ns)), -1};
}

bool ranks_has(const struct ranks *r, int rank)
{
    for (size_t i = 0; i < r->arrivals.places.count; i++)
        if ((rank < 0 || r->arrivals.places.items[i].rank == rank) && r->arrivals.places.items[i].collectives)
            return true;
    return false;
}

/* Of the places [first, end), which are those of one rank. */
static struct rank_share_of_time late_of(const struct ranks *r, size_t first, size_t end)
{
    int64_t sum_ns = 0, uncertain_ns = 0, judged = 0;
    const int rank = r->arrivals.places.items[first].rank;
    for (size_t i = first; i < end; i++) {
        count_add(&sum_ns, r->rows.items[i].caused_ns);
        count_add(&uncertain_ns, r->rows.items[i].uncertain_ns);
        judged += r->rows.items[i].judged;
    }
    if (!judged)
        return (struct rank_share_of_time){NAN, NAN, NAN, rank};
    const int64_t more_ns = r->costs.unassigned_ns + r->costs.uncertain_ns;
    return (struct rank_share_of_time){ranks_part(r, ranks_cost(r, sum_ns)),
                                       fmax(0, ranks_part(r, ranks_cost(r, sum_ns - uncertain_ns))),
                                       ranks_part(r, ranks_cost(r, sum_ns + more_ns)), rank};
}

struct rank_share_of_time ranks_late(const struct ranks *r, int rank)
{
    const struct rank_place *places = r->arrivals.places.items;
    struct rank_share_of_time most = {NAN, NAN, -INFINITY, -1};
    for (size_t i = 0, end; i < r->rows.count; i = end) {
        bool has_part = false;
        for (end = i; end < r->rows.count && places[end].rank == places[i].rank; end++)
            has_part |= places[end].collectives > 0;
        if (!has_part || (rank >= 0 && places[i].rank != rank))
            continue;
        const struct rank_share_of_time one = late_of(r, i, end);
        if (isfinite(one.share) && !(one.share <= most.share)) {
            most.share = one.share;
            most.rank = one.rank;
        }
        most.low = fmax(most.low, one.low);
        most.high = isnan(one.high) || isnan(most.high) ? NAN : fmax(most.high, one.high);
    }
    return most;
}

/* ---- all of it ---- */

static bool has_refused(const struct rank_clocks *clocks)
{
    for (size_t i = 0; i < clocks->items.count; i++)
        if (clocks->items.items[i].is_refused)
            return true;
    return false;
}

/* Where times are false, or kernels ran that nobody saw, no verdict stands. */
static enum rank_doubt doubt_of_all(const struct caveat_list *caveats)
{
    return caveat_has(caveats, CAVEAT_TIMES)    ? DOUBT_TIMES
           : caveat_has(caveats, CAVEAT_HIDDEN) ? DOUBT_HIDDEN
                                                : DOUBT_NONE;
}

/* Ranks that are not there, or that may be of another run, may wait or be waited for: nobody knows that all is well. */
static void doubt_in_time(struct event_stream *stream, const struct rank_clocks *clocks, struct rank_costs *costs)
{
    const enum rank_doubt of_all = doubt_of_all(event_stream_caveats(stream));
    const bool is_lost = caveat_has(event_stream_caveats(stream), CAVEAT_TRUNCATED), is_refused = has_refused(clocks);
    const bool is_incomplete = *event_stream_ranks_doubt(stream);
    if (costs->verdict != RANK_INCONCLUSIVE && of_all) {
        costs->verdict = RANK_INCONCLUSIVE;
        costs->doubt = of_all;
        return;
    }
    if (costs->verdict != RANK_IN_TIME ||
        (!is_lost && !is_incomplete && !is_refused && !event_stream_lacks_collectives(stream)))
        return;
    costs->verdict = RANK_INCONCLUSIVE;
    costs->doubt = is_lost ? DOUBT_LOST : is_incomplete ? DOUBT_INCOMPLETE : is_refused ? DOUBT_CLOCKS : DOUBT_UNNOTED;
}

static int judge(struct event_stream *stream, struct ranks *r, struct err *e)
{
    const int64_t error_ns = event_stream_time_error_ns(stream);
    struct rank_befores befores;
    int rc = rank_befores_init(&befores, e);
    if (!rc)
        rc = rank_matching_find(&r->arrivals, r->strings, r->world_size, &r->meetings, e);
    if (!rc)
        rc = rank_clocks_find(&r->arrivals, &r->meetings, error_ns, &r->clocks, e);
    if (!rc)
        rc = rank_clocks_find_majority(&r->arrivals, &r->meetings, error_ns, &r->clocks, &r->majority, e);
    if (!rc)
        rc = rank_lateness_find(&r->arrivals, &r->clocks, error_ns, &r->meetings, e);
    if (!rc)
        rc = rank_segments_measure(stream, &r->meetings, &r->arrivals, &befores, e);
    event_stream_rest(stream);
    if (caveat_has(event_stream_caveats(stream), CAVEAT_TRUNCATED))
        rank_causes_doubt_lost(&r->arrivals, &r->meetings);
    if (event_stream_has_twins(stream))
        rank_causes_doubt_twins(&r->meetings);
    if (!rc)
        rc = rank_causes_judge(&r->arrivals, &r->meetings, &befores, &r->costs, e);
    rank_befores_release(&befores);
    malloc_trim(0); /* lists of waits lie in between what stays */
    doubt_in_time(stream, &r->clocks, &r->costs);
    r->ranks_doubt = event_stream_ranks_doubt(stream);
    return rc;
}

static int describe(struct ranks *r, struct err *e)
{
    int rc = add_rows(r, e);
    if (!rc)
        rc = rank_alike_group(r, e);
    if (!rc)
        rc = rank_alike_kernels(r, e);
    for (size_t i = 0; i < r->costs.origins.count && i < RANK_ORIGINS_SHOWN && !rc; i++)
        rank_alike_explain(r, &r->costs.origins.items[i]);
    if (!rc)
        rc = rank_links_compare(&r->meetings, &r->links, e);
    if (!rc)
        rc = find_skew(r, e);
    return rc ? rc : fill_strip(r, e);
}

int ranks_measure(struct event_stream *stream, struct ranks *out, struct err *e)
{
    *out = (struct ranks){.stream = stream,
                          .strings = event_stream_strings(stream),
                          .comm_pattern = event_stream_comm(stream),
                          .world_size = event_stream_world_size(stream),
                          .lacks_notes = event_stream_lacks_collectives(stream)};
    int rc = rank_arrivals_read(stream, &out->arrivals, e);
    event_stream_rest(stream);
    if (rc || out->arrivals.doubt == ARRIVALS_TOO_MANY || out->arrivals.doubt == ARRIVALS_FEW_PLACES)
        return rc;
    rc = judge(stream, out, e);
    return rc ? rc : describe(out, e);
}

void ranks_release(struct ranks *r)
{
    rank_arrivals_release(&r->arrivals);
    rank_matching_release(&r->meetings);
    rank_clocks_release(&r->clocks);
    rank_clocks_release(&r->majority);
    rank_causes_release(&r->costs);
    free(r->rows.items);
    free(r->groups.items);
    free(r->grouped);
    free(r->kernels.items);
    rank_links_release(&r->links);
    free(r->strip_ns);
    *r = (struct ranks){0};
}
