/* Does a line become the words that a shell would make of it? */
#include <stdlib.h>
#include <string.h>

#include "core/base/words.h"
#include "tests/test.h"

TEST(splits)
{
    static const struct {
        const char *line;
        const char *words[5];
    } cases[] = {
        {"./app", {"./app"}},
        {"  python3\ttrain.py\n --steps  20 ", {"python3", "train.py", "--steps", "20"}},
        {"a 'b c' \"d e\" f\\ g", {"a", "b c", "d e", "f g"}},
        {"x'y'\"z\"w", {"xyzw"}},
        {"a '' \"\"", {"a", "", ""}},
        {"'a\\b' \"a\\b\" \"a\\\"b\" a\\'b", {"a\\b", "a\\b", "a\"b", "a'b"}},
        {"\"\\$HOME\" $HOME *.c ~ `x`", {"$HOME", "$HOME", "*.c", "~", "`x`"}},
        {"a|b ; c>d #e", {"a|b", ";", "c>d", "#e"}},
        {"one\\\ntwo \"three\\\nfour\"", {"onetwo", "threefour"}},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct word_list words = {0};
        struct err e = {0};
        if (words_split(&words, cases[i].line, &e))
            fail_msg("%s", e.text);
        for (size_t w = 0; w < 5 && cases[i].words[w]; w++) {
            assert_non_null(words.items[w]);
            assert_string_equal(words.items[w], cases[i].words[w]);
            assert_true(w + 1 == 5 || cases[i].words[w + 1] || words.count == w + 1);
        }
        assert_null(words.items[words.count]);
        words_release(&words);
        assert_null(words.items);
    }
}

TEST(quotes)
{
    static const struct {
        const char *word, *quoted;
    } cases[] = {
        {"run/a-1.nsys-rep", "run/a-1.nsys-rep"},
        {"", "''"},
        {"a b", "'a b'"},
        {"it's", "'it'\\''s'"},
        {"$(x)", "'$(x)'"},
        {"~", "'~'"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct word_list words = {0};
        struct str text;
        struct err e = {0};
        str_init(&text);
        words_add_quoted(&text, cases[i].word);
        assert_string_equal(str_text(&text), cases[i].quoted);
        if (words_split(&words, str_text(&text), &e))
            fail_msg("%s", e.text);
        assert_int_equal(words.count, 1);
        assert_string_equal(words.items[0], cases[i].word);
        words_release(&words);
        str_release(&text);
    }
}

TEST(refuses)
{
    static const struct {
        const char *line, *message;
    } cases[] = {
        {"", "is empty"},       {" \t\n", "is empty"},  {"a 'b", "left open"},
        {"a \"b", "left open"}, {"a b\\", "left open"}, {"\"a\\\"", "left open"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct word_list words = {0};
        struct err e = {0};
        assert_int_equal(words_split(&words, cases[i].line, &e), ERR_USAGE);
        assert_non_null(strstr(e.text, cases[i].message));
        assert_int_equal(words.count, 0);
    }
    char *many = malloc(2 * WORDS_MAX + 3); /* "a a ... a": one word too many */
    assert_non_null(many);
    for (size_t i = 0; i <= WORDS_MAX; i++)
        memcpy(many + 2 * i, "a ", 3);
    struct word_list words = {0};
    struct err e = {0};
    assert_int_equal(words_split(&words, many, &e), ERR_USAGE);
    assert_non_null(strstr(e.text, "more than"));
    free(many);
}

TEST(lists)
{
    assert_true(words_list_has("device", "device"));
    assert_true(words_list_has("driver,device", "device"));
    assert_true(words_list_has("device,driver", "device"));
    assert_false(words_list_has("devices,adevice", "device"));
    assert_false(words_list_has("", "device"));
    assert_false(words_list_has(NULL, "device"));
}

TEST(functions_of_python_files)
{
    static const struct {
        const char *text;
        size_t length; /* of the file */
    } cases[] = {
        {"softmax.py:softmax", 10},
        {"a:b/c.py:f", 8},
        {"./x.py:Model.forward", 6},
        {"x.py:_f2", 4},
        {"x.py:f:g", 0},
        {"x.py:f.py:g", 9},
        {"x.py", 0},
        {"x.py:", 0},
        {".py:f", 0},
        {"x.so:f", 0},
        {"x.py:f()", 0},
        {"x.py:f g", 0},
        {"x.py:f/g", 0},
        {"x.pyc:f", 0},
        {":f", 0},
        {"", 0},
        {"x.py:\xc3\xa4", 0},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        if (words_python_length(cases[i].text) != cases[i].length)
            fail_msg("'%s' has a file of %zu characters", cases[i].text, words_python_length(cases[i].text));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(splits), cmocka_unit_test(quotes), cmocka_unit_test(refuses),
                                       cmocka_unit_test(lists), cmocka_unit_test(functions_of_python_files)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
