/* Is an arm found by its names, once, with all that belongs to it? */
#include <stdio.h>
#include <string.h>

#include "core/run/arm_table.h"
#include "core/run/run.h"
#include "tests/test.h"

TEST(names_have_one_arm)
{
    static const char *const pairs[][2] = {{"a b", "c"}, {"a", "b c"}, {"", "a"}, {"a", ""}, {"c", "a b"}, {"a", "a"}};
    struct arms arms;
    const struct arm *made[COUNT_OF(pairs)];
    arms_init(&arms);
    assert_null(arms_find(&arms, "a", "a"));
    assert_null(arms_of_variant(&arms, "a"));
    for (size_t i = 0; i < COUNT_OF(pairs); i++) {
        char variant[8], config[8]; /* the names are copied */
        snprintf(variant, sizeof variant, "%s", pairs[i][0]);
        snprintf(config, sizeof config, "%s", pairs[i][1]);
        made[i] = arms_add(&arms, variant, config);
        assert_non_null(made[i]);
        assert_int_equal(made[i]->index, i);
    }
    for (size_t i = 0; i < COUNT_OF(pairs); i++) {
        assert_ptr_equal(arms_add(&arms, pairs[i][0], pairs[i][1]), made[i]);
        assert_ptr_equal(arms_find(&arms, pairs[i][0], pairs[i][1]), made[i]);
        assert_string_equal(made[i]->variant, pairs[i][0]);
        assert_string_equal(made[i]->config, pairs[i][1]);
    }
    assert_null(arms_find(&arms, "a b", "a"));   /* each name is known */
    assert_null(arms_find(&arms, "a", "other")); /* one is not */
    assert_null(arms_find(&arms, "other", "a"));
    assert_null(arms_of_variant(&arms, "b c")); /* a config's name */
    const struct arm *first = arms_of_variant(&arms, "a");
    assert_ptr_equal(first, made[1]);
    assert_ptr_equal(first->next, made[3]);
    assert_ptr_equal(first->next->next, made[5]);
    assert_null(made[5]->next);
    assert_ptr_equal(made[1]->variant, made[4 + 1]->variant);
    assert_ptr_equal(made[0]->variant, made[4]->config);
    arms_release(&arms);
}

/* 3,000 arms: tables of names grow on the way. */
TEST(arms_stay_where_they_are)
{
    struct arms arms;
    char variant[16], config[16];
    arms_init(&arms);
    const struct arm *first = arms_add(&arms, "v0", "c0");
    for (int i = 0; i < 3000; i++) {
        snprintf(variant, sizeof variant, "v%d", i / 3);
        snprintf(config, sizeof config, "c%d", i % 3);
        assert_int_equal(arms_add(&arms, variant, config)->index, i);
    }
    assert_ptr_equal(arms_find(&arms, "v0", "c0"), first);
    assert_int_equal(arms_find(&arms, "v999", "c2")->index, 2999);
    arms_release(&arms);
}

TEST(arms_of_two_runs_meet_by_their_names)
{
    struct arms one, other;
    arms_init(&one);
    arms_init(&other);
    const struct arm *here = arms_add(&one, "f/a", "s"), *there = arms_add(&other, "f/a", "s");
    assert_ptr_not_equal(here, there);
    assert_true(arms_has(&one, here) && arms_has(&other, there));
    assert_false(arms_has(&one, there) || arms_has(&other, here));
    assert_ptr_equal(arms_find(&other, here->variant, here->config), there);
    arms_release(&one);
    arms_release(&other);
}

