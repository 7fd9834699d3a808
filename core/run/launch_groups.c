/* Which launches of a process are the same work? */
#include "core/run/launch_groups.h"

#include <stdlib.h>

#include "core/base/array.h"

enum {
    REPEATS_LEAST = 3,   /* of a part between other work */
    REPEATS_ENOUGH = 10, /* a longer period with this many is the iteration, whatever repeats within it */
    PERIODS_TRIED = 64,  /* from one launch on */
    STEPS_PER_LAUNCH = 512
};

struct search {
    struct launch_groups *out;
    const struct ordered_launch *launches;
    size_t count;
    size_t tokens;
    size_t *next; /* the next launch of the same token; `count`: none */
    size_t steps; /* comparisons that may still be made: launches that nearly repeat must not take for ever */
    size_t whole; /* launches before the last repetition of all, if that was cut off */
};

/* Launches `begin` to `end` - 1 repeat with this period. */
struct part {
    size_t begin, end, period;
};

static bool same(const struct search *s, size_t a, size_t b)
{
    return s->launches[a].token == s->launches[b].token;
}

static int add_group(struct search *s, size_t first, size_t length, size_t place, uint32_t *group, struct err *e)
{
    if (s->out->count == LAUNCH_GROUPS_MAX)
        return err_set(e, ERR_INPUT,
                       "the launches that match have more than %d forms (kernel, grid, block, shared memory): choose "
                       "fewer with --kernels 'REGEX@grid=X,block=Y', or an iteration with --range",
                       LAUNCH_GROUPS_MAX);
    struct launch_group *slot = ARRAY_PUSH(s->out);
    if (!slot)
        return err_memory(e);
    *slot = (struct launch_group){.first = first, .length = length, .place = place};
    *group = (uint32_t)(s->out->count - 1);
    return 0;
}

/* ---- one kernel: by token, and by place where one token has several ---- */

static bool find_single(const struct search *s, size_t launch, size_t place, uint32_t *group)
{
    for (size_t i = 0; i < s->out->count; i++)
        if (s->out->items[i].place == place && same(s, s->out->items[i].first, launch)) {
            *group = (uint32_t)i;
            return true;
        }
    return false;
}

static bool has_twice(const struct search *s, const struct part *part, size_t launch)
{
    size_t count = 0;
    for (size_t i = part->begin; i < part->begin + part->period; i++)
        count += same(s, i, launch);
    return count > 1;
}

/* 0 where the token says all. */
static size_t place_of(const struct search *s, const struct part *part, size_t launch)
{
    if (launch < part->begin || launch >= part->end || !has_twice(s, part, launch))
        return 0;
    return (launch - part->begin) % part->period + 1;
}

static int group_singles(struct search *s, const struct part *part, struct err *e)
{
    int rc = 0;
    for (size_t i = 0; i < s->count && !rc; i++) {
        if (s->out->places[i].group == LAUNCH_NO_GROUP && !s->out->places[i].is_first)
            continue; /* left out before */
        const size_t place = place_of(s, part, i);
        uint32_t group = 0;
        if (!find_single(s, i, place, &group))
            rc = add_group(s, i, 1, place, &group, e);
        if (!rc) {
            s->out->places[i] = (struct launch_place){group, true};
            s->out->items[group].samples++;
        }
    }
    return rc;
}

/* ---- what repeats ---- */

static void index_next(struct search *s)
{
    s->tokens = 1;
    for (size_t i = 0; i < s->count; i++)
        s->tokens = s->launches[i].token >= s->tokens ? (size_t)s->launches[i].token + 1 : s->tokens;
    size_t *last = calloc(s->tokens, sizeof *last);
    for (size_t i = s->count; last && i-- > 0;) {
        const size_t seen = last[s->launches[i].token];
        s->next[i] = seen ? seen - 1 : s->count;
        last[s->launches[i].token] = i + 1;
    }
    if (!last)
        s->count = 0;
    free(last);
}

/* From that launch on: of the periods at which its token comes again, the one with most repetitions, or the longest
 * part of one with enough. */
