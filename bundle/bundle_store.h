/* bundle_store.h - bundles kept under a name, to compare later ones with
 * (docs/compare.md): STORE/NAME/000001.cpprof, 000002.cpprof ... in the order in
 * which they were saved; the latest is the one with the highest number. */
#ifndef CPPROF_BUNDLE_STORE_H
#define CPPROF_BUNDLE_STORE_H

#include "base/err.h"
#include "base/str.h"
#include "bundle/bundle.h"

/* Copies what the seal lists of an open bundle; readers see all of it or
 * nothing. ERR_INPUT for a bundle that is not whole, ERR_USAGE for a name that
 * is no name (letters, digits, '.', '_', '-', '+', not first a '.'). `saved` is
 * cleared first. */
int bundle_store_save(const char *store, const char *name, const struct bundle *b, struct str *saved, struct err *e);

/* The path of "NAME", the latest, or of "NAME@3". ERR_INPUT when there is none. */
int bundle_store_find(const char *store, const char *reference, struct str *path, struct err *e);

#endif
