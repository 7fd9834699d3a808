/* bundle_seal.h - are all sealed files (core/bundle/seal.h) still there, unchanged? */
#ifndef CPPROF_BUNDLE_SEAL_H
#define CPPROF_BUNDLE_SEAL_H

#include "core/base/caveat.h"
#include "core/base/err.h"
#include "core/bundle/bundle.h"

/* Opens the traces of a bundle that was begun and compares each sealed file with the seal. It uses the checksums of the
 * tables as they were read and of the traces as they were opened, so no file is opened again. Missing and different
 * files are noted in `faults`, and so is a bundle that is marked complete without a list of files. */
int bundle_check_seal(struct bundle *b, struct err *e);

enum seal_part { SEAL_OF_ALL, SEAL_OF_TRACES, SEAL_OF_OTHERS };

/* Adds a CAVEAT_TRUNCATED for each file of that part that differs from what was sealed. */
int bundle_note_seal(const struct bundle *b, enum seal_part part, struct caveat_list *caveats, struct err *e);

#endif
