/* shard_tail.h - how does a shard end, and how much of it can be kept?
 *
 * A process that ends in the middle of a write (SIGKILL, exec, _exit) leaves the beginning of a chunk after the last
 * complete one: a torn tail. Anything else that is wrong is damage, and must not be removed. */
#ifndef CPPROF_SHARD_TAIL_H
#define CPPROF_SHARD_TAIL_H

#include <stdbool.h>
#include <stdint.h>

#include "core/base/err.h"

enum shard_end {
    SHARD_WHOLE,  /* a header and complete chunks; only their lengths were checked */
    SHARD_TORN,   /* complete chunks with right checksums, then the beginning of one more */
    SHARD_DAMAGED /* anything else, also a file that is not a shard */
};

struct shard_tail {
    enum shard_end end;
    uint64_t whole_bytes; /* the header and the chunks of full length; 0 when it is not a shard */
    uint64_t torn_bytes;  /* the bytes after them */
};

/* Inspects the end of a file. A file that cannot be opened is SHARD_DAMAGED. The only error is ERR_MEMORY. */
int shard_tail_look(const char *path, struct shard_tail *out, struct err *e);

/* Returns whole_bytes of an open file, from the lengths of its chunks alone. */
uint64_t shard_tail_whole_bytes(int fd);

/* May any process on this machine, in any container, have the file open for writing? Returns true also when this cannot
 * be found out (no leases on NFS, another user's file). */
bool shard_tail_may_grow(const char *path);

#endif
