/* Is a user's library of variants taken as it is meant, at any age, and refused in words when it cannot be run? */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "collector/runner/catalogue.h"
#include "tests/test.h"

/* What the library does: a way of loaded_variants.c, "" for none. */
static int load(struct catalogue *c, const char *way, struct err *e)
{
    setenv("LOADED_VARIANTS", way, 1);
    return catalogue_load(c, LOADED_VARIANTS, e);
}

TEST(a_library_stands_behind_the_built_in_ones)
{
    struct catalogue c = {0};
    struct err e = {0};
    assert_int_equal(catalogue_add_built_in(&c, &e), 0);
    const size_t built_in = c.count;
    if (load(&c, "", &e))
        fail_msg("%s", e.text);
    assert_int_equal(c.count, built_in + 2);
    assert_string_equal(c.items[0].library, "");
    const struct catalogue_entry *v2 = catalogue_find(&c, "mine/v2");
    assert_non_null(v2);
    assert_string_equal(v2->library, strrchr(LOADED_VARIANTS, '/') + 1); /* no folder */
    assert_string_equal(v2->variant->summary, "the second one");
    assert_ptr_equal(v2, &c.items[c.count - 1]);
    assert_non_null(catalogue_find(&c, "pipeline/sync"));
    assert_null(catalogue_find(&c, "mine"));
    catalogue_release(&c);
}

/* Behind a shorter struct memory cannot be read: to look there would end this test. */
TEST(what_an_older_library_lacks_is_absent)
{
    static const struct {
        const char *way, *signals, *bound, *improves_on;
        double bus_factor; /* `amount` of n = 100 */
        int devices, declares;
    } ages[] = {
        {"", "instructions down", "memory-bound dram", "mine/v0", 100, 2, 1},
        {"age_0", "", "", "", 0, 1, 0},
        {"age_half", "", "", "", 0, 1, 0}, /* of `signals` only a half */
        {"age_1", "instructions down", "", "", 0, 1, 0},
        {"age_2", "instructions down", "", "", 100, 1, 0},
        {"age_3", "instructions down", "memory-bound dram", "", 100, 1, 0},
        {"age_4", "instructions down", "memory-bound dram", "mine/v0", 100, 1, 0},
        {"age_5", "instructions down", "memory-bound dram", "mine/v0", 100, 2, 0},
        {"become_newer", "instructions down", "memory-bound dram", "mine/v0", 100, 2, 1},
    };
    for (size_t i = 0; i < COUNT_OF(ages); i++) {
        struct catalogue c = {0};
        struct err e = {0};
        if (load(&c, ages[i].way, &e))
            fail_msg("%s: %s", ages[i].way, e.text);
        const struct cpprof_variant *v = catalogue_find(&c, "mine/v2")->variant;
        const struct cpprof_config config = {.value = {100}};
        assert_int_equal(v->struct_bytes, sizeof *v);
        assert_string_equal(cpprof_variant_signals(v), ages[i].signals);
        assert_string_equal(cpprof_variant_bound(v), ages[i].bound);
        assert_string_equal(cpprof_variant_improves_on(v), ages[i].improves_on);
        assert_true(cpprof_variant_bus_factor(v, &config) == ages[i].bus_factor);
        int device[2];
        assert_int_equal(cpprof_variant_devices(v, &config, device, 2), ages[i].devices);
        assert_int_equal(cpprof_variant_declares(v), ages[i].declares);
        assert_non_null(v->teardown); /* the last member that has always been */
        catalogue_release(&c);
    }
}

