/* Is the sum that of the bytes that were read, and is there none where the file cannot be read? */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/io/summed_file.h"
#include "tests/test.h"

/* CRC-32 of "123456789" is 0xcbf43926, the check value of its definition. */
TEST(the_rest_is_summed_too)
{
    for (int read_first = 0; read_first < 2; read_first++) {
        char path[] = "/tmp/summed-XXXXXX", line[4];
        struct summed_file s;
        struct err e = {0};
        const int fd = mkstemp(path);
        assert_true(fd >= 0);
        assert_int_equal(write(fd, "123456789", 9), 9);
        close(fd);
        assert_int_equal(summed_file_open(&s, path, NULL, &e), 0);
        if (read_first)
            assert_string_equal(fgets(line, sizeof line, s.file), "123");
        assert_true(summed_file_finish(&s));
        summed_file_close(&s);
        assert_int_equal(s.bytes, 9);
        assert_int_equal(s.crc32, 0xcbf43926u);
        unlink(path);
    }
}

TEST(a_file_that_is_not_there_is_an_error)
{
    struct summed_file s;
    struct err e = {0};
    assert_int_equal(summed_file_open(&s, "/no/such.file", NULL, &e), ERR_INPUT);
    assert_string_equal(e.text, "cannot read '/no/such.file': No such file or directory");
}

TEST(only_regular_files_are_opened)
{
    struct summed_file s;
    struct err e = {0};
    assert_int_equal(summed_file_open(&s, "/", NULL, &e), ERR_INPUT);
    assert_string_equal(e.text, "cannot read '/': it is no regular file");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_rest_is_summed_too),
        cmocka_unit_test(a_file_that_is_not_there_is_an_error),
        cmocka_unit_test(only_regular_files_are_opened),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
