/* checksum.h - the CRC-32 over chunks of shards and sealed files (docs/formats.md). */
#ifndef CPPROF_CHECKSUM_H
#define CPPROF_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

/* The sum of `before`, which is 0 for the first piece, and the bytes behind it. */
uint32_t checksum_crc32(uint32_t before, const void *bytes, size_t count);

#endif
