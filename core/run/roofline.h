/* roofline.h - how close does a kernel come to the rates that the machine can reach with its operations and its bytes?
 * (Williams, Waterman, Patterson 2009, with a roof for each precision and each memory level; docs/bounds.md) */
#ifndef CPPROF_ROOFLINE_H
#define CPPROF_ROOFLINE_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/arena.h"
#include "core/base/json.h"
#include "core/gpu/chips.h"
#include "core/run/arms.h"
#include "core/run/counters.h"

/* One roof: the operations of a precision, or the bytes of a memory level. */
struct roof {
    const char *name; /* "fp32", "tensor_fp16"; "l1", "l2", "dram" */
    double amount;    /* operations, or bytes */
    double per_s;     /* over the duration of the launch that was counted */
    double intensity; /* of a level: all operations divided by its bytes; NAN for a precision */
    /* The highest rates: in theory at the clocks of that launch, and as measured; NAN: unknown. */
    double peak, measured;
};

/* The place of a kernel below the roofs. */
enum roof_level { ROOF_L1, ROOF_L2, ROOF_DRAM, ROOF_LEVELS };
enum { ROOF_PRECISIONS_MAX = 12 };
struct roofline {
    const struct arm *arm;
    const char *variant, *config, *kernel;
    double duration_ns; /* of the launch that was counted */
    double flop, flop_per_s;
    struct roof levels[ROOF_LEVELS];
    /* The ones that the kernel has operations of, those that need most time first. */
    struct roof precisions[ROOF_PRECISIONS_MAX];
    size_t precision_count;
    const char *nearest; /* the nearest roof of known height; "": none */
    /* The share of it that is reached: of the measured rate, else of the theoretical one. */
    double nearest_share;
    bool nearest_is_measured;
    const char *beaten; /* heights that are left out because the launch did more than they allow: "l2 measured, fp32 in
                           theory"; "": none */
    const char *uncounted; /* precisions whose operations have no counter: "tensor_fp8, tensor_tf32"; "": none */
};

/* Fills all but the names of the kernel. `chip` (NULL: unknown) states which counters the chip lacks; `ceilings` is the
 * GPU in the manifest, NULL when there is none. Returns false without a duration, or when FP32 operations were not
 * counted. Other precisions that were not counted are named in `uncounted`. Texts are literals or belong to the
 * arena. */
bool roofline_of(struct roofline *out, const struct counters *c, const struct chip *chip, const json_t *ceilings,
                 struct arena *arena);

/* Returns the share of its roof that it reaches: of the measured rate where it is known, else of the theoretical one;
 * NAN when neither is known. */
double roof_share(const struct roof *r);

#endif