static struct part part_at(struct search *s, size_t begin)
{
    struct part best = {begin, begin, 1};
    size_t most = 1, tried = 0;
    for (size_t at = s->next[begin]; at < s->count && tried < PERIODS_TRIED && s->steps; at = s->next[at]) {
        const size_t period = at - begin;
        if (period > LAUNCH_PERIOD_MAX)
            break;
        if (at < best.end)
            continue; /* a multiple */
        tried++;
        size_t end = at;
        while (end < s->count && same(s, end, end - period))
            end++;
        s->steps -= end - at < s->steps ? end - at : s->steps;
        const size_t repeats = (end - begin) / period;
        if (repeats > most || ((repeats == most || repeats >= REPEATS_ENOUGH) && end > best.end)) {
            best = (struct part){begin, begin + repeats * period, period};
            most = repeats;
        }
    }
    return best;
}

static bool is_word(const struct search *s, const struct launch_group *group, const struct part *part)
{
    if (group->length != part->period)
        return false;
    for (size_t i = 0; i < part->period; i++)
        if (!same(s, group->first + i, part->begin + i))
            return false;
    return true;
}

static int take_part(struct search *s, const struct part *part, struct err *e)
{
    uint32_t group = 0;
    while (group < s->out->count && !is_word(s, &s->out->items[group], part))
        group++;
    int rc = group < s->out->count ? 0 : add_group(s, part->begin, part->period, 0, &group, e);
    for (size_t i = part->begin; i < part->end && !rc; i++)
        s->out->places[i] = (struct launch_place){group, (i - part->begin) % part->period == 0};
    if (!rc)
        s->out->items[group].samples += (part->end - part->begin) / part->period;
    return rc;
}

/* Does a sample that is known come once more? */
static bool comes_again(struct search *s, struct part *part)
{
    const size_t begin = part->begin;
    for (size_t i = 0; i < s->out->count && s->steps; i++) {
        const struct part once = {begin, begin + s->out->items[i].length, s->out->items[i].length};
        s->steps--;
        if (once.end <= s->count && is_word(s, &s->out->items[i], &once)) {
            *part = once;
            return true;
        }
    }
    return false;
}

/* Where all that follows a part is the beginning of one more repetition. */
static bool is_last(const struct search *s, const struct part *part)
{
    size_t end = part->end;
    while (end < s->count && end - part->end < part->period && same(s, end, end - part->period))
        end++;
    return end == s->count;
}

static int take_parts(struct search *s, size_t least, struct err *e)
{
    int rc = 0;
    for (size_t begin = 0; begin < s->count && !rc;) {
        struct part part = part_at(s, begin);
        if (part.end - part.begin < least * part.period && !comes_again(s, &part)) {
            begin++;
            continue;
        }
        rc = take_part(s, &part, e);
        begin = part.end;
        if (is_last(s, &part)) {
            s->whole = part.end;
            break;
        }
    }
    return rc;
}

/* The first group of those with most samples; only work before it can be its set-up. */
static const struct launch_group *largest(const struct launch_groups *groups)
{
    const struct launch_group *out = groups->items;
    for (size_t i = 1; i < groups->count; i++)
        if (groups->items[i].samples > out->samples)
            out = &groups->items[i];
    return out;
}

/* Work that comes again and again after that, at no fixed distance, is part of the program: each launch is a sample. */
static int take_recurring(struct search *s, struct err *e)
{
    size_t *seen = calloc(s->tokens, sizeof *seen);
    int rc = seen ? 0 : err_memory(e);
    const size_t begin = s->out->count ? largest(s->out)->first : s->whole;
    for (size_t i = begin; i < s->whole && !rc; i++)
        seen[s->launches[i].token] += s->out->places[i].group == LAUNCH_NO_GROUP;
    for (size_t i = begin; i < s->whole && !rc; i++) {
        const struct part once = {i, i + 1, 1};
        if (s->out->places[i].group == LAUNCH_NO_GROUP && seen[s->launches[i].token] >= REPEATS_LEAST)
            rc = take_part(s, &once, e);
    }
    free(seen);
    return rc;
}

static size_t count_in_none(const struct launch_groups *groups, size_t count)
{
    size_t in_none = 0;
    for (size_t i = 0; i < count; i++)
        in_none += groups->places[i].group == LAUNCH_NO_GROUP;
    return in_none;
}

static void forget(struct search *s)
{
    s->out->count = 0;
    s->whole = s->count;
    for (size_t i = 0; i < s->count; i++)
        s->out->places[i] = (struct launch_place){LAUNCH_NO_GROUP, false};
}

/* Two repetitions are enough when there is nothing else. */
static int find_parts(struct search *s, struct err *e)
{
    int rc = take_parts(s, REPEATS_LEAST, e);
    if (!rc)
        rc = take_recurring(s, e);
    if (rc || 2 * count_in_none(s->out, s->count) <= s->count)
        return rc;
    forget(s);
    rc = take_parts(s, REPEATS_LEAST - 1, e);
    if (!rc && (s->out->count != 1 || 2 * count_in_none(s->out, s->count) > s->count))
        forget(s);
    return rc;
}

