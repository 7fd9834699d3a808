/* Does the reader of an SQLite export of nsys survive any bytes? */
#include "tests/fuzz/fuzz.h"

extern const struct reader nsys_sqlite_reader;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_reader(&nsys_sqlite_reader, data, size);
    return 0;
}
