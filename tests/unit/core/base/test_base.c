/* Do the smallest parts keep their promises? */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/checksum.h"
#include "core/base/demangle.h"
#include "core/base/err.h"
#include "core/base/hash.h"
#include "core/base/strtab.h"
#include "core/base/units.h"
#include "core/base/utf8.h"
#include "tests/test.h"

TEST(units_format_for_people)
{
    static const struct {
        enum unit unit;
        double value;
        const char *text;
    } cases[] = {
        {UNIT_NS, 0, "0 ns"},
        {UNIT_NS, 999, "999 ns"},
        {UNIT_NS, 999.9, "1.00 us"},
        {UNIT_NS, 12345, "12.3 us"},
        {UNIT_NS, 2.5e6, "2.50 ms"},
        {UNIT_NS, 1.5e9, "1.50 s"},
        {UNIT_BYTES, 1536, "1.50 KiB"},
        {UNIT_BYTES, 134217728, "128 MiB"},
        {UNIT_RATIO, 0.4213, "42.1%"},
        {UNIT_FACTOR, 1.25, "1.250x"},
        {UNIT_COUNT, 2097152, "2,097,152"},
        {UNIT_BYTES_PER_S, 3.351e12, "3.35 TB/s"},
        {UNIT_HZ, 1.98e9, "1.98 GHz"},
        {UNIT_COUNT, -1234, "-1,234"},
        {UNIT_CYCLES, 2.486, "2.49"},
        {UNIT_COUNT, 12345.6, "12,346"},
        {UNIT_RATIO, -0.0004, "0.0%"},
        {UNIT_RATIO, -0.004, "-0.4%"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char text[UNITS_TEXT_BYTES];
        assert_string_equal(unit_format(text, cases[i].unit, cases[i].value), cases[i].text);
    }
}

/* As many decimals as it takes, the same for all; what differs by less than the last one there can be is one. */
TEST(values_that_are_read_together_are_told_apart)
{
    static const struct {
        enum unit unit;
        double values[4];
        const char *texts[4];
    } cases[] = {
        {UNIT_RATIO, {0.363, 0.362, 0.364, 0.01}, {"36.3%", "36.2%", "36.4%", "1.0%"}},
        {UNIT_RATIO, {0.01044, 0.00986, 0.01101, 0.01}, {"1.04%", "0.99%", "1.10%", "1.00%"}},
        {UNIT_RATIO, {0.99397, 0.99385, 0.99409, NAN}, {"99.40%", "99.39%", "99.41%", "n/a"}}, /* 99.397 and 99.385 */
        {UNIT_RATIO, {-0.000001, 0.000021, 0.5, 0.5}, {"0.000%", "0.002%", "50.000%", "50.000%"}},
        {UNIT_RATIO, {0.5, 0.5000000001, 0.25, INFINITY}, {"50.0%", "50.0%", "25.0%", "n/a"}},
        {UNIT_RATIO, {-0.0004, 0.25, 0.5, 0.75}, {"0.0%", "25.0%", "50.0%", "75.0%"}},
        {UNIT_FACTOR, {165.854, 162.518, 169.258, 3}, {"165.854x", "162.518x", "169.258x", "3.000x"}},
        {UNIT_FACTOR, {4.00041, 4.00039, 5, 6}, {"4.00041x", "4.00039x", "5.00000x", "6.00000x"}},
        {UNIT_NS, {1000, 1000.1, 5, 6}, {"1.00 us", "1.00 us", "5 ns", "6 ns"}},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char texts[4][UNITS_TEXT_BYTES];
        unit_format_apart(texts, cases[i].unit, cases[i].values, 4);
        for (size_t k = 0; k < 4; k++)
            assert_string_equal(texts[k], cases[i].texts[k]);
    }
}

TEST(factors_of_headlines_have_three_digits)
{
    static const struct {
        double value;
        const char *text;
    } cases[] = {{1.0633, "1.06x"}, {2.69, "2.69x"},  {12.66, "12.7x"}, {165.854, "166x"}, {0.9392, "0.939x"},
                 {0.9996, "1.00x"}, {9.996, "10.0x"}, {99.96, "100x"},  {NAN, "n/a"}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char text[UNITS_TEXT_BYTES];
        assert_string_equal(unit_format_factor(text, cases[i].value), cases[i].text);
    }
}

/* Every nanosecond is there, and unit_parse finds it again. */
TEST(moments_are_exact)
{
    static const struct {
        int64_t ns;
        const char *text;
    } cases[] = {
        {0, "0 ns"},
        {999, "999 ns"},
        {1000, "1.000 us"},
        {1801, "1.801 us"},
        {999999, "999.999 us"},
        {12345678, "12.345678 ms"},
        {1000000007, "1.000000007 s"},
        {3600000000000, "3600.000000000 s"},
        {-1801, "-1.801 us"},
        {INT64_MIN, "-9223372036.854775808 s"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char text[UNITS_TEXT_BYTES];
        double value;
        enum unit unit;
        assert_string_equal(unit_format_moment(text, cases[i].ns), cases[i].text);
        assert_int_equal(unit_parse(text, &value, &unit), strlen(text));
        assert_int_equal(unit, UNIT_NS);
        if (cases[i].ns > INT64_MIN)
            assert_int_equal((int64_t)(value + (value < 0 ? -0.5 : 0.5)), cases[i].ns);
    }
}

/* The check value that the polynomial is published with, in one piece and in any two. */
TEST(checksums_go_on_where_they_stopped)
{
    static const char digits[] = "123456789";
    for (size_t cut = 0; cut < sizeof digits; cut++) {
        const uint32_t before = checksum_crc32(0, digits, cut);
        assert_int_equal(checksum_crc32(before, digits + cut, sizeof digits - 1 - cut), 0xcbf43926);
    }
    assert_int_equal(checksum_crc32(0, NULL, 0), 0);
}

TEST(units_parse_what_rules_say)
{
    static const struct {
        const char *text;
        size_t used;
        double value;
        enum unit unit;
    } cases[] = {
        {"80%", 3, 0.8, UNIT_RATIO}, {"12us", 4, 12000, UNIT_NS}, {"4 MiB rest", 5, 4194304, UNIT_BYTES},
        {"3", 1, 3, UNIT_NONE},      {"0.5 ", 3, 0.5, UNIT_NONE}, {"5parsecs", 0, 0, UNIT_NONE},
        {"", 0, 0, UNIT_NONE},       {"nan", 0, 0, UNIT_NONE},    {"0x10", 0, 0, UNIT_NONE},
        {"1e999", 0, 0, UNIT_NONE},  {"-2ms", 4, -2e6, UNIT_NS},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        double value = 0;
        enum unit unit = UNIT_NONE;
        assert_int_equal(unit_parse(cases[i].text, &value, &unit), cases[i].used);
        if (cases[i].used) {
            assert_true(value > cases[i].value - 1e-9 && value < cases[i].value + 1e-9);
            assert_int_equal(unit, cases[i].unit);
        }
    }
}

static int by_value(const void *left, const void *right)
{
    const uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return a < b ? -1 : a > b;
}

/* Pairs of words that any hash of the form h = (h ^ word) * odd; h ^= h >> 32 takes for the same: the top bit of the
 * first word stays the top bit in the product, whatever the factor, and the second word takes both its traces away.
 * 12 pairs, each as it is or changed: 4096 names with one place in such a table. */
TEST(names_cannot_be_made_to_collide)
{
    enum { PAIRS = 12, NAMES = 1 << PAIRS };
    static uint64_t hashes[NAMES];
    for (size_t n = 0; n < NAMES; n++) {
        uint64_t words[2 * PAIRS];
        for (size_t p = 0; p < PAIRS; p++) {
            words[2 * p] = 0x2020202020202020u ^ (n >> p & 1) << 63;
            words[2 * p + 1] = 0x2020202020202020u ^ (n >> p & 1) << 63 ^ (n >> p & 1) << 31;
        }
        hashes[n] = hash_bytes(words, sizeof words);
    }
    qsort(hashes, NAMES, sizeof hashes[0], by_value);
    for (size_t n = 1; n < NAMES; n++)
        assert_true(hashes[n] != hashes[n - 1]);
}

TEST(a_text_hashes_by_all_of_its_bytes)
{
    static const char text[] = "kernel<float, 128>(void)";
    const uint64_t hash = hash_bytes(text, 20);
    assert_true(hash_bytes(text, 20) == hash);
    char other[sizeof text];
    for (size_t i = 0; i < 20; i++) {
        memcpy(other, text, sizeof text);
        other[i] ^= 1;
        assert_true(hash_bytes(other, 20) != hash);
    }
    memcpy(other, text, sizeof text);
    other[20] ^= 1; /* behind the text */
    assert_true(hash_bytes(other, 20) == hash);
    assert_true(hash_bytes(text, 19) != hash);
    assert_true(hash_bytes("", 0) != hash_bytes("\0", 1));
    assert_true(hash_bytes("\1", 1) != hash_bytes("\2\0", 2)); /* 1 ^ 1 == 2 ^ 2: length and bytes do not mix up */
}

TEST(a_full_strtab_refuses_new_strings)
{
    struct strtab t;
    strtab_init(&t);
    t.size_bytes_max = 1000;
    char name[101];
    memset(name, 'n', 100);
    name[100] = '\0';
    uint32_t last = 0;
    for (char c = 'a'; !t.is_full && c <= 'z'; c++) {
        name[0] = c;
        const uint32_t id = strtab_add(&t, name);
        last = id ? id : last;
    }
    assert_true(t.is_full && last >= 4 && last <= 9); /* 100 bytes each, and more than that with what it costs */
    assert_int_equal(strtab_count(&t), last);
    name[0] = 'a';
    assert_int_equal(strtab_add(&t, name), 1); /* what is there is found */
    strtab_release(&t);
}

TEST(strtab_gives_each_string_one_id)
{
    struct strtab t;
    strtab_init(&t);
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < 1000; i++) {
            char name[16];
            snprintf(name, sizeof name, "k%d", i);
            assert_int_equal(strtab_add(&t, name), i + 1);
        }
    assert_string_equal(strtab_text(&t, 1000), "k999");
    assert_string_equal(strtab_text(&t, 1001), "");
    assert_string_equal(strtab_text(&t, 0), "");
    assert_int_equal(strtab_add_bytes(&t, "a\0b", 3), 1001);
    assert_int_equal(strtab_length(&t, 1001), 3);
    strtab_release(&t);
}

TEST(hostile_bytes_become_visible)
{
    static const struct {
        const char *in, *out;
    } cases[] = {
        {"plain", "plain"},
        {"\x1b[31mred", "\\x1b[31mred"},
        {"a\nb\tc", "a\\x0ab\\x09c"},
        {"\xff\xc0\xaf", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"}, /* no overlong forms */
        {"caf\xc3\xa9", "caf\xc3\xa9"},
        {"\xe2\x80\xae", "\\u{202e}"}, /* right-to-left override */
        {"\xc2\x9b", "\\x9b"},         /* C1 control sequence introducer */
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct str s;
        str_init(&s);
        utf8_add_visible(&s, cases[i].in, strlen(cases[i].in));
        assert_string_equal(str_text(&s), cases[i].out);
        str_release(&s);
    }
}

TEST(names_demangle)
{
    static const struct {
        const char *symbol, *full, *brief;
    } cases[] = {
        {"_Z4tileILi3EEvPKf", "void tile<3>(float const*)", "tile"},
        {"plain_c_kernel", "plain_c_kernel", "plain_c_kernel"},
        {"_ZN2ns4tileEi", "ns::tile(int)", "ns::tile"},
        {"_Zgarbage", "_Zgarbage", "_Zgarbage"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct str s;
        str_init(&s);
        demangle_full(&s, cases[i].symbol);
        assert_string_equal(str_text(&s), cases[i].full);
        str_clear(&s);
        demangle_short(&s, cases[i].symbol);
        assert_string_equal(str_text(&s), cases[i].brief);
        str_release(&s);
    }
}

/* "f(a<int, int>)", and the next one "f(a<x, x>)" of the type x before it: 65 bytes twice as long with each. With 23 of
 * them the name would have 285 MB; one of 34,756 bytes is a name as any other. */
TEST(names_that_grow_without_end_are_kept)
{
    static const struct {
        int doublings;
        size_t length; /* 0: as it is */
    } cases[] = {{10, 34756}, {23, 0}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct str symbol, full;
        str_init(&symbol);
        str_init(&full);
        str_add(&symbol, "_Z1f1aIiiE");
        for (int k = 0; k < cases[i].doublings; k++) {
            const char digit = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[k];
            str_addf(&symbol, "S_IS%c_S%c_E", digit, digit);
        }
        demangle_full(&full, str_text(&symbol));
        if (cases[i].length)
            assert_int_equal(full.length, cases[i].length);
        else
            assert_string_equal(str_text(&full), str_text(&symbol));
        str_release(&symbol);
        str_release(&full);
    }
}

static void add_reference(struct str *symbol, int number)
{
    str_addf(symbol, "S%c_", "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"[number]);
}

/* "b<a<int, int>, a<x, x>, ..., T>..." for each T of none: nothing is printed, and the pack is looked for in 2^n types.
 */
TEST(names_that_take_long_to_walk_are_kept)
{
    static const struct {
        int doublings;
        bool kept;
    } cases[] = {{10, false}, {29, true}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct str symbol, full;
        str_init(&symbol);
        str_init(&full);
        str_add(&symbol, "_Z1fIJEEvDp1bI1aIiiE");
        for (int k = 2; k < cases[i].doublings + 2; k++) {
            str_add(&symbol, "S1_I");
            add_reference(&symbol, k);
            add_reference(&symbol, k);
            str_add(&symbol, "E");
        }
        str_add(&symbol, "T_E");
        demangle_full(&full, str_text(&symbol));
        assert_string_equal(str_text(&full), cases[i].kept ? str_text(&symbol) : "void f<>()");
        str_release(&symbol);
        str_release(&full);
    }
}

/* The arguments in "operator T<T<T<int> > >" are read twice each. */
TEST(names_that_take_long_to_read_are_kept)
{
    enum { NESTED = 40 };
    struct str symbol, full;
    str_init(&symbol);
    str_init(&full);
    str_add(&symbol, "_ZN1acv");
    for (int i = 0; i < NESTED; i++)
        str_add(&symbol, "T_I");
    str_add_char(&symbol, 'i');
    for (int i = 0; i < NESTED; i++)
        str_add_char(&symbol, 'E');
    str_add(&symbol, "Ev");
    demangle_full(&full, str_text(&symbol));
    assert_string_equal(str_text(&full), str_text(&symbol));
    str_release(&symbol);
    str_release(&full);
}

/* "_Z1kIJ" and 200 types "EEvDp1oIT_E": thousands of bytes, more than the demangler takes by itself. */
TEST(long_names_are_demangled)
{
    struct str symbol, full;
    str_init(&symbol);
    str_init(&full);
    str_add(&symbol, "_Z1kIJ");
    for (int i = 0; i < 200; i++)
        str_addf(&symbol, "N1n6layoutILi%dEEE", i);
    str_add(&symbol, "EEvDp1oIT_E");
    assert_true(symbol.length > 3000);
    demangle_full(&full, str_text(&symbol));
    assert_int_equal(strncmp(str_text(&full), "void k<n::layout<0>, n::layout<1>, ", 35), 0);
    assert_non_null(strstr(str_text(&full), ", n::layout<199> >(o<n::layout<0> >, o<n::layout<1> >, "));
    assert_non_null(strstr(str_text(&full), ", o<n::layout<199> >)"));
    str_release(&symbol);
    str_release(&full);
}

/* Names as nsys writes them, already demangled: without return type, template arguments and parameters. */
TEST(names_become_short)
{
    static const struct {
        const char *full, *brief, *with_arguments;
    } cases[] = {
        {"std::enable_if<!(false), void>::type internal::gemvx::kernel<int>(float*)", "internal::gemvx::kernel",
         "internal::gemvx::kernel<int>"},
        {"std::enable_if<(1)<(2), void>::type k<(3)>(int)", "k", "k<(3)>"},
        {"std::enable_if<((1)>(2)), void>::type k<3>(int)", "k", "k<3>"},
        {"decltype ((a)->b) ns::k<int>(int)", "ns::k", "ns::k<int>"},
        {"void ns::box<int>::k<float>(float*)", "ns::box<int>::k", "ns::box<int>::k<float>"},
        {"void k<int>", "k", "k<int>"},
        {"unsigned long const* k(int)", "k", "k"},
        {"(anonymous namespace)::k(int)", "(anonymous namespace)::k", "(anonymous namespace)::k"},
        {"void a::(anonymous namespace)::k<b::(anonymous namespace)::t>(int)", "a::(anonymous namespace)::k",
         "a::(anonymous namespace)::k<b::(anonymous namespace)::t>"},
        {"bool operator<(a, b)", "operator<", "operator<"},
        {"bool ns::operator< <int>(a<int>, a<int>)", "ns::operator<", "ns::operator< <int>"},
        {"ns::out& ns::operator<< <int>(ns::out&, int)", "ns::operator<<", "ns::operator<< <int>"},
        {"void ns::f::operator()<int>(int) const", "ns::f::operator()", "ns::f::operator()<int>"},
        {"ns::f::operator->() const", "ns::f::operator->", "ns::f::operator->"},
        {"ns::f::operator float*() const", "ns::f::operator float*", "ns::f::operator float*"},
        {"my_operator(int)", "my_operator", "my_operator"},
        {"void k<&ns::operator< >(int)", "k", "k<&ns::operator< >"},
        {"void for_each<main::{lambda(int)#1}>(main::{lambda(int)#1})", "for_each", "for_each<main::{lambda(int)#1}>"},
        {"main::{lambda(int)#1}::operator()(int) const", "main::{lambda(int)#1}::operator()",
         "main::{lambda(int)#1}::operator()"},
        {"f(int) const::{lambda()#1}::operator()() const", "f(int) const::{lambda()#1}::operator()",
         "f(int) const::{lambda()#1}::operator()"},
        {"f(int)::{lambda()#1}", "f(int)::{lambda()#1}", "f(int)::{lambda()#1}"},
        {"k(int) [clone .cold]", "k", "k"},
        {"copy h2d", "copy h2d", "copy h2d"}, /* no declaration */
        {"void k<3>", "k", "k<3>"},
        {"void k<int, f(", "k", "k"}, /* cut */
        {"<(", "<(", "<("},
        {")>", ")>", ")>"},
        {"", "", ""},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct str s;
        str_init(&s);
        demangle_short(&s, cases[i].full);
        assert_string_equal(str_text(&s), cases[i].brief);
        str_clear(&s);
        demangle_template(&s, cases[i].full);
        assert_string_equal(str_text(&s), cases[i].with_arguments);
        str_release(&s);
    }
}

/* More brackets than are followed: the name stays as it is. */
TEST(endless_brackets_are_kept)
{
    char text[1001];
    memset(text, '<', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    struct str s;
    str_init(&s);
    demangle_short(&s, text);
    assert_string_equal(str_text(&s), text);
    str_release(&s);
}

TEST(a_failure_is_never_taken_for_success)
{
    struct err e = {0};
    assert_int_equal(err_context(&e, "who failed did not say why"), ERR_INTERNAL);
    assert_int_equal(e.code, ERR_INTERNAL);
    volatile int success = 0; /* as a caller passes on what it was told */
    assert_int_equal(err_set(&e, success, "%s", "it failed"), ERR_INTERNAL);
    assert_int_equal(e.code, ERR_INTERNAL);
    assert_string_equal(e.text, "it failed");
    assert_int_equal(err_set(NULL, success, "%s", "it failed"), ERR_INTERNAL);
    assert_int_equal(err_memory(&e), ERR_MEMORY);
}

TEST(exit_status_precedence)
{
    assert_int_equal(exit_status_worse(EXIT_PASS, EXIT_INCONCLUSIVE), EXIT_INCONCLUSIVE);
    assert_int_equal(exit_status_worse(EXIT_UNUSABLE_INPUT, EXIT_CHECK_FAILED), EXIT_CHECK_FAILED);
    assert_int_equal(exit_status_worse(EXIT_CHECK_FAILED, EXIT_ENVIRONMENT), EXIT_ENVIRONMENT);
    assert_int_equal(exit_status_worse(EXIT_ENVIRONMENT, EXIT_USAGE), EXIT_USAGE);
    struct err e = {0};
    assert_int_equal(err_set(&e, ERR_INPUT, "no header"), ERR_INPUT);
    assert_int_equal(err_context(&e, "while reading '%s'", "x.csv"), ERR_INPUT);
    assert_string_equal(e.text, "while reading 'x.csv': no header");
    assert_int_equal(err_exit_status(ERR_INPUT), 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_that_are_read_together_are_told_apart),
        cmocka_unit_test(factors_of_headlines_have_three_digits),
        cmocka_unit_test(units_format_for_people),
        cmocka_unit_test(moments_are_exact),
        cmocka_unit_test(units_parse_what_rules_say),
        cmocka_unit_test(names_cannot_be_made_to_collide),
        cmocka_unit_test(a_text_hashes_by_all_of_its_bytes),
        cmocka_unit_test(a_full_strtab_refuses_new_strings),
        cmocka_unit_test(strtab_gives_each_string_one_id),
        cmocka_unit_test(hostile_bytes_become_visible),
        cmocka_unit_test(names_demangle),
        cmocka_unit_test(names_become_short),
        cmocka_unit_test(names_that_grow_without_end_are_kept),
        cmocka_unit_test(names_that_take_long_to_walk_are_kept),
        cmocka_unit_test(names_that_take_long_to_read_are_kept),
        cmocka_unit_test(long_names_are_demangled),
        cmocka_unit_test(endless_brackets_are_kept),
        cmocka_unit_test(a_failure_is_never_taken_for_success),
        cmocka_unit_test(exit_status_precedence),
        cmocka_unit_test(checksums_go_on_where_they_stopped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
