/* demangle_work.h - how much work is it to print a mangled name?
 *
 * The demangler first reads a symbol into a tree whose parts are shared, then walks that tree. It bounds only what it
 * prints, and it can walk for years without a word: it looks for a pack in a whole pattern ("Dp", "sp", "sizeof...")
 * though the pack is empty, and a parameter stands for its argument. So the steps are counted before. */
#ifndef CPPROF_DEMANGLE_WORK_H
#define CPPROF_DEMANGLE_WORK_H

#include <libiberty/demangle.h>
#include <stdbool.h>
#include <stddef.h>

/* The tree at `root`, all of whose parts are among the `count` of the array `parts` (cplus_demangle_v3_components).
 * False when printing it may take more than some 0.1 s or 1 MiB of the stack, or when memory is out. */
bool demangle_is_little_work(const struct demangle_component *root, const void *parts, size_t count);

#endif
