/* Which kernels and delays does a command line ask for? */
#include <string.h>

#include "core/base/causal_plan.h"
#include "tests/test.h"

TEST(what_is_read)
{
    struct causal_plan plan;
    struct err e = {0};
    assert_int_equal(causal_plan_init(&plan, "^gemm<.*>,copy", "5us,10ms", &e), 0);
    assert_int_equal(plan.target_count, 2);
    assert_string_equal(plan.targets[0].pattern, "^gemm<.*>");
    assert_string_equal(plan.targets[1].pattern, "copy");
    assert_int_equal(plan.dose_count, 3);
    assert_int_equal(plan.doses_ns[0], 0);
    assert_int_equal(plan.doses_ns[1], 5000);
    assert_int_equal(plan.doses_ns[2], 10000000);
    causal_plan_release(&plan);
    assert_int_equal(causal_plan_init(&plan, "a,b,c,d,e,f,g,h", CAUSAL_DOSES, &e), 0);
    assert_int_equal(plan.target_count, CAUSAL_TARGETS_MAX);
    causal_plan_release(&plan);
    assert_int_equal(causal_plan_init(&plan, "a", "20us", &e), 0);
    assert_int_equal(plan.dose_count, 2);
    causal_plan_release(&plan);
}

/* Two colons are a name of C++, and a kernel may be called copy or host. */
TEST(copies_and_the_host)
{
    static const struct {
        const char *text, *pattern;
        bool on_host;
        uint32_t copies;
    } rows[] = {{"copy:h2d", NULL, false, CPPROF_COPY_H2D},
                {"copy:d2h", NULL, false, CPPROF_COPY_D2H},
                {"copy:d2d", NULL, false, CPPROF_COPY_D2D},
                {"copy:p2p", NULL, false, CPPROF_COPY_P2P},
                {"copy:any", NULL, false, CPPROF_COPY_UNKNOWN},
                {"host:copy:d2h", NULL, true, CPPROF_COPY_D2H},
                {"host:gemm", "gemm", true, 0},
                {"host:copy", "copy", true, 0},
                {"host", "host", false, 0},
                {"copy::kernel", "copy::kernel", false, 0},
                {"host::kernel", "host::kernel", false, 0},
                {"at::native", "at::native", false, 0}};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct causal_target target;
        assert_int_equal(causal_target_read(&target, rows[i].text, NULL), 0);
        assert_string_equal(target.text, rows[i].text);
        assert_int_equal(target.on_host, rows[i].on_host);
        assert_int_equal(target.copies, rows[i].copies);
        assert_int_equal(!target.pattern, !rows[i].pattern);
        if (rows[i].pattern)
            assert_string_equal(target.pattern, rows[i].pattern);
    }
}

TEST(what_is_refused)
{
    static const struct {
        const char *targets, *doses, *words;
    } rows[] = {
        {"", "20us", "empty"},
        {"a,", "20us", "empty"},
        {"a,(", "20us", "--causal '('"},
        {"a,b,c,d,e,f,g,h,i", "20us", "at most 8"},
        {"host:", "20us", "empty"},
        {"copy:", "20us", "not 'copy:'"},
        {"host:copy:h2h", "20us", "not 'host:copy:h2h'"},
        {"a", "", "one or two times"},
        {"a", "20us,", "one or two times"},
        {"a", "20us;60us", "one or two times"},
        {"a", "20us,60us,100us", "one or two times"},
        {"a", "60us,20us", "the shorter one first"},
        {"a", "20us,20us", "the shorter one first"},
        {"a", "4999ns", "from 5us to 10ms"},
        {"a", "10001us", "from 5us to 10ms"},
        {"a", "20", "from 5us to 10ms"},
        {"a", "20MiB", "from 5us to 10ms"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct causal_plan plan;
        struct err e = {0};
        assert_int_equal(causal_plan_init(&plan, rows[i].targets, rows[i].doses, &e), ERR_USAGE);
        if (!strstr(e.text, rows[i].words))
            fail_msg("'%s' does not say '%s'", e.text, rows[i].words);
        causal_plan_release(&plan);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(what_is_read), cmocka_unit_test(copies_and_the_host),
                                       cmocka_unit_test(what_is_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
