/* Does the reader of the CSV of nsys stats survive any bytes? */
#include "tests/fuzz/fuzz.h"

extern const struct reader nsys_csv_reader;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_reader(&nsys_csv_reader, data, size);
    return 0;
}
