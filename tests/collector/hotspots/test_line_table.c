/* Are the sizes of a cubin's source files found, and is no byte read that is not in it? */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "collector/runner/line_table.h"
#include "core/base/files.h"
#include "tests/test.h"

enum { CUBIN_BYTES_MAX = 1 << 20 };

static void read_cubin(const char *name, struct str *image)
{
    struct err e = {0};
    struct str path;
    str_init(&path);
    str_init(image);
    assert_int_equal(files_read(files_join(&path, CUBIN_FOLDER, name), CUBIN_BYTES_MAX, image, &e), 0);
    str_release(&path);
}

/* The compiler wrote how large the source was that it saw. */
TEST(the_size_is_that_of_the_source)
{
    struct str image;
    struct stat source;
    uint64_t sizes[2] = {0};
    assert_int_equal(stat(SOURCE_DIRECTORY "/tests/collector/two_kernels.cu", &source), 0);
    read_cubin("with_lines.cubin", &image);
    assert_true(line_table_sizes(image.text, image.length, "two_kernels.cu", sizes, 2) >= 1);
    assert_true(sizes[0] == (uint64_t)source.st_size);
    assert_int_equal(line_table_sizes(image.text, image.length, "two_kernels.cu", sizes, 0), 0);
    assert_int_equal(line_table_sizes(image.text, image.length, "kernels.cu", sizes, 2), 0);
    assert_int_equal(line_table_sizes(image.text, image.length, "", sizes, 2), 0);
    str_release(&image);
    read_cubin("without_lines.cubin", &image);
    assert_int_equal(line_table_sizes(image.text, image.length, "two_kernels.cu", sizes, 2), 0);
    str_release(&image);
}

/* Every beginning of it, and every byte of it changed, in memory of exactly that size: the sanitizer sees a step behind
 * the end. */
TEST(damage_is_no_harm)
{
    struct str image;
    uint64_t sizes[2];
    read_cubin("with_lines.cubin", &image);
    size_t found = 0;
    for (size_t length = 0; length < image.length; length++) {
        char *part = malloc(length + 1);
        memcpy(part, image.text, length);
        assert_true(line_table_sizes(part, length, "two_kernels.cu", sizes, 2) <= 2);
        free(part);
    }
    char *copy = malloc(image.length);
    for (size_t i = 0; i < image.length; i++)
        for (int flip = 0; flip < 3; flip++) {
            memcpy(copy, image.text, image.length);
            copy[i] = (char)(flip == 0 ? 0 : flip == 1 ? 0xff : copy[i] ^ 0x10);
            found += line_table_sizes(copy, image.length, "two_kernels.cu", sizes, 2) > 0;
        }
    assert_true(found > 0 && found < 3 * image.length);
    free(copy);
    str_release(&image);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_size_is_that_of_the_source),
        cmocka_unit_test(damage_is_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
