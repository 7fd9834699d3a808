/* Is any file at all named in one line? */
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_reader(&not_a_trace_reader, data, size);
    return 0;
}
