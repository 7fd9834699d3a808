/* Does the reader of trace shard survive any bytes? */
#include "tests/fuzz/fuzz.h"

extern const struct reader shard_reader;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_reader(&shard_reader, data, size);
    return 0;
}