/* Items of arms 0, 2, none, 0, 2, 2: arm 1 has none, and arm 3 came behind the index. */
TEST(an_arm_has_its_places)
{
    struct item {
        int number;
        const struct arm *arm;
    };
    struct arms arms;
    struct arm_index index;
    struct err e = {0};
    arms_init(&arms);
    const struct arm *of[4];
    for (size_t i = 0; i < 4; i++)
        of[i] = arms_add(&arms, "v", (const char *const[]){"a", "b", "c", "d"}[i]);
    const struct item items[] = {{0, of[0]}, {1, of[2]}, {2, NULL}, {3, of[0]}, {4, of[2]}, {5, of[2]}};
    static const size_t expected[4][4] = {{2, 0, 3}, {0}, {3, 1, 4, 5}, {0}}; /* how many, which */
    assert_int_equal(arm_index_make(&index, items, COUNT_OF(items), sizeof items[0], offsetof(struct item, arm), &e),
                     0);
    for (size_t i = 0; i < 4; i++) {
        const struct arm_places places = arm_index_of(&index, of[i]);
        assert_int_equal(places.count, expected[i][0]);
        for (size_t k = 0; k < places.count; k++)
            assert_int_equal(places.items[k], expected[i][1 + k]);
    }
    assert_int_equal(arm_index_of(&index, NULL).count, 0);
    arm_index_release(&index);
    assert_int_equal(arm_index_of(&index, of[0]).count, 0);
    assert_int_equal(arm_index_make(&index, items, 0, sizeof items[0], offsetof(struct item, arm), &e), 0);
    assert_int_equal(arm_index_of(&index, of[0]).count, 0);
    arm_index_release(&index);
    arms_release(&arms);
}

static void add_row(struct bundle *b, enum bundle_table which, size_t variant, size_t config, const char *const *names)
{
    struct table *t = &b->tables[which];
    struct cell *row = table_add_row(t);
    assert_non_null(row);
    row[variant] = cell_text(t, names[0]);
    row[config] = cell_text(t, names[1]);
}

/* Those of variants.csv first, whatever stands before it in another table; then a baseline that has no row. */
TEST(a_run_has_the_arms_of_its_tables)
{
    static const char *const a[] = {"f/a", "s"}, *const b[] = {"f/b", "s"}, *const all[] = {"f/b", ""};
    struct bundle bundle;
    struct run run;
    struct err e = {0};
    bundle_init(&bundle);
    add_row(&bundle, BUNDLE_VERIFY, VERIFY_VARIANT, VERIFY_SHAPE, a);
    add_row(&bundle, BUNDLE_VERIFY, VERIFY_VARIANT, VERIFY_SHAPE, b);
    add_row(&bundle, BUNDLE_VERIFY, VERIFY_VARIANT, VERIFY_SHAPE, a);
    add_row(&bundle, BUNDLE_EXPECT, EXPECT_VARIANT, EXPECT_SHAPE, all);
    add_row(&bundle, BUNDLE_VARIANTS, VARIANTS_VARIANT, VARIANTS_SHAPE, b);
    struct table *variants = &bundle.tables[BUNDLE_VARIANTS];
    variants->items[VARIANTS_BASELINE] = cell_text(variants, "f/base");
    run_init(&run);
    assert_int_equal(run_join(&run, &bundle, &e), 0);
    const struct arm *of_a = arms_find(&run.arms, "f/a", "s"), *of_b = arms_find(&run.arms, "f/b", "s");
    assert_int_equal(of_b->index, 0);
    assert_ptr_equal(run.tables[BUNDLE_VARIANTS].arms[0], of_b);
    assert_ptr_equal(run.tables[BUNDLE_EXPECT].arms[0], arms_find(&run.arms, "f/b", ""));
    const struct arm_places rows = arm_table_rows(&run.tables[BUNDLE_VERIFY], of_a);
    assert_int_equal(rows.count, 2);
    assert_int_equal(rows.items[1], 2);
    assert_int_equal(arm_table_first(&run.tables[BUNDLE_VARIANTS], of_b), 0);
    assert_int_equal(arm_table_first(&run.tables[BUNDLE_VARIANTS], of_a), -1);
    assert_int_equal(arm_table_first(&run.tables[BUNDLE_VARIANTS], NULL), -1);
    assert_non_null(arms_find(&run.arms, "f/base", "s"));
    run_release(&run);
    bundle_release(&bundle);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_have_one_arm),
        cmocka_unit_test(arms_stay_where_they_are),
        cmocka_unit_test(arms_of_two_runs_meet_by_their_names),
        cmocka_unit_test(an_arm_has_its_places),
        cmocka_unit_test(a_run_has_the_arms_of_its_tables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
