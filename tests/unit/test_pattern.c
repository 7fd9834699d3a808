/* Which regular expressions are taken, and which would cost too much? */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/pattern.h"

#define TWENTY_PLUSES "++++++++++++++++++++"

static void patterns(void **state)
{
    (void)state;
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
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(patterns)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
