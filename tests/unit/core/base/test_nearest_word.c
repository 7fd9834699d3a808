/* Which word was meant, and when was none? */
#include <string.h>

#include "core/base/nearest_word.h"
#include "tests/test.h"

TEST(distances)
{
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
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        assert_int_equal(word_distance(cases[i].a, cases[i].b, cases[i].limit), cases[i].distance);
        assert_int_equal(word_distance(cases[i].b, cases[i].a, cases[i].limit), cases[i].distance);
    }
}

TEST(the_nearest)
{
    static const char *const known[] = {"mission",  "small",    "list",     "last",    "ragged-1",
                                        "ragged-2", "ragged-2", "ragged-4", "ragged-5"};
    static const struct {
        const char *word, *near, *question;
    } cases[] = {
        {"mision", "mission", "; did you mean 'mission'?"}, /* 1 of 6 */
        {"smal", "small", "; did you mean 'small'?"},
        {"lsit", "list", "; did you mean 'list'?"},           /* one swap; "last" is two away */
        {"lost", "list", "; did you mean 'list' or 'last'?"}, /* 1 away, as "last" is: the first stays the first */
        {"last", "last", "; did you mean 'last'?"},
        {"ragged-3", "ragged-1", "; did you mean 'ragged-1', 'ragged-2' or 'ragged-4'?"},
        {"mxxxxon", "", ""}, /* 4 of 7, a third of them would be 2 */
        {"nist", "list", "; did you mean 'list'?"},
        {"nisp", "", ""}, /* 2 of 4 */
        {"zz", "", ""},
        {"s", "", ""}, /* all of it would change */
        {"", "", ""},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct nearest_word near = {0};
        for (size_t k = 0; k < COUNT_OF(known); k++)
            nearest_word_offer(&near, cases[i].word, known[k], known[k]);
        assert_string_equal(near.found, cases[i].near);
        char question[NEAREST_QUESTION_BYTES];
        assert_string_equal(nearest_word_question(&near, question), cases[i].question);
    }
}

TEST(long_words_are_near_nothing)
{
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
    near = (struct nearest_word){0}; /* three of the longest have room */
    char question[NEAREST_QUESTION_BYTES];
    for (const char *end = "abc"; *end; end++) {
        word[NEAREST_WORD_MAX - 1] = *end;
        nearest_word_offer(&near, "xyz", "xyz", word);
    }
    assert_int_equal(strlen(nearest_word_question(&near, question)),
                     strlen("; did you mean '', '' or ''?") + 3 * NEAREST_WORD_MAX);
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
