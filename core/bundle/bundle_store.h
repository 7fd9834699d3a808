/* bundle_store.h - bundles kept under a name, to compare later ones with (docs/compare.md).
 *
 * They are STORE/NAME/000001.cpprof, 000002.cpprof ... in the order in which they were saved. The latest has the
 * highest number. */
#ifndef CPPROF_BUNDLE_STORE_H
#define CPPROF_BUNDLE_STORE_H

#include "core/base/err.h"
#include "core/base/str.h"
#include "core/bundle/bundle.h"

/* Copies the sealed files of an open bundle. Readers see all of the copy or nothing. Returns ERR_INPUT for an
 * incomplete bundle, and ERR_USAGE for an invalid name: only letters, digits, '.', '_', '-' and '+' are allowed, and
 * not '.' first. `saved` is cleared and gets the path of the copy. */
int bundle_store_save(const char *store, const char *name, const struct bundle *b, struct str *saved, struct err *e);

/* Gives the path of "NAME", its latest bundle, or of "NAME@3". Returns ERR_INPUT when there is none. */
int bundle_store_find(const char *store, const char *reference, struct str *path, struct err *e);

enum { BUNDLE_STORE_NUMBER_MAX = 999999 };

/* Which bundles are saved under a name? Appends their numbers, the lowest first. ERR_INPUT: there is none. ERR_USAGE:
 * the name is invalid, as "NAME@3" is. */
struct bundle_numbers {
    long *items;
    size_t count, capacity;
};
int bundle_store_numbers(const char *store, const char *name, struct bundle_numbers *out, struct err *e);

#endif
