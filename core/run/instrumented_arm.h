/* instrumented_arm.h - which arms are builds with marks that record or wait, or without a part of their work
 * (docs/inside.md)? Their names tell. */
#ifndef CPPROF_INSTRUMENTED_ARM_H
#define CPPROF_INSTRUMENTED_ARM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/run/arms.h"

/* What a name says: family/name+delay-ROLE.MARK-CYCLES, or -none. */
struct delay_arm {
    size_t of_length; /* of the variant without marks, which begins the name */
    int64_t role, mark;
    int64_t asked_cycles; /* -1: the mark does not wait */
};

/* Returns false for the name of any other variant. */
bool delay_arm_read(struct delay_arm *out, const char *variant);

/* Is it slower on purpose? */
bool arm_is_delayed(const struct arm *arm); /* false for NULL */
bool variant_is_delayed(const char *variant);

/* Is a part of its work left out (bundle_tables.h)? Such an arm is no result. */
bool arm_is_partial(const struct arm *arm); /* false for NULL */

/* Is it delayed or partial? Then its time says nothing by itself, so that it is no candidate of any comparison. */
bool arm_is_altered(const struct arm *arm); /* false for NULL */
bool variant_is_altered(const char *variant);

/* Returns the length of the name of the variant whose record build this is, which begins the name; 0: it is none. */
size_t record_arm_of_length(const char *variant);

/* The same of a build whose progress can be read while it runs. */
size_t progress_arm_of_length(const char *variant);

/* Is it the build of another variant with marks, or without a part of its work? */
bool arm_is_instrumented(const struct arm *arm); /* false for NULL */
bool variant_is_instrumented(const char *variant);

#endif
