/* Does the reader of Chrome trace survive any bytes? */
#include "tests/fuzz/fuzz.h"

extern const struct reader kineto_reader;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_reader(&kineto_reader, data, size);
    return 0;
}
