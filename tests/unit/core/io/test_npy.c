/* Which arrays are read, which are refused, and when are two the same? */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/test.h"
#include <math.h>
#include <unistd.h>

#include "core/io/array_compare.h"
#include "core/io/npy.h"

#define MAGIC "\x93NUMPY\x01"

/* A version 1 file: magic, two bytes of length, header, values. */
static size_t build(char *out, const char *header, const void *values, size_t bytes)
{
    const size_t length = strlen(header);
    memcpy(out, MAGIC, 8); /* the terminator is minor version 0 */
    out[8] = (char)(length & 255);
    out[9] = (char)(length >> 8);
    memcpy(out + 10, header, length);
    if (bytes)
        memcpy(out + 10 + length, values, bytes);
    return 10 + length + bytes;
}

TEST(reads)
{
    static const struct {
        const char *header;
        const char *bytes;
        size_t byte_count, count;
        double values[3];
        const char *described;
    } cases[] = {
        /* 0x3c00 = 1; 0xc000 = -2; 0x0001 = 2^-24, the smallest */
        {"{'descr': '<f2', 'fortran_order': False, 'shape': (3,), }\n",
         "\x00\x3c\x00\xc0\x01\x00",
         6,
         3,
         {1, -2, 1.0 / 16777216},
         "f2 (3)"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (1, 2), }",
         "\x00\x00\x80\x3f\x00\x00\x00\xbf",
         8,
         2,
         {1, -0.5},
         "f4 (1, 2)"},
        {"{\"shape\":(1,),\"descr\":\"<f8\",\"fortran_order\":True}",
         "\x00\x00\x00\x00\x00\x00\x00\x40",
         8,
         1,
         {2},
         "f8 (1)"},
        {"{'descr': '<V2', 'fortran_order': False, 'shape': (2,), }",
         "\x80\x3f\x40\xc0",
         4,
         2,
         {1, -3},
         "bfloat16 (2)"}, /* 0xc040 is -3: 1.5 x 2 */
        {"{'descr': '|b1', 'fortran_order': False, 'shape': (2,), }", "\x01\x00", 2, 2, {1, 0}, "b1 (2)"},
        {"{'descr': '<i4', 'fortran_order': False, 'shape': (), }", "\xff\xff\xff\xff", 4, 1, {-1}, "i4 ()"},
        {"{'descr': '<u2', 'fortran_order': False, 'shape': (0, 7), }", "", 0, 0, {0}, "u2 (0, 7)"},
        /* two's complement, least byte first: -128 and 127; -2 and 256; 65535; 2^31 + 1 */
        {"{'descr': '|i1', 'fortran_order': False, 'shape': (2,), }", "\x80\x7f", 2, 2, {-128, 127}, "i1 (2)"},
        {"{'descr': '<i2', 'fortran_order': False, 'shape': (2,), }", "\xfe\xff\x00\x01", 4, 2, {-2, 256}, "i2 (2)"},
        {"{'descr': '<u2', 'fortran_order': False, 'shape': (1,), }", "\xff\xff", 2, 1, {65535}, "u2 (1)"},
        {"{'descr': '<u4', 'fortran_order': False, 'shape': (1,), }",
         "\x01\x00\x00\x80",
         4,
         1,
         {2147483649.0},
         "u4 (1)"},
        /* 0x7c00 and 0xfc00 are the infinities of half */
        {"{'descr': '<f2', 'fortran_order': False, 'shape': (2,), }",
         "\x00\x7c\x00\xfc",
         4,
         2,
         {INFINITY, -INFINITY},
         "f2 (2)"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char bytes[256], text[NPY_SHAPE_TEXT_BYTES];
        const size_t count = build(bytes, cases[i].header, cases[i].bytes, cases[i].byte_count);
        FILE *file = fmemopen(bytes, count, "rb");
        struct npy_array a;
        struct err e = {0};
        double values[4];
        if (npy_begin(&a, file, "x", &e))
            fail_msg("%s", e.text);
        assert_string_equal(npy_describe(text, &a), cases[i].described);
        assert_int_equal(npy_next(&a, values, 4, "x", &e), cases[i].count);
        for (size_t v = 0; v < cases[i].count; v++)
            assert_true(values[v] == cases[i].values[v]);
        assert_int_equal(npy_next(&a, values, 4, "x", &e), 0);
        fclose(file);
    }
}

