/* aa_comparisons.h - A/A comparisons, of a thing with itself: how often does this machine, judged
 * by our rules, find a difference that is not there, and which one that is there
 * does it find? docs/statistics.md, "This machine against itself".
 *
 * A pool is a bundle of kind "aa": processes that each timed every case twice
 * (the second arm is named "VARIANT#2") beside planted arms that do a known
 * share more work. P processes that follow one another are a comparison, the
 * next P are another one. */
#ifndef CPPROF_AA_COMPARISONS_H
#define CPPROF_AA_COMPARISONS_H

#include <stdbool.h>
#include <stddef.h>

#include "analyzers/analysis.h"
#include "core/base/arena.h"
#include "core/base/err.h"
#include "core/base/reason.h"
#include "core/run/timing_arms.h"
#include "core/stats/statistics.h"

#define AA_KIND "aa" /* of the bundle, in its manifest */

/* The limits that a machine is held to. */
#define AA_COVERAGE_LEAST       0.93
#define AA_COVERAGE_MOST        0.97
#define AA_FALSE_POSITIVES_MOST 0.09
enum {
    AA_COMPARISONS_MIN = 40,       /* fewer cannot show a rate below 9%: of 39 without any the upper limit is 9.03% */
    AA_EFFECT_COMPARISONS_MIN = 20 /* below, what 80% of them find says little */
};

/* Two arms of one case in the processes that measured both, in their order. */
struct aa_pair {
    const struct arm *arm;        /* the first one */
    const char *variant, *config; /* of it; the bundle's texts */
    double share;                 /* extra work of the second; 0: none, the same thing */
    double *base, *cand;          /* one value per process */
    size_t count;
};

struct aa_comparisons {
    struct arms names;
    struct arm_table timing;
    struct timing_arms arms;
    struct aa_pair *items; /* the same things first, then the planted ones */
    size_t count, capacity;
};

/* The bundle must outlive it. ERR_INPUT when nothing in it was timed twice.
 * Release it even after an error. */
int aa_comparisons_read(struct aa_comparisons *out, const struct bundle *bundle, struct err *e);
void aa_comparisons_release(struct aa_comparisons *pool);

enum { AA_VERDICTS = COMPARE_UNUSABLE + 1 }; /* no pool is held against its witnesses */

/* Comparisons of a thing with itself. */
struct aa_self {
    const struct arm *arm;                  /* of the pool */
    const char *variant, *config;           /* NULL: over all of the pool */
    double time_ns;                         /* median of the first arm's observations; NAN over all */
    size_t processes, comparisons, covered; /* covered: the interval holds 1 */
    size_t verdicts[AA_VERDICTS];
    struct rate_interval coverage;        /* exact, at 95%, as are the next two */
    struct rate_interval false_positives; /* faster or slower, at the margin */
    struct rate_interval equivalent;
    double detectable_80,
        detectable_95;     /* smallest slowdown that 80 or 95 per cent of the comparisons would have called */
    double mde_50, mde_90; /* quantiles of the comparisons' own mde (ratio_decision.h) */
};

/* Comparisons of a thing with itself made slower. */
struct aa_planted {
    const struct arm *arm; /* of the pool: what it was made slower of */
    const char *variant, *config;
    double share;                  /* extra work, of the loop */
    struct median_interval effect; /* slowdown in time over all processes of the pool, at 95% */
    size_t processes, comparisons;
    size_t verdicts[AA_VERDICTS];
    size_t wrong; /* faster; equivalent although the effect is beyond the margin, or slower although within */
    struct rate_interval found; /* slower; exact, at 95% */
};

#define AA_REASONS(X)                                                                                                  \
    X(AA_TOO_FEW_COMPARISONS, "too_few_comparisons", "")                                                               \
    X(AA_WITHIN_LIMITS, "within_limits", "")                                                                           \
    X(AA_COVERAGE_OUTSIDE, "coverage_outside", "")                                                                     \
    X(AA_FALSE_POSITIVES_ABOVE, "false_positives_above", "")

enum aa_reason { AA_REASONS(REASON_CODE) };
extern const struct reason aa_reasons[];

struct aa_result {
    size_t processes; /* per comparison */
    double margin;
    struct aa_self *items; /* one per case */
    size_t count, capacity;
    struct aa_self all;
    struct {
        struct aa_planted *items;
        size_t count, capacity;
    } planted;
    enum verdict_status status; /* does the machine keep the limits? */
    enum aa_reason reason;
};

/* Judges the pool by comparisons of `processes` processes each. */
int aa_comparisons_judge(const struct aa_comparisons *pool, size_t processes, double margin, struct aa_result *out,
                         struct err *e);
void aa_result_release(struct aa_result *r);

/* What this machine can tell of something that takes `time_ns`, compared over
 * `processes` processes: detectable_80 of the pool's case nearest in time (by
 * ratio). NAN when the pool has fewer than AA_EFFECT_COMPARISONS_MIN such comparisons. */
struct aa_effect {
    double effect;
    const struct aa_pair *from;
    size_t processes, comparisons;
};
int aa_comparisons_effect(const struct aa_comparisons *pool, double time_ns, size_t processes, double margin,
                          struct aa_effect *out, struct err *e);

/* A gate on the ratio of two times: `measured` CMP `threshold`. */
struct aa_gate {
    double threshold, measured; /* ratios */
    bool failed;
};

/* Why this gate must not be judged, in the arena; "" when it may: its threshold
 * is no nearer to 1 than the effect, or it failed by more than the effect, which
 * the machine does see. */
const char *aa_gate_refusal(struct arena *arena, const struct aa_gate *gate, const struct aa_effect *effect);

/* Is a threshold on a ratio of times nearer to 1 than the effect? 0.99 and
 * 1/0.99 are equally near. */
bool aa_gate_is_too_fine(double threshold_ratio, double effect);

#endif
