/* roofline.h - how near does a kernel come to what the machine could do with its
 * operations and its bytes? (Williams, Waterman, Patterson 2009, with a roof for
 * each precision and each memory level; docs/bounds.md) */
#ifndef CPPROF_ROOFLINE_H
#define CPPROF_ROOFLINE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/json.h"
#include "gpu/chips.h"
#include "run/arms.h"
#include "run/counters.h"

/* One roof: the operations of a precision, or the bytes of a memory level. */
struct roof {
    const char *name;      /* "fp32", "tensor_fp16"; "l1", "l2", "dram" */
    double amount;         /* operations, or bytes */
    double per_s;          /* over the duration of the launch that was counted */
    double intensity;      /* of a level: all operations for each of its bytes; NAN of a precision */
    double peak, measured; /* the most a second: in theory at the clocks of that launch, and as measured; NAN unknown */
};

/* Where does a kernel stand below the roofs? */
enum roof_level { ROOF_L1, ROOF_L2, ROOF_DRAM, ROOF_LEVELS };
enum { ROOF_PRECISIONS_MAX = 12 };
struct roofline {
    const struct arm *arm;
    const char *variant, *config, *kernel;
    double duration_ns; /* of the launch that was counted */
    double flop, flop_per_s;
    struct roof levels[ROOF_LEVELS];
    struct roof precisions[ROOF_PRECISIONS_MAX]; /* that it has operations of, those that need most time first */
    size_t precision_count;
    const char *nearest;  /* roof, of those whose height is known; "" none */
    double nearest_share; /* ... of it: of what was measured, else of theory */
    bool nearest_is_measured;
    const char *uncounted; /* precisions whose operations have no counter: "tensor_fp8, tensor_tf32"; "" none */
};

/* Fills all but the names of the kernel. `chip` (NULL: unknown) knows which counters
 * it lacks; `ceilings` is the GPU that the manifest holds, NULL for none. False without a duration, or when the
 * operations of FP32 were not counted: precisions that were not are named. Texts are literals or the arena's. */
bool roofline_of(struct roofline *out, const struct counters *c, const struct chip *chip, const json_t *ceilings,
                 struct arena *arena);

/* The share of its roof that it reaches: of what was measured where that is known, else of theory. NAN. */
double roof_share(const struct roof *r);

#endif