TEST(faults_are_said_with_library_and_variant)
{
    static const struct {
        const char *way, *says;
    } faults[] = {
        {"unknown way", "cpprof_variants() returned NULL"},
        {"library_bytes", "its struct_bytes is 0: set it to sizeof(struct cpprof_variant_library)"},
        {"other_abi", "it is of ABI 2, this program of 1"},
        {"no_variants", "it has no variants"},
        {"no_array", "it has no variants"},
        {"many_variants", "it says that it has 1099511627776 variants, at most 256"},
        {"null_variant", "variant 1: its pointer is NULL"},
        {"no_bytes", "variant 1: its struct_bytes is 0: set it to sizeof(struct cpprof_variant)"},
        {"few_bytes", "variant 1: its struct_bytes is 1"}, /* 159, one less than there have always been */
        {"wild_bytes", "variant 1: its struct_bytes is 3735928559"},
        {"null_name", "variant 1: it has no name"},
        {"name_without_family", "variant 1: its name 'v2' is not of the form family/variant"},
        {"name_of_build", "variant 1: its name 'mine/v2+without-copy' has '+without-', as the instrumented builds"},
        {"name_of_pattern", "variant 1: its name 'mine/*' is not of the form"},
        {"name_of_three", "variant 1: its name 'mine/v2/v3' is not of the form"},
        {"name_that_acts", "is not of the form"},
        {"name_twice", "variant 'mine/v1': 'libloaded_variants.so' has one of this name already"},
        {"name_built_in", "variant 'pipeline/sync': a built-in variant has this name"},
        {"null_launch", "variant 'mine/v2': 'launch' is NULL"},
        {"null_bytes", "variant 'mine/v2': 'bytes' is NULL"},
        {"null_summary", "variant 'mine/v2': summary is NULL"},
        {"two_lines", "variant 'mine/v2': summary 'one\ntwo' is no line"},
        {"no_utf8", "variant 'mine/v2': summary '\xff' is no line of plain UTF-8"},
        {"bad_pattern", "variant 'mine/v2': kernel_pattern '(' is no extended regular expression"},
        {"many_axes", "variant 'mine/v2': it has 17 axes, at most 16"},
        {"null_axes", "variant 'mine/v2': it has 2 axes, but their table is NULL"},
        {"axis_name", "the name of an axis 'un roll' is not a word"},
        {"axis_twice", "two axes are called 'n'"},
        {"axis_default", "axis 'unroll' has the default 9, which is not from 1 to 8"},
        {"axis_role", "axis 'unroll' has the unknown role 7"},
        {"null_help", "axis 'unroll': help is NULL"},
        {"no_shapes", "variant 'mine/v2': it has no shapes"},
        {"many_shapes", "it has 1099511627776 shapes, at most 256"},
        {"null_shapes", "it has 2 shapes, but their table is NULL"},
        {"shape_value", "shape 'odd' has n=1001, which is not from 1 to 1000"},
        {"shape_twice", "two shapes are called 'small'"},
        {"only_ragged", "its first shape 'small' is ragged"},
        {"null_metric", "the metric of an expectation is NULL"},
        {"expect_nothing", "it expects 'smsp__inst_executed.sum' from 2 to 1"},
        {"bad_signals", "signals 'dram_bytes sideways'"},
        {"bad_bound", "bound 'bound by nothing' is none that a verdict can be"},
        {"bad_improves_on", "variant 'mine/v2': what it improves on: its name 'v1' is not of the form family/variant"},
    };
    struct catalogue c = {0};
    assert_int_equal(catalogue_add_built_in(&c, NULL), 0);
    const size_t built_in = c.count;
    for (size_t i = 0; i < COUNT_OF(faults); i++) {
        struct err e = {0};
        const int rc = load(&c, faults[i].way, &e);
        if (rc != ERR_USAGE || !strstr(e.text, faults[i].says) ||
            !strstr(e.text, "cannot load '" LOADED_VARIANTS "': "))
            fail_msg("%s: code %d, '%s'; expected a usage error with '%s'", faults[i].way, rc, e.text, faults[i].says);
        assert_int_equal(c.count, built_in); /* all or nothing */
    }
    catalogue_release(&c);
}

TEST(names_are_unique_over_libraries)
{
    struct catalogue c = {0};
    struct err e = {0};
    assert_int_equal(load(&c, "", &e), 0);
    assert_int_equal(load(&c, "", &e), ERR_USAGE);
    assert_non_null(strstr(e.text, "variant 'mine/v1': 'libloaded_variants.so' has one of this name already"));
    assert_int_equal(c.count, 2);
    catalogue_release(&c);
}

TEST(what_is_no_library_is_said)
{
    static const struct {
        const char *path, *says;
    } files[] = {
        {"nowhere/libmine.so", "cannot load 'nowhere/libmine.so': No such file or directory"},
        {"", "cannot load '': No such file or directory"},
        {SOURCE_DIRECTORY "/README.md", "README.md"}, /* dlopen's words */
        {SOURCE_DIRECTORY, "cannot load '"},
        {LIBRARY_WITHOUT_VARIANTS, "it does not export cpprof_variants(), which names its variants"},
    };
    struct catalogue c = {0};
    for (size_t i = 0; i < COUNT_OF(files); i++) {
        struct err e = {0};
        const int rc = catalogue_load(&c, files[i].path, &e);
        if (rc != ERR_USAGE || !strstr(e.text, files[i].says))
            fail_msg("'%s': code %d, '%s'; expected a usage error with '%s'", files[i].path, rc, e.text, files[i].says);
    }
    catalogue_release(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_library_stands_behind_the_built_in_ones),
        cmocka_unit_test(what_an_older_library_lacks_is_absent),
        cmocka_unit_test(faults_are_said_with_library_and_variant),
        cmocka_unit_test(names_are_unique_over_libraries),
        cmocka_unit_test(what_is_no_library_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
