/* registry.h - which variants are built in? */
#ifndef CPPROF_REGISTRY_H
#define CPPROF_REGISTRY_H

#include <stddef.h>

#include "cpprof/variant.h"

/* One line per family in registry.c. */
struct variant_family {
    const char *name;
    const struct cpprof_variant *variants;
    size_t count;
};

const struct variant_family *variant_families(size_t *count);
const struct cpprof_variant *variant_by_name(const char *name); /* NULL when unknown */

/* What ptxas said of a kernel when it was built (generated from its -v log). */
struct ptxas_facts {
    const char *symbol; /* mangled */
    int sm;             /* 80, 89, 90 */
    int registers;
    int stack_bytes;
    int spill_store_bytes;
    int spill_load_bytes;
};

const struct ptxas_facts *ptxas_facts_find(const char *symbol, int sm); /* NULL when not one of ours */

#endif
