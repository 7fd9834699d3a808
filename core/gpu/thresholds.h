/* thresholds.h - the numbers at which a verdict about a bound changes. They are in one table and are printed with the
 * verdict; docs/bounds.md explains how each is used. */
#ifndef CPPROF_THRESHOLDS_H
#define CPPROF_THRESHOLDS_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/units.h"

enum threshold_id {
    THRESHOLD_LAUNCH_IDLE,
    THRESHOLD_LATENCY_SHARE,
    THRESHOLD_HIGH_SHARE,
    THRESHOLD_LEAD,
    THRESHOLD_DRAM_CEILING,
    THRESHOLD_DRAM_PREFERENCE,
    THRESHOLD_SHARED_PREFERENCE,
    THRESHOLD_PIPE_PREFERENCE,
    THRESHOLD_UNKNOWN_UNIT,
    THRESHOLD_TAIL_WAVES,
    THRESHOLD_TAIL_LAST_WAVE,
    THRESHOLD_SMALL_GRID,
    THRESHOLD_SHORT_KERNEL,
    THRESHOLD_SHORT_ACTIVE,
    THRESHOLD_NCU_LATENCY,
    THRESHOLD_NCU_HIGH,
    THRESHOLD_NCU_LEAD,
    THRESHOLD_NCU_WAVES,
    THRESHOLD_EXPOSED_STALL,
    THRESHOLD_HIDDEN_SHARE,
    THRESHOLD_HIDDEN_RISE,
    THRESHOLD_HIDDEN_WARPS,
    THRESHOLD_HIDDEN_MEMORY,
    THRESHOLD_RULE_OF_THUMB,
    THRESHOLD_SMALL_GAIN,
    THRESHOLD_AHEAD_COST,
    THRESHOLD_STAGE_COST,
    THRESHOLD_SIGNAL_CHANGE,
    THRESHOLD_SIGNAL_FLAT,
    THRESHOLD_DRAM_FLOOR,
    THRESHOLD_CONFLICT_FLOOR,
    THRESHOLD_SLOWDOWN_SHARE,
    THRESHOLD_MOVED_SHARE,
    THRESHOLD_MOVED_AMOUNT,
    THRESHOLD_MOVED_REGISTERS,
    THRESHOLD_COUNT
};

struct threshold {
    const char *name;
    double value; /* the embedded value, for chips without one of their own */
    enum unit unit;
    const char *meaning;
};

const struct threshold *threshold_get(enum threshold_id id);
enum threshold_id threshold_by_name(const char *name); /* THRESHOLD_COUNT when there is none */

/* Values from a file, which replace embedded ones (core/gpu/threshold_file.h). */
enum { THRESHOLD_OVERRIDES_MAX = 256, THRESHOLD_CHIPS_BYTES = 64 };
struct threshold_override {
    enum threshold_id id;
    char chips[THRESHOLD_CHIPS_BYTES]; /* patterns separated by blanks: "*", "AD10? GA102" */
    double value;
};
struct threshold_overrides {
    const char *path; /* owned by the caller; NULL when there is no file */
    size_t count;
    struct threshold_override items[THRESHOLD_OVERRIDES_MAX]; /* the last one that fits the chip is used */
};

/* The thresholds for one chip: the embedded ones, replaced by those of the chip, then by those of a file. */
struct thresholds {
    double values[THRESHOLD_COUNT];
    const char *path; /* of the file; NULL when no row of a file is used */
};

struct chip;
void thresholds_resolve(struct thresholds *out, const struct threshold_overrides *overrides, /* NULL: none */
                        const struct chip *chip);                                            /* NULL: unknown */

/* Is a row for a chip of which only the compute capability is known? Several chips may have the same one. */
enum threshold_fit {
    THRESHOLD_OF_OTHERS, /* for none that have it */
    THRESHOLD_UNCERTAIN, /* for some that have it; or the capability is not listed, or unknown ("") */
    THRESHOLD_FITS       /* for all that have it */
};
enum threshold_fit threshold_row_fit(const struct threshold_override *row, const char *capability);

/* As thresholds_resolve, for such a chip; uses only rows that fit. */
void thresholds_resolve_capability(struct thresholds *out, const struct threshold_overrides *overrides, /* NULL: none */
                                   const char *capability);

static inline double threshold(const struct thresholds *t, enum threshold_id id)
{
    return t->values[id];
}

/* Gives the embedded rows in the order in which they are printed: first the general ones, then those of single chips.
 * Returns false after the last. */
bool threshold_embedded(size_t row, struct threshold_override *out);

/* Returns value >= limit, allowing for the rounding of sums and differences of decimal shares: 0.70 - 0.60 reaches a
 * limit of 0.10. */
bool threshold_reached(double value, double limit);

#endif
