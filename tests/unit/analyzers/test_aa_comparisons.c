/* Is a pool with known numbers judged by them? */
#include "tests/unit/scratch_bundle.h"

#include <math.h>

#include "analyzers/compare/aa_comparisons.h"
#include "core/base/count_of.h"
#include "core/bundle/bundle_open.h"
#include "core/bundle/bundle_write.h"

enum { P = 5 };

/* A pool in the making: one case and its arms, as many processes as there are ratios. */
struct pool {
    struct scratch scratch;
    struct bundle bundle;
    struct aa_comparisons pool;
};

static void add_arm(const struct pool *p, const char *variant, const char *config, int process, double duration_ns)
{
    char cells[256];
    snprintf(cells, sizeof cells, "%s|%s|%d||||hot|1||%.17g", variant, config, process, duration_ns);
    scratch_row(&p->scratch, BUNDLE_TIMING, cells);
}

static void open_pool(struct pool *p)
{
    MUST(bundle_seal(p->scratch.path, p->scratch.manifest, &e));
    bundle_init(&p->bundle);
    MUST(bundle_open(&p->bundle, p->scratch.path, &e));
    MUST(aa_comparisons_read(&p->pool, &p->bundle, &e));
}

static void close_pool(struct pool *p)
{
    aa_comparisons_release(&p->pool);
    bundle_release(&p->bundle);
    scratch_remove(&p->scratch);
}

/* Comparisons of which every pair has the same ratio: the interval is that ratio and nothing else. 42 are equal,
 * 3 have 1.02 and 1 has 0.97; two more processes are no comparison. */
static void make_known(struct pool *p)
{
    scratch_create(&p->scratch);
    for (int process = 0; process < 46 * P + 2; process++) {
        const int comparison = process / P;
        const double ratio = comparison < 3 ? 1.02 : comparison < 4 ? 0.97 : 1;
        add_arm(p, "f/v", "s extra_ppm=0", process, 1000);
        add_arm(p, "f/v#2", "s extra_ppm=0", process, 1000 * ratio);
    }
    open_pool(p);
}

static void verdicts_are_counted(void **state)
{
    (void)state;
    struct pool p;
    struct aa_result r;
    make_known(&p);
    MUST(aa_comparisons_judge(&p.pool, P, 0.01, &r, &e));
    assert_int_equal(r.count, 1);
    assert_int_equal(r.planted.count, 0);
    const struct aa_self *s = &r.items[0];
    assert_string_equal(s->variant, "f/v");
    assert_true(s->time_ns == 1000);
    assert_int_equal(s->processes, 46 * P + 2);
    assert_int_equal(s->comparisons, 46);
    assert_int_equal(s->covered, 42);
    assert_int_equal(s->verdicts[COMPARE_SLOWER], 3);
    assert_int_equal(s->verdicts[COMPARE_FASTER], 1);
    assert_int_equal(s->verdicts[COMPARE_EQUIVALENT], 42);
    assert_true(fabs(s->coverage.rate - 42.0 / 46) < 1e-12);
    assert_true(fabs(s->false_positives.rate - 4.0 / 46) < 1e-12);
    /* 1 / 0.99 - 1 where the ratio is 1, 1 / (0.99 * 0.97) - 1 for the one that is called faster: 43 of 46 are 93% */
    assert_true(fabs(s->detectable_80 - (1 / 0.99 - 1)) < 1e-9);
    assert_true(fabs(s->detectable_95 - (1 / 0.99 - 1)) < 1e-9);
    assert_true(fabs(s->mde_50 - 0.01) < 1e-9);
    assert_int_equal(r.all.comparisons, 46);
    assert_int_equal(r.all.covered, 42);
    aa_result_release(&r);
    close_pool(&p);
}

/* With what rates is a machine believed? The verdict of pools with so many comparisons that hold 1 or not. */
static void limits_are_held(void **state)
{
    (void)state;
    static const struct {
        int same, off; /* comparisons with ratio 1, and with 1.005: not 1, within the margin */
        int slower;    /* with 1.02 */
        enum verdict_status status;
        const char *reason;
    } cases[] = {
        {39, 0, 0, VERDICT_INCONCLUSIVE, "too_few_comparisons"},
        {40, 0, 0, VERDICT_PASS, "within_limits"},         /* coverage 91.2% to 100%; false at most 8.8% */
        {38, 2, 0, VERDICT_PASS, "within_limits"},         /* 83.1% to 99.4% */
        {34, 6, 0, VERDICT_PASS, "within_limits"},         /* 70.2% to 94.3% */
        {32, 8, 0, VERDICT_FAIL, "coverage_outside"},      /* 64.4% to 90.9% */
        {39, 0, 1, VERDICT_FAIL, "false_positives_above"}, /* at most 13.2% */
        {130, 0, 0, VERDICT_FAIL, "coverage_outside"},     /* 97.2% to 100%: too wide an interval is wrong, too */
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct pool p;
        struct aa_result r;
        scratch_create(&p.scratch);
        const int comparisons = cases[i].same + cases[i].off + cases[i].slower;
        for (int process = 0; process < comparisons * 3; process++) {
            const int c = process / 3;
            add_arm(&p, "v", "s", process, 1000);
            add_arm(&p, "v#2", "s", process, c < cases[i].same ? 1000 : c < cases[i].same + cases[i].off ? 1005 : 1020);
        }
        open_pool(&p);
        MUST(aa_comparisons_judge(&p.pool, 3, 0.01, &r, &e));
        if (r.status != cases[i].status || strcmp(aa_reasons[r.reason].key, cases[i].reason))
            fail_msg("case %zu: %s, %s", i, verdict_status_name(r.status), aa_reasons[r.reason].key);
        aa_result_release(&r);
        close_pool(&p);
    }
}

