/* variant_check.h - is the description of a variant complete and free of contradictions? Variants from libraries are
 * checked before any of their code runs, our own by the tests. */
#ifndef CPPROF_VARIANT_CHECK_H
#define CPPROF_VARIANT_CHECK_H

#include "core/base/err.h"
#include "cpprof/variant.h"

enum { VARIANT_NAME_MAX = 96, VARIANT_TEXT_MAX = 1024, VARIANT_SHAPES_MAX = 256, VARIANT_EXPECT_MAX = 64 };

/* Checks a name "family/variant", with letters, digits and "._-+" on both sides. `name` may be NULL, which is an
 * error. */
int variant_check_name(const char *name, struct err *e);

/* Checks everything. The struct must have our full length. Returns ERR_USAGE with the problem. */
int variant_check(const struct cpprof_variant *variant, struct err *e);

/* Checks what it declares for one config, which is only known when it is asked. */
int variant_check_declaration(const struct cpprof_declaration *declaration, struct err *e);

#endif
