/* Which kernels of several ranks are one collective? */
#include "analyzers/ranks/rank_matching.h"

#include <stdlib.h>

#include "analyzers/ranks/rank_listing.h"

/* A communicator that is being matched. */
struct matching {
    struct rank_arrivals *a;
    struct rank_meetings_found *out;
    uint32_t communicator;
    size_t members;
    size_t attended; /* of out->attendance */
    const struct strtab *strings;
    int world_size;
};

const struct rank_share *rank_meeting_share(const struct rank_meetings_found *m, const struct rank_meeting *meeting,
                                            size_t index)
{
    return &m->shares.items[meeting->first_share + index];
}

bool rank_meeting_is_timed(const struct rank_meeting *meeting)
{
    switch ((enum rank_doubt)meeting->doubt) {
    case DOUBT_ROOTED:
    case DOUBT_OPERATION:
    case DOUBT_INCOMPLETE:
    case DOUBT_MISMATCH:
    case DOUBT_CLOCKS:
    case DOUBT_TWINS: return false;
    default: return true;
    }
}

int rank_mismatch_add(struct rank_meetings_found *m, const struct rank_mismatch *x, struct err *e)
{
    m->mismatch_count++;
    if (m->mismatches.count == RANK_MISMATCHES_KEPT)
        return 0;
    struct rank_mismatch *slot = ARRAY_PUSH(&m->mismatches);
    if (!slot)
        return err_memory(e);
    *slot = *x;
    return 0;
}

void rank_meetings_number(struct rank_arrivals *a, const struct rank_meetings_found *m)
{
    for (size_t i = 0; i < m->items.count; i++)
        for (size_t k = 0; k < m->items.items[i].count; k++)
            a->items.items[m->attendance[m->items.items[i].first + k]].meeting = (uint32_t)i + 1;
}

static struct rank_communicator *communicator_of(const struct matching *m)
{
    return &m->a->communicators.items[m->communicator];
}

static struct rank_track *track_of(const struct matching *m, size_t member)
{
    return &m->a->tracks.items[m->a->members[communicator_of(m)->first + member]];
}

static uint32_t arrival_at(const struct matching *m, size_t member, size_t position)
{
    return m->a->items.items[track_of(m, member)->first + position].in_track;
}

static size_t count_of(const struct matching *m, size_t member)
{
    return track_of(m, member)->count;
}

/* ---- the members ---- */

static bool has_any(const struct matching *m)
{
    bool has = false;
    for (size_t i = 0; i < m->members; i++)
        has |= count_of(m, i) > 0;
    return has;
}

static bool has_numbers(const struct matching *m)
{
    bool has = true;
    for (size_t i = 0; i < m->members; i++)
        has &= track_of(m, i)->is_numbered;
    return has;
}

/* Ranks that a communicator has: as it is noted; else all of them, because streams are in the same order everywhere. */
static size_t expected_members(const struct matching *m)
{
    const struct rank_communicator *c = communicator_of(m);
    const size_t places = m->a->places.count;
    if (c->group)
        return c->group_size;
    return m->world_size > 0 && (size_t)m->world_size > places ? (size_t)m->world_size : places;
}

static struct rank_mismatch of_members(const struct matching *m, enum rank_mismatch_kind kind, size_t member,
                                       int64_t expected, int64_t found)
{
    return (struct rank_mismatch){.kind = kind,
                                  .communicator = m->communicator,
                                  .place = track_of(m, member)->place,
                                  .expected_count = expected,
                                  .found_count = found};
}

/* Compares the members with the ranks that the note lists; false, with what is odd, when they are others. */
static bool are_listed(const struct matching *m, const struct rank_listing *l, struct rank_mismatch *odd)
{
    const struct rank_communicator *c = communicator_of(m);
    size_t distinct = 0;
    for (size_t i = 0; i < m->members; i++) {
        const int32_t rank = m->a->places.items[track_of(m, i)->place].rank;
        if (rank < 0 || !l->ranks.count)
            return true; /* nothing to compare */
        *odd = of_members(m, MISMATCH_MEMBER, i, -1, rank);
        if (l->is_whole && !rank_listing_has(l, rank))
            return false;
        distinct += !i || rank != m->a->places.items[track_of(m, i - 1)->place].rank;
    }
    *odd = of_members(m, MISMATCH_SIZES, 0, c->group_size, (int64_t)l->ranks.count);
    if (l->is_whole && c->group_size && c->group_size != l->ranks.count)
        return false;
    *odd = of_members(m, MISMATCH_RANKS, 0, (int64_t)l->ranks.count, (int64_t)distinct);
    return !l->is_whole || distinct == l->ranks.count;
}

