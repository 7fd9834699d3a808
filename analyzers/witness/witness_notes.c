/* What about an arm is odd, without being a contradiction? A check begins here, until it was never wrong. */
#include <math.h>

#include "analyzers/entries.h"
#include "analyzers/witness/witness.h"
#include "core/base/count_of.h"

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

/* ---- a census of a launch ---- */

static const struct {
    const char *words; /* "%s copies" */
    size_t offset;     /* of a double in struct seen_calls */
    enum unit unit;
} counted[] = {{"makes %s copies", offsetof(struct seen_calls, copies), UNIT_COUNT},
               {"sets memory %s times", offsetof(struct seen_calls, memsets), UNIT_COUNT},
               {"has kernels on %s streams", offsetof(struct seen_calls, streams), UNIT_COUNT},
               {"copies and sets %s", offsetof(struct seen_calls, moved_bytes), UNIT_BYTES}};

static double per_call(const struct seen_calls *calls, size_t offset)
{
    return *(const double *)(const void *)((const char *)calls + offset) / calls->calls;
}

/* False where one of them is not known. */
static bool is_other(double a, double b)
{
    return fabs(a - b) > 1e-6 * (1 + fabs(a));
}

static int note_other(struct witnessing *w, const struct witnessed *arm, const struct seen_calls *other,
                      const char *where, struct err *e)
{
    for (size_t i = 0; i < COUNT_OF(counted); i++) {
        char left[UNITS_TEXT_BYTES], right[UNITS_TEXT_BYTES];
        const double verified = per_call(&arm->verified, counted[i].offset), seen = per_call(other, counted[i].offset);
        if (!is_other(verified, seen))
            continue;
        const char *does = arena_printf(&w->a->arena, counted[i].words, unit_format(left, counted[i].unit, verified));
        const char *claim = arena_printf(&w->a->arena, "a call %s where its output is verified, and %s %s", does,
                                         unit_format(right, counted[i].unit, seen), where);
        return add_note(w, arm, "other-work", claim, "see what it leaves out when it is not verified", verified, seen,
                        counted[i].unit, e);
    }
    return 0;
}

static int note_grids(struct witnessing *w, const struct witnessed *arm, struct err *e)
{
    const double blocks = per_call(&arm->verified, offsetof(struct seen_calls, blocks)),
                 other_blocks = per_call(&arm->measured, offsetof(struct seen_calls, blocks)),
                 grids = per_call(&arm->verified, offsetof(struct seen_calls, grids)),
                 other_grids = per_call(&arm->measured, offsetof(struct seen_calls, grids));
    if (!is_other(grids, other_grids) || is_other(blocks, other_blocks)) /* the latter is a contradiction */
        return 0;
    return add_note(w, arm, "other-work",
                    "as many blocks are launched where its output is verified as in the other traced calls, but by "
                    "other kernels or in other grids",
                    "see what it leaves out when it is not verified", blocks, other_blocks, UNIT_COUNT, e);
}

int witness_note(struct witnessing *w, const struct witnessed *arm, struct err *e)
{
    if (*w->damage)
        return 0;
    int rc = note_other(w, arm, &arm->measured, "in the other traced calls", e);
    if (!rc)
        rc = note_other(w, arm, &arm->graph, "in the graph that is timed", e);
    return rc ? rc : note_grids(w, arm, e);
}
