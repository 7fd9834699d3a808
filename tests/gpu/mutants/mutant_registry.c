/* Which variants does the test runner know? Takes the place of kernels/registry.c. */
#include <string.h>

#include "kernels/registry.h"
#include "tests/gpu/mutants/mutants.h"

static const struct variant_family family = {"mutant", mutant_variants, MUTANT_COUNT};

const struct variant_family *variant_families(size_t *count)
{
    *count = 1;
    return &family;
}

const struct cpprof_variant *variant_by_name(const char *name)
{
    for (size_t i = 0; i < MUTANT_COUNT; i++)
        if (!strcmp(mutant_variants[i].name, name))
            return &mutant_variants[i];
    return NULL;
}