TEST(refuses)
{
    static const struct {
        const char *header, *message;
    } cases[] = {
        {"", "not understood"},
        {"{'descr': '<f2', 'fortran_order': False}", "not understood"},
        {"{'descr': '<f2', 'fortran_order': False, 'shape': (1 2)}", "not understood"},
        {"{'descr': '<f2', 'fortran_order': False, 'shape': (-1,)}", "not understood"},
        {"{'descr': '<f2', 'fortran_order': 7, 'shape': (1,)}", "not understood"},
        {"{'descr': [('a', '<f2')], 'fortran_order': False, 'shape': (1,)}", "not understood"},
        {"{'descr': '<f2', 'color': False, 'shape': (1,)}", "not understood"},
        {"{'descr': '>f2', 'fortran_order': False, 'shape': (1,)}", "type '>f2'"},
        {"{'descr': '|O', 'fortran_order': False, 'shape': (1,)}", "type '|O'"},
        {"{'descr': '<c8', 'fortran_order': False, 'shape': (1,)}", "type '<c8'"},
        {"{'descr': '<f2', 'fortran_order': True, 'shape': (1, 1)}", "Fortran order"},
        {"{'descr': '<f2', 'fortran_order': False, 'shape': (2,)}", "breaks off or goes on"},
        {"{'descr': '<f2', 'fortran_order': False, 'shape': (0,)}", "breaks off or goes on"},
        {"{'descr': '<f2', 'fortran_order': False, 'shape': (4294967296, 4294967296)}", "more values than"},
        {"{'descr': '<f2', 'fortran_order': False, 'shape': (99999999999999999999,)}", "more values than"},
        {"{'descr': '<f8', 'fortran_order': False, 'shape': (4611686018427387904,)}", "breaks off or goes on"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char bytes[256];
        const size_t count = build(bytes, cases[i].header, "ab", 2);
        FILE *file = fmemopen(bytes, count, "rb");
        struct npy_array a;
        struct err e = {0};
        assert_int_equal(npy_begin(&a, file, "x", &e), ERR_INPUT);
        if (!strstr(e.text, cases[i].message))
            fail_msg("'%s' for %s", e.text, cases[i].header);
        fclose(file);
    }
}

static char *scratch(const char *header, const void *values, size_t bytes)
{
    static char paths[2][64];
    static int which;
    char *path = paths[which++ % 2], text[512];
    snprintf(path, sizeof paths[0], "/tmp/cpprof-npy-XXXXXX");
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    const size_t count = build(text, header, values, bytes);
    assert_int_equal(write(fd, text, count), count);
    close(fd);
    return path;
}

#define F4(shape) "{'descr': '<f4', 'fortran_order': False, 'shape': " shape ", }"

TEST(compares)
{
    static const struct {
        float expected[4], got[4];
        struct array_tolerance tolerance;
        uint64_t wrong, not_a_number;
        double max_abs_err;
        bool equal;
    } cases[] = {
        {{1, 2, 3, 4}, {1, 2, 3, 4}, {0, 0}, 0, 0, 0, true},
        {{1, 2, 3, 4}, {1, 2.5f, 3, 4}, {0, 0.25}, 0, 0, 0.5, false},      /* 0.5 <= 0.25 x 2 */
        {{1, 2, 3, 4}, {1, 2.5f, 3, 4}, {0.25, 0.0625}, 1, 0, 0.5, false}, /* 0.5 > 0.25 + 0.125 */
        {{1, NAN, 3, 4}, {1, NAN, 3, 4}, {9, 9}, 1, 1, 0, false},
        {{1, INFINITY, 3, 4}, {1, INFINITY, 3, 4}, {0, 0}, 0, 0, 0, true},
        {{1, INFINITY, 3, 4}, {1, 5, 3, 4}, {9, 9}, 1, 0, 0, false},
        {{1, 2, 3, 4}, {1.0000001f, 2, 3, 4}, {NAN, NAN}, 0, 0, 1.1920928955078125e-7, false}, /* f4's own, 2^-23 */
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const char *expected = scratch(F4("(2, 2)"), cases[i].expected, 16);
        const char *got = scratch(F4("(2, 2)"), cases[i].got, 16);
        struct array_difference d;
        struct err e = {0};
        if (arrays_compare(&d, expected, got, cases[i].tolerance, &e))
            fail_msg("%s", e.text);
        assert_true(d.comparable);
        assert_int_equal(d.values, 4);
        assert_int_equal(d.wrong, cases[i].wrong);
        assert_int_equal(d.not_a_number, cases[i].not_a_number);
        assert_true(d.max_abs_err == cases[i].max_abs_err);
        assert_int_equal(d.equal, cases[i].equal);
        assert_int_equal(*d.hint != '\0', cases[i].wrong > 0);
        assert_int_equal(d.first_count, cases[i].wrong);
        if (d.first_count) {
            char place[32];
            array_place(place, sizeof place, &d, d.first[0].index);
            assert_string_equal(place, "[0, 1]"); /* index 1 of 2 x 2 */
        }
        unlink(expected);
        unlink(got);
    }
}

TEST(other_shapes)
{
    const float values[4] = {1, 2, 3, 4};
    const char *expected = scratch(F4("(2, 2)"), values, 16), *got = scratch(F4("(4,)"), values, 16);
    struct array_difference d;
    struct err e = {0};
    const struct array_tolerance tolerance = {NAN, NAN};
    assert_int_equal(arrays_compare(&d, expected, got, tolerance, &e), 0);
    assert_false(d.comparable);
    assert_string_equal(d.hint, "its array is f4 (4) where f4 (2, 2) is expected");
    unlink(got);
    assert_int_equal(arrays_compare(&d, expected, got, tolerance, &e), ERR_INPUT);
    assert_int_equal(arrays_compare(&d, expected, "/dev/null", tolerance, &e), ERR_INPUT);
    assert_non_null(strstr(e.text, "no regular file"));
    unlink(expected);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(reads), cmocka_unit_test(refuses), cmocka_unit_test(compares),
                                       cmocka_unit_test(other_shapes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
