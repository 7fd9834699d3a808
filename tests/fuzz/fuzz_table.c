/* Does the reader of a bundle's tables survive any bytes? */
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>

#include "core/io/csv.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    FILE *file = fuzz_file(data, size);
    struct csv_reader *csv;
    struct csv_row row;
    struct err e = {0};
    int rc = csv_reader_new(&csv, file, "fuzz", &e);
    while (!rc && (rc = csv_reader_next(csv, &row, &e)) == 1)
        for (rc = 0; row.count; row.count--)
            if (row.fields[row.count - 1].text[row.fields[row.count - 1].length])
                abort();
    if (rc < 0 && !*e.text)
        abort();
    csv_reader_free(csv);
    fclose(file);
    return 0;
}