/* 3% more work is 3% more time here, 0.5% is 0.5%; a plant that made it faster is wrong. */
static void planted_slowdowns_are_found_or_not(void **state)
{
    (void)state;
    struct pool p;
    struct aa_result r;
    scratch_create(&p.scratch);
    for (int process = 0; process < 4 * P; process++) {
        add_arm(&p, "v", "s extra_ppm=0", process, 1000);
        add_arm(&p, "v#2", "s extra_ppm=0", process, 1000);
        add_arm(&p, "v", "s extra_ppm=30000", process, 1030);
        add_arm(&p, "v", "s extra_ppm=5000", process, process < P ? 900 : 1005);
        add_arm(&p, "v", "t extra_ppm=7", process, 2000); /* of another config: beside nothing */
    }
    open_pool(&p);
    MUST(aa_comparisons_judge(&p.pool, P, 0.01, &r, &e));
    assert_int_equal(r.count, 1);
    assert_int_equal(r.planted.count, 2);
    const struct aa_planted *found = &r.planted.items[0], *within = &r.planted.items[1];
    assert_true(fabs(found->share - 0.03) < 1e-12);
    assert_true(fabs(found->effect.median - 0.03) < 1e-12);
    assert_true(fabs(found->effect.low - 0.03) < 1e-12 && fabs(found->effect.high - 0.03) < 1e-12);
    assert_int_equal(found->comparisons, 4);
    assert_int_equal(found->verdicts[COMPARE_SLOWER], 4);
    assert_int_equal(found->wrong, 0);
    assert_true(found->found.rate == 1);
    assert_true(fabs(within->effect.median - 0.005) < 1e-12);
    assert_int_equal(within->verdicts[COMPARE_EQUIVALENT], 3);
    assert_int_equal(within->verdicts[COMPARE_FASTER], 1);
    assert_int_equal(within->wrong, 1);
    assert_true(within->found.rate == 0);
    aa_result_release(&r);
    close_pool(&p);
}

static void what_was_timed_once_is_no_pool(void **state)
{
    (void)state;
    struct scratch s;
    struct bundle b;
    struct aa_comparisons pool;
    struct err why = {0};
    scratch_create(&s);
    scratch_row(&s, BUNDLE_TIMING, "v|s|0|0|0|0|hot|1||1000");
    scratch_row(&s, BUNDLE_TIMING, "w#2|s|0|0|0|0|hot|1||1000"); /* second of nothing */
    scratch_row(&s, BUNDLE_TIMING, "v#2|t|0|0|0|0|hot|1||1000"); /* at another config */
    MUST(bundle_seal(s.path, s.manifest, &e));
    bundle_init(&b);
    MUST(bundle_open(&b, s.path, &e));
    assert_int_equal(aa_comparisons_read(&pool, &b, &why), ERR_INPUT);
    assert_non_null(strstr(why.text, "is no pool: nothing in it was timed twice"));
    aa_comparisons_release(&pool);
    bundle_release(&b);
    scratch_remove(&s);
}

/* Two cases, 2 us without noise and 1 ms of which each second comparison is 3% off. */
static void the_effect_is_that_of_the_nearest_time(void **state)
{
    (void)state;
    struct pool p;
    scratch_create(&p.scratch);
    for (int process = 0; process < 20 * P; process++) {
        add_arm(&p, "v", "us2", process, 2000);
        add_arm(&p, "v#2", "us2", process, 2000);
        add_arm(&p, "v", "ms1", process, 1e6);
        add_arm(&p, "v#2", "ms1", process, process / P % 2 ? 1e6 : 0.97e6);
    }
    open_pool(&p);
    static const struct {
        double time_ns;
        size_t processes;
        const char *config;
        double effect;
    } cases[] = {
        {1, P, "us2", 1 / 0.99 - 1},
        {44000, P, "us2", 1 / 0.99 - 1}, /* below sqrt(2000 * 1e6) = 44,721 */
        {45000, P, "ms1", 1 / (0.99 * 0.97) - 1},
        {2000, 4, "us2", 1 / 0.99 - 1}, /* 25 comparisons */
        {2000, 6, "us2", NAN},          /* 16 are too few */
        {2000, 2, "us2", NAN},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct aa_effect effect;
        MUST(aa_comparisons_effect(&p.pool, cases[i].time_ns, cases[i].processes, 0.01, &effect, &e));
        assert_string_equal(effect.from->config, cases[i].config);
        if (isnan(cases[i].effect) ? !isnan(effect.effect) : !(fabs(effect.effect - cases[i].effect) < 1e-9))
            fail_msg("case %zu: %g", i, effect.effect);
    }
    close_pool(&p);
}

static void gates_are_as_fine_as_their_distance_from_1(void **state)
{
    (void)state;
    static const struct {
        double threshold, effect;
        bool too_fine;
    } cases[] = {
        {1, 0.01, true},     {1.005, 0.01, true}, {0.995, 0.01, true}, {1.02, 0.01, false},
        {0.98, 0.01, false}, {1.01, 0.01, false}, {0.99, 0.01, false}, /* 1 / 0.99 is beyond 1.01 */
        {0.995, NAN, true},                                            /* where nothing is known nothing passes */
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        if (aa_gate_is_too_fine(cases[i].threshold, cases[i].effect) != cases[i].too_fine)
            fail_msg("case %zu: %g at %g", i, cases[i].threshold, cases[i].effect);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(verdicts_are_counted),
        cmocka_unit_test(limits_are_held),
        cmocka_unit_test(planted_slowdowns_are_found_or_not),
        cmocka_unit_test(what_was_timed_once_is_no_pool),
        cmocka_unit_test(the_effect_is_that_of_the_nearest_time),
        cmocka_unit_test(gates_are_as_fine_as_their_distance_from_1),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
