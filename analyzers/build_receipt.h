/* build_receipt.h - is a build of a variant with marks the kernel that it stands for? */
#ifndef CPPROF_BUILD_RECEIPT_H
#define CPPROF_BUILD_RECEIPT_H

#include <stdint.h>

#include "analyzers/analysis.h"
#include "core/gpu/metrics.h"

/* Does each kernel of the build have as many blocks on an SM at once as that of the base, and no more local memory?
 * Spilled registers are there. Returns INSIDE_NO_REASON if so. */
enum inside_reason build_doubt_of_resources(const struct analysis *a, const struct arm *base, const struct arm *build);

struct counters_match {
    int64_t compared;     /* counters of kernels that are known of either */
    const char *differs;  /* the first that does not agree, or "kernels": one has more of them; "" for none */
    double expected, got; /* its values of the base and of the build; NAN: unknown */
};

/* By which share of its value may a counter differ? NAN: it is not compared. */
typedef double (*counter_margin)(const struct metric *m);

/* Adds to *out, whose `differs` begins as "". */
void build_match_counters(struct counters_match *out, const struct analysis *a, const struct arm *base,
                          const struct arm *build, counter_margin margin_of);

#endif
