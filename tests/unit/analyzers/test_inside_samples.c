/* Which samples of a launch are drawn? */
#include "tests/unit/written_run.h"

#include <math.h>

#include "analyzers/inside/inside_samples.h"

/* Columns: launch, begin, taken, active, issue, tensor, fma, xu, l1_request, l1_fill, l2, dram. A clock may read 1.2 of
 * what is possible; a missing unit stays missing. */
static void samples_are_of_one_launch_in_order(void **state)
{
    (void)state;
    struct written_run run;
    struct inside_samples s, none;
    written_begin(&run, 2);
    add_row(&run, BUNDLE_VARIANTS, "f/v|m");
    add_row(&run, BUNDLE_INSIDE_SERIES, "f/v|m|3|1000|500|1|1|0.5|1.2||0.25");
    add_row(&run, BUNDLE_INSIDE_SERIES, "f/v|m|3|0|1000|1|1|0.75|0.5||0.125|||1");
    add_row(&run, BUNDLE_INSIDE_SERIES, "f/v|m|3|1500|0|1|1|0.75");
    add_row(&run, BUNDLE_INSIDE_SERIES, "f/v|m|4|0|1000|1|1|0.75");
    MUST(analysis_join(&run.analysis, &e));
    MUST(inside_samples_read(&s, run.analysis.run, analysis_arm(&run.analysis, "f/v", "m"), &e));
    MUST(inside_samples_read(&none, run.analysis.run, NULL, &e));
    assert_int_equal(none.items.count, 0);
    assert_int_equal(s.launch, 3);
    assert_int_equal(s.items.count, 2);
    assert_true(s.items.items[0].begin_ns == 0 && s.items.items[0].tensor == 0.75 && s.items.items[0].dram == 1);
    assert_true(s.items.items[1].begin_ns == 1000 && s.items.items[1].fma == 1 && s.items.items[1].l1_request == 0.25);
    assert_true(isnan(s.items.items[1].dram));
    inside_samples_release(&s);
    inside_samples_release(&none);
    written_end(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(samples_are_of_one_launch_in_order)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
