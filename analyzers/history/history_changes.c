/* Where does the level of an arm's time change for good? */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyzers/history/history.h"
#include "core/stats/change_points.h"
#include "core/stats/ratio_decision.h"
#include "core/stats/statistics.h"

/* References of one arm on one machine, one after the other, that have a time. */
struct series {
    struct history_row **rows;
    size_t count;
    size_t arm;                  /* index in history.arms */
    size_t test_first, test_end; /* its tests in the list of all */
};

struct looking {
    struct history *history;
    struct history_row **places; /* the series stand in here, one behind the other */
    ARRAY_OF(struct series) series;
    struct change_tests tests; /* of all series: a parent's index counts from its series' first test */
    double *p;                 /* the tests' p, then adjusted */
};

static bool is_one_arm(const struct history_row *a, const struct history_row *b)
{
    return a->arm == b->arm && !strcmp(a->cache, b->cache);
}

/* ---- order ---- */

static int by_arm(const void *a, const void *b)
{
    const struct history_row *x = a, *y = b;
    return x->machine != y->machine ? (x->machine > y->machine) - (x->machine < y->machine)
                                    : (x->number > y->number) - (x->number < y->number);
}

/* Moves the rows of each arm together, arms by their first appearance, and lists the arms. */
static int order_rows(struct history *h, struct err *e)
{
    struct history_row *ordered = malloc((h->rows.count + 1) * sizeof *ordered);
    bool *taken = calloc(h->rows.count + 1, sizeof *taken);
    size_t count = 0;
    int rc = ordered && taken ? 0 : err_memory(e);
    for (size_t i = 0; i < h->rows.count && !rc; i++) {
        const struct history_row *first = &h->rows.items[i];
        const size_t from = count;
        struct history_arm *arm = taken[i] ? NULL : ARRAY_PUSH(&h->arms);
        if (taken[i])
            continue;
        if (!arm) {
            rc = err_memory(e);
            break;
        }
        *arm = (struct history_arm){first->variant, first->config, first->cache, 0, "", ""};
        for (size_t at = i; at < h->rows.count; at++)
            if (!taken[at] && is_one_arm(&h->rows.items[at], first)) {
                ordered[count++] = h->rows.items[at];
                taken[at] = true;
            }
        qsort(ordered + from, count - from, sizeof *ordered, by_arm);
    }
    free(taken);
    if (rc) {
        free(ordered);
        return rc;
    }
    free(h->rows.items);
    h->rows.items = ordered;
    h->rows.capacity = h->rows.count + 1;
    return 0;
}

/* ---- series ---- */

/* A time of the wrong thing is no point of the series, nor is a recording that was saved twice. */
static bool counts(const struct history_row *row)
{
    return !row->repeats && isfinite(row->time_ns) && row->time_ns > 0 && row->doubt != ARM_DOUBT_CONTRADICTED &&
           row->doubt != ARM_DOUBT_WRONG_RESULT;
}

static int find_series(struct looking *l, struct err *e)
{
    struct history *h = l->history;
    const struct history_row *before = NULL;
    size_t arm = 0, placed = 0;
    for (size_t i = 0; i < h->rows.count; i++) {
        struct history_row *row = &h->rows.items[i];
        const bool is_same = before && is_one_arm(before, row);
        arm += before && !is_same;
        if (!is_same || before->machine != row->machine) {
            struct series *next = ARRAY_PUSH(&l->series);
            if (!next)
                return err_memory(e);
            *next = (struct series){.rows = l->places + placed, .arm = arm};
        }
        before = row;
        if (!counts(row))
            continue;
        l->places[placed++] = row;
        l->series.items[l->series.count - 1].count++;
    }
    return 0;
}

static int test_series(struct looking *l, struct series *s, struct err *e)
{
    double *logs = malloc((s->count + 1) * sizeof *logs);
    if (!logs)
        return err_memory(e);
    for (size_t i = 0; i < s->count; i++)
        logs[i] = log(s->rows[i]->time_ns);
    s->test_first = l->tests.list.count;
    struct change_tests own = {0};
    int rc = change_points_test(&own, logs, s->count) ? err_memory(e) : 0;
    for (size_t i = 0; i < own.list.count && !rc; i++) {
        struct change_test *slot = ARRAY_PUSH(&l->tests.list);
        if (slot)
            *slot = own.list.items[i];
        else
            rc = err_memory(e);
    }
    s->test_end = l->tests.list.count;
    change_tests_release(&own);
    free(logs);
    return rc;
}

static int adjust(struct looking *l, struct err *e)
{
    const size_t count = l->tests.list.count;
    l->p = calloc(2 * count + 1, sizeof *l->p);
    if (!l->p)
        return err_memory(e);
    for (size_t i = 0; i < count; i++)
        l->p[i] = l->tests.list.items[i].p_value;
    holm_adjust(l->p, count, l->p + count);
    return 0;
}

/* ---- changes ---- */

