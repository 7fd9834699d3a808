/* bundle_seal.h - is everything that was sealed (bundle/seal.h) still there, unchanged? */
#ifndef CPPROF_BUNDLE_SEAL_H
#define CPPROF_BUNDLE_SEAL_H

#include "base/caveat.h"
#include "base/err.h"
#include "bundle/bundle.h"

/* Opens the traces of a bundle that was begun, and compares each sealed file with the seal, by the sums of the tables
 * that were read and of the traces as they were opened: nothing is opened again. What is gone or differs is kept in
 * the bundle, and so is that one is marked complete without a list of its files. */
int bundle_check_seal(struct bundle *b, struct err *e);

enum seal_part { SEAL_OF_ALL, SEAL_OF_TRACES, SEAL_OF_OTHERS };

/* A CAVEAT_TRUNCATED for each file of that part which is not what was sealed. */
int bundle_note_seal(const struct bundle *b, enum seal_part part, struct caveat_list *caveats, struct err *e);

#endif
