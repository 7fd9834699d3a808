/* launch_groups.h - which launches of a process are the same work, so that their times may become one number?
 *
 * A launch is known by its kernel, grid, block and shared memory: one number, its token. Its length plays no part: that
 * is what is to be found out.
 *
 * One kernel: a sample is a launch, and launches of one token are a group. Where one token is in several places of a
 * period that repeats, each place is a group, since arguments differ by place.
 *
 * Several kernels: a sample is a sequence of launches that repeats, and a group has all samples of one sequence. A
 * sweep is several such parts, one after the other. Work between them that comes again and again is a group of single
 * launches. The rest, such as set-up, is in no group. */
#ifndef CPPROF_LAUNCH_GROUPS_H
#define CPPROF_LAUNCH_GROUPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"

enum {
    LAUNCH_GROUPS_MAX = 256, /* of a process */
    LAUNCH_PLACES_MAX = 64,  /* of a period, beyond which one kernel is grouped by token alone */
    LAUNCH_PERIOD_MAX = 4096,
    LAUNCH_GROUP_SHARE = 10 /* a group before the largest one, with less than this part of its samples, is set-up */
};
#define LAUNCH_NO_GROUP UINT32_MAX

struct ordered_launch {
    uint32_t token, kernel;
};

struct launch_group {
    size_t first;  /* the first launch of its first sample */
    size_t length; /* launches of a sample */
    size_t place;  /* in the period, from 1; 0: its token has one place */
    size_t samples;
    bool is_set_up; /* few samples, all before the first one of the largest group: to be left out */
};

/* Where a launch belongs. */
struct launch_place {
    uint32_t group; /* LAUNCH_NO_GROUP: in none */
    bool is_first;  /* a sample begins here */
};

struct launch_groups {
    struct launch_group *items; /* in the order of their first launches; none: the launches do not repeat */
    size_t count, capacity;
    struct launch_place *places; /* of each launch */
    size_t in_none;              /* launches in no group */
};

/* Fills a zeroed one from launches in the order of their starts. Memory is 40 bytes a launch. ERR_INPUT for more than
 * LAUNCH_GROUPS_MAX groups, and where the search took too many comparisons. */
int launch_groups_find(struct launch_groups *out, const struct ordered_launch *launches, size_t count, struct err *e);
void launch_groups_release(struct launch_groups *groups);

#endif
