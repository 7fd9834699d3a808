/* variant_check.h - is what a variant says of itself complete and without
 * contradiction? Asked of a stranger's before anything of it runs, and of our
 * own by the tests. */
#ifndef CPPROF_VARIANT_CHECK_H
#define CPPROF_VARIANT_CHECK_H

#include "base/err.h"
#include "cpprof/variant.h"

enum { VARIANT_NAME_MAX = 96, VARIANT_TEXT_MAX = 1024, VARIANT_SHAPES_MAX = 256, VARIANT_EXPECT_MAX = 64 };

/* "family/variant", of letters, digits and "._-+" on both sides. May be NULL. */
int variant_check_name(const char *name, struct err *e);

/* All of it; the variant must be as long as ours. ERR_USAGE with what is wrong. */
int variant_check(const struct cpprof_variant *variant, struct err *e);

/* What it declares of one config, which is only known when it is asked. */
int variant_check_declaration(const struct cpprof_declaration *declaration, struct err *e);

#endif
