/* group_names.h - which groups of samples of two programs are the same work? They get one name, which is their shape.
 *
 * Groups are matched by traits of their launches that tell them apart in both programs (kernel, grid, block, ...), or
 * by their order if they are as many, launched as often, and grow alike. Never by their times. */
#ifndef CPPROF_GROUP_NAMES_H
#define CPPROF_GROUP_NAMES_H

#include <stddef.h>

#include "core/base/arena.h"
#include "core/base/err.h"
#include "core/run/sample_groups.h"

/* Sets `config` and `problem` of all groups. The groups of other arms are matched with those of arms[reference];
 * `whole` is the name of the only group of an arm. Texts are in the arena. */
int group_names_set(struct arm_groups *arms, size_t count, size_t reference, const char *whole, struct arena *arena,
                    struct err *e);

#endif
