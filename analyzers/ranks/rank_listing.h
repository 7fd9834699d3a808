/* rank_listing.h - which ranks does the note of a communicator list?
 *
 * A note is "NAME [0,1,2]". PyTorch cuts long lists: "[0,1,...,63]". */
#ifndef CPPROF_RANK_LISTING_H
#define CPPROF_RANK_LISTING_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/array.h"
#include "core/base/err.h"

struct rank_listing {
    ARRAY_OF(int32_t) ranks; /* sorted, each once */
    bool is_whole;           /* it lists ranks, and all of them */
};

/* Reads the list of a note. Release even after an error; `out` need not be initialised. */
int rank_listing_read(const char *note, struct rank_listing *out, struct err *e);
void rank_listing_release(struct rank_listing *l);

bool rank_listing_has(const struct rank_listing *l, int32_t rank);

#endif