/* Are these the ranks that the communicator has, by the list of its note where that does not say how many? False, with
 * what is odd, when that is not so, or not known. */
static bool has_its_ranks(const struct matching *m, const struct rank_listing *l, struct rank_mismatch *odd)
{
    const struct rank_communicator *c = communicator_of(m);
    const size_t listed = c->group && !c->group_size && l->is_whole ? l->ranks.count : 0;
    const size_t expected = listed ? listed : expected_members(m);
    *odd = of_members(m, MISMATCH_SIZES, 0, c->group_size, c->other_size);
    if (c->other_size || !are_listed(m, l, odd))
        return false;
    *odd = of_members(m, MISMATCH_RANKS, 0, expected ? (int64_t)expected : -1, (int64_t)m->members);
    return expected == m->members;
}

static int check_members(struct matching *m, bool *is_complete, struct err *e)
{
    const uint32_t group = communicator_of(m)->group;
    struct rank_listing listing;
    struct rank_mismatch odd;
    int rc = rank_listing_read(group ? strtab_text(m->strings, group) : "", &listing, e);
    *is_complete = !rc && has_its_ranks(m, &listing, &odd);
    if (!rc && !*is_complete)
        rc = rank_mismatch_add(m->out, &odd, e);
    rank_listing_release(&listing);
    return rc;
}

/* ---- one collective ---- */

static const struct rank_exchange *exchange_of(const struct matching *m, const struct rank_arrival *x)
{
    return rank_exchange_of(m->a, x);
}

/* The name that most members have, if more than half do; else one of them. */
static uint32_t usual_name(const struct matching *m, const struct rank_arrival *const *present, size_t count)
{
    uint32_t name = 0;
    size_t lead = 0;
    for (size_t i = 0; i < count; i++) {
        if (!lead)
            name = exchange_of(m, present[i])->name;
        lead = exchange_of(m, present[i])->name == name ? lead + 1 : lead - 1;
    }
    return name;
}

/* What does the first member exchange that has the name? */
static const struct rank_exchange *first_of(const struct matching *m, const struct rank_arrival *const *present,
                                            size_t count, uint32_t name)
{
    for (size_t i = 0; i < count; i++)
        if (exchange_of(m, present[i])->name == name)
            return exchange_of(m, present[i]);
    return NULL;
}

/* Finds the first member that does not fit; true when all do. */
static bool agree(const struct rank_arrival *const *present, size_t count, const struct matching *m,
                  struct rank_mismatch *out)
{
    const uint32_t name = usual_name(m, present, count);
    const struct rank_exchange *like = first_of(m, present, count, name);
    int64_t number = -1;
    for (size_t i = 0; i < count && like; i++) {
        const struct rank_exchange *x = exchange_of(m, present[i]);
        const bool is_same = x->name == name && x->bytes == like->bytes && x->operation == like->operation;
        const int64_t own_number = present[i]->sequence;
        number = number < 0 ? own_number : number;
        if (is_same && (own_number < 0 || own_number == number))
            continue;
        *out = (struct rank_mismatch){.kind = is_same           ? MISMATCH_NUMBER
                                              : x->name == name ? MISMATCH_SIZE
                                                                : MISMATCH_KIND,
                                      .communicator = m->communicator,
                                      .place = rank_place_of(m->a, present[i]),
                                      .expected = like->name,
                                      .found = x->name,
                                      .expected_count = is_same ? number : like->bytes,
                                      .found_count = is_same ? own_number : x->bytes};
        return false;
    }
    return true;
}

static enum rank_doubt doubt_of_operation(uint8_t operation)
{
    static const uint8_t doubts[] = {[RANK_OF_ALL] = DOUBT_NONE,
                                     [RANK_ROOTED] = DOUBT_ROOTED,
                                     [RANK_PAIRED] = DOUBT_ROOTED,
                                     [RANK_UNNAMED] = DOUBT_OPERATION};
    return (enum rank_doubt)doubts[operation];
}

