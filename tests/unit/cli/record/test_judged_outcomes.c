/* Is an outcome right only where the judge wrote so? The cases are a row of the judge and one of the process each. */
#define _GNU_SOURCE
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cli/record/judged_outcomes.h"
#include "core/bundle/bundle_tables.h"
#include "tests/test.h"

#define RIGHT "time,3,\"n=64,m=2\",\"small tiny\",\"n=64\",77 sorted,yes,100,0.5,\"\"\n"
#define WRONG "time,3,\"n=64,m=2\",\"small tiny\",\"n=64\",77 sorted,no,100,0.5,\"two, or three\"\n"

struct said {
    const char *shape, *seed, *pass;
    int64_t values;
    double max_abs_err;
};

static const struct said honest = {"small", "77 sorted", "yes", 100, 0.5};

static void add(struct table *verify, const struct said *said)
{
    struct cell *row = table_add_row(verify);
    row[VERIFY_SHAPE] = cell_text(verify, said->shape);
    row[VERIFY_SEED] = cell_text(verify, said->seed);
    row[VERIFY_PASS] = cell_text(verify, said->pass);
    row[VERIFY_VALUES] = cell_integer(said->values);
    row[VERIFY_MAX_ABS_ERR] = cell_number(said->max_abs_err);
}

/* What becomes of the rows from `first` on, "yes no", and what is complained of. The caller frees nothing. */
static const char *compare(const char *judged, const struct said *said, size_t count, size_t first, struct err *e)
{
    static char passes[64];
    struct judged_outcomes o;
    struct table verify;
    const int file = memfd_create("judged", MFD_CLOEXEC);
    assert_true(write(file, judged, strlen(judged)) == (ssize_t)strlen(judged));
    assert_int_equal(judged_outcomes_read(&o, file, e), 0);
    close(file);
    bundle_table_init(&verify, BUNDLE_VERIFY);
    for (size_t i = 0; i < count; i++)
        add(&verify, &said[i]);
    const int rc = judged_outcomes_compare(&o, &verify, first, e);
    assert_int_equal(rc, e->code);
    *passes = '\0';
    for (size_t i = 0; i < count; i++) {
        strcat(strcat(passes, i ? " " : ""), table_text(&verify, i, VERIFY_PASS));
        assert_true(!strcmp(table_text(&verify, i, VERIFY_PASS), said[i].pass) ||
                    strstr(table_text(&verify, i, VERIFY_HINT), "judge"));
    }
    table_release(&verify);
    judged_outcomes_release(&o);
    return passes;
}

TEST(a_row_is_right_where_the_judge_said_so)
{
    static const struct {
        struct said said;
        const char *passes;
    } cases[] = {
        {{"small", "77 sorted", "yes", 100, 0.5}, "yes"},
        {{"tiny", "077 sorted", "yes", 100, 0.5}, "yes"},
        {{"n=64", "77 sorted", "yes", 100, 0.5}, "yes"}, /* m is at its default */
        {{"m=2,n=64", "77 sorted", "yes", 100, 0.50000000001}, "yes"},
        {{"m=2", "77 sorted", "yes", 100, 0.5}, "no"}, /* n would be at its default */
        {{"n=64,m=3", "77 sorted", "yes", 100, 0.5}, "no"},
        {{"n=6", "77 sorted", "yes", 100, 0.5}, "no"},
        {{"sma", "77 sorted", "yes", 100, 0.5}, "no"},
        {{"small tiny", "77 sorted", "yes", 100, 0.5}, "no"},
        {{"small", "77", "yes", 100, 0.5}, "no"},
        {{"small", "78 sorted", "yes", 100, 0.5}, "no"},
        {{"small", "77 sorted", "yes", 101, 0.5}, "no"},
        {{"small", "77 sorted", "yes", 100, 0.4}, "no"},
        {{"small", "77 sorted", "no", 100, 0.5}, "no"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct err e = {0};
        const char *passes = compare(RIGHT, &cases[i].said, 1, 0, &e);
        if (strcmp(passes, cases[i].passes) != 0 || e.code)
            fail_msg("%s %s: %s", cases[i].said.shape, cases[i].said.seed, passes);
    }
}

/* Outputs that were never written have no largest error. */
TEST(a_wrong_row_may_have_no_error)
{
    const struct said rows[] = {{"small", "77 sorted", "no", 100, NAN}, {"small", "77 sorted", "yes", 100, NAN}};
    struct err e = {0};
    const char *judged = "time,3,\"n=64,m=2\",\"small tiny\",\"n=64\",77 sorted,no,100,,\"never written\"\n";
    assert_string_equal(compare(judged, rows, 1, 0, &e), "no");
    assert_string_equal(compare(judged, rows, 2, 0, &e), "no no");
}

/* One verdict is that of one row; rows before `first` are of earlier processes, which other judges looked at. */
TEST(each_verdict_counts_once)
{
    const struct said rows[] = {honest, honest, honest};
    struct err e = {0};
    assert_string_equal(compare("", rows, 3, 3, &e), "yes yes yes");
    assert_string_equal(compare("", rows, 3, 2, &e), "yes yes no");
    assert_string_equal(compare(RIGHT, rows, 3, 0, &e), "yes no no");
    assert_string_equal(compare(RIGHT RIGHT, rows, 3, 1, &e), "yes yes yes");
    assert_int_equal(e.code, 0);
}

TEST(what_is_wrong_must_be_told)
{
    const struct said told[] = {honest, {"n=64", "77 sorted", "no", 100, 0.5}},
                      other[] = {honest, {"large", "77 sorted", "no", 1, 1}};
    struct err e = {0};
    assert_string_equal(compare(RIGHT WRONG WRONG, told, 2, 0, &e), "yes no");
    assert_int_equal(e.code, 0);
    assert_string_equal(compare(RIGHT WRONG, told, 1, 0, &e), "no");
    assert_int_equal(e.code, ERR_INPUT);
    assert_non_null(strstr(e.text, "does not report: n=64,m=2, seed 77 sorted: two, or three"));
    e = (struct err){0};
    assert_string_equal(compare(RIGHT WRONG, other, 2, 0, &e), "no no");
    assert_int_equal(e.code, ERR_INPUT);
    e = (struct err){0};
    assert_string_equal(compare(WRONG, NULL, 0, 0, &e), "");
    assert_int_equal(e.code, ERR_INPUT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_row_is_right_where_the_judge_said_so),
        cmocka_unit_test(a_wrong_row_may_have_no_error),
        cmocka_unit_test(each_verdict_counts_once),
        cmocka_unit_test(what_is_wrong_must_be_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
