/* Is the innermost scope found, whatever order and nesting the input has, and which Python functions count? */
#include <string.h>

#include "core/trace/host_scopes.h"
#include "tests/test.h"

TEST(python_functions)
{
    static const struct {
        const char *name;
        uint16_t kind;
    } cases[] = {
        {"nn.Module: Linear_0", HOST_SCOPE_MODULE},
        {"train.py(7): step", HOST_SCOPE_FRAME},
        {"a(1)b(x).py(12): f", HOST_SCOPE_FRAME},
        {"<string>(1): <module>", HOST_SCOPE_FRAME},
        {"mytorch/nn.py(7): f", HOST_SCOPE_FRAME},
        {"torch/nn/modules/module.py(1755): _call_impl", 0},
        {"/opt/python3.12/site-packages/torch/nn/linear.py(9): forward", 0},
        {"/usr/lib/python3/dist-packages/torch/x.py(9): f", 0},
        {"<built-in method mm of type object at 0x7f0e01de4d20>", 0},
        {"(7): f", 0},
        {"f.py(): f", 0},
        {"f.py(7):", 0},
        {"f.py(7", 0},
        {"nn.Module:", 0},
        {"", 0},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        assert_int_equal(host_scope_kind_of_function(cases[i].name, strlen(cases[i].name)), cases[i].kind);
}

/* name 1 [0, 100) holds 2 [10, 50), in which 4 [10, 20) begins together with it; 3 [10, 20) is 4's twin, and the input
 * has it later. 5 [40, 70) crosses the end of 2. 6 [80, 80) is never open. 7 is on another thread, 8 on another rank.
 */
static const struct host_scope scopes[] = {
    {.start_ns = 10, .end_ns = 20, .place = 9, .name = 3},
    {.start_ns = 0, .end_ns = 100, .place = 8, .name = 1},
    {.start_ns = 10, .end_ns = 20, .place = 1, .name = 4},
    {.start_ns = 10, .end_ns = 50, .place = 2, .name = 2},
    {.start_ns = 80, .end_ns = 80, .place = 3, .name = 6},
    {.start_ns = 40, .end_ns = 70, .place = 4, .name = 5},
    {.start_ns = 5, .end_ns = 95, .place = 5, .name = 7, .thread = 1},
    {.start_ns = 5, .end_ns = 95, .place = 6, .name = 8, .rank = 1},
};

static const struct {
    int64_t time_ns;
    uint32_t thread, name; /* 0: none */
    int16_t rank;
} looks[] = {
    {0, 0, 1, 0},  {4, 1, 0, 0},  {9, 0, 1, 0},  {10, 0, 3, 0}, {19, 0, 3, 0},  {20, 0, 2, 0},  {39, 0, 2, 0},
    {40, 0, 5, 0}, {50, 0, 5, 0}, {60, 1, 7, 0}, {60, 0, 8, 1}, {60, 2, 0, 0},  {69, 0, 5, 0},  {70, 0, 1, 0},
    {80, 0, 1, 0}, {94, 1, 7, 0}, {95, 1, 0, 0}, {99, 0, 1, 0}, {100, 0, 0, 0}, {100, 0, 0, 1},
};

TEST(the_innermost_one)
{
    struct record_spool *spool;
    struct open_scopes *open;
    struct host_scope next;
    assert_int_equal(host_scope_spool_new(&spool, NULL), 0);
    assert_int_equal(open_scopes_new(&open, NULL), 0);
    for (size_t i = 0; i < COUNT_OF(scopes); i++)
        assert_int_equal(record_spool_add(spool, &scopes[i], NULL), 0);
    assert_int_equal(record_spool_rewind(spool, NULL), 0);
    int has_next = record_spool_next(spool, &next, NULL);
    for (size_t i = 0; i < COUNT_OF(looks); i++) {
        for (; has_next == 1 && next.start_ns <= looks[i].time_ns; has_next = record_spool_next(spool, &next, NULL))
            assert_int_equal(open_scopes_add(open, next.rank, next.thread, &next, NULL), 0);
        const struct host_scope *found = open_scopes_innermost(open, looks[i].rank, looks[i].thread, looks[i].time_ns);
        assert_int_equal(found ? found->name : 0, looks[i].name);
    }
    assert_int_equal(has_next, 0);
    open_scopes_free(open);
    record_spool_free(spool);
}

/* What is open at once is limited, and what has ended makes room. */
TEST(a_limit_on_what_is_open)
{
    struct open_scopes *open;
    struct err e = {0};
    assert_int_equal(open_scopes_new(&open, NULL), 0);
    for (int64_t i = 0; i < OPEN_SCOPES_MAX; i++)
        assert_int_equal(open_scopes_add(open, 0, 0, &(struct host_scope){.start_ns = i, .end_ns = 1 << 21}, NULL), 0);
    const struct host_scope one_more = {.start_ns = 1 << 20, .end_ns = 1 << 21};
    const struct host_scope behind = {.start_ns = 1 << 21, .end_ns = 1 << 22};
    assert_int_equal(open_scopes_add(open, 0, 0, &one_more, &e), ERR_INPUT);
    assert_non_null(strstr(e.text, "1048576"));
    assert_int_equal(open_scopes_add(open, 0, 0, &behind, &e), 0);
    open_scopes_free(open);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(python_functions),
        cmocka_unit_test(the_innermost_one),
        cmocka_unit_test(a_limit_on_what_is_open),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
