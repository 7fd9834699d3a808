/* arms.h - the arms of a run, each once: a variant at a config.
 *
 * What a run holds of an arm has a pointer to it: within a run, the same pointer is the same arm. Arms of two runs are
 * never the same, they meet by their names (arms_find). */
#ifndef CPPROF_ARMS_H
#define CPPROF_ARMS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"
#include "base/array.h"
#include "base/err.h"
#include "base/key_table.h"
#include "base/strtab.h"

struct arm {
    const char *variant, *config; /* the arms' own texts, each once: of two arms, equal names are equal pointers */
    size_t index;                 /* its place among the arms of its run */
    const struct arm *next;       /* the next arm of the same variant; NULL behind the last */
};

struct arms {
    struct arena arena;
    struct strtab names;
    struct key_table pairs; /* ids of variant and config in `names`; of an arm the place below, plus 1 */
    ARRAY_OF(struct arm *) list;
    ARRAY_OF(struct variant_arms) variants; /* by id in `names` */
};

void arms_init(struct arms *arms);
void arms_release(struct arms *arms);

/* The arm of these names, a new one if there was none; NULL when memory is out. The names are copied. */
const struct arm *arms_add(struct arms *arms, const char *variant, const char *config);

/* NULL when the run has no such arm, or no such variant. */
const struct arm *arms_find(const struct arms *arms, const char *variant, const char *config);
const struct arm *arms_of_variant(const struct arms *arms, const char *variant); /* the first one; then `next` */

/* Is it one of these? */
bool arms_has(const struct arms *arms, const struct arm *arm);

/* ---- what belongs to an arm ---- */

/* Places in a list by arm. Starts zeroed. */
struct arm_index {
    size_t *items; /* those of arm i, ascending: from first[i] up to first[i + 1] */
    size_t *first;
    size_t arm_count;
};

struct arm_places {
    const size_t *items;
    size_t count;
};

/* Indexes `count` items of `item_bytes`, with a pointer to an arm (NULL: none) at `offset` of each. */
int arm_index_make(struct arm_index *out, const void *items, size_t count, size_t item_bytes, size_t offset,
                   struct err *e);
void arm_index_release(struct arm_index *index);

/* Where the items of an arm stand; nowhere for NULL. */
struct arm_places arm_index_of(const struct arm_index *index, const struct arm *arm);

#endif
