/* roofline.h - how near does a kernel come to what the machine could do with its
 * operations and its bytes? (Williams, Waterman, Patterson 2009, with a roof for
 * each precision and each memory level; docs/bounds.md) */
#ifndef CPPROF_ROOFLINE_H
#define CPPROF_ROOFLINE_H

#include "base/arena.h"
#include "base/json.h"
#include "model/analysis.h"
#include "model/counters.h"
#include "model/metric_sets.h"

/* Fills all but the names of the kernel. `chip` (NULL: unknown) knows which counters
 * it lacks; `ceilings` is the GPU that the manifest holds, NULL for none. False without a duration, or when the
 * operations of FP32 were not counted: precisions that were not are named. Texts are literals or the arena's. */
bool roofline_of(struct roofline *out, const struct counters *c, const struct metric_chip *chip, const json_t *ceilings,
                 struct arena *arena);

/* The share of its roof that it reaches: of what was measured where that is known, else of theory. NAN. */
double roof_share(const struct roof *r);

#endif
