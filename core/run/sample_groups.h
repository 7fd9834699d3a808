/* sample_groups.h - the groups of alike samples of each program that ran as a variant.
 *
 * A bundle says to which group each iteration belongs (column `block` of timing.csv, member "groups" of a process
 * in the manifest). Where it does not, the trace of each program's first process is grouped, and the others
 * are taken to do the same if they have as many iterations. */
#ifndef CPPROF_SAMPLE_GROUPS_H
#define CPPROF_SAMPLE_GROUPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/arena.h"
#include "core/base/array.h"
#include "core/base/err.h"
#include "core/bundle/bundle.h"
#include "core/run/launch_groups.h"

/* In metrics.csv a launch of group g is number GROUP_LAUNCHES * g + n. */
enum { GROUP_LAUNCHES = 16 };

enum launch_trait { TRAIT_KERNEL, TRAIT_GRID, TRAIT_BLOCK, TRAIT_SHARED, TRAIT_PLACE, TRAIT_COUNT };

struct sample_group {
    const char *key;          /* equal keys are one group */
    const char *const *forms; /* of the launches of a sample, in order (launch_form.h) */
    size_t form_count;
    const char *traits[TRAIT_COUNT]; /* as a name has them: "64x64", of several launches "64+128" */
    double sizes[3];                 /* blocks, threads of a block, threads: sums over the launches */
    int64_t samples;
    size_t processes;    /* that have it */
    const char *config;  /* its name among the arms, set by group_names_set */
    const char *problem; /* why its times are no comparison; "" */
};

/* The group of an iteration; SIZE_MAX: it is left out. */
struct grouped_row {
    double process, iteration;
    size_t group;
};

/* The group of the first, second, ... launch of a kernel. */
struct kernel_launch_group {
    const char *kernel;
    size_t launch; /* from 0 */
    size_t group;
};

struct arm_groups {
    const char *variant;
    ARRAY_OF(struct sample_group) groups; /* none: not known */
    ARRAY_OF(struct grouped_row) rows;    /* by process and iteration */
    ARRAY_OF(struct kernel_launch_group) launches;
    size_t counted[LAUNCH_GROUPS_MAX]; /* the groups of its first process, as it was recorded */
    size_t counted_count;              /* 0: the trace was grouped */
    size_t processes;
    int64_t left_out;    /* launches that were left out when it was recorded */
    int64_t set_up;      /* iterations that are left out */
    const char *unknown; /* why there are no groups although launches differ; "" */
};

/* Fills a zeroed one. Texts are in the arena or the bundle's. */
int sample_groups_read(struct arm_groups *out, const struct bundle *b, const char *variant, struct arena *arena,
                       struct err *e);
void sample_groups_release(struct arm_groups *groups);

/* Returns the choice of kernels of a variant; "" without one. */
const char *sample_groups_kernels(const struct bundle *b, const char *variant);

/* Returns the group of an iteration; SIZE_MAX for one that is left out or unknown. */
size_t sample_groups_of(const struct arm_groups *groups, double process, double iteration);

#endif
