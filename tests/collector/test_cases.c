/* Do variants, shapes and parameters become the cases that the command line means? */
#include <stdio.h>
#include <string.h>

#include "collector/runner/cases.h"
#include "kernels/registry.h"
#include "tests/test.h"

/* Two families instead of kernels/registry.c. The parameters stand out of
 * alphabetical order and between the dimensions, as a family may write them. */
enum { AXIS_ZETA, AXIS_S, AXIS_ALPHA, AXIS_H, TILE_AXES };

static const struct cpprof_axis tile_axes[] = {
    {"zeta", "", CPPROF_AXIS_PARAMETER, 1, 9, 5},
    {"S", "", CPPROF_AXIS_SHAPE, 1, 4096, 64},
    {"alpha", "", CPPROF_AXIS_PARAMETER, -2, 2, 0},
    {"H", "", CPPROF_AXIS_SHAPE, 1, 32, 8},
};
static const struct cpprof_shape tile_shapes[] = {
    {"mission", {512, 16}, 0},
    {"odd", {511, 3}, 1},
    {"small", {64, 1}, 0},
    {"one", {1, 1}, 1},
};
static const struct cpprof_axis flat_axes[] = {{"n", "", CPPROF_AXIS_SHAPE, 1, 100, 10}};
static const struct cpprof_shape flat_shapes[] = {{"ten", {10}, 0}};

#define TILE(NAME)                                                                                                     \
    {                                                                                                                  \
        .name = "tile/" NAME, .axes = tile_axes, .axis_count = TILE_AXES, .shapes = tile_shapes, .shape_count = 4      \
    }
static const struct cpprof_variant tile_variants[] = {TILE("plain"), TILE("ring2"), TILE("ring3")};
static const struct cpprof_variant flat_variants[] = {
    {.name = "flat/only", .axes = flat_axes, .axis_count = 1, .shapes = flat_shapes, .shape_count = 1}};
static const struct variant_family families[] = {{"tile", tile_variants, 3}, {"flat", flat_variants, 1}};

const struct variant_family *variant_families(size_t *count)
{
    *count = 2;
    return families;
}

const struct cpprof_variant *variant_by_name(const char *name)
{
    for (size_t f = 0; f < 2; f++)
        for (size_t v = 0; v < families[f].count; v++)
            if (!strcmp(families[f].variants[v].name, name))
                return &families[f].variants[v];
    return NULL;
}

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

/* What a command line says; lists end with NULL. */
struct words {
    const char *variants[5], *baseline, *shapes[4], *sets[4];
};

static size_t length_of(const char *const *list)
{
    size_t count = 0;
    while (list[count])
        count++;
    return count;
}

static int expand(struct case_list *list, const struct words *w, struct err *e)
{
    *list = (struct case_list){0};
    const struct case_request request = {&catalogue,  w->variants,        length_of(w->variants),
                                         w->baseline, w->shapes,          length_of(w->shapes),
                                         w->sets,     length_of(w->sets), false};
    return case_list_expand(list, &request, e);
}

struct row {
    const char *variant, *key;
    size_t group;
};

static void expect_rows(const char *what, const struct case_list *list, const struct row *rows)
{
    size_t count = 0;
    for (; rows[count].variant; count++) {
        if (count >= list->count)
            fail_msg("%s: row %zu, '%s' at '%s', is missing", what, count, rows[count].variant, rows[count].key);
        const struct run_case *c = &list->items[count];
        if (strcmp(c->variant->name, rows[count].variant) || strcmp(c->key, rows[count].key) ||
            c->group != rows[count].group)
            fail_msg("%s: row %zu is '%s' at '%s', group %zu; expected '%s' at '%s', group %zu", what, count,
                     c->variant->name, c->key, c->group, rows[count].variant, rows[count].key, rows[count].group);
    }
    if (list->count != count)
        fail_msg("%s: %zu cases, expected %zu", what, list->count, count);
}

#define MISSION "mission alpha=0 zeta=5"
#define SMALL   "small alpha=0 zeta=5"

