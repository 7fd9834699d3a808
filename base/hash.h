/* hash.h - where does a key stand in a hash table?
 *
 * What traces choose (ids, ranks, streams, names) must not choose its collisions:
 * keys are mixed with random numbers of this process. So a hash is good for
 * places in a table alone; nothing that is shown may depend on it. */
#ifndef CPPROF_HASH_H
#define CPPROF_HASH_H

#include <stddef.h>
#include <stdint.h>

/* All bits of the key reach all bits of the result. */
uint64_t hash_mix(uint64_t key);

/* The hash of a text. */
uint64_t hash_bytes(const void *bytes, size_t length);

#endif
