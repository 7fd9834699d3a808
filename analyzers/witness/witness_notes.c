/* What about an arm is odd, without being a contradiction? A check begins here, until it was never wrong. */
#include <math.h>

#include "analyzers/entries.h"
#include "analyzers/witness/witness.h"

/* A launch that waited for its inputs finds less in the caches of the SMs. */
#define REFILL_TIMES    1.5
#define REFILL_SPARE_NS 10000.0

static int add_note(struct witnessing *w, const struct witnessed *arm, const char *id, const char *claim,
                    const char *advice, double claimed, double seen, enum unit unit, struct err *e)
{
    struct analysis *a = w->a;
    struct finding *finding = analysis_finding(a, id, SEVERITY_INFO, arena_copy(&a->arena, arm->arm->variant),
                                               arena_copy(&a->arena, arm->arm->config), claim);
    if (!finding)
        return err_memory(e);
    finding->advice = advice;
    const int rc = evidence_add(&a->arena, &finding->evidence, "claimed", claimed, unit, e);
    return rc ? rc : evidence_add(&a->arena, &finding->evidence, "seen", seen, unit, e);
}

/* A solution that uses what an earlier launch on the same inputs found cannot do so where they have just come. */
static int note_refill(struct witnessing *w, const struct witnessed *arm, const char *cache, double timed_ns,
                       double refilled_ns, struct err *e)
{
    char timed[UNITS_TEXT_BYTES], refilled[UNITS_TEXT_BYTES];
    if (!(refilled_ns > REFILL_TIMES * timed_ns + REFILL_SPARE_NS))
        return 0;
    const char *claim =
        arena_printf(&w->a->arena, "with %s caches a launch takes %s, and %s where its inputs come just before it",
                     cache, unit_format(timed, UNIT_NS, timed_ns), unit_format(refilled, UNIT_NS, refilled_ns));
    return add_note(w, arm, "inputs-just-before", claim, "see what it keeps from one launch to the next", timed_ns,
                    refilled_ns, UNIT_NS, e);
}

int witness_note(struct witnessing *w, const struct witnessed *arm, struct err *e)
{
    if (*w->damage)
        return 0;
    const int rc = note_refill(w, arm, "hot", arm->hot_ns, arm->hot_refilled_ns, e);
    return rc ? rc : note_refill(w, arm, "cold", arm->cold_ns, arm->cold_refilled_ns, e);
}
