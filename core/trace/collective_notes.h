/* collective_notes.h - what does a trace say of a collective, besides its kernel?
 *
 * The kernel of a collective has a name and times. Some formats also state the communicator, the number of bytes and
 * the place in the order of its collectives. A note has these, and belongs to the kernel with the same rank, device,
 * stream and start. */
#ifndef CPPROF_COLLECTIVE_NOTES_H
#define CPPROF_COLLECTIVE_NOTES_H

#include <stdint.h>

#include "core/base/err.h"
#include "core/io/record_spool.h"

/* Records are written as bytes: no padding. */
struct collective_note {
    int64_t start_ns;
    int64_t bytes;       /* the larger of what goes in and out; -1: unknown */
    int64_t sequence;    /* place among the collectives of the communicator; -1: unknown */
    uint32_t group;      /* string id: the communicator's name and its ranks */
    uint32_t operation;  /* string id: "allreduce"; 0: unknown */
    uint32_t group_size; /* ranks of the communicator; 0: unknown */
    uint32_t stream;
    int16_t rank, device;
    uint32_t correlation;
};

/* Makes a spool of notes, which gives them by (start_ns, rank, device, stream, correlation). */
int collective_note_spool_new(struct record_spool **out, struct err *e);

#endif
