/* hotspot_rows.h - where in its code a kernel spends its time. */
#ifndef CPPROF_HOTSPOT_ROWS_H
#define CPPROF_HOTSPOT_ROWS_H

#include <stddef.h>

#include "core/base/array.h"
#include "core/run/arms.h"

/* Where in its code does a kernel spend its time? Of samples of the program counter:
 * shares of warps seen, as good as shares of time. */
struct hot_reason {
    const char *name; /* as CUPTI calls what the warps wait for; "selected": they issued */
    double samples;
};

struct hot_instruction {
    double offset;           /* bytes from the kernel's start */
    const char *instruction; /* "" unknown */
    const char *file;        /* "" without line information */
    double line;
    double samples;
    struct hot_reason *reasons; /* the most frequent first */
    size_t reason_count;
};

/* All recorded instructions of a source line. */
struct hot_line {
    const char *file;
    double line;
    const char *text; /* what it says; "" unknown */
    double samples;
    struct hot_reason *reasons; /* the most frequent first */
    size_t reason_count;
};

struct hotspots {
    const struct arm *arm;
    const char *variant, *config, *kernel;
    double samples;                                /* all of the kernel */
    ARRAY_OF(struct hot_reason) reasons;           /* of the whole kernel, the most frequent first */
    ARRAY_OF(struct hot_line) lines;               /* the hottest first; none without line information */
    ARRAY_OF(struct hot_instruction) instructions; /* the hottest first; the cooler ones are not recorded */
};

#endif
