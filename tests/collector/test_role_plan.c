/* Does the plan hold what variants declare of each case? */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "collector/runner/inside/inside_builds.h"
#include "collector/runner/runner.h"
#include "tests/test.h"

static void begin(struct runner *r)
{
    *r = (struct runner){.role = "plan"};
    r->device.properties.sharedMemPerBlockOptin = (size_t)1 << 20;
    for (int i = 0; i < BUNDLE_TABLE_COUNT; i++)
        bundle_table_init(&r->tables[i], (enum bundle_table)i);
}

/* Variants of a library, where `library` is one, and the built-in ones, on a device with shared memory for all. */
static int plan(struct runner *r, const char *library, const char *const *variants, size_t variant_count,
                const char *const *shapes, size_t shape_count, struct err *e)
{
    begin(r);
    int rc = catalogue_add_built_in(&r->catalogue, e);
    if (!rc && library)
        rc = catalogue_load(&r->catalogue, library, e);
    const struct case_request request = {.catalogue = &r->catalogue,
                                         .variants = variants,
                                         .variant_count = variant_count,
                                         .shapes = shapes,
                                         .shape_count = shape_count};
    if (!rc)
        rc = case_list_expand(&r->cases, &request, e);
    return rc ? rc : role_plan(r, e);
}

static void forget(struct runner *r)
{
    for (int i = 0; i < BUNDLE_TABLE_COUNT; i++)
        table_release(&r->tables[i]);
    case_list_release(&r->cases);
    catalogue_release(&r->catalogue);
}

/* The column of the first row of this variant and shape; NULL without one. */
static const char *cell_of(const struct table *t, const char *variant, const char *shape, size_t shape_column,
                           size_t column)
{
    for (size_t row = 0; row < table_rows(t); row++)
        if (!strcmp(table_text(t, row, 0), variant) && !strcmp(table_text(t, row, shape_column), shape))
            return table_text(t, row, column);
    return NULL;
}

TEST(each_case_has_what_is_declared_of_it)
{
    static const char *const variants[] = {"allreduce/dispatch", "pipeline/cpasync2"}, *const shapes[] = {"small",
                                                                                                          "mib1"};
    struct err e = {0};
    struct runner r;
    if (plan(&r, NULL, variants, 1, shapes, COUNT_OF(shapes), &e))
        fail_msg("%s", e.text);
    const struct table *t = &r.tables[BUNDLE_VARIANTS];
    assert_int_equal(table_rows(t), 2);
    const char *small = r.cases.items[0].key, *mib1 = r.cases.items[1].key;
    assert_string_equal(cell_of(t, "allreduce/dispatch", small, VARIANTS_SHAPE, VARIANTS_KERNEL_PATTERN),
                        "allreduce_1stage<");
    assert_string_equal(cell_of(t, "allreduce/dispatch", mib1, VARIANTS_SHAPE, VARIANTS_KERNEL_PATTERN),
                        "allreduce_1stage_cpasync<3,");
    assert_string_equal(cell_of(t, "allreduce/dispatch", mib1, VARIANTS_SHAPE, VARIANTS_CHOSEN),
                        "1stage-cpasync3, chosen for 1 MiB on 2 ranks");
    assert_non_null(
        strstr(cell_of(t, "allreduce/dispatch", mib1, VARIANTS_SHAPE, VARIANTS_NO_VERDICT), "share one GPU"));
    const struct table *expect = &r.tables[BUNDLE_EXPECT];
    assert_int_equal(table_rows(expect), 2);
    assert_string_equal(table_text(expect, 0, EXPECT_SHAPE), small);
    assert_true(table_number(expect, 0, EXPECT_MIN) == 0 && table_number(expect, 0, EXPECT_MAX) == 0);
    assert_string_equal(table_text(expect, 1, EXPECT_SHAPE), mib1);
    assert_true(table_number(expect, 1, EXPECT_MIN) == 1);
    forget(&r);

    if (plan(&r, NULL, variants + 1, 1, (const char *const[]){"mission,small"}, 1,
             &e)) /* declares nothing: a row for all shapes */
        fail_msg("%s", e.text);
    assert_int_equal(table_rows(&r.tables[BUNDLE_VARIANTS]), 2);
    assert_string_equal(table_text(&r.tables[BUNDLE_VARIANTS], 0, VARIANTS_CHOSEN), "");
    assert_string_equal(table_text(&r.tables[BUNDLE_VARIANTS], 0, VARIANTS_NO_VERDICT), "");
    assert_int_equal(table_rows(&r.tables[BUNDLE_EXPECT]), 1);
    assert_string_equal(table_text(&r.tables[BUNDLE_EXPECT], 0, EXPECT_SHAPE), "");
    forget(&r);
}

