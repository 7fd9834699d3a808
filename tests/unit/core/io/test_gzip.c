/* What becomes of a packed input when it cannot be read, or there is no room for what it holds? */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "tests/test.h"
#include <zlib.h>

#include "core/io/gzip.h"

enum { PLAIN_BYTES = 1 << 20 };

/* A file that is gone when it is closed, with PLAIN_BYTES packed in it. */
static FILE *make_packed(void)
{
    static unsigned char plain[PLAIN_BYTES], packed[PLAIN_BYTES + 4096];
    uint32_t seed = 1;
    for (size_t i = 0; i < PLAIN_BYTES; i++) /* noise: nothing that is much smaller packed */
        plain[i] = (unsigned char)((seed = seed * 1664525u + 1013904223u) >> 24);
    z_stream z = {.next_in = plain, .avail_in = PLAIN_BYTES, .next_out = packed, .avail_out = sizeof packed};
    assert_int_equal(deflateInit2(&z, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    FILE *file = tmpfile();
    assert_non_null(file);
    assert_int_equal(fwrite(packed, 1, z.total_out, file), z.total_out);
    rewind(file);
    deflateEnd(&z);
    return file;
}

static int unpack(FILE *packed, struct err *e)
{
    struct caveat_list caveats;
    caveat_list_init(&caveats);
    FILE *plain = NULL;
    int code = gzip_unpack(packed, "t.gz", &plain, &caveats, e);
    if (!code) {
        assert_int_equal(fseek(plain, 0, SEEK_END), 0);
        assert_int_equal(ftell(plain), PLAIN_BYTES);
    }
    if (plain)
        fclose(plain);
    caveat_list_release(&caveats);
    return code;
}

TEST(what_fits_is_unpacked)
{
    struct err e = {0};
    FILE *packed = make_packed();
    assert_int_equal(unpack(packed, &e), 0);
    fclose(packed);
}

TEST(no_room_is_said)
{
    struct err e = {0};
    FILE *packed = make_packed();
    struct rlimit before, small;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = before;
    small.rlim_cur = PLAIN_BYTES / 2;
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    const int code = unpack(packed, &e);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    signal(SIGXFSZ, handler);
    assert_int_equal(code, ERR_ENVIRONMENT);
    assert_memory_equal(e.text, "cannot copy the input to a temporary file: ", 43);
    fclose(packed);
}

TEST(no_folder_is_said)
{
    struct err e = {0};
    FILE *packed = make_packed();
    const char *folder = getenv("TMPDIR");
    char *before = folder ? strdup(folder) : NULL;
    setenv("TMPDIR", "/dev/null", 1);
    const int code = unpack(packed, &e);
    if (before)
        setenv("TMPDIR", before, 1);
    else
        unsetenv("TMPDIR");
    free(before);
    assert_int_equal(code, ERR_ENVIRONMENT);
    assert_memory_equal(e.text, "cannot create a temporary file in '/dev/null': ", 47);
    fclose(packed);
}

/* A folder opens, and cannot be read. */
TEST(what_cannot_be_read_is_said)
{
    struct err e = {0};
    FILE *folder = fopen("/", "rb");
    assert_non_null(folder);
    assert_int_equal(unpack(folder, &e), ERR_INPUT);
    assert_memory_equal(e.text, "cannot read 't.gz': ", 20);
    fclose(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_fits_is_unpacked),
        cmocka_unit_test(no_room_is_said),
        cmocka_unit_test(no_folder_is_said),
        cmocka_unit_test(what_cannot_be_read_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
