/* solution_rows.h - all solutions of a task at all shapes: does each pass, and how fast is it? */
#ifndef CPPROF_SOLUTION_ROWS_H
#define CPPROF_SOLUTION_ROWS_H

#include "core/base/verdict.h"
#include "core/run/arms.h"

/* Why a solution has no times. */
#define SOLUTION_UNCOUNTED                                                                                             \
    "its launches wait for the GPU inside their call, and no graph holds them: they cannot be timed on new inputs"

/* One solution at one config and one state of the cache. */
struct solution {
    const struct arm *arm;
    const char *variant, *config;
    const char *cache;          /* "hot", "rotated", "cold"; "" when it was not timed */
    enum verdict_status status; /* did it run, was it right, and do its witnesses agree? */
    const char *why;            /* if it does not pass: why not; else "" */
    double time_ns;             /* as in the comparisons, else the median; NAN */
    double speedup;             /* over the baseline; NAN for the baseline itself, and without one */
    double ci_low, ci_high;     /* of the speedup */
    const char *verdict;        /* "faster" ...; "baseline"; "" without a comparison */
    const char *verdict_words;  /* the same as a page says it */
    /* The share of its time that the task's least work needs at the highest known rate of what needs most: bytes
     * through L2, or through device memory when the caches are cold, or operations. NAN: not known. */
    double light;
    const char *light_by; /* "l2", "dram", "fp32" ...; "" */
    /* The share of the GPU's time in its traced launches that copies take, as of what a function returns, and how many
     * a launch makes. NAN: not known. */
    double copied, copies;
    double verified;    /* right outputs of timed launches that were verified, over all processes; NAN: not counted */
    double unseen;      /* the share of its launches that may be wrong all the same; NAN: not known */
    double set_up_ns;   /* it packed constant inputs ahead, at most so long in a process; NAN: it does not */
    const char *judged; /* if the judge could not do all: "inside", "on the host", "without a gate"; else "" */
};

#endif