static int add_meeting(struct matching *m, const struct rank_arrival *const *present, size_t count, int64_t position,
                       enum rank_doubt doubt, struct err *e)
{
    const struct rank_exchange *x = exchange_of(m, present[0]);
    struct rank_meeting *meeting = ARRAY_PUSH(&m->out->items);
    if (!meeting)
        return err_memory(e);
    *meeting = (struct rank_meeting){.communicator = m->communicator,
                                     .name = x->name,
                                     .position = position,
                                     .bytes = x->bytes,
                                     .first = (uint32_t)m->attended,
                                     .count = (uint32_t)count,
                                     .operation = x->operation,
                                     .doubt = (uint8_t)(doubt ? doubt : doubt_of_operation(x->operation)),
                                     .origin = RANK_PLACES_MAX,
                                     .expected_ns = -1};
    for (size_t i = 0; i < count; i++) {
        meeting->is_beside_copy |= rank_is_beside_copy(m->a, present[i]);
        m->out->attendance[m->attended++] = (uint32_t)(present[i] - m->a->items.items);
    }
    return 0;
}

/* ---- by the order of launch ---- */

static int note_fewer(struct matching *m, size_t least, struct err *e)
{
    size_t most = 0;
    for (size_t i = 1; i < m->members; i++)
        most = count_of(m, i) > count_of(m, most) ? i : most;
    return rank_mismatch_add(m->out,
                             &(struct rank_mismatch){.kind = MISMATCH_FEWER,
                                                     .communicator = m->communicator,
                                                     .place = track_of(m, least)->place,
                                                     .position = (int64_t)count_of(m, least) + 1,
                                                     .expected_count = (int64_t)count_of(m, most),
                                                     .found_count = (int64_t)count_of(m, least)},
                             e);
}

static bool has_one_clock(const struct matching *m)
{
    const struct rank_place *places = m->a->places.items;
    for (size_t i = 1; i < m->members; i++)
        if (places[track_of(m, i)->place].clock != places[track_of(m, 0)->place].clock)
            return false;
    return true;
}

/* Where a rank has fewer, the missing one may be any: only clocks that are known to agree show which it is not. */
static int match_by_order(struct matching *m, enum rank_doubt doubt, struct err *e)
{
    const struct rank_arrival **present = calloc(m->members, sizeof *present);
    size_t least = 0, most = 0;
    struct rank_mismatch odd;
    int rc = present ? 0 : err_memory(e);
    for (size_t i = 1; i < m->members; i++) {
        least = count_of(m, i) < count_of(m, least) ? i : least;
        most = count_of(m, i) > count_of(m, most) ? i : most;
    }
    const bool is_fewer = count_of(m, least) != count_of(m, most);
    if (is_fewer && !has_one_clock(m))
        doubt = DOUBT_MISMATCH;
    for (size_t k = 0; !rc && k < count_of(m, least); k++) {
        for (size_t i = 0; i < m->members; i++)
            present[i] = &m->a->items.items[arrival_at(m, i, k)];
        if (!agree(present, m->members, m, &odd)) {
            odd.position = (int64_t)k + 1;
            rc = rank_mismatch_add(m->out, &odd, e);
            free(present);
            return rc;
        }
        rc = add_meeting(m, present, m->members, (int64_t)k + 1, doubt, e);
    }
    free(present);
    return !rc && is_fewer ? note_fewer(m, least, e) : rc;
}

/* ---- by number ---- */

struct numbered {
    int64_t sequence;
    uint32_t member, arrival;
    size_t position;
};

/* The next collective of each member: a heap, the smallest number first. */
struct numbers {
    struct numbered *heap;
    size_t count;
};

static bool is_before(const struct numbered *a, const struct numbered *b)
{
    return a->sequence != b->sequence ? a->sequence < b->sequence : a->member < b->member;
}

static void sift_down(const struct numbers *n, size_t at)
{
    for (size_t least = at;; at = least) {
        for (size_t child = 2 * at + 1; child <= 2 * at + 2 && child < n->count; child++)
            if (is_before(&n->heap[child], &n->heap[least]))
                least = child;
        if (least == at)
            return;
        const struct numbered swapped = n->heap[at];
        n->heap[at] = n->heap[least];
        n->heap[least] = swapped;
    }
}

static struct numbered numbered_at(const struct matching *m, size_t member, size_t position)
{
    const uint32_t arrival = arrival_at(m, member, position);
    return (struct numbered){m->a->items.items[arrival].sequence, (uint32_t)member, arrival, position};
}

