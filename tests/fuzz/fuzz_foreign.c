/* Is any file at all named in one line? */
#include "tests/fuzz/fuzz.h"

extern const struct reader foreign_reader;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_reader(&foreign_reader, data, size);
    return 0;
}
