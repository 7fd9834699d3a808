/* Are names short, and still apart? */

#include "core/trace/short_names.h"
#include "tests/test.h"

TEST(as_short_as_possible)
{
    static const struct {
        const char *full, *text;
    } cases[] = {
        {"scale(float*)", "scale"},
        {"void ns::tile<3>(float*)", "ns::tile<3>"}, /* two instances: the arguments stay */
        {"void ns::tile<4>(float*)", "ns::tile<4>"},
        {"void ns::tile<4>(double*)", NULL}, /* shares even these: in full */
        {"void other<(Kind)2>(int)", "other"},
        {"plain c name", "plain c name"}, /* no declaration: nothing of it is a type */
        {"<broken", "<broken"},
        {"(anonymous namespace)::hidden<1>()", "(anonymous namespace)::hidden"},
    };
    struct short_names names;
    short_names_init(&names);
    uint32_t ids[COUNT_OF(cases)];
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        if (i == 3)
            continue;
        ids[i] = short_names_add(&names, cases[i].full);
        assert_int_not_equal(ids[i], 0);
        assert_int_equal(short_names_add(&names, cases[i].full), ids[i]); /* the same again */
    }
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        if (i != 3) {
            assert_string_equal(short_names_text(&names, ids[i]), cases[i].text);
            assert_string_equal(short_names_full(&names, ids[i]), cases[i].full);
        }
    ids[3] = short_names_add(&names, cases[3].full);
    assert_string_equal(short_names_text(&names, ids[3]), cases[3].full);
    assert_string_equal(short_names_text(&names, ids[2]), cases[2].full);
    assert_string_equal(short_names_text(&names, ids[1]), cases[1].text);
    assert_string_equal(short_names_text(&names, 0), "");
    assert_string_equal(short_names_text(&names, 99), "");
    short_names_release(&names);
}

TEST(calls_without_versions)
{
    static const struct {
        const char *recorded, *name;
    } cases[] = {{"cudaLaunchKernel_v7000", "cudaLaunchKernel"},
                 {"cudaLaunchKernel", "cudaLaunchKernel"},
                 {"cuMemcpyHtoD_v2", "cuMemcpyHtoD"},
                 {"cuLaunchKernel_ptsz", "cuLaunchKernel_ptsz"},
                 {"v7000", "v7000"},
                 {"_v1", "_v1"},
                 {"123", "123"}};
    struct short_names names;
    short_names_init(&names);
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        assert_string_equal(short_names_full(&names, short_names_add_call(&names, cases[i].recorded)), cases[i].name);
    short_names_release(&names);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(as_short_as_possible),
                                       cmocka_unit_test(calls_without_versions)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
