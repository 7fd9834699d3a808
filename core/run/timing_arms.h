/* timing_arms.h - the timed samples of a bundle, gathered by arm and process.
 *
 * An arm is here a variant at a config with the caches in one state. The process is the unit of replication: all
 * samples of a process are one observation, their midmean. */
#ifndef CPPROF_TIMING_ARMS_H
#define CPPROF_TIMING_ARMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"
#include "core/run/arm_table.h"

struct timing_sample {
    double process; /* its number in the table */
    double duration_ns;
    double sm_clock_hz; /* NAN: unknown */
};

/* Samples that ran one after the other and share one reading of the clock. */
struct timing_block {
    double process, block;
};

struct timing_process {
    double process;
    double typical_ns;     /* midmean of its samples */
    double typical_cycles; /* the same for duration times clock; NAN when a sample has no clock */
    size_t samples;
};

struct timing_arm {
    const struct arm *arm;
    const char *variant, *config, *cache; /* owned by the table */
    /* Launches per sample, 1 or those of its graph. NAN: the samples are of both kinds, or of an unknown one. */
    double batch;
    struct {
        struct timing_sample *items; /* by (process, duration_ns) */
        size_t count, capacity;
    } samples;
    struct {
        struct timing_process *items; /* by process */
        size_t count, capacity;
    } processes;
    struct {
        struct timing_block *items; /* blocks in which the GPU throttled; their samples are left out above */
        size_t count, capacity;
    } discarded;
    size_t untimed; /* samples of a solution that have no duration: it waited for the GPU inside its call */
};

struct timing_arms {
    struct timing_arm *items;
    size_t count, capacity;
    struct arm_index index;
};

/* Fills an empty (zeroed) list from BUNDLE_TIMING, which must outlive it, as must the arms. Rows without a process or a
 * positive duration, and rows of throttled blocks, are left out, so an arm may have none left. Rows without any
 * duration are counted. */
int timing_arms_read(struct timing_arms *out, const struct arm_table *timing, struct err *e);
void timing_arms_release(struct timing_arms *arms);

/* Were both measured with single launches, or both with graphs? A launch alone takes longer than one in a graph, so the
 * two must not be compared. False for an arm whose batch is NAN. */
bool timing_arms_are_alike(const struct timing_arm *a, const struct timing_arm *b);

/* The states of the caches in which an arm may be timed, in the order in which they are preferred and shown. */
enum { TIMING_CACHES = 4 };
extern const char *const timing_caches[TIMING_CACHES];

/* Returns the arm with the caches in the first of these states in which there is one; NULL when there is none. */
const struct timing_arm *timing_arms_find(const struct timing_arms *arms, const struct arm *arm);

/* Returns the arm with the caches in this state; NULL when there is none. */
const struct timing_arm *timing_arms_at(const struct timing_arms *arms, const struct arm *arm, const char *cache);

/* Returns the indices of this arm's entries. */
struct arm_places timing_arms_of(const struct timing_arms *arms, const struct arm *arm);

/* Returns the mean over the samples that have a clock; NAN when none has. */
double timing_arm_clock_hz(const struct timing_arm *arm);

#endif