/* Does a test stand among all, and do those whose parts it divides? */
static bool stands(const struct looking *l, const struct series *s, size_t test)
{
    const size_t count = l->tests.list.count;
    for (long at = (long)(test - s->test_first); at >= 0; at = l->tests.list.items[s->test_first + (size_t)at].parent)
        if (!(l->p[count + s->test_first + (size_t)at] < CHANGE_LEVEL))
            return false;
    return true;
}

/* The places that stand on each side of `at`, or the ends of the series. */
static void neighbours(const struct looking *l, const struct series *s, size_t at, size_t *left, size_t *right)
{
    *left = 0;
    *right = s->count;
    for (size_t i = s->test_first; i < s->test_end; i++) {
        const size_t other = l->tests.list.items[i].at;
        if (!stands(l, s, i) || other == at)
            continue;
        if (other < at && other > *left)
            *left = other;
        if (other > at && other < *right)
            *right = other;
    }
}

static int add_change(struct looking *l, const struct series *s, size_t test, struct err *e)
{
    struct history *h = l->history;
    const struct change_test *t = &l->tests.list.items[test];
    size_t left, right;
    neighbours(l, s, t->at, &left, &right);
    double *times = malloc(s->count * sizeof *times);
    if (!times)
        return err_memory(e);
    for (size_t i = 0; i < s->count; i++)
        times[i] = s->rows[i]->time_ns;
    const struct arm_values levels = {times + left, times + t->at, t->at - left, right - t->at, false};
    const struct ratio_decision decision = ratio_decide(&levels, h->margin);
    free(times);
    if (decision.verdict != COMPARE_FASTER && decision.verdict != COMPARE_SLOWER)
        return 0;
    struct history_change *change = ARRAY_PUSH(&h->changes);
    if (!change)
        return err_memory(e);
    const struct history_row *before = s->rows[t->at - 1], *after = s->rows[t->at];
    *change = (struct history_change){.variant = after->variant,
                                      .config = after->config,
                                      .cache = after->cache,
                                      .before = before->number,
                                      .after = after->number,
                                      .commit_before = before->commit,
                                      .commit_after = after->commit,
                                      .before_count = (int64_t)levels.base_count,
                                      .after_count = (int64_t)levels.cand_count,
                                      .ratio = decision.interval.ratio,
                                      .low = decision.interval.low,
                                      .high = decision.interval.high,
                                      .p_value = t->p_value,
                                      .p_holm = l->p[l->tests.list.count + test],
                                      .verdict = comparison_verdict_name(decision.verdict)};
    return 0;
}

static void judge_arm(struct looking *l, const struct series *s, bool has_changed)
{
    struct history *h = l->history;
    struct history_arm *arm = &h->arms.items[s->arm];
    if ((int64_t)s->count > arm->references)
        arm->references = (int64_t)s->count;
    if (has_changed || !strcmp(arm->status, "changed")) {
        arm->status = "changed";
        arm->reason = "the level changes beyond the margin, more clearly than in other orders of the same times";
    } else if (arm->references < CHANGE_VALUES_LEAST) {
        arm->status = "not decided";
        arm->reason =
            arena_printf(&h->arena, "%lld on one machine in a row: a change needs %d on each side, and %d in all",
                         (long long)arm->references, CHANGE_SIDE_LEAST, CHANGE_VALUES_LEAST);
    } else {
        arm->status = "steady";
        arm->reason = "no change of the level is shown";
    }
}

static int by_place(const void *a, const void *b)
{
    const struct history_change *x = a, *y = b;
    return (x->after > y->after) - (x->after < y->after);
}

static int find_changes(struct looking *l, struct err *e)
{
    struct history *h = l->history;
    int rc = 0;
    for (size_t i = 0; i < l->series.count && !rc; i++) {
        const struct series *s = &l->series.items[i];
        const size_t before = h->changes.count;
        for (size_t test = s->test_first; test < s->test_end && !rc; test++)
            if (stands(l, s, test))
                rc = add_change(l, s, test, e);
        judge_arm(l, s, h->changes.count > before);
        if (h->changes.count > before)
            qsort(h->changes.items + before, h->changes.count - before, sizeof *h->changes.items, by_place);
    }
    return rc;
}

int history_judge(struct history *h, struct err *e)
{
    struct looking l = {.history = h};
    int rc = order_rows(h, e);
    if (!rc && !(l.places = calloc(h->rows.count + 1, sizeof(struct history_row *))))
        rc = err_memory(e);
    if (!rc)
        rc = find_series(&l, e);
    for (size_t i = 0; i < l.series.count && !rc; i++)
        rc = test_series(&l, &l.series.items[i], e);
    if (!rc)
        rc = adjust(&l, e);
    if (!rc)
        rc = find_changes(&l, e);
    change_tests_release(&l.tests);
    free(l.series.items);
    free(l.places);
    free(l.p);
    return rc;
}
