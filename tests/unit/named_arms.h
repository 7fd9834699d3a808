/* named_arms.h - rows that a test has written by hand, with names alone, get the arms of their run. */
#ifndef CPPROF_NAMED_ARMS_H
#define CPPROF_NAMED_ARMS_H

#include "analyzers/analysis.h"

#define NAME_ARMS(a, rows, list)                                                                                       \
    for (size_t i = 0; i < (a)->rows.count; i++)                                                                       \
        if (!(a)->rows.items[i].arm) {                                                                                 \
            (a)->rows.items[i].arm = analysis_arm(a, (a)->rows.items[i].variant, (a)->rows.items[i].config);           \
            analysis_note(a, list, (a)->rows.items[i].arm, i);                                                         \
        }

/* The run is joined; a row whose names no table has stays without. */
static inline void name_arms(struct analysis *a)
{
    NAME_ARMS(a, selection, ARM_SELECTION)
    NAME_ARMS(a, correctness, ARM_CORRECTNESS)
    NAME_ARMS(a, witnesses, ARM_WITNESSES)
    NAME_ARMS(a, bounds, ARM_BOUNDS)
    NAME_ARMS(a, launches, ARM_LAUNCHES)
    NAME_ARMS(a, resources, ARM_RESOURCES)
    NAME_ARMS(a, insides, ARM_INSIDES)
    for (size_t i = 0; i < a->comparisons.count; i++) {
        struct comparison *c = &a->comparisons.items[i];
        if (c->cand.arm)
            continue;
        c->base.arm = analysis_arm(a, c->baseline, c->config);
        c->cand.arm = analysis_arm(a, c->candidate, c->config);
        analysis_note(a, ARM_COMPARISONS, c->cand.arm, i);
    }
}

#undef NAME_ARMS

#endif
