/* What is the CRC-32 of these bytes? libdeflate uses carry-less multiplication where the processor has it, and is then
 * several times as fast as zlib. */
#include "core/base/checksum.h"

#include <libdeflate.h>

uint32_t checksum_crc32(uint32_t before, const void *bytes, size_t count)
{
    return count ? libdeflate_crc32(before, bytes, count) : before;
}
