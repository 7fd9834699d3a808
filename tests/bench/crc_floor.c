/* How long do reading files and summing their bytes take?
 *
 *   crc_floor FILE...     prints the number of bytes and their checksum
 *
 * The floor to which reading traces is compared: the CRC of libdeflate, which a reader of shards computes too, over
 * blocks of 1 MiB. */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/base/checksum.h"

enum { BLOCK_BYTES = 1 << 20 };

int main(int argc, char **argv)
{
    static char block[BLOCK_BYTES];
    uint64_t bytes = 0;
    uint32_t crc32 = 0;
    for (int i = 1; i < argc; i++) {
        FILE *file = fopen(argv[i], "rb");
        if (!file || setvbuf(file, NULL, _IONBF, 0)) {
            perror(argv[i]);
            return EXIT_FAILURE;
        }
        size_t got;
        while ((got = fread(block, 1, sizeof block, file))) {
            crc32 = checksum_crc32(crc32, block, got);
            bytes += got;
        }
        fclose(file);
    }
    printf("%" PRIu64 " bytes, %08" PRIx32 "\n", bytes, crc32);
    return EXIT_SUCCESS;
}