TEST(requests_expand_in_order)
{
    static const struct {
        const char *what;
        struct words words;
        struct row rows[9];
    } cases[] = {
        {"one variant, first shape, keys sorted", {.variants = {"tile/ring3"}}, {{"tile/ring3", MISSION, 0}}},
        {"as named, not as registered",
         {.variants = {"tile/ring3", "tile/plain"}},
         {{"tile/ring3", MISSION, 0}, {"tile/plain", MISSION, 0}}},
        {"the baseline stands first, also when named last, and once",
         {.variants = {"tile/ring*", "tile/plain"}, .baseline = "tile/plain"},
         {{"tile/plain", MISSION, 0}, {"tile/ring2", MISSION, 0}, {"tile/ring3", MISSION, 0}}},
        {"a baseline that no operand names",
         {.variants = {"tile/ring2"}, .baseline = "tile/plain"},
         {{"tile/plain", MISSION, 0}, {"tile/ring2", MISSION, 0}}},
        {"a glob over families, and a name that it matched already",
         {.variants = {"*/*n*", "tile/plain"}},
         {{"tile/plain", MISSION, 0}, {"tile/ring2", MISSION, 0}, {"tile/ring3", MISSION, 0}, {"flat/only", "ten", 1}}},
        {"shapes in one list and in two options, arms of one shape together",
         {.variants = {"tile/ring2", "tile/ring3"}, .shapes = {"small,mission", "one"}},
         {{"tile/ring2", SMALL, 0},
          {"tile/ring3", SMALL, 0},
          {"tile/ring2", MISSION, 1},
          {"tile/ring3", MISSION, 1},
          {"tile/ring2", "one alpha=0 zeta=5", 2},
          {"tile/ring3", "one alpha=0 zeta=5", 2}}},
        {"a cross product: the first --set turns slowest",
         {.variants = {"tile/plain"}, .sets = {"zeta=1,9", "alpha=-2,2"}},
         {{"tile/plain", "mission alpha=-2 zeta=1", 0},
          {"tile/plain", "mission alpha=2 zeta=1", 1},
          {"tile/plain", "mission alpha=-2 zeta=9", 2},
          {"tile/plain", "mission alpha=2 zeta=9", 3}}},
        {"nothing twice",
         {.variants = {"tile/plain"}, .shapes = {"small,small", "small"}, .sets = {"zeta=1,1"}},
         {{"tile/plain", "small alpha=0 zeta=1", 0}}},
        {"dimensions by name",
         {.variants = {"tile/plain"}, .shapes = {"H=2,S=100"}},
         {{"tile/plain", "H=2,S=100 alpha=0 zeta=5", 0}}},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct case_list list;
        struct err e = {0};
        if (expand(&list, &cases[i].words, &e))
            fail_msg("%s: %s", cases[i].what, e.text);
        expect_rows(cases[i].what, &list, cases[i].rows);
        case_list_release(&list);
    }
}

TEST(values_reach_their_axes)
{
    static const struct {
        struct words words;
        int64_t zeta, s, alpha, h;
    } cases[] = {
        {{.variants = {"tile/plain"}}, 5, 512, 0, 16},
        {{.variants = {"tile/plain"}, .shapes = {"odd"}, .sets = {"alpha=-1"}}, 5, 511, -1, 3},
        {{.variants = {"tile/plain"}, .shapes = {"S=4096"}, .sets = {"zeta=9"}}, 9, 4096, 0, 8}, /* H: its default */
        {{.variants = {"tile/plain"}, .shapes = {"H=32,S=1"}}, 5, 1, 0, 32},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct case_list list;
        struct err e = {0};
        assert_int_equal(expand(&list, &cases[i].words, &e), 0);
        assert_int_equal(list.count, 1);
        const int64_t *value = list.items[0].config.value;
        assert_int_equal(value[AXIS_ZETA], cases[i].zeta);
        assert_int_equal(value[AXIS_S], cases[i].s);
        assert_int_equal(value[AXIS_ALPHA], cases[i].alpha);
        assert_int_equal(value[AXIS_H], cases[i].h);
        case_list_release(&list);
    }
}

