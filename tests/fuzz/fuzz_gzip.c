/* Does unpacking survive any bytes, and stay within its bounds? */
#include "tests/fuzz/fuzz.h"

#include <stdlib.h>

#include "core/io/gzip.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct caveat_list caveats;
    struct err e = {0};
    FILE *packed = fuzz_file(data, size), *plain;
    caveat_list_init(&caveats);
    int rc = gzip_unpack(packed, "fuzz", &plain, &caveats, &e);
    if ((rc == 0) != (plain != NULL) || (rc && !*e.text))
        abort();
    if (plain) {
        if (fseek(plain, 0, SEEK_END) || ftell(plain) > GZIP_BYTES_TRUST + (long)size * GZIP_RATIO_MAX)
            abort();
        fclose(plain);
    }
    fclose(packed);
    caveat_list_release(&caveats);
    return 0;
}
