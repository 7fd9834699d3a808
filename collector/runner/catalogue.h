/* catalogue.h - which variants can this process run? Those that are built in,
 * and those of the libraries that --load names. */
#ifndef CPPROF_CATALOGUE_H
#define CPPROF_CATALOGUE_H

#include <stddef.h>

#include "base/err.h"
#include "cpprof/variant.h"

enum { CATALOGUE_VARIANTS_MAX = 1024, LIBRARY_VARIANTS_MAX = 256 };

struct catalogue_entry {
    const struct cpprof_variant *variant; /* all of its fields can be read; stays where it is */
    const char *library;                  /* the file's name without its folder; "" of a built-in one */
};

struct catalogue {
    struct catalogue_entry *items; /* built-in ones first, then in the order of loading */
    size_t count, capacity;
};

int catalogue_add_built_in(struct catalogue *c, struct err *e);

/* Adds the variants of a library, or none of them: ERR_USAGE, with the library and
 * the variant, when it is no library, is of another ABI, or anything in its tables
 * could not be run. It stays loaded until the process ends: CUDA keeps pointers to
 * what a library has registered. variant_library.c */
int catalogue_load(struct catalogue *c, const char *path, struct err *e);

const struct catalogue_entry *catalogue_find(const struct catalogue *c, const char *name); /* NULL when unknown */
void catalogue_cut(struct catalogue *c, size_t count); /* forgets those behind the first `count` */
void catalogue_release(struct catalogue *c);

#endif
