/* What became different between the arms of each comparison? */
#include <string.h>

#include "analyzers/analyzer.h"
#include "analyzers/changes/transition.h"
#include "analyzers/entries.h"
#include "base/array.h"

static bool is_told(const struct analysis *a, const struct comparison *c)
{
    for (size_t i = 0; i < a->transitions.count; i++) {
        const struct transition *t = &a->transitions.items[i];
        if (!strcmp(t->baseline, c->baseline) && !strcmp(t->candidate, c->candidate) && !strcmp(t->shape, c->shape))
            return true;
    }
    return false;
}

/* A bundle with its counters. */
struct side {
    const struct analysis *analysis;
    struct counters_list counters;
};

static int side_read(struct side *s, const struct analysis *a, struct err *e)
{
    s->analysis = a;
    counters_list_init(&s->counters);
    return counters_read(&s->counters, &a->bundle->tables[BUNDLE_METRICS], e);
}

/* Counters and resources are the same with hot and cold caches: once a pair. */
static int tell(struct analysis *a, const struct comparison *c, const struct side *of_base, const struct side *of_cand,
                struct err *e)
{
    const struct arm_traits base = arm_traits_of(of_base->analysis, &of_base->counters, c->baseline, c->shape);
    const struct arm_traits cand = arm_traits_of(of_cand->analysis, &of_cand->counters, c->candidate, c->shape);
    struct str text;
    str_init(&text);
    transition_add(&text, &base, &cand);
    struct transition *t = text.length ? ARRAY_PUSH(&a->transitions) : NULL;
    const int rc = text.failed || (text.length && !t) ? err_memory(e) : 0;
    if (t)
        *t = (struct transition){c->baseline, c->candidate, c->shape, arena_copy(&a->arena, str_text(&text))};
    str_release(&text);
    return rc;
}

static int tell_all(struct analysis *a, const struct side *base, const struct side *cand, struct err *e)
{
    int rc = 0;
    for (size_t i = 0; i < a->comparisons.count && !rc; i++)
        if (!is_told(a, &a->comparisons.items[i]))
            rc = tell(a, &a->comparisons.items[i], base, cand, e);
    return rc;
}

int transition_analyze(struct analysis *a, struct err *e)
{
    struct side side;
    int rc = side_read(&side, a, e);
    if (!rc)
        rc = tell_all(a, &side, &side, e);
    counters_list_release(&side.counters);
    return rc;
}

int transitions_of_bundles(struct analysis *out, const struct analysis *base, const struct analysis *cand,
                           struct err *e)
{
    struct side of_base, of_cand;
    int rc = side_read(&of_base, base, e);
    const int second = side_read(&of_cand, cand, e);
    if (!rc)
        rc = second;
    if (!rc)
        rc = tell_all(out, &of_base, &of_cand, e);
    counters_list_release(&of_base.counters);
    counters_list_release(&of_cand.counters);
    return rc;
}
