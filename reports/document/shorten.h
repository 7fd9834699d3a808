/* shorten.h - names that are too long for their column: "pipe…async3". */
#ifndef CPPROF_SHORTEN_H
#define CPPROF_SHORTEN_H

#include <stdbool.h>
#include <stddef.h>

#include "core/base/arena.h"

/* Cuts the names that have more than `columns` characters in their middle, where they are alike if that can be. Names
 * that differ still differ; where that cannot be, or memory is out, false, and all stay as they are. The names are
 * valid UTF-8. */
bool shorten_names(struct arena *arena, const char **names, size_t count, size_t columns);

/* The least width, from `least` on, at which the names can be cut so. */
size_t shorten_least(const char *const *names, size_t count, size_t least);

/* Returns the length of the beginning that all names have, up to a '/' or '-' in it ("sdpa/", "allreduce/1stage-"); 0
 * of fewer than two names. */
size_t shorten_beginning(const char *const *names, size_t count);

#endif
