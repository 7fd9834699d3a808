/* timing_arms.h - the timed iterations of a bundle, gathered by arm and process.
 *
 * An arm is a variant at a config with the caches in one state. The process is
 * the unit of replication: what one process measures many times is one
 * observation, the midmean of its samples. */
#ifndef CPPROF_TIMING_ARMS_H
#define CPPROF_TIMING_ARMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "run/arm_table.h"

struct timing_sample {
    double process; /* number, as in the table */
    double duration_ns;
    double sm_clock_hz; /* NAN unknown */
};

/* Which samples ran one after the other, under one reading of the clock. */
struct timing_block {
    double process, block;
};

struct timing_process {
    double process;
    double typical_ns;     /* midmean of its samples */
    double typical_cycles; /* the same of duration times clock; NAN when a sample has no clock */
    size_t samples;
};

struct timing_arm {
    const struct arm *arm;
    const char *variant, *config, *cache; /* the table's texts */
    double batch; /* launches per sample, 1 or those of its graph; NAN: there are samples of both kinds, or of an
                     unknown one */
    struct {
        struct timing_sample *items; /* by (process, duration_ns) */
        size_t count, capacity;
    } samples;
    struct {
        struct timing_process *items; /* by process */
        size_t count, capacity;
    } processes;
    struct {
        struct timing_block *items; /* in which the GPU throttled: none of their samples is above */
        size_t count, capacity;
    } discarded;
};

struct timing_arms {
    struct timing_arm *items;
    size_t count, capacity;
    struct arm_index index;
};

/* Fills an empty (zeroed) list from BUNDLE_TIMING, which must outlive it, as the arms must. Rows
 * without a process or a positive duration are left out, those of throttled
 * blocks too: an arm may have none left. */
int timing_arms_read(struct timing_arms *out, const struct arm_table *timing, struct err *e);
void timing_arms_release(struct timing_arms *arms);

/* Both of single launches or both of graphs: a launch alone takes longer than one of a graph, and the two must not
 * meet in a ratio. It is not known for an arm whose batch is NAN. */
bool timing_arms_are_alike(const struct timing_arm *a, const struct timing_arm *b);

/* The arm with hot caches, else the first one of another state; NULL without any. */
const struct timing_arm *timing_arms_find(const struct timing_arms *arms, const struct arm *arm);

/* The arm with the caches in this state; NULL without one. */
const struct timing_arm *timing_arms_at(const struct timing_arms *arms, const struct arm *arm, const char *cache);

/* Which of them are of this arm. */
struct arm_places timing_arms_of(const struct timing_arms *arms, const struct arm *arm);

/* Mean over the samples that have a clock; NAN without any. */
double timing_arm_clock_hz(const struct timing_arm *arm);

#endif
