/* collective_row.h - what does NCCL say of a collective?
 *
 * A chunk of a shard (include/cpprof/shard.h) of type SHARD_CHUNK_COLLECTIVES has such rows. All integers are
 * little-endian. Its kernel is the one that was launched by the thread between begin_ns and end_ns; several collectives
 * that NCCL launched as one have the same thread and times. */
#ifndef CPPROF_COLLECTIVE_ROW_H
#define CPPROF_COLLECTIVE_ROW_H

#include <stdint.h>

enum { SHARD_CHUNK_COLLECTIVES = 8 };

struct collective_row {
    int64_t begin_ns, end_ns; /* on the events' clock; begin_ns <= end_ns */
    uint64_t communicator;    /* the same number at all of its ranks */
    int64_t sequence;         /* NCCL's: among the collectives of this operation on the communicator, from 0 */
    int64_t position;         /* among all collectives of the communicator, from 1 */
    uint64_t count;           /* elements, as they were given to the operation */
    uint32_t operation;       /* string id: "AllReduce" */
    uint32_t type;            /* string id: "ncclFloat32" */
    uint32_t algorithm;       /* string id: "RING" */
    uint32_t protocol;        /* string id: "LL128" */
    uint32_t name;            /* string id: of the communicator; 0: none */
    int32_t rank;             /* of this process in the communicator */
    uint32_t ranks;           /* of the communicator; 0: unknown */
    uint32_t thread;          /* that launched the kernel */
};

_Static_assert(sizeof(struct collective_row) == 80, "a row of a collective is 80 bytes");

#endif
