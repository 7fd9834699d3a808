/* Does reading an array survive any bytes, and give as many values as it promised? */
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>

#include "core/base/count_of.h"
#include "core/io/npy.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct npy_array a;
    struct err e = {0};
    char text[NPY_SHAPE_TEXT_BYTES];
    double values[256];
    uint64_t read = 0;
    long got = 0;
    FILE *file = fuzz_file(data, size);
    const int rc = npy_begin(&a, file, "fuzz", &e);
    if (rc && !*e.text)
        abort();
    while (!rc && (got = npy_next(&a, values, COUNT_OF(values), "fuzz", &e)) > 0)
        read += (uint64_t)got;
    if (!rc && (got < 0 || read != a.values || !*npy_describe(text, &a)))
        abort();
    fclose(file);
    return 0;
}