TEST(wrong_words_are_usage_errors)
{
    static const struct {
        struct words words;
        const char *says;
    } cases[] = {
        {{.variants = {"nope"}}, "no variant matches 'nope': 'cpprof list' names them"},
        {{.variants = {"tile/x*"}}, "no variant matches 'tile/x*'"},
        {{.variants = {"tile/plain"}, .baseline = "tile/*"}, "no variant is called 'tile/*' (--baseline)"},
        {{.variants = {"tile/plain"}, .shapes = {"huge"}}, "variant 'tile/plain' has no shape 'huge'"},
        {{.variants = {"tile/plain"}, .shapes = {"mission,huge"}}, "has no shape 'huge'"},
        {{.variants = {"tile/plain"}, .shapes = {""}}, "--shape '': expected names"},
        {{.variants = {"tile/plain"}, .shapes = {","}}, "--shape ',': expected names"},
        {{.variants = {"tile/plain"}, .shapes = {"zeta=1"}}, "has no dimension 'zeta'; it has: S, H"},
        {{.variants = {"tile/plain"}, .shapes = {"S=1,2"}}, "has no dimension '2'; it has: S, H"},
        {{.variants = {"tile/plain"}, .shapes = {"S="}}, "'S=': expected whole numbers"},
        {{.variants = {"tile/plain"}, .shapes = {"S=1e3"}}, "'S=1e3': expected whole numbers"},
        {{.variants = {"tile/plain"}, .shapes = {"S= 1"}}, "'S= 1': expected whole numbers"},
        {{.variants = {"tile/plain"}, .shapes = {"S=0"}},
         "'S=0' is out of range: variant 'tile/plain' takes 1 to 4096"},
        {{.variants = {"tile/plain"}, .shapes = {"S=4097"}}, "'S=4097' is out of range"},
        {{.variants = {"tile/plain"}, .shapes = {"S=99999999999999999999"}}, "expected whole numbers"},
        {{.variants = {"tile/plain"}, .shapes = {"S=1,S=2"}}, "'S' is given twice"},
        {{.variants = {"tile/plain"}, .sets = {"zeta"}}, "'--set zeta': expected NAME=VALUE"},
        {{.variants = {"tile/plain"}, .sets = {"zeta="}}, "'--set zeta=': expected NAME=VALUE"},
        {{.variants = {"tile/plain"}, .sets = {"zeta=1,,2"}}, "expected whole numbers"},
        {{.variants = {"tile/plain"}, .sets = {"zeta=1,2x"}}, "'zeta=2x': expected whole numbers"},
        {{.variants = {"tile/plain"}, .sets = {"alpha=3"}}, "takes -2 to 2"},
        {{.variants = {"tile/plain"}, .sets = {"S=3"}}, "has no parameter 'S'; it has: zeta, alpha"},
        {{.variants = {"tile/plain"}, .sets = {"=3"}}, "has no parameter ''"},
        {{.variants = {"tile/plain"}, .sets = {"zeta=1,2", "alpha=1", "zeta=3"}}, "'zeta' is set twice"},
        {{.variants = {"tile/plain", "flat/only"}, .sets = {"zeta=1"}},
         "'flat/only' has no parameter 'zeta'; it has: none"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct case_list list;
        struct err e = {0};
        int rc = expand(&list, &cases[i].words, &e);
        if (rc != ERR_USAGE || !strstr(e.text, cases[i].says))
            fail_msg("row %zu: code %d, '%s'; expected a usage error with '%s'", i, rc, e.text, cases[i].says);
        case_list_release(&list);
    }
}

TEST(too_many_cases_are_refused)
{
    enum { SHAPES = CASES_MAX + 1 };
    static char text[SHAPES][16];
    static const char *shapes[SHAPES];
    for (int i = 0; i < SHAPES; i++) {
        snprintf(text[i], sizeof text[i], "S=%d,H=%d", i % 4096 + 1, i / 4096 + 1);
        shapes[i] = text[i];
    }
    const char *variant = "tile/plain";
    struct case_request request = {
        .catalogue = &catalogue, .variants = &variant, .variant_count = 1, .shapes = shapes, .shape_count = CASES_MAX};
    struct case_list list = {0};
    struct err e = {0};
    assert_int_equal(case_list_expand(&list, &request, &e), 0);
    assert_int_equal(list.count, CASES_MAX);
    assert_int_equal(list.group_count, CASES_MAX);
    case_list_release(&list);
    request.shape_count = SHAPES;
    assert_int_equal(case_list_expand(&list, &request, &e), ERR_USAGE);
    assert_non_null(strstr(e.text, "more than 4096 cases"));
    case_list_release(&list);
}

/* A key names a row of every table: one that is cut would name two. */
TEST(a_key_is_never_cut)
{
    char shape[CASE_KEY_BYTES];
    struct words words = {.variants = {"tile/plain"}, .shapes = {shape}};
    const char parameters[] = " alpha=0 zeta=5";
    for (size_t length = CASE_KEY_BYTES - sizeof parameters; length <= CASE_KEY_BYTES - sizeof parameters + 1;
         length++) {
        memset(shape, '0', length);
        memcpy(shape, "S=", 2);
        shape[length - 1] = '7';
        shape[length] = '\0';
        struct case_list list;
        struct err e = {0};
        int rc = expand(&list, &words, &e);
        if (length + sizeof parameters <= CASE_KEY_BYTES) {
            assert_int_equal(rc, 0);
            assert_int_equal(strlen(list.items[0].key), CASE_KEY_BYTES - 1);
        } else {
            assert_int_equal(rc, ERR_USAGE);
            assert_non_null(strstr(e.text, "too long"));
        }
        case_list_release(&list);
    }
}

TEST(ragged_shapes_are_added_once)
{
    static const struct words words = {
        .variants = {"tile/ring2"}, .baseline = "tile/plain", .shapes = {"S=10,H=2", "one"}};
    struct case_list list, all;
    struct err e = {0};
    assert_int_equal(expand(&list, &words, &e), 0);
    assert_int_equal(case_list_with_ragged(&all, &list, &e), 0);
    static const struct row rows[] = {
        {"tile/plain", "S=10,H=2 alpha=0 zeta=5", 0},
        {"tile/ring2", "S=10,H=2 alpha=0 zeta=5", 0},
        {"tile/plain", "one alpha=0 zeta=5", 1},
        {"tile/ring2", "one alpha=0 zeta=5", 1},
        {"tile/plain", "odd alpha=0 zeta=5", 2},
        {"tile/ring2", "odd alpha=0 zeta=5", 2},
        {NULL, NULL, 0},
    };
    expect_rows("a custom shape and one of the ragged ones", &all, rows);
    assert_int_equal(all.group_count, 3);
    assert_int_equal(all.items[4].config.value[AXIS_S], 511);
    assert_int_equal(all.items[4].config.value[AXIS_H], 3);
    assert_int_equal(list.count, 4); /* what is timed stays as it was */
    case_list_release(&all);
    case_list_release(&list);
}

TEST(ragged_shapes_run_at_every_parameter)
{
    static const struct words words = {.variants = {"tile/plain"}, .sets = {"zeta=1,2"}};
    struct case_list list, all;
    struct err e = {0};
    assert_int_equal(expand(&list, &words, &e), 0);
    assert_int_equal(case_list_with_ragged(&all, &list, &e), 0);
    static const struct row rows[] = {
        {"tile/plain", "mission alpha=0 zeta=1", 0},
        {"tile/plain", "mission alpha=0 zeta=2", 1},
        {"tile/plain", "odd alpha=0 zeta=1", 2},
        {"tile/plain", "one alpha=0 zeta=1", 3},
        {"tile/plain", "odd alpha=0 zeta=2", 4},
        {"tile/plain", "one alpha=0 zeta=2", 5},
        {NULL, NULL, 0},
    };
    expect_rows("two parameter sets", &all, rows);
    case_list_release(&all);
    case_list_release(&list);
}

/* Three shapes are groups 0, 1 and 2 of two arms each: the first of two shares has 0 and 2. Their numbers stay. */
TEST(groups_are_shared_out)
{
    static const struct words words = {{"tile/ring2"}, "tile/plain", {"S=1", "S=2", "S=3"}, {NULL}};
    static const struct {
        size_t share, shares, count;
        const char *keys; /* one a group */
        size_t groups[4];
    } rows[] = {
        {0, 1, 6, "S=1 S=2 S=3 ", {0, 1, 2}},
        {0, 2, 4, "S=1 S=3 ", {0, 2}},
        {1, 2, 2, "S=2 ", {1}},
        {3, 4, 0, "", {0}},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct case_list list;
        struct err e = {0};
        char keys[64] = "";
        assert_int_equal(expand(&list, &words, &e), 0);
        case_list_keep_share(&list, rows[i].share, rows[i].shares);
        assert_int_equal(list.count, rows[i].count);
        assert_int_equal(list.group_count, 3);
        for (size_t c = 0; c < list.count; c += 2) {
            assert_int_equal(list.items[c].group, rows[i].groups[c / 2]);
            assert_int_equal(list.items[c + 1].group, rows[i].groups[c / 2]);
            strncat(keys, list.items[c].key, strcspn(list.items[c].key, " ") + 1);
        }
        assert_string_equal(keys, rows[i].keys);
        case_list_release(&list);
    }
}

TEST(nothing_in_nothing_out)
{
    static const struct words words = {{NULL}, NULL, {NULL}, {NULL}};
    struct case_list list, all;
    struct err e = {0};
    assert_int_equal(expand(&list, &words, &e), 0);
    assert_int_equal(list.count, 0);
    assert_int_equal(case_list_with_ragged(&all, &list, &e), 0);
    assert_int_equal(all.count, 0);
    case_list_release(&all);
    case_list_release(&list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(requests_expand_in_order),
        cmocka_unit_test(values_reach_their_axes),
        cmocka_unit_test(wrong_words_are_usage_errors),
        cmocka_unit_test(too_many_cases_are_refused),
        cmocka_unit_test(a_key_is_never_cut),
        cmocka_unit_test(ragged_shapes_are_added_once),
        cmocka_unit_test(ragged_shapes_run_at_every_parameter),
        cmocka_unit_test(groups_are_shared_out),
        cmocka_unit_test(nothing_in_nothing_out),
    };
    return cmocka_run_group_tests(tests, fill_catalogue, release_catalogue);
}
