/* arms.h - the arms of a run, each once: a variant at a config.
 *
 * All data about an arm has a pointer to it, and within a run the same pointer means the same arm. Pointers of two runs
 * are never equal: their arms are matched by name (arms_find). */
#ifndef CPPROF_ARMS_H
#define CPPROF_ARMS_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/arena.h"
#include "core/base/array.h"
#include "core/base/err.h"
#include "core/base/key_table.h"
#include "core/base/strtab.h"

struct arm {
    /* Owned by the list, each text once: within it, equal names are equal pointers. */
    const char *variant, *config;
    size_t index;           /* its place among the arms of its run */
    const struct arm *next; /* the next arm of the same variant; NULL after the last */
};

struct arms {
    struct arena arena;
    struct strtab names;
    /* Pairs of the ids of variant and config in `names`. The id of a pair is its index in the list below, plus 1. */
    struct key_table pairs;
    ARRAY_OF(struct arm *) list;
    ARRAY_OF(struct variant_arms) variants; /* by id in `names` */
};

void arms_init(struct arms *arms);
void arms_release(struct arms *arms);

/* Returns the arm with these names, which is added if it is new; NULL when memory is out. The names are copied. */
const struct arm *arms_add(struct arms *arms, const char *variant, const char *config);

/* Returns NULL when the run has no such arm. */
const struct arm *arms_find(const struct arms *arms, const char *variant, const char *config);
/* Returns the first arm of a variant, NULL when there is none; `next` leads to the others. */
const struct arm *arms_of_variant(const struct arms *arms, const char *variant);

/* Is it an arm of this run? */
bool arms_has(const struct arms *arms, const struct arm *arm);

/* ---- the data of each arm ---- */

/* Indices into a list by arm. Starts zeroed. */
struct arm_index {
    size_t *items; /* those of arm i, ascending, are from first[i] up to first[i + 1] */
    size_t *first;
    size_t arm_count;
};

struct arm_places {
    const size_t *items;
    size_t count;
};

/* Indexes `count` items of `item_bytes`, each with a pointer to an arm (NULL: none) at `offset`. */
int arm_index_make(struct arm_index *out, const void *items, size_t count, size_t item_bytes, size_t offset,
                   struct err *e);
void arm_index_release(struct arm_index *index);

/* Returns the indices of an arm's items; none for NULL. */
struct arm_places arm_index_of(const struct arm_index *index, const struct arm *arm);

#endif
