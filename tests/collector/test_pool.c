/* Does a pool have the arms that were asked for, and keep one row of each? */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "collector/runner/pool_cases.h"
#include "collector/runner/pool_rows.h"
#include "core/bundle/bundle_tables.h"
#include "tests/test.h"

/* What the tests choose from. */
static struct catalogue catalogue;

static int fill_catalogue(void **state)
{
    (void)state;
    return catalogue_add_built_in(&catalogue, NULL);
}

static int release_catalogue(void **state)
{
    (void)state;
    catalogue_release(&catalogue);
    return 0;
}

static int expand(struct case_list *list, const char *const *shapes, const char *const *sets, const char *const *plants,
                  struct err *e)
{
    static const char *const variants[] = {"dose/chain"};
    struct case_request request = {&catalogue, variants, 1, NULL, shapes, 0, sets, 0, false};
    struct plant_request plant = {plants, 0};
    while (shapes[request.shape_count])
        request.shape_count++;
    while (sets[request.set_count])
        request.set_count++;
    while (plants[plant.count])
        plant.count++;
    *list = (struct case_list){0};
    int rc = case_list_expand(list, &request, e);
    return rc ? rc : case_list_make_pool(list, &plant, e);
}

TEST(every_arm_stands_beside_its_case)
{
    static const struct {
        const char *shapes[4], *sets[2], *plants[4];
        const char *rows; /* NAME at KEY in GROUP with the EXTRA that the kernel gets */
    } cases[] = {
        {{"us2"},
         {NULL},
         {NULL},
         "dose/chain at us2 extra_ppm=0 in 0 with 0\n"
         "dose/chain#2 at us2 extra_ppm=0 in 0 with 0\n"},
        {{"ms2,us2"},
         {NULL},
         {"us2=20000,5000"},
         "dose/chain at ms2 extra_ppm=0 in 0 with 0\n"
         "dose/chain#2 at ms2 extra_ppm=0 in 0 with 0\n"
         "dose/chain at us2 extra_ppm=0 in 1 with 0\n"
         "dose/chain at us2 extra_ppm=20000 in 1 with 20000\n"
         "dose/chain at us2 extra_ppm=5000 in 1 with 5000\n"
         "dose/chain#2 at us2 extra_ppm=0 in 1 with 0\n"},
        {{"steps=300"},
         {"extra_ppm=100"},
         {"steps=300=7"},
         "dose/chain at steps=300 extra_ppm=100 in 0 with 100\n"
         "dose/chain at steps=300 extra_ppm=107 in 0 with 107\n"
         "dose/chain#2 at steps=300 extra_ppm=100 in 0 with 100\n"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct case_list list;
        struct err e = {0};
        if (expand(&list, cases[i].shapes, cases[i].sets, cases[i].plants, &e))
            fail_msg("case %zu: %s", i, e.text);
        char rows[1024] = "";
        size_t used = 0;
        for (size_t c = 0; c < list.count; c++)
            used += (size_t)snprintf(rows + used, sizeof rows - used, "%s at %s in %zu with %lld\n", list.items[c].name,
                                     list.items[c].key, list.items[c].group, (long long)list.items[c].config.value[1]);
        assert_string_equal(rows, cases[i].rows);
        case_list_release(&list);
    }
}

TEST(plants_that_mean_nothing_are_refused)
{
    static const struct {
        const char *shapes[2], *sets[2], *plants[2], *says;
    } cases[] = {
        {{"us2"}, {NULL}, {"us50=1"}, "'--plant us50=1': no arm has that shape"},
        {{"us2"}, {NULL}, {"us=1"}, "no arm has that shape"}, /* begins like it */
        {{"us2"}, {NULL}, {"us2"}, "expected SHAPE=PPM"},
        {{"us2"}, {NULL}, {"us2="}, "expected SHAPE=PPM"},
        {{"us2"}, {NULL}, {"=1"}, "expected SHAPE=PPM"},
        {{"us2"}, {NULL}, {"us2=0"}, "whole numbers from 1 to 1000000"},
        {{"us2"}, {NULL}, {"us2=1x"}, "whole numbers"},
        {{"us2"}, {NULL}, {"us2=1000001"}, "whole numbers"},
        {{"us2"}, {NULL}, {"us2=99999999999999999999"}, "whole numbers"},
        {{"us2"}, {NULL}, {"us2=5,5"}, "'dose/chain' at 'us2 extra_ppm=5' is an arm already"},
        {{"us2"}, {"extra_ppm=0,5"}, {"us2=5"}, "is an arm already"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct case_list list;
        struct err e = {0};
        const int rc = expand(&list, cases[i].shapes, cases[i].sets, cases[i].plants, &e);
        if (rc != ERR_USAGE || !strstr(e.text, cases[i].says))
            fail_msg("case %zu: code %d, '%s'; expected a usage error with '%s'", i, rc, e.text, cases[i].says);
        case_list_release(&list);
    }
    struct case_list list = {0};
    struct err e = {0};
    static const char *const pipeline[] = {"pipeline/sync"}, *const shape[] = {"small"}, *const plant[] = {"small=9"};
    assert_int_equal(
        case_list_expand(&list, &(struct case_request){&catalogue, pipeline, 1, NULL, shape, 1, NULL, 0, false}, &e),
        0);
    assert_int_equal(case_list_make_pool(&list, &(struct plant_request){plant, 1}, &e), ERR_USAGE);
    assert_non_null(strstr(e.text, "'pipeline/sync' has no parameter 'extra_ppm'"));
    case_list_release(&list);
}

static void add_sample(struct table *t, const char *variant, double duration_ns, double clock_hz)
{
    struct cell *row = table_add_row(t);
    row[TIMING_VARIANT] = cell_text(t, variant);
    row[TIMING_SHAPE] = cell_text(t, "us2 extra_ppm=0");
    row[TIMING_PROCESS] = cell_integer(7);
    row[TIMING_BLOCK] = cell_integer(1);
    row[TIMING_CACHE] = cell_text(t, "hot");
    row[TIMING_BATCH] = cell_integer(100);
    row[TIMING_SM_CLOCK] = cell_number(clock_hz);
    row[TIMING_DURATION] = cell_number(duration_ns);
}

static struct cell *table_at_row(struct table *t, size_t row)
{
    return &t->items[row * t->column_count];
}

TEST(an_arm_becomes_one_row)
{
    struct table t;
    struct err e = {0};
    bundle_table_init(&t, BUNDLE_TIMING);
    add_sample(&t, "v", 30, 2e9);
    add_sample(&t, "v#2", 5, NAN);
    add_sample(&t, "v", 10, 1e9);
    add_sample(&t, "v", NAN, 9e9); /* not measured: counts for nothing */
    add_sample(&t, "v", 20, NAN);
    add_sample(&t, "none", NAN, 1e9);
    add_sample(&t, "v", 40, 9e9); /* of a block in which the GPU throttled: counts for nothing either */
    table_at_row(&t, 6)[TIMING_THROTTLED] = cell_text(&t, "yes");
    assert_int_equal(pool_rows_typical(&t, &e), 0);
    assert_int_equal(table_rows(&t), 2);
    assert_string_equal(table_text(&t, 0, TIMING_VARIANT), "v");
    assert_string_equal(table_text(&t, 0, TIMING_SHAPE), "us2 extra_ppm=0");
    assert_string_equal(table_text(&t, 0, TIMING_CACHE), "hot");
    assert_true(table_number(&t, 0, TIMING_PROCESS) == 7);
    assert_true(table_number(&t, 0, TIMING_BATCH) == 100);
    assert_true(table_number(&t, 0, TIMING_DURATION) == 20);
    assert_true(table_number(&t, 0, TIMING_SM_CLOCK) == 1.5e9);
    assert_true(isnan(table_number(&t, 0, TIMING_BLOCK)));
    assert_string_equal(table_text(&t, 1, TIMING_VARIANT), "v#2");
    assert_true(table_number(&t, 1, TIMING_DURATION) == 5);
    assert_true(isnan(table_number(&t, 1, TIMING_SM_CLOCK)));
    table_release(&t);
}

TEST(failed_checks_stay)
{
    struct table t;
    struct err e = {0};
    bundle_table_init(&t, BUNDLE_VERIFY);
    static const char *const pass[] = {"yes", "no", "yes"};
    for (size_t i = 0; i < 3; i++) {
        struct cell *row = table_add_row(&t);
        row[VERIFY_VARIANT] = cell_text(&t, "v");
        row[VERIFY_PROCESS] = cell_integer((int64_t)i);
        row[VERIFY_BAD_RATIO] = cell_number(i * 0.5);
        row[VERIFY_PASS] = cell_text(&t, pass[i]);
    }
    assert_int_equal(pool_rows_failed(&t, &e), 0);
    assert_int_equal(table_rows(&t), 1);
    assert_string_equal(table_text(&t, 0, VERIFY_VARIANT), "v");
    assert_true(table_number(&t, 0, VERIFY_PROCESS) == 1);
    assert_true(table_number(&t, 0, VERIFY_BAD_RATIO) == 0.5);
    assert_string_equal(table_text(&t, 0, VERIFY_PASS), "no");
    assert_string_equal(table_text(&t, 0, VERIFY_HINT), "");
    table_release(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_arm_stands_beside_its_case),
        cmocka_unit_test(plants_that_mean_nothing_are_refused),
        cmocka_unit_test(an_arm_becomes_one_row),
        cmocka_unit_test(failed_checks_stay),
    };
    return cmocka_run_group_tests(tests, fill_catalogue, release_catalogue);
}
