/* hash.h - where does a key stand in a hash table?
 *
 * Whoever writes a trace chooses ids, ranks, streams and names, but must not be able to choose which of them collide.
 * So keys are mixed with random numbers of this process. A hash is only good for places in a table: nothing that is
 * shown may depend on it. */
#ifndef CPPROF_HASH_H
#define CPPROF_HASH_H

#include <stddef.h>
#include <stdint.h>

/* Returns the hash of a number. All bits of the key affect all bits of the result. */
uint64_t hash_mix(uint64_t key);

/* Returns the hash of a text. */
uint64_t hash_bytes(const void *bytes, size_t length);

#endif
