/* registry.h - which variants are built in? */
#ifndef CPPROF_REGISTRY_H
#define CPPROF_REGISTRY_H

#include <stddef.h>

#include "cpprof/variant.h"

/* The variants of a family. registry.c has one line per family, or several with the same name. */
struct variant_family {
    const char *name;
    const struct cpprof_variant *variants;
    size_t count;
};

const struct variant_family *variant_families(size_t *count);
const struct cpprof_variant *variant_by_name(const char *name); /* NULL when unknown */

#endif
