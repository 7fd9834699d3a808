/* Is a missing cell missing, with its reason, whatever is asked of it? */
#include <math.h>
#include <string.h>

#include "core/io/table_check.h"
#include "tests/test.h"

static const struct column columns[] = {
    {"name", UNIT_TEXT, {COLUMN_REQUIRED | COLUMN_KEY, RANGE_ANY, "red green"}},
    {"count", UNIT_COUNT, {COLUMN_KEY_KNOWN | COLUMN_WHOLE, RANGE_FROM_1, NULL}},
    {"share", UNIT_RATIO, {0, RANGE_SHARE, NULL}},
};

enum { NAME, SIZE, SHARE, COLUMNS };

TEST(cells_know_why_they_are_empty)
{
    struct table t;
    table_init(&t, columns, COLUMNS);
    struct cell *row = table_add_row(&t);
    assert_non_null(row);
    for (size_t i = 0; i < COLUMNS; i++)
        assert_int_equal(row[i].type, CELL_MISSING);
    row[SIZE] = cell_integer(3);
    row[SHARE] = cell_number(INFINITY);
    assert_int_equal(table_at(&t, 0, SHARE)->type, CELL_MISSING);
    assert_string_equal(table_at(&t, 0, SHARE)->text, "not a number");
    assert_true(isnan(table_number(&t, 0, SHARE)) && isnan(table_number(&t, 0, NAME)));
    assert_string_equal(table_text(&t, 0, SIZE), "");
    assert_true(table_number(&t, 0, SIZE) == 3);
    table_clear(&t, 0, SIZE, "not counted");
    assert_true(isnan(table_number(&t, 0, SIZE)));
    assert_string_equal(table_at(&t, 0, SIZE)->text, "not counted");
    assert_int_equal(table_rows(&t), 1);
    table_release(&t);
}

/* The row before which the good part ends, and why; rows whose known key is missing are like no other. */
TEST(the_good_part_ends_at_the_first_bad_row)
{
    static const struct {
        const char *name;
        int64_t count; /* 0: missing */
        double share;
        size_t good;
        const char *why;
    } cases[] = {
        /* behind "red, 2, 0.5" and "red, missing, missing" */
        {"red", 3, 1, 3, ""},
        {"green", 2, 0, 3, ""},
        {"red", 0, NAN, 3, ""},
        {"red", 2, 0.25, 2, "row 3: it is row 1 again: name, count are the same"},
        {"blue", 2, 0, 2, "row 3: column 'name' is 'blue', expected: required, key, `red` or `green`"},
        {"gree", 2, 0, 2, "row 3: column 'name' is 'gree', expected: required, key, `red` or `green`"},
        {NULL, 2, 0, 2, "row 3: column 'name' is empty, expected: required, key, `red` or `green`"},
        {"red", -4, 0, 2, "row 3: column 'count' is -4, expected: key, whole, 1 or more"},
        {"red", 5, 1.5, 2, "row 3: column 'share' is 1.5, expected: 0 to 1"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct table t;
        struct str why;
        size_t good;
        table_init(&t, columns, COLUMNS);
        str_init(&why);
        struct cell *row = table_add_row(&t);
        row[NAME] = cell_text(&t, "red");
        row[SIZE] = cell_number(2); /* as it is when it is read */
        row[SHARE] = cell_number(0.5);
        row = table_add_row(&t);
        row[NAME] = cell_text(&t, "red");
        row = table_add_row(&t);
        if (cases[i].name)
            row[NAME] = cell_text(&t, cases[i].name);
        if (cases[i].count)
            row[SIZE] = cell_integer(cases[i].count);
        row[SHARE] = cell_number(cases[i].share);
        assert_int_equal(table_check(&t, NULL, &good, &why, NULL), 0);
        assert_string_equal(str_text(&why), cases[i].why);
        assert_int_equal(good, cases[i].good);
        str_release(&why);
        table_release(&t);
    }
}

/* 2^53 is the last one that a double tells from its neighbours, on both sides; an integer beyond it is not rounded to
 * it. */
TEST(whole_numbers_end_where_doubles_lose_them)
{
    static const struct column whole[] = {{"n", UNIT_COUNT, {COLUMN_WHOLE, RANGE_ANY, NULL}}};
    static const char beyond[] = ", beyond 2^53, where whole numbers cannot be told apart, expected: whole";
    const struct {
        struct cell cell;
        const char *number; /* that is refused; NULL: none */
        const char *why;
    } cases[] = {
        {cell_integer(INT64_C(9007199254740992)), NULL, ""},
        {cell_integer(INT64_C(-9007199254740992)), NULL, ""},
        {cell_number(9007199254740992.0), NULL, ""},
        {cell_number(-9007199254740992.0), NULL, ""},
        {cell_integer(INT64_C(9007199254740993)), "9007199254740993", beyond},
        {cell_integer(INT64_C(-9007199254740993)), "-9007199254740993", beyond},
        {cell_number(9007199254740994.0), "9.00719925e+15", beyond},
        {cell_number(-1e300), "-1e+300", beyond},
        {cell_number(0.5), "0.5", ", expected: whole"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct table t;
        struct str why, expected;
        size_t good;
        table_init(&t, whole, 1);
        str_init(&why);
        str_init(&expected);
        table_add_row(&t)[0] = cases[i].cell;
        if (cases[i].number)
            str_addf(&expected, "row 1: column 'n' is %s%s", cases[i].number, cases[i].why);
        assert_int_equal(table_check(&t, NULL, &good, &why, NULL), 0);
        assert_string_equal(str_text(&why), str_text(&expected));
        assert_int_equal(good, cases[i].number ? 0 : 1);
        str_release(&why);
        str_release(&expected);
        table_release(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cells_know_why_they_are_empty),
        cmocka_unit_test(the_good_part_ends_at_the_first_bad_row),
        cmocka_unit_test(whole_numbers_end_where_doubles_lose_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
