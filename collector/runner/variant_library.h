/* variant_library.h - opens a shared library with variants and checks the table that it exports. */
#ifndef CPPROF_VARIANT_LIBRARY_H
#define CPPROF_VARIANT_LIBRARY_H

#include "core/base/err.h"
#include "cpprof/variant.h"

struct variant_library {
    void *handle;                               /* of dlopen; it is never closed */
    const struct cpprof_variant_library *table; /* of at least one variant; each has a size and a valid name */
};

/* ERR_USAGE: it is not a library, has another ABI, or a table that cannot be read. */
int variant_library_open(struct variant_library *out, const char *path, struct err *e);

/* Copies a variant of any age into one of our full length. */
void variant_library_copy(struct cpprof_variant *out, const struct cpprof_variant *from);

#endif
