/* Which arms are tried in graphs, what is chosen of what they took, and how long are the graphs? */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/stats/batch_method.h"
#include "tests/test.h"

enum { ARMS_MAX = 4 };

/* What an arm's probes would say; 0: it cannot run here. */
struct kernel {
    double single_us, batched_us;
    bool refuses;
};

/* A process that decides: it looks at all arms, then again at those that were left out. Who was tried in a
 * graph of how many, in this order, and what was chosen: "B50 A10 graphs". */
static const char *decide(char *text, size_t bytes, enum batch_method method, const struct kernel *kernels,
                          size_t count, struct batch_arm *arms)
{
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < count; i++)
        arms[i] = (struct batch_arm){NAN, NAN, false, 0};
    for (size_t turn = 0; turn < 2 * count; turn++) {
        const size_t i = turn % count;
        arms[i].single_ns = kernels[i].single_us > 0 ? 1000 * kernels[i].single_us : NAN;
        const int launches = batch_method_try(method, arms, count, i);
        if (!launches)
            continue;
        used += (size_t)snprintf(text + used, bytes - used, "%c%d ", (char)('A' + i), launches);
        arms[i].refused = kernels[i].refuses;
        arms[i].batched_ns = kernels[i].refuses ? NAN : 1000 * kernels[i].batched_us;
    }
    const enum batch_method chosen = method == BATCH_AUTO ? batch_method_choose(arms, count) : method;
    snprintf(text + used, bytes - used, "%s", batch_method_name(chosen));
    for (size_t i = 0; i < count; i++) /* nothing is left to try */
        if (batch_method_try(method, arms, count, i))
            fail_msg("arm %zu could be tried for ever: %s", i, text);
    return text;
}

TEST(one_method_for_all)
{
    static const struct {
        struct kernel arms[ARMS_MAX];
        size_t count;
        const char *decision; /* graphs that are tried take 500 us by what a launch takes alone */
    } cases[] = {
        {{{4, 2, false}, {5, 2.5, false}}, 2, "A100 B100 graphs"}, /* of 4 us 125 would be 500 us: at most 100 */
        {{{4.99, 4.99, false}}, 1, "A100 graphs"},                 /* too short for two events */
        {{{5, 5, false}}, 1, "A100 single"},
        {{{10, 9.6, false}}, 1, "A50 single"},                       /* 1.042 times as long alone */
        {{{10, 9.5, false}}, 1, "A50 graphs"},                       /* 1.053 times */
        {{{10, 9.6, false}, {10, 9.5, false}}, 2, "A50 B50 graphs"}, /* one is enough */
        {{{49.9, 45, false}}, 1, "A11 graphs"},
        {{{50, 45, false}}, 1, "single"}, /* what the host adds cannot matter much any more */
        {{{50, 45, false}, {3000, 2990, false}}, 2, "single"},
        {{{3000, 2990, false}, {10, 8, false}}, 2, "B50 A4 graphs"}, /* the long one once it matters */
        {{{10, 8, false}, {3000, 2990, false}}, 2, "A50 B4 graphs"},
        {{{200, 198, false}, {0, 0, false}, {10, 8, false}, {60, 58, false}}, 4, "C50 D9 A4 graphs"},
        {{{3000, 0, true}, {10, 8, false}}, 2, "B50 A4 single"},             /* the long one refuses: all alone */
        {{{3000, 0, true}, {10, 9.9, false}}, 2, "B50 single"},              /* nobody asked it */
        {{{10, 0, true}, {10, 8, false}, {3000, 0, true}}, 3, "A50 single"}, /* that settles it: one reason */
        {{{10, 8, false}, {10, 0, true}, {3000, 2990, false}}, 3, "A50 B50 single"},
        {{{0, 0, false}, {0, 0, false}}, 2, "single"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct batch_arm arms[ARMS_MAX];
        char text[128];
        if (strcmp(decide(text, sizeof text, BATCH_AUTO, cases[i].arms, cases[i].count, arms), cases[i].decision) != 0)
            fail_msg("case %zu: '%s', expected '%s'", i, text, cases[i].decision);
    }
}

TEST(a_method_that_is_given_is_not_asked_for)
{
    static const struct kernel kernels[] = {{3000, 2990, false}, {10, 9.9, false}, {0, 0, false}, {200, 198, false}};
    struct batch_arm arms[COUNT_OF(kernels)];
    char text[128];
    assert_string_equal(decide(text, sizeof text, BATCH_SINGLE, kernels, COUNT_OF(kernels), arms), "single");
    assert_string_equal(decide(text, sizeof text, BATCH_GRAPHS, kernels, COUNT_OF(kernels), arms), "A4 B50 D4 graphs");
    static const int launches[] = {4, 51, 0, 4}; /* 500 us / 9.9 us is 50.5 */
    for (size_t i = 0; i < COUNT_OF(kernels); i++)
        if (launches[i])
            assert_int_equal(batch_method_launches(&arms[i]), launches[i]);
}

/* Graphs are as long as they were before in the run: such an arm is not tried again, and one without a past is. */
TEST(graphs_stay_as_long_as_they_were)
{
    static const struct {
        struct batch_arm arm;
        int try_in, launches;
    } cases[] = {
        {{10000, NAN, false, 37}, 0, 37},  {{10000, NAN, false, 0}, 50, 50}, {{10000, 2000, false, 0}, 0, 100},
        {{10000, 2000, false, 37}, 0, 37}, {{10000, 8000, false, 0}, 0, 63}, /* 62.5 */
        {{10000, 5000, false, 1}, 0, 100},                                   /* a single launch is no graph */
        {{2e6, 1.9e6, false, 0}, 0, 4},    {{NAN, NAN, false, 0}, 0, 4},     /* no event could be read: the shortest */
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const int try_in = batch_method_try(BATCH_GRAPHS, &cases[i].arm, 1, 0);
        const int launches = batch_method_launches(&cases[i].arm);
        if (try_in != cases[i].try_in || launches != cases[i].launches)
            fail_msg("case %zu: tried in %d, %d launches", i, try_in, launches);
    }
}

TEST(methods_have_names)
{
    for (int i = 0; i < BATCH_METHODS; i++) {
        enum batch_method found = BATCH_METHODS;
        assert_true(batch_method_parse(batch_method_name((enum batch_method)i), &found));
        assert_int_equal(found, i);
    }
    enum batch_method untouched = BATCH_GRAPHS;
    assert_false(batch_method_parse("graph", &untouched));
    assert_false(batch_method_parse("", &untouched));
    assert_int_equal(untouched, BATCH_GRAPHS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_method_for_all),
        cmocka_unit_test(a_method_that_is_given_is_not_asked_for),
        cmocka_unit_test(graphs_stay_as_long_as_they_were),
        cmocka_unit_test(methods_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
