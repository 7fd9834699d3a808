/* Which samples are an arm's, and when were two arms timed alike? */
#include "tests/unit/scratch_bundle.h"

#include <math.h>

#include "core/base/count_of.h"
#include "core/bundle/bundle_open.h"
#include "core/run/timing_arms.h"

static void arms_are_alike_by_how_they_were_timed(void **state)
{
    (void)state;
    static const struct {
        double a, b;
        bool alike;
    } cases[] = {
        {1, 1, true},   {37, 100, true}, {2, 1e6, true}, /* graphs cost a launch alike, however many are in one */
        {1, 37, false}, {1, 2, false},   {NAN, 1, false}, {NAN, 37, false}, {NAN, NAN, false},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        const struct timing_arm a = {.batch = cases[i].a}, b = {.batch = cases[i].b};
        if (timing_arms_are_alike(&a, &b) != cases[i].alike || timing_arms_are_alike(&b, &a) != cases[i].alike)
            fail_msg("%g and %g", cases[i].a, cases[i].b);
    }
}

/* One arm of samples with these batches, as the table's cells have them. */
static void samples_of_both_kinds_have_no_batch(void **state)
{
    (void)state;
    static const struct {
        const char *cells[3];
        bool known, graphs;
    } cases[] = {
        {{"1", "1", "1"}, true, false},      {{"37", "100", "100"}, true, true},
        {{"100", "37", "2"}, true, true},    {{"1", "37", "1"}, false, false},
        {{"37", "37", "1"}, false, false},   {{"", "1", "1"}, false, false}, /* an empty cell is no single launch ... */
        {{"1", "1", ""}, false, false},      {{"100", "", "100"}, false, false}, /* ... and no graph */
        {{"37", "inf", "37"}, false, false}, {{"1", "nan", "1"}, false, false},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct scratch s;
        struct bundle bundle;
        struct arms names;
        struct arm_table timing;
        struct timing_arms arms = {0};
        scratch_create(&s);
        for (size_t k = 0; k < 3; k++) {
            char row[128];
            snprintf(row, sizeof row, "p/sync|mission|%zu|0|0|0|hot|%s|1.6e9|1000", k, cases[i].cells[k]);
            scratch_row(&s, BUNDLE_TIMING, row);
        }
        bundle_init(&bundle);
        MUST(bundle_open(&bundle, s.path, &e));
        arms_init(&names);
        MUST(arm_table_read(&timing, &bundle.tables[BUNDLE_TIMING], BUNDLE_TIMING, &names, &e));
        MUST(timing_arms_read(&arms, &timing, &e));
        assert_int_equal(arms.count, 1);
        assert_int_equal(arms.items[0].samples.count, 3);
        const double batch = arms.items[0].batch;
        if (!isnan(batch) != cases[i].known || (batch > 1) != cases[i].graphs)
            fail_msg("'%s', '%s', '%s': %g", cases[i].cells[0], cases[i].cells[1], cases[i].cells[2], batch);
        timing_arms_release(&arms);
        arm_table_release(&timing);
        arms_release(&names);
        bundle_release(&bundle);
        scratch_remove(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(arms_are_alike_by_how_they_were_timed),
        cmocka_unit_test(samples_of_both_kinds_have_no_batch),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