TEST(what_a_library_declares_is_checked)
{
    static const char *const variants[] = {"mine/v2"}, *const shapes[] = {"small,odd"};
    struct err e = {0};
    struct runner r;
    setenv("LOADED_VARIANTS", "", 1);
    if (plan(&r, LOADED_VARIANTS, variants, 1, shapes, 1, &e))
        fail_msg("%s", e.text);
    assert_string_equal(table_text(&r.tables[BUNDLE_VARIANTS], 0, VARIANTS_KERNEL_PATTERN), "^mine_first\\(");
    assert_string_equal(table_text(&r.tables[BUNDLE_VARIANTS], 1, VARIANTS_KERNEL_PATTERN), "^mine_odd\\(");
    forget(&r);
    setenv("LOADED_VARIANTS", "declares_no_pattern", 1);
    assert_int_equal(plan(&r, LOADED_VARIANTS, variants, 1, shapes, 1, &e), ERR_USAGE);
    assert_non_null(strstr(e.text, "what 'mine/v2' declares at 'odd"));
    assert_non_null(strstr(e.text, "kernel_pattern '(' is no extended regular expression"));
    forget(&r);
}

/* An instrumented arm is compared with the variant that it is of, whatever the baseline of the run is. Nothing is
 * expected of the counters of one that waits. */
TEST(an_instrumented_arm_is_compared_with_its_variant)
{
    static const char *const variants[] = {"mine/*"};
    static const struct {
        const char *name, *baseline, *signals;
        double min; /* that is expected; below 0: nothing is */
    } rows[] = {{"mine/v2", "", "instructions down", 1},       {"mine/v1", "mine/v2", "instructions down", 1},
                {"mine/v1+record", "mine/v1", "", 1},          {"mine/v1+delay-0.1-none", "mine/v1", "", -1},
                {"mine/v1+delay-0.1-400", "mine/v1", "", -1},  {"mine/v2+record", "mine/v2", "", 1},
                {"mine/v2+delay-0.1-none", "mine/v2", "", -1}, {"mine/v2+delay-0.1-400", "mine/v2", "", -1}};
    const struct inside_request inside = {.records = true, .doses = {400}, .dose_count = 1};
    struct err e = {0};
    struct runner r;
    begin(&r);
    r.baseline = "mine/v2";
    setenv("MARKED", "", 1);
    const struct case_request request = {.catalogue = &r.catalogue,
                                         .variants = variants,
                                         .variant_count = 1,
                                         .baseline = r.baseline,
                                         .with_builds = true};
    if (catalogue_load(&r.catalogue, MARKED_VARIANTS, &e) ||
        inside_builds_of_library(&r.catalogue, MARKED_VARIANTS, &inside, &e) ||
        case_list_expand(&r.cases, &request, &e) || role_plan(&r, &e))
        fail_msg("%s", e.text);
    const struct table *t = &r.tables[BUNDLE_VARIANTS], *expect = &r.tables[BUNDLE_EXPECT];
    assert_int_equal(table_rows(t), COUNT_OF(rows));
    for (size_t i = 0, row = 0; i < COUNT_OF(rows); i++) {
        assert_string_equal(table_text(t, i, VARIANTS_VARIANT), rows[i].name);
        assert_string_equal(table_text(t, i, VARIANTS_BASELINE), rows[i].baseline);
        assert_string_equal(table_text(t, i, VARIANTS_SIGNALS), rows[i].signals);
        if (rows[i].min < 0)
            continue;
        assert_true(row < table_rows(expect));
        assert_string_equal(table_text(expect, row, EXPECT_VARIANT), rows[i].name);
        assert_true(table_number(expect, row++, EXPECT_MIN) == rows[i].min);
    }
    assert_int_equal(table_rows(expect), 4);
    forget(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_case_has_what_is_declared_of_it),
        cmocka_unit_test(what_a_library_declares_is_checked),
        cmocka_unit_test(an_instrumented_arm_is_compared_with_its_variant),
    };
    unsetenv("CPPROF_FORCE");
    setenv("CUDA_VISIBLE_DEVICES", "", 1); /* ranks share what is not there, on any machine */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
