/* Does the evidence of a claim hold what was added, and only numbers? */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analyzers/finding.h"
#include "tests/test.h"

TEST(what_is_not_finite_is_left_out)
{
    struct arena arena;
    struct evidence_list list = {0};
    struct err e = {0};
    static const double values[] = {NAN, 0, INFINITY, -1.5, -INFINITY, 7};
    arena_init(&arena);
    for (size_t i = 0; i < COUNT_OF(values); i++)
        assert_int_equal(evidence_add(&arena, &list, "name", values[i], UNIT_NS, &e), 0);
    assert_int_equal(list.count, 3);
    assert_true(list.items[0].value == 0 && list.items[1].value == -1.5 && list.items[2].value == 7);
    assert_int_equal(list.items[2].unit, UNIT_NS);
    arena_release(&arena);
}

/* Names are copied, and a list that moves to more room keeps what it has. */
TEST(a_list_grows)
{
    struct arena arena;
    struct evidence_list list = {0};
    struct err e = {0};
    char name[16];
    arena_init(&arena);
    for (int i = 0; i < 100; i++) {
        snprintf(name, sizeof name, "metric%d", i);
        assert_int_equal(evidence_add(&arena, &list, name, i, UNIT_COUNT, &e), 0);
    }
    assert_int_equal(list.count, 100);
    for (int i = 0; i < 100; i++) {
        snprintf(name, sizeof name, "metric%d", i);
        assert_string_equal(list.items[i].metric, name);
        assert_true(list.items[i].value == i);
    }
    arena_release(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_not_finite_is_left_out),
        cmocka_unit_test(a_list_grows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
