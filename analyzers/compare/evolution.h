/* evolution.h - how did a kernel get here, stage by stage? Each variant is a
 * stage, in the order of the bundles and in each of its table, the baseline first.
 *
 * Times of different days or devices are not the same measure. Two bundles are
 * joined only through an arm that both measured, their anchor: what is faster than
 * the anchor there is so here, with the uncertainty of both. */
#ifndef CPPROF_EVOLUTION_H
#define CPPROF_EVOLUTION_H

#include "analyzers/analysis.h"
#include "core/base/array.h"

enum stage_status {
    STAGE_REFERENCE,      /* the first of its ladder */
    STAGE_MERGED,         /* the whole interval of the gain is at the target, or without one beyond the margin */
    STAGE_MARGINAL,       /* not decided: the interval reaches across the margin or the target */
    STAGE_BELOW_TARGET,   /* faster beyond doubt, and less than the target beyond doubt */
    STAGE_VALID_NEGATIVE, /* shown to be equivalent: no gain */
    STAGE_REGRESSION,     /* slower beyond doubt */
    STAGE_CORRECTNESS,    /* computes wrong results */
    STAGE_WRONG_KERNEL,   /* another kernel ran than the one that was meant */
    STAGE_CONTRADICTED,   /* its witnesses contradict each other */
    STAGE_INCONCLUSIVE    /* not timed, or nothing follows from its times: the reason says why */
};
const char *stage_status_name(enum stage_status s); /* "merged", "below target" ... */

struct evolution_source {
    const char *path; /* of the bundle, for people */
    const struct analysis *analysis;
};

struct evolution_stage {
    size_t source; /* which bundle it was measured in */
    const char *variant;
    const struct timing_summary *timing; /* NULL: not timed */
    const char *over;                    /* the last merged stage before it, or the reference; "" of the reference */
    const char *through;                 /* the anchor, when `over` was not measured beside it; else "" */
    struct bounded gain;                 /* over `over`; NAN unknown */
    struct bounded cumulative;           /* over the reference */
    double scaled_ns; /* its p50 on the reference's day: that one's p50 less the cumulative gain; NAN unknown */
    enum stage_status status;
    const char *reason; /* one sentence or code; "" when the status says all */
};

/* Stages at one config with the caches in one state. */
struct evolution_ladder {
    const char *config, *cache;
    const char *apart; /* why it stands apart from the ladder before it at this config; "" */
    struct evolution_stage *items;
    size_t count, capacity;
};

struct evolution {
    struct arena arena; /* owns the texts */
    double target;      /* least gain of a stage over the one before; NAN: the margin */
    double margin;
    ARRAY_OF(struct evolution_ladder) ladders;
    ARRAY_OF(const char *) notes; /* how bundles were joined, one sentence each */
};

/* The analyses must outlive it; `out` need not be initialised and is released
 * even after an error. */
int evolution_read(struct evolution *out, const struct evolution_source *sources, size_t count, double target,
                   struct err *e);
void evolution_release(struct evolution *ev);

#endif
