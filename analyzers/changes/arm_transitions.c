/* What became different between the arms of each comparison? */
#include "analyzers/analyzer.h"
#include "analyzers/changes/transition.h"
#include "analyzers/entries.h"
#include "core/base/array.h"

static bool is_told(const struct analysis *a, const struct comparison *c)
{
    for (size_t i = 0; i < a->transitions.count; i++) {
        const struct transition *t = &a->transitions.items[i];
        if (t->base == c->base.arm && t->cand == c->cand.arm)
            return true;
    }
    return false;
}

/* Counters and resources are the same with hot and cold caches: once a pair. */
static int add_transition(struct analysis *a, const struct comparison *c, const struct analysis *of_base,
                          const struct analysis *of_cand, struct err *e)
{
    const struct arm_traits base = arm_traits_of(of_base, c->base.arm);
    const struct arm_traits cand = arm_traits_of(of_cand, c->cand.arm);
    struct str text;
    str_init(&text);
    transition_add(&text, &a->thresholds, &base, &cand);
    struct transition *t = text.length ? ARRAY_PUSH(&a->transitions) : NULL;
    const int rc = text.failed || (text.length && !t) ? err_memory(e) : 0;
    if (t)
        *t = (struct transition){c->base.arm,  c->cand.arm, c->baseline,
                                 c->candidate, c->config,   arena_copy(&a->arena, str_text(&text))};
    str_release(&text);
    return rc;
}

static int add_transitions(struct analysis *a, const struct analysis *base, const struct analysis *cand, struct err *e)
{
    int rc = 0;
    for (size_t i = 0; i < a->comparisons.count && !rc; i++)
        if (!is_told(a, &a->comparisons.items[i]))
            rc = add_transition(a, &a->comparisons.items[i], base, cand, e);
    return rc;
}

int transition_analyze(struct analysis *a, struct err *e)
{
    return add_transitions(a, a, a, e);
}

int transitions_of_bundles(struct analysis *out, const struct analysis *base, const struct analysis *cand,
                           struct err *e)
{
    return add_transitions(out, base, cand, e);
}
