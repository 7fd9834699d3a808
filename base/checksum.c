/* What is the CRC-32 of these bytes? Several times as fast as zlib's where the
 * processor multiplies without carry: libdeflate finds that out by itself. */
#include "base/checksum.h"

#include <libdeflate.h>

uint32_t checksum_crc32(uint32_t before, const void *bytes, size_t count)
{
    return count ? libdeflate_crc32(before, bytes, count) : before;
}