/* ---- all together ---- */

/* In the order of their first launches: single ones were found last. */
static void order_groups(struct launch_groups *groups, size_t count)
{
    struct launch_group before[LAUNCH_GROUPS_MAX];
    uint32_t now[LAUNCH_GROUPS_MAX];
    for (size_t i = 0; i < groups->count; i++) {
        before[i] = groups->items[i];
        now[i] = 0;
        for (size_t k = 0; k < groups->count; k++)
            now[i] += groups->items[k].first < groups->items[i].first;
    }
    for (size_t i = 0; i < groups->count; i++)
        groups->items[now[i]] = before[i];
    for (size_t i = 0; i < count; i++)
        if (groups->places[i].group != LAUNCH_NO_GROUP)
            groups->places[i].group = now[groups->places[i].group];
}

static bool is_one_kernel(const struct search *s)
{
    size_t first = s->count;
    for (size_t i = 0; i < s->count; i++) {
        if (s->out->places[i].group == LAUNCH_NO_GROUP)
            continue;
        first = first == s->count ? i : first;
        if (s->launches[i].kernel != s->launches[first].kernel)
            return false;
    }
    return first < s->count;
}

/* The period of most of it, if it is short against its repetitions: only then is a place known. */
static struct part places_within(struct search *s)
{
    for (size_t begin = 0; begin < s->count;) {
        struct part part = part_at(s, begin);
        const size_t length = part.end - part.begin;
        while (length && part.end < s->count && same(s, part.end, part.end - part.period))
            part.end++; /* a last one that was cut off */
        if (2 * length > s->count && part.period <= LAUNCH_PLACES_MAX && length / part.period >= part.period)
            return part;
        begin = length ? part.end : begin + 1;
    }
    return (struct part){0, 0, 1};
}

/* The end of the last sample of each group. */
static void find_ends(size_t *ends, const struct launch_groups *groups, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (groups->places[i].group != LAUNCH_NO_GROUP)
            ends[groups->places[i].group] = i + 1;
}

static void mark_set_up(struct launch_groups *groups, size_t count)
{
    size_t ends[LAUNCH_GROUPS_MAX] = {0};
    if (!groups->count)
        return;
    const struct launch_group *most = largest(groups);
    find_ends(ends, groups, count);
    for (size_t i = 0; i < groups->count; i++)
        groups->items[i].is_set_up =
            ends[i] <= most->first && groups->items[i].samples * LAUNCH_GROUP_SHARE < most->samples;
}

static int find(struct search *s, struct err *e)
{
    for (size_t i = 0; i < s->count; i++)
        s->out->places[i] = (struct launch_place){0, true};
    int rc = 0;
    if (!is_one_kernel(s)) {
        forget(s);
        rc = find_parts(s, e);
    }
    if (rc || !is_one_kernel(s))
        return rc;
    for (size_t i = 0; i < s->count; i++)
        s->out->places[i].is_first = s->out->places[i].group != LAUNCH_NO_GROUP;
    s->out->count = 0;
    const struct part places = places_within(s);
    return group_singles(s, &places, e);
}

int launch_groups_find(struct launch_groups *out, const struct ordered_launch *launches, size_t count, struct err *e)
{
    struct search s = {.out = out,
                       .launches = launches,
                       .count = count,
                       .next = malloc((count + 1) * sizeof *s.next),
                       .steps = STEPS_PER_LAUNCH * (count + 1),
                       .whole = count};
    *out = (struct launch_groups){.places = calloc(count + 1, sizeof *out->places)};
    if (!s.next || !out->places) {
        free(s.next);
        return err_memory(e);
    }
    index_next(&s);
    int rc = count && !s.count ? err_memory(e) : find(&s, e);
    free(s.next);
    if (!rc && !s.steps)
        rc = err_set(e, ERR_INPUT,
                     "the %zu launches that match nearly repeat, and a bounded search did not find which are alike: "
                     "choose one kernel, or an iteration with --range",
                     count);
    order_groups(out, s.count);
    mark_set_up(out, s.count);
    out->in_none = count_in_none(out, s.count);
    return rc;
}

void launch_groups_release(struct launch_groups *groups)
{
    free(groups->items);
    free(groups->places);
    *groups = (struct launch_groups){0};
}
