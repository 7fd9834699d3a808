/* Which regular expressions are taken, and which would cost too much? */
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/base/pattern.h"
#include "tests/test.h"

#define TWENTY_PLUSES "++++++++++++++++++++"

TEST(patterns)
{
    static const struct {
        const char *pattern;
        const char *refused; /* part of the message; NULL when it is taken */
        const char *matches;
    } cases[] = {
        {"gemm|tile", NULL, "my_tile"},
        {"^k_[0-9]+(_v[0-9]+)?$", NULL, "k_12_v3"},
        {"a{2,3}b{2}", NULL, "aabb"},
        {"[" TWENTY_PLUSES "]", NULL, "+"},            /* in brackets nothing repeats */
        {"[]" TWENTY_PLUSES "]x", NULL, "]x"},         /* a bracket that starts with one */
        {"[[:digit:]" TWENTY_PLUSES "]x", NULL, "7x"}, /* a class in brackets */
        {"\\+\\+\\+\\+\\+\\+\\+\\+\\+\\+\\+\\+\\+\\+\\+\\+\\+", NULL, "+++++++++++++++++"},
        {"(", "is no extended regular expression", NULL},
        {"a" TWENTY_PLUSES, "repeats too much", NULL},           /* 21 * 2^20 nodes */
        {"((((a{20}){20}){20}){20})", "repeats too much", NULL}, /* 25 * 160000 */
        {"(a*)\\1", "has a back reference", NULL},
        {"\\\\1", NULL, "\\1"}, /* a backslash, then a one */
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        regex_t regex;
        struct err e = {0};
        int rc = pattern_compile(&regex, cases[i].pattern, "a pattern", &e);
        if (cases[i].refused) {
            assert_int_equal(rc, ERR_USAGE);
            assert_non_null(strstr(e.text, cases[i].refused));
            assert_int_equal(strncmp(e.text, "a pattern '", 11), 0);
            continue;
        }
        if (rc)
            fail_msg("%s", e.text);
        assert_int_equal(regexec(&regex, cases[i].matches, 0, NULL, 0), 0);
        regfree(&regex);
    }
}

/* What is searched for is found wherever the C library finds it by itself. */
TEST(places_are_those_of_the_library)
{
    static const char *const searched[] = {"",       "a",      "^a",   "a$",  "^a$",   "a|b",   "^a|b$", "(a|b)c",
                                           "^",      "$",      "^$",   "a.c", "[^a]b", "\\<b",  "c\\>",  "a*b",
                                           "(^|x)a", "b(c|$)", "a{2}", "()a", "\\.",   "\xc3.", "a\nb",  "x*"};
    static const char *const texts[] = {"",   "a",    "b",   "ab",  "ba",       "abc",  "xab", "aab", "b c", "cab",
                                        "a.", "a\nb", "\nb", "a\n", "\xc3\xa4", "\xff", "xxa", "c",   "bc",  "aaab"};
    for (size_t p = 0; p < COUNT_OF(searched); p++) {
        regex_t ours, theirs;
        struct err e = {0};
        if (pattern_compile(&ours, searched[p], "a pattern", &e))
            fail_msg("%s", e.text);
        assert_int_equal(regcomp(&theirs, searched[p], REG_EXTENDED | REG_NOSUB), 0);
        for (size_t t = 0; t < COUNT_OF(texts); t++)
            if (regexec(&ours, texts[t], 0, NULL, 0) != regexec(&theirs, texts[t], 0, NULL, 0))
                fail_msg("'%s' in '%s'", searched[p], texts[t]);
        regfree(&ours);
        regfree(&theirs);
    }
}

/* At every place of 1 MiB to its end would be 5 * 10^11 steps. */
TEST(long_names_take_one_pass)
{
    enum { BYTES = 1 << 20, SECONDS = 30 };
    static const char *const searched[] = {"a+b", "(aa|a)*b", "a.*b.*c", "gemm|tile"};
    char *name = malloc(BYTES + 1);
    assert_non_null(name);
    memset(name, 'a', BYTES);
    name[BYTES] = '\0';
    alarm(SECONDS);
    for (size_t p = 0; p < COUNT_OF(searched); p++) {
        regex_t regex;
        assert_int_equal(pattern_compile(&regex, searched[p], "a pattern", NULL), 0);
        assert_int_equal(regexec(&regex, name, 0, NULL, 0), REG_NOMATCH);
        regfree(&regex);
    }
    alarm(0);
    free(name);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(patterns), cmocka_unit_test(places_are_those_of_the_library),
                                       cmocka_unit_test(long_names_take_one_pass)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
