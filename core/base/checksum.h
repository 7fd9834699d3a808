/* checksum.h - what is the CRC-32 of these bytes? Chunks of shards and sealed files carry one (docs/formats.md). */
#ifndef CPPROF_CHECKSUM_H
#define CPPROF_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

/* Returns the checksum of all bytes so far. `before` is the checksum of the bytes before these, 0 for the first
 * piece. */
uint32_t checksum_crc32(uint32_t before, const void *bytes, size_t count);

#endif