static void start_numbers(const struct matching *m, struct numbers *n)
{
    for (size_t i = 0; i < m->members; i++)
        if (count_of(m, i))
            n->heap[n->count++] = numbered_at(m, i, 0);
    for (size_t i = n->count / 2; i-- > 0;)
        sift_down(n, i);
}

/* The first of the heap makes room for the next collective of its member. */
static struct numbered take_number(const struct matching *m, struct numbers *n)
{
    const struct numbered taken = n->heap[0];
    if (taken.position + 1 < count_of(m, taken.member))
        n->heap[0] = numbered_at(m, taken.member, taken.position + 1);
    else
        n->heap[0] = n->heap[--n->count];
    sift_down(n, 0);
    return taken;
}

/* The first member that has no collective of that number. */
static uint32_t missing_place(const struct matching *m, const struct numbered *some, size_t count)
{
    size_t member = 0;
    while (member < count && some[member].member == member)
        member++;
    return track_of(m, member)->place;
}

static int match_number(struct matching *m, const struct numbered *some, size_t count,
                        const struct rank_arrival **present, enum rank_doubt doubt, struct err *e)
{
    struct rank_mismatch odd;
    for (size_t i = 0; i < count; i++)
        present[i] = &m->a->items.items[some[i].arrival];
    if (count < m->members)
        return rank_mismatch_add(m->out,
                                 &(struct rank_mismatch){.kind = MISMATCH_MISSING,
                                                         .communicator = m->communicator,
                                                         .place = missing_place(m, some, count),
                                                         .position = some->sequence,
                                                         .expected_count = (int64_t)m->members,
                                                         .found_count = (int64_t)count},
                                 e);
    if (agree(present, count, m, &odd))
        return add_meeting(m, present, count, some->sequence, doubt, e);
    odd.position = some->sequence;
    return rank_mismatch_add(m->out, &odd, e);
}

static int match_by_number(struct matching *m, enum rank_doubt doubt, struct err *e)
{
    struct numbers next = {.heap = calloc(m->members, sizeof *next.heap)};
    struct numbered *same = calloc(m->members, sizeof *same);
    const struct rank_arrival **present = calloc(m->members, sizeof *present);
    int rc = next.heap && same && present ? 0 : err_memory(e);
    if (!rc)
        start_numbers(m, &next);
    while (!rc && next.count) {
        size_t count = 0;
        do
            same[count++] = take_number(m, &next);
        while (next.count && next.heap[0].sequence == same[0].sequence);
        rc = match_number(m, same, count, present, doubt, e);
    }
    free(next.heap);
    free(same);
    free(present);
    return rc;
}

static int match(struct matching *m, struct err *e)
{
    bool is_complete = true;
    m->members = communicator_of(m)->count;
    const bool has = has_any(m);
    int rc = has ? check_members(m, &is_complete, e) : 0;
    if (rc || !has || m->members < 2)
        return rc;
    const enum rank_doubt doubt = is_complete ? DOUBT_NONE : DOUBT_INCOMPLETE;
    return has_numbers(m) ? match_by_number(m, doubt, e) : match_by_order(m, doubt, e);
}

/* From now on arrivals have their meetings, in the place of in_track. */
static void set_meetings(struct rank_arrivals *a, const struct rank_meetings_found *m)
{
    for (size_t i = 0; i < a->items.count; i++)
        a->items.items[i].meeting = 0;
    rank_meetings_number(a, m);
    for (size_t i = 0; i < a->items.count; i++)
        a->places.items[rank_place_of(a, &a->items.items[i])].unmatched += !a->items.items[i].meeting;
}

int rank_matching_find(struct rank_arrivals *a, const struct strtab *strings, int world_size,
                       struct rank_meetings_found *out, struct err *e)
{
    *out = (struct rank_meetings_found){.attendance = calloc(a->items.count + 1, sizeof *out->attendance)};
    struct matching m = {.a = a, .out = out, .strings = strings, .world_size = world_size};
    int rc = out->attendance ? 0 : err_memory(e);
    for (size_t i = 0; !rc && i < a->communicators.count; i++) {
        m.communicator = (uint32_t)i;
        rc = match(&m, e);
    }
    set_meetings(a, out);
    return rc;
}

void rank_matching_release(struct rank_meetings_found *m)
{
    free(m->items.items);
    free(m->shares.items);
    free(m->mismatches.items);
    free(m->attendance);
    *m = (struct rank_meetings_found){0};
}
