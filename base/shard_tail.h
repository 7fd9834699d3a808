/* shard_tail.h - how does a shard end, and what of it can be kept?
 *
 * A process that goes in the middle of a write (SIGKILL, exec, _exit) leaves the
 * beginning of a chunk behind the last whole one: a torn tail. All else that is
 * not in order is damage, and nobody may take it away. */
#ifndef CPPROF_SHARD_TAIL_H
#define CPPROF_SHARD_TAIL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

enum shard_end {
    SHARD_WHOLE,  /* header and whole chunks, of which only the lengths were looked at */
    SHARD_TORN,   /* whole chunks that check, and then the beginning of one more */
    SHARD_DAMAGED /* anything else, what is no shard among it */
};

struct shard_tail {
    enum shard_end end;
    uint64_t whole_bytes; /* the header and the chunks whose length is whole; 0 for no shard */
    uint64_t torn_bytes;  /* behind them */
};

/* What cannot be opened is damaged. Only ERR_MEMORY. */
int shard_tail_look(const char *path, struct shard_tail *out, struct err *e);

/* The same of an open file, by the lengths alone: whole_bytes as above. */
uint64_t shard_tail_whole_bytes(int fd);

/* May anybody append to it: has any process of this machine, in whichever
 * container, it open for writing? True as well where that cannot be asked (no
 * leases on NFS, another user's file). */
bool shard_tail_may_grow(const char *path);

#endif
