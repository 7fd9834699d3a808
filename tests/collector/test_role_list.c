/* Does the runner's list say of each variant what it knows of itself? */
#define _GNU_SOURCE
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "collector/runner/runner.h"
#include "core/base/files.h"
#include "kernels/registry.h"
#include "tests/test.h"

static json_t *read_list(void)
{
    char folder[] = "/tmp/cpprof-test-XXXXXX";
    assert_non_null(mkdtemp(folder));
    struct runner r = {.role = "list", .directory = folder};
    struct err e = {0};
    struct str path;
    json_t *list;
    str_init(&path);
    if (catalogue_add_built_in(&r.catalogue, &e) || role_list(&r, &e) ||
        json_read_file(files_join(&path, folder, "variants.json"), &list, &e))
        fail_msg("%s", e.text);
    str_release(&path);
    catalogue_release(&r.catalogue);
    files_remove_tree(folder, NULL);
    return list;
}

static void expect_axes(const json_t *axes, const struct cpprof_variant *v)
{
    assert_int_equal(json_array_size(axes), v->axis_count);
    for (size_t i = 0; i < v->axis_count; i++) {
        const json_t *axis = json_array_get(axes, i);
        assert_string_equal(json_get_text(axis, "name", ""), v->axes[i].name);
        assert_string_equal(json_get_text(axis, "help", ""), v->axes[i].help);
        assert_string_equal(json_get_text(axis, "role", ""),
                            v->axes[i].role == CPPROF_AXIS_SHAPE ? "shape" : "parameter");
        assert_true(json_get_integer(axis, "min", -1) == v->axes[i].min);
        assert_true(json_get_integer(axis, "max", -1) == v->axes[i].max);
        assert_true(json_get_integer(axis, "default", -1) == v->axes[i].value);
    }
}

static void expect_shapes(const json_t *shapes, const struct cpprof_variant *v)
{
    assert_int_equal(json_array_size(shapes), v->shape_count);
    for (size_t i = 0; i < v->shape_count; i++) {
        const json_t *shape = json_array_get(shapes, i), *values = json_object_get(shape, "values");
        assert_string_equal(json_get_text(shape, "name", ""), v->shapes[i].name);
        assert_int_equal(json_is_true(json_object_get(shape, "ragged")), v->shapes[i].ragged);
        size_t used = 0;
        for (size_t a = 0; a < v->axis_count; a++)
            if (v->axes[a].role == CPPROF_AXIS_SHAPE)
                assert_true(json_get_integer(values, v->axes[a].name, -1) == v->shapes[i].values[used++]);
        assert_int_equal(json_object_size(values), used);
    }
}

static void expect_expectations(const json_t *expect, const struct cpprof_variant *v)
{
    assert_int_equal(json_array_size(expect), v->expect_count);
    for (size_t i = 0; i < v->expect_count; i++) {
        const json_t *one = json_array_get(expect, i);
        assert_string_equal(json_get_text(one, "metric", ""), v->expect[i].metric);
        assert_true(json_get_number(one, "min", -1) == v->expect[i].min);
        if (isinf(v->expect[i].max))
            assert_true(json_is_null(json_object_get(one, "max"))); /* no limit */
        else
            assert_true(json_get_number(one, "max", -1) == v->expect[i].max);
    }
}

TEST(every_variant_is_described)
{
    json_t *list = read_list();
    size_t families, at = 0;
    const struct variant_family *family = variant_families(&families);
    for (size_t f = 0; f < families; f++)
        for (size_t i = 0; i < family[f].count; i++) {
            const struct cpprof_variant *v = &family[f].variants[i];
            const json_t *entry = json_array_get(list, at++);
            assert_string_equal(json_get_text(entry, "name", ""), v->name);
            assert_string_equal(json_get_text(entry, "family", ""), family[f].name);
            assert_string_equal(json_get_text(entry, "summary", ""), v->summary);
            assert_string_equal(json_get_text(entry, "kernel_pattern", ""), v->kernel_pattern);
            expect_axes(json_object_get(entry, "axes"), v);
            expect_shapes(json_object_get(entry, "shapes"), v);
            expect_expectations(json_object_get(entry, "expect"), v);
        }
    assert_int_equal(json_array_size(list), at);
    json_decref(list);
}

/* In the words with which a variant refuses a device. */
TEST(every_variant_says_what_it_needs)
{
    static const struct {
        const char *variant, *needs;
    } cases[] = {
        {"pipeline/sync", "compute capability 8.0 or newer"},
        {"sdpa/wgmma", "wgmma, which compute capability 9.0 alone has"},
        {"sdpa/splitkeys", "the instruction that decodes e4m3, which compute capability 8.9 or newer has"},
        {"truth/tma-stream", "bulk copies, which compute capability 9.0 or newer has"},
        {"allreduce/1stage-tma", "TMA, which compute capability 9.0 or newer has"},
        {"truth/issue",
         "an SM that starts 128 FMAs, or 64 of float64, a cycle, as compute capability 9.0 and 10.0 have"},
    };
    json_t *list = read_list();
    size_t i, found = 0;
    json_t *one;
    json_array_foreach (list, i, one) {
        const char *needs = json_get_text(one, "needs", "");
        if (!strstr(needs, "compute capability"))
            fail_msg("'%s' needs '%s'", json_get_text(one, "name", ""), needs);
        for (size_t k = 0; k < COUNT_OF(cases); k++)
            if (!strcmp(json_get_text(one, "name", ""), cases[k].variant)) {
                assert_string_equal(needs, cases[k].needs);
                found++;
            }
    }
    assert_int_equal(found, COUNT_OF(cases));
    json_decref(list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_variant_is_described),
                                       cmocka_unit_test(every_variant_says_what_it_needs)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
