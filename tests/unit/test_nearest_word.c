/* Which word was meant, and when was none? */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/nearest_word.h"

static void distances(void **state)
{
    (void)state;
    static const struct {
        const char *a, *b;
        size_t limit, distance;
    } cases[] = {
        {"", "", 3, 0},
        {"abc", "abc", 0, 0},
        {"abc", "abd", 3, 1},
        {"abc", "ab", 3, 1},
        {"ab", "abc", 3, 1},
        {"kitten", "sitting", 5, 3}, /* two changed, one added */
        {"kitten", "sitting", 2, 3}, /* more than the limit: the limit and one */
        {"abc", "xyz", 9, 3},
        {"stals", "stalls", 2, 1},
        {"", "abc", 2, 3},
        {"ba", "ab", 2, 1}, /* swapped */
        {"abdc", "abcd", 1, 1},
        {"badc", "abcd", 2, 2},
        {"badc", "abcd", 1, 2},
        {"ca", "abc", 5, 3}, /* what was swapped is not touched again */
        {"reprot", "report", 1, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(word_distance(cases[i].a, cases[i].b, cases[i].limit), cases[i].distance);
        assert_int_equal(word_distance(cases[i].b, cases[i].a, cases[i].limit), cases[i].distance);
    }
}

static void the_nearest(void **state)
{
    (void)state;
    static const char *const known[] = {"mission", "small", "list", "last", "ragged-1", "ragged-2"};
    static const struct {
        const char *word, *near;
    } cases[] = {
        {"mision", "mission"}, /* 1 of 6 */
        {"smal", "small"},
        {"lsit", "list"}, /* one swap; "last" is two away */
        {"lost", "list"}, /* 1 away, as "last" is: the first stays */
        {"last", "last"},
        {"ragged-3", "ragged-1"},
        {"mxxxxon", ""}, /* 4 of 7, a third of them would be 2 */
        {"nist", "list"},
        {"nisp", ""}, /* 2 of 4 */
        {"zz", ""},
        {"s", ""}, /* all of it would change */
        {"", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct nearest_word near = {0};
        for (size_t k = 0; k < sizeof known / sizeof known[0]; k++)
            nearest_word_offer(&near, cases[i].word, known[k], known[k]);
        assert_string_equal(near.found, cases[i].near);
    }
}

static void long_words_are_near_nothing(void **state)
{
    (void)state;
    char word[NEAREST_WORD_MAX + 2];
    memset(word, 'x', sizeof word - 1);
    word[sizeof word - 1] = '\0';
    struct nearest_word near = {0};
    nearest_word_offer(&near, word, word, word);
    assert_string_equal(near.found, "");
    assert_int_equal(word_distance(word, word, 5), 6);
    word[NEAREST_WORD_MAX] = '\0';
    nearest_word_offer(&near, word, word, "short");
    assert_string_equal(near.found, "short");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distances),
        cmocka_unit_test(the_nearest),
        cmocka_unit_test(long_words_are_near_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
