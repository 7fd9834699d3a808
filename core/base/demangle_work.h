/* demangle_work.h - how much work is it to print a mangled name?
 *
 * The demangler first reads a symbol into a tree whose parts are shared, then walks that tree. It limits only how much
 * it prints, and it can walk for years without printing: it looks for a pack in a whole pattern ("Dp", "sp",
 * "sizeof...") though the pack is empty, and it walks a parameter's argument at each use. So the steps are counted
 * beforehand. */
#ifndef CPPROF_DEMANGLE_WORK_H
#define CPPROF_DEMANGLE_WORK_H

#include <libiberty/demangle.h>
#include <stdbool.h>
#include <stddef.h>

/* Returns whether the tree at `root` can be printed in about 0.1 s and 1 MiB of stack; false also when memory is out.
 * `parts` is the array of `count` parts that holds all parts of the tree (cplus_demangle_v3_components). */
bool demangle_is_little_work(const struct demangle_component *root, const void *parts, size_t count);

#endif
