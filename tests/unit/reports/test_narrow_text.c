/* Is no line longer than the terminal, nothing lost by that, and a status seen at once? */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "reports/document/block.h"
#include "reports/document/document.h"
#include "reports/document/shorten.h"
#include "reports/document/wrap.h"
#include "tests/test.h"

static char *viewed(const struct document *d, size_t columns, bool colours)
{
    struct str out;
    str_init(&out);
    const struct document_view view = {.last = TIER_ALL, .columns = columns, .colours = colours};
    assert_int_equal(document_format_by_name("text")->render(d, &view, &out), 0);
    return str_take(&out);
}

/* Code is not wrapped. */
static void assert_no_longer(const char *text, size_t columns)
{
    for (const char *line = text; *line;) {
        const size_t bytes = strcspn(line, "\n");
        char *copy = strndup(line, bytes);
        assert_non_null(copy);
        if (visible_columns(copy) > columns && strncmp(copy, "    ", 4) != 0)
            fail_msg("longer than %zu: '%s' in\n%s", columns, copy, text);
        free(copy);
        line += bytes + (line[bytes] == '\n');
    }
}

/* ---- wrapped words ---- */

TEST(words_longer_than_a_line_are_broken)
{
    static const struct {
        const char *line;
        size_t columns;
        const char *indent, *wrapped;
    } cases[] = {
        {"", 4, "", "\n"},
        {"abcd", 4, "", "abcd\n"},
        {"abcd efgh", 4, "", "abcd\nefgh\n"},
        {"ab cd ef", 5, "", "ab cd\nef\n"},
        {"abcdefghij", 4, "", "abcd\nefgh\nij\n"},
        {"a bcdefgh", 4, "", "a\nbcde\nfgh\n"},
        {"- abcdefgh", 6, "  ", "- abcd\n  efgh\n"}, /* the mark stays with its word */
        {"ab  cd  ", 3, "", "ab\ncd\n"},
        {"\xc3\xa4\xc3\xb6\xc3\xbc\xc3\xa4", 3, "", "\xc3\xa4\xc3\xb6\xc3\xbc\n\xc3\xa4\n"},
        {"\x1b[1mabcd\x1b[0m ef", 4, "", "\x1b[1mabcd\x1b[0m\nef\n"}, /* colours have no width */
        {"abc", 1, "  ", "a\n  b\n  c\n"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct str out;
        str_init(&out);
        wrap_add_broken(&out, cases[i].line, cases[i].columns, cases[i].indent);
        assert_string_equal(str_text(&out), cases[i].wrapped);
        str_release(&out);
    }
}

/* ---- shortened names ---- */

enum { NAMES_MAX = 4 };

static const struct {
    const char *names[NAMES_MAX];
    size_t columns;
    const char *shortened[NAMES_MAX]; /* NULL: they stay */
} names_cases[] = {
    /* what all begin with goes first: 12 = 3 + 1 + 8 */
    {{"pipeline/cpasync3", "pipeline/sync"},
     12,
     {"pip\xe2\x80\xa6"
      "cpasync3",
      "pip\xe2\x80\xa6ine/sync"}},
    /* what all end with */
    {{"a_kernel_of_one_kind", "b_kernel_of_one_kind"}, 9, {"a_ke\xe2\x80\xa6kind", "b_ke\xe2\x80\xa6kind"}},
    /* alone: the middle, 5 + 1 + 4 */
    {{"abcdefghijklmnop"}, 10, {"abcde\xe2\x80\xa6mnop"}},
    {{"\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4"}, 5, {"\xc3\xa4\xc3\xa4\xe2\x80\xa6\xc3\xa4\xc3\xa4"}},
    /* twice the same name stays twice the same */
    {{"abcdefghij", "abcdefghij", "xbcdefghij"}, 6, {"abc\xe2\x80\xa6ij", "abc\xe2\x80\xa6ij", "xbc\xe2\x80\xa6ij"}},
    /* short ones stay as they are */
    {{"short", "abcdefghijklmnop"}, 10, {"short", "abcde\xe2\x80\xa6mnop"}},
    /* they differ in their middle alone */
    {{"aaaaaaaaXbbbbbbbb", "aaaaaaaaYbbbbbbbb"}, 8, {NULL}},
    /* a name that looks as if it had been cut */
    {{"ab\xe2\x80\xa6yz", "abcdefyz"}, 5, {NULL}},
};

static size_t count_names(const char *const *names)
{
    size_t count = 0;
    while (count < NAMES_MAX && names[count])
        count++;
    return count;
}

TEST(names_that_differ_still_differ)
{
    for (size_t i = 0; i < COUNT_OF(names_cases); i++) {
        const size_t count = count_names(names_cases[i].names);
        const char *names[NAMES_MAX], *const *expected = names_cases[i].shortened;
        struct arena arena;
        arena_init(&arena);
        memcpy(names, names_cases[i].names, sizeof names);
        assert_int_equal(shorten_names(&arena, names, count, names_cases[i].columns), *expected != NULL);
        for (size_t k = 0; k < count; k++)
            assert_string_equal(names[k], *expected ? expected[k] : names_cases[i].names[k]);
        arena_release(&arena);
    }
}

/* 17 characters that differ in the ninth: a head of 9, a mark and 2 of the end are 12. */
TEST(the_least_width_keeps_them_apart)
{
    static const char *const middle[] = {"aaaaaaaaXbbbbbbbb", "aaaaaaaaYbbbbbbbb"};
    const size_t least = shorten_least(middle, 2, 4);
    assert_in_range(least, 12, 17);
    struct arena arena;
    arena_init(&arena);
    const char *names[] = {middle[0], middle[1]};
    assert_true(least == 17 || shorten_names(&arena, names, 2, least));
    arena_release(&arena);
    assert_int_equal(shorten_least((const char *const[]){"abcdefghijkl"}, 1, 8), 8);
    assert_int_equal(shorten_least((const char *const[]){"abc"}, 1, 8), 3);
}

/* ---- tables ---- */

#define SENTENCE                                                                                                       \
    "a sentence of several words that is wider than a terminal of eighty columns has room for, and ends here"

enum { ROWS = 3, COLUMNS = 13 };

static const char *const cells[ROWS][COLUMNS] = {
    {"allreduce/one-stage", "mib16 chunk=4096", "1001 us", "1002 us", "1003 us", "1004 us", "1005 us", "1006 us",
     "faster", "1.541x [1.540x, 1.543x]", "1007 us", SENTENCE,
     "void allreduce_1stage<float, 16, 2, 2>(allreduce_problem)"},
    {"allreduce/one-stage", "mib32 chunk=4096", "2001 us", "2002 us", "2003 us", "2004 us", "2005 us", "2006 us",
     "slower", "0.641x [0.640x, 0.643x]", "2007 us", "short",
     "void allreduce_1stage<float, 16, 2, 4>(allreduce_problem)"},
    {"allreduce/two-stages", "mib16 chunk=4096", "3001 us", "3002 us", "3003 us", "3004 us", "3005 us", "3006 us",
     "faster", "1.241x [1.240x, 1.243x]", "3007 us", "", "void allreduce_2stage<float, 16, 2, 2>(allreduce_problem)"},
};

static void add_wide_table(struct document *d)
{
    static const struct document_column columns[COLUMNS] = {{"variant", false},
                                                            {"at", false},
                                                            {"p50", true},
                                                            {"p90", true},
                                                            {"p99", true},
                                                            {"mean", true},
                                                            {"std", true},
                                                            {"min", true},
                                                            {"verdict", false},
                                                            {"speedup", true},
                                                            {"smallest gain it could call", true},
                                                            {"because", false},
                                                            {"kernel", false}};
    document_table(d, columns, COLUMNS);
    for (size_t r = 0; r < ROWS; r++)
        for (size_t c = 0; c < COLUMNS; c++) {
            if (c == 0 || c == COLUMNS - 1)
                document_cell_code(d, cells[r][c]);
            else
                document_cell(d, "%s", cells[r][c]);
        }
}

/* Each word of a sentence, each number, each short cell: at least once. */
static void assert_words_are_there(const char *text, const char *cell)
{
    char *copy = strdup(cell), *rest = copy;
    assert_non_null(copy);
    for (char *word; (word = strtok_r(rest, " ", &rest));)
        if (!strstr(text, word))
            fail_msg("'%s' of '%s' is lost in\n%s", word, cell, text);
    free(copy);
}

TEST(a_wide_table_loses_nothing)
{
    static const size_t widths[] = {120, 80, 60, 40};
    for (size_t i = 0; i < COUNT_OF(widths); i++) {
        struct document d;
        document_init(&d);
        add_wide_table(&d);
        char *text = viewed(&d, widths[i], false);
        assert_no_longer(text, widths[i]);
        for (size_t r = 0; r < ROWS; r++)
            for (size_t c = 1; c < COLUMNS - 1; c++)
                assert_words_are_there(text, cells[r][c]);
        free(text);
        document_release(&d);
    }
}

/* Their first line has the verdict and the speedup; every part begins with what tells the rows apart. */
TEST(parts_begin_with_what_tells_rows_apart)
{
    struct document d;
    document_init(&d);
    add_wide_table(&d);
    char *text = viewed(&d, 110, false);
    const size_t first_line = strcspn(text, "\n");
    char *first = strndup(text, first_line);
    assert_non_null(strstr(first, "verdict"));
    assert_non_null(strstr(first, "speedup"));
    free(first);
    size_t parts = 0;
    for (const char *at = text; at; at = strstr(at, "\n\n")) {
        at += strspn(at, "\n");
        assert_true(!strncmp(at, "variant ", 8) || !strncmp(at, "        ", 8)); /* titles may have two lines */
        parts++;
    }
    assert_true(parts >= 2);
    for (const char *at = text, *row; (row = strstr(at, "allreduce/one-stage")); at = row + 1)
        assert_int_equal(strncmp(row + strlen("allreduce/one-stage"), "   mib", 6), 0);
    free(text);
    document_release(&d);
}

/* Numbers alone say nothing: where names come last they stand at the end of every part. */
TEST(parts_have_the_names_that_come_last)
{
    static const struct document_column columns[] = {
        {"aaaaaaaa", true}, {"bbbbbbbb", true}, {"cccccccc", true}, {"kernel", false}};
    struct document d;
    document_init(&d);
    document_table(&d, columns, 4);
    for (size_t c = 0; c < 3; c++)
        document_cell(&d, "%zu", c);
    document_cell_code(&d, "reduce");
    char *text = viewed(&d, 30, false); /* 4 columns of 8, 8, 8 and 6 with three gaps are 36 */
    assert_string_equal(text, "aaaaaaaa  bbbbbbbb  kernel\n--------  --------  ------\n"
                              "       0         1  reduce\n\n"
                              "cccccccc  kernel\n--------  ------\n       2  reduce\n");
    free(text);
    document_release(&d);
}

/* The kernels are cut where they do not differ: 31 columns less the gap and the time are 23. */
TEST(names_are_cut_before_a_table_is)
{
    static const struct document_column columns[] = {{"kernel", false}, {"time", true}};
    struct document d;
    document_init(&d);
    document_table(&d, columns, 2);
    document_cell_code(&d, "void reduce_everything<16, 2>(my_problem)");
    document_cell(&d, "1.5 us");
    document_cell_code(&d, "void reduce_everything<16, 4>(my_problem)");
    document_cell(&d, "2.5 us");
    char *text = viewed(&d, 31, false);
    assert_string_equal(text, "kernel                     time\n"
                              "-----------------------  ------\n"
                              "void red\xe2\x80\xa6"
                              "2>(my_problem)  1.5 us\n"
                              "void red\xe2\x80\xa6"
                              "4>(my_problem)  2.5 us\n");
    free(text);
    text = viewed(&d, 0, false);
    assert_non_null(strstr(text, "void reduce_everything<16, 4>(my_problem)  2.5 us\n"));
    free(text);
    document_release(&d);
}

/* Names that no cut keeps apart go on in the next line. */
TEST(names_that_cannot_be_cut_are_wrapped)
{
    static const struct document_column columns[] = {{"kernel", false}, {"time", true}};
    struct document d;
    document_init(&d);
    document_table(&d, columns, 2);
    document_cell_code(&d, "aaaaaaaaaaaaaaaaaaaaXbbbbbbbbbbbbbbbbbbbb");
    document_cell(&d, "1.5 us");
    document_cell_code(&d, "aaaaaaaaaaaaaaaaaaaaYbbbbbbbbbbbbbbbbbbbb");
    document_cell(&d, "2.5 us");
    char *text = viewed(&d, 20, false);
    assert_no_longer(text, 20);
    assert_non_null(strchr(text, 'X'));
    assert_non_null(strchr(text, 'Y'));
    free(text);
    document_release(&d);
}

/* Four columns of 6 and three gaps are 30; the empty one is none of them. */
TEST(spare_columns_are_left_out)
{
    static const struct document_column columns[] = {
        {"aaaaaa", false}, {"bbbbbb", true}, {"empty", true}, {"cccccc", true}, {"dddddd", true}};
    static const char *const shown[][4] = {{"aaaaaa", "bbbbbb", "cccccc", "dddddd"}, {"aaaaaa", "bbbbbb", "cccccc"}};
    for (size_t narrow = 0; narrow < 2; narrow++) {
        struct document d;
        document_init(&d);
        document_table(&d, columns, COUNT_OF(columns));
        document_table_spare(&d, 3);
        for (size_t c = 0; c < COUNT_OF(columns); c++)
            document_cell(&d, "%s", c == 2 ? "" : "123");
        char *text = viewed(&d, 30 - narrow, false);
        for (size_t c = 0; c < 4; c++)
            assert_int_equal(strstr(text, shown[0][c]) != NULL, shown[narrow][c] != NULL);
        assert_null(strstr(text, "\n\n")); /* one part */
        free(text);
        text = viewed(&d, 20, false); /* 6 + 2 + 6 */
        assert_null(strstr(text, "cccccc"));
        assert_non_null(strstr(text, "aaaaaa  bbbbbb\n"));
        free(text);
        document_release(&d);
    }
}

/* Every width from the narrowest, and a terminal narrower than that. */
TEST(no_line_is_longer)
{
    static const struct picture picture = {"p", NULL, "##################################################",
                                           "It shows fifty."};
    struct document d;
    document_init(&d);
    document_heading(&d, 1, "a heading that is quite a bit longer than a narrow terminal has room for");
    document_picture(&d, &picture);
    document_heading(&d, 2, "another heading that is longer than forty columns are");
    document_bullet(&d);
    document_span(&d, SPAN_STRONG, "Answer: ");
    document_span(&d, SPAN_CODE, "void a_name_that_has_no_space_at_all_and_is_therefore_broken_somewhere<int,int>");
    document_span(&d, SPAN_PLAIN, " " SENTENCE);
    document_paragraph(&d);
    document_span(&d, SPAN_PLAIN, SENTENCE);
    add_wide_table(&d);
    for (size_t columns = 20; columns < 130; columns++) {
        char *text = viewed(&d, columns, columns % 2);
        if (columns % 2 == 0)
            assert_no_longer(text, columns);
        if (columns < 50) /* told, not drawn */
            assert_non_null(strstr(text, "It shows fifty."));
        else
            assert_non_null(strstr(text, picture.characters));
        free(text);
    }
    char *narrowest = viewed(&d, 20, false), *narrower = viewed(&d, 1, false);
    assert_string_equal(narrower, narrowest);
    free(narrowest);
    free(narrower);
    document_release(&d);
}

/* ---- colours ---- */

#define GREEN  "\x1b[1;32m"
#define RED    "\x1b[1;31m"
#define YELLOW "\x1b[1;33m"
#define BOLD   "\x1b[1m"
#define OFF    "\x1b[0m"

static void assert_holds(const char *text, const char *wanted)
{
    if (!strstr(text, wanted))
        fail_msg("'%s' is not in:\n%s", wanted, text);
}

TEST(words_of_status_have_a_colour)
{
    static const struct document_column columns[] = {{"variant", false}, {"verdict", false}, {"what", false}};
    static const struct {
        const char *heading, *coloured;
    } headings[] = {
        {"A is faster than B", BOLD "A is " GREEN "faster" OFF BOLD " than B" OFF "\n"},
        {"slower in 3", BOLD RED "slower" OFF BOLD " in 3" OFF "\n"},
        {"A is neither faster nor slower than B",
         BOLD "A is " YELLOW "neither faster nor slower" OFF BOLD " than B" OFF "\n"},
        {"WRONG KERNEL: x", BOLD RED "WRONG KERNEL" OFF BOLD ": x" OFF "\n"},
        {"CONTRADICTED: x", BOLD RED "CONTRADICTED" OFF BOLD ": x" OFF "\n"},
        {"A passes", BOLD "A passes" OFF "\n"},                             /* whole words alone */
        {"faster_kernel a/faster", BOLD "faster_kernel a/faster" OFF "\n"}, /* names */
    };
    for (size_t i = 0; i < COUNT_OF(headings); i++) {
        struct document d;
        document_init(&d);
        document_heading(&d, 1, headings[i].heading);
        char *text = viewed(&d, 0, true);
        assert_string_equal(text, headings[i].coloured);
        free(text);
        document_release(&d);
    }
    struct document d;
    document_init(&d);
    document_bullet(&d);
    document_span(&d, SPAN_STRONG, "Checked:");
    document_span(&d, SPAN_PLAIN, " ");
    document_span(&d, SPAN_PLAIN, "pass, 2 that fail");
    document_paragraph(&d);
    document_span(&d, SPAN_STRONG, "FAIL");
    document_span(&d, SPAN_PLAIN, ": what should pass");
    document_table(&d, columns, 3);
    document_cell_code(&d, "faster");
    document_cell(&d, "inconclusive");
    document_cell(&d, "pass");
    char *text = viewed(&d, 0, true);
    assert_holds(text, "- " BOLD "Checked:" OFF " " GREEN "pass" OFF ", 2 that fail\n");
    assert_holds(text, BOLD RED "FAIL" OFF BOLD OFF ": what should pass\n");
    assert_holds(text, "\nfaster   " YELLOW "inconclusive" OFF "  pass\n");
    free(text);
    text = viewed(&d, 0, false);
    assert_null(strchr(text, '\x1b'));
    free(text);
    document_release(&d);
}

/* What strangers call their kernels is as visible as ever, and no colour of theirs reaches the terminal. */
TEST(strangers_bring_no_escape)
{
    static const char name[] = "\x1b[31mPASS\x1b]0;title\x07\xc2\x9b"
                               "5m";
    static const struct document_column columns[] = {{"status", false}, {"\x1b[32mtitle", false}};
    struct document d;
    document_init(&d);
    document_heading(&d, 1, "");
    document_span(&d, SPAN_PLAIN, "%s", name);
    document_bullet(&d);
    document_span(&d, SPAN_STRONG, "%s:", name);
    document_span(&d, SPAN_CODE, "%s", name);
    document_table(&d, columns, 2);
    document_cell(&d, "%s", name);
    document_cell_code(&d, name);
    static const size_t widths[] = {0, 80, 20};
    for (size_t i = 0; i < COUNT_OF(widths); i++) {
        char *text = viewed(&d, widths[i], true);
        assert_null(strchr(text, '\x07'));
        assert_null(strstr(text, "\xc2\x9b"));
        for (const char *at = text; (at = strchr(at, '\x1b')); at++)
            assert_true(!strncmp(at, BOLD, 4) || !strncmp(at, OFF, 4) || !strncmp(at, GREEN, 7));
        free(text);
    }
    document_release(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_longer_than_a_line_are_broken),    cmocka_unit_test(names_that_differ_still_differ),
        cmocka_unit_test(the_least_width_keeps_them_apart),       cmocka_unit_test(a_wide_table_loses_nothing),
        cmocka_unit_test(parts_begin_with_what_tells_rows_apart), cmocka_unit_test(names_are_cut_before_a_table_is),
        cmocka_unit_test(names_that_cannot_be_cut_are_wrapped),   cmocka_unit_test(no_line_is_longer),
        cmocka_unit_test(parts_have_the_names_that_come_last),    cmocka_unit_test(spare_columns_are_left_out),
        cmocka_unit_test(words_of_status_have_a_colour),          cmocka_unit_test(strangers_bring_no_escape),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
