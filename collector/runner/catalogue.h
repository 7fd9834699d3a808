/* catalogue.h - which variants can this process run? The built-in ones, those of the libraries that --load names, and
 * those that a task makes of solutions. */
#ifndef CPPROF_CATALOGUE_H
#define CPPROF_CATALOGUE_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/err.h"
#include "cpprof/variant.h"

enum { CATALOGUE_VARIANTS_MAX = 1024, LIBRARY_VARIANTS_MAX = 256 };

struct cpprof_task;
struct inside_build;

struct catalogue_entry {
    const struct cpprof_variant *variant; /* all of its fields can be read; it does not move */
    const char *library;                  /* the file's name without its folder; "" for a built-in variant */
    const struct inside_build *build;     /* NULL, or what an instrumented build is (inside_build.h) */
};

struct catalogue {
    struct catalogue_entry *items; /* built-in ones first, then in the order of loading */
    size_t count, capacity;
    struct cpprof_task *task; /* NULL, or what solutions are loaded for; ours */
};

int catalogue_add_built_in(struct catalogue *c, struct err *e);

/* Loads a library by what it exports: its variants, all or none, or a task. "NAME=PATH" is a solution of the task that
 * was loaded before, and becomes the variant "TASK/NAME". ERR_USAGE, with the library and the variant: it is not a
 * library, has another ABI, or has entries that cannot be run. The library stays loaded until the process ends, because
 * CUDA keeps pointers to what it registered. Implemented in variant_library.c. */
int catalogue_load(struct catalogue *c, const char *text, struct err *e);

/* The same for many, solutions last. */
int catalogue_load_all(struct catalogue *c, const char *const *texts, size_t count, struct err *e);

/* Adds copies of an instrumented build and of its variant, under another name. */
int catalogue_add_build(struct catalogue *c, const struct cpprof_variant *variant, const char *name,
                        const char *library, const struct inside_build *build, struct err *e);

/* A solution is known by the name of its variant, "TASK/NAME", and by NAME alone. NULL when unknown. */
const struct catalogue_entry *catalogue_find(const struct catalogue *c, const char *name);
bool catalogue_entry_matches(const struct catalogue_entry *entry, const char *glob);
void catalogue_cut(struct catalogue *c, size_t count); /* removes all after the first `count` */
void catalogue_release(struct catalogue *c);

#endif
