/* Which bound do shares of peak and stalls mean? */
#include "tests/unit/counted_run.h"

#include "analyzers/bound_decision.h"
#include "core/gpu/thresholds.h"
#include "tests/unit/embedded_thresholds.h"

/* ---- pure decisions ---- */

static void shares_make_a_class(void **state)
{
    (void)state;
    static const struct {
        double idle, compute, memory;
        enum bound_class class_;
        double margin;
    } cases[] = {
        /* latency: margin is what is missing to 60 points */
        {NAN, 0.30, 0.20, BOUND_LATENCY, 0.30},
        {NAN, 0.20, 0.5999, BOUND_LATENCY, 0.0001},
        /* exactly 60: no longer latency; 0.60 - 0.60 = 0 */
        {NAN, 0.60, 0.20, BOUND_COMPUTE, 0.00},
        /* lead 62 - 20 = 42, less 10 = 32; to latency 62 - 60 = 2 */
        {NAN, 0.62, 0.20, BOUND_COMPUTE, 0.02},
        /* lead 75 - 62 = 13, less 10 = 3; to latency 15 */
        {NAN, 0.62, 0.75, BOUND_MEMORY, 0.03},
        /* a lead of exactly 10 wins, with nothing to spare */
        {NAN, 0.70, 0.60, BOUND_COMPUTE, 0.00},
        /* lead 9: balanced; 1 point to a lead of 10, 80 - 72 = 8 to the high share, 12 to latency */
        {NAN, 0.72, 0.63, BOUND_BALANCED, 0.01},
        /* only one passes 80: lead 5; it falls below after 2 points, the other passes after 3 */
        {NAN, 0.82, 0.77, BOUND_COMPUTE, 0.02},
        {NAN, 0.79, 0.84, BOUND_MEMORY, 0.01},
        /* wins by both: lead 85 - 70 = 15, 5 to spare; as the only one above 80: min(5, 10) = 5 */
        {NAN, 0.85, 0.70, BOUND_COMPUTE, 0.05},
        /* lead 30, 20 to spare; alone above 80 by 10: both must fall, so 20 */
        {NAN, 0.60, 0.90, BOUND_MEMORY, 0.20},
        /* both above 80, lead 5: balanced; 5 to a lead of 10, lower one 85 - 80 = 5 to falling out */
        {NAN, 0.90, 0.85, BOUND_BALANCED, 0.05},
        /* both above 80, lead 12 */
        {NAN, 0.82, 0.94, BOUND_MEMORY, 0.02},
        /* launch comes first, at 25% of the interval idle */
        {0.25, 0.95, 0.20, BOUND_LAUNCH, 0.00},
        {0.60, 0.05, 0.02, BOUND_LAUNCH, 0.35},
        {0.60, NAN, NAN, BOUND_LAUNCH, 0.35},
        /* 95 - 60 = 35, lead 75; but it is launch-bound when the device idles 0.01 points more */
        {0.2499, 0.95, 0.20, BOUND_COMPUTE, 0.0001},
        {0.10, 0.62, 0.20, BOUND_COMPUTE, 0.02},
        /* nothing to go by */
        {NAN, NAN, 0.90, BOUND_INCONCLUSIVE, NAN},
        {0.10, 0.90, NAN, BOUND_INCONCLUSIVE, NAN},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct bound_shares shares = {cases[i].idle, cases[i].compute, cases[i].memory, NAN, NAN};
        double margin = -1;
        enum bound_class got = bound_decide(embedded_thresholds(), &shares, &margin);
        bool margin_right = isnan(cases[i].margin) ? isnan(margin) : near(margin, cases[i].margin);
        if (got != cases[i].class_ || !margin_right)
            fail_msg("case %zu: %s, margin %g", i, bound_class_name(got), margin);
    }
}

static void dram_is_named_when_close_to_its_ceiling(void **state)
{
    (void)state;
    static const struct {
        double dram, busiest;
        bool dram_named;
    } cases[] = {
        {0.8258, 0.88, true},  /* 82.58 / 0.88 = 93.8 >= 88 - 10 */
        {0.22, 0.70, false},   /* strided: 25 < 60 */
        {0.528, 0.70, true},   /* 52.8 / 0.88 = 60 = 70 - 10 */
        {0.5279, 0.70, false}, /* 59.99 */
        {NAN, 0.70, false},
        /* Within 10 points, but of a unit that does twice as much: dram carries little of what goes there. */
        {0.001, 0.09, false},
        {0.044, 0.10, true}, /* 4.4 / 0.88 = 5 = 10 / 2 */
        {0.0439, 0.10, false},
        {0, 0, true},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        assert_int_equal(bound_prefers_dram(embedded_thresholds(), cases[i].dram, 0.88, cases[i].busiest),
                         cases[i].dram_named);
}

/* L2 at 75%, DRAM at 53%: 53 / 0.88 = 60.2, too far below 75 - 10. Where device memory reached 4 of 5 TB/s,
 * 53 / 0.80 = 66.3 is close enough. A measurement of a tenth of the peak is none. */
static void a_measured_ceiling_takes_the_place_of_the_threshold(void **state)
{
    (void)state;
    static const struct {
        double measured; /* NAN: none */
        double reach;    /* shown as evidence; NAN: not measured */
        const char *unit;
    } cases[] = {{NAN, NAN, "l2"}, {4e12, 0.8, "dram"}, {5e11, NAN, "l2"}, {5.1e12, NAN, "l2"}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        static const char *const named[] = {"dram_share", "l2_share"};
        struct recorded run;
        run_start(&run);
        add_idle_units(&run, "v", SHAPE, named, COUNT_OF(named));
        add_metric(&run, "v", SHAPE, 0, "dram_share", 0.53);
        add_metric(&run, "v", SHAPE, 0, "l2_share", 0.75);
        add_metric(&run, "v", SHAPE, 0, "peak_dram", 5e12);
        if (!isnan(cases[i].measured))
            json_object_set_new(run.bundle.manifest, "ceilings",
                                json_pack("{s:[{ss sf}]}", "ceilings", "id", "dram", "best", cases[i].measured));
        const struct bound *b = only_bound(&run);
        assert_string_equal(b->unit, cases[i].unit);
        const double reach = evidence_of(b, "dram_reach_measured");
        assert_true(isnan(cases[i].reach) ? isnan(reach) : near(reach, cases[i].reach));
        run_end(&run);
    }
}

static void shared_is_named_when_it_is_most_of_l1(void **state)
{
    (void)state;
    static const struct {
        double shared, l1;
        bool shared_named;
    } cases[] = {{0.93, 0.95, true}, {0.6, 0.8, true}, {0.5999, 0.8, false}, {0, 0.015, false}, {NAN, 0.95, false}};
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        assert_int_equal(bound_prefers_shared(embedded_thresholds(), cases[i].shared, cases[i].l1),
                         cases[i].shared_named);
}

static void latency_has_a_cause(void **state)
{
    (void)state;
    static const struct {
        double grid, sms, waves;
        enum latency_cause cause;
    } cases[] = {
        {131, 132, 0.99, LATENCY_SMALL_GRID}, {132, 132, 1, LATENCY_STALL},   {158, 132, 1.2, LATENCY_TAIL},
        {196, 132, 1.49, LATENCY_TAIL},       {198, 132, 1.5, LATENCY_STALL}, {264, 132, 2.0, LATENCY_STALL},
        {290, 132, 2.2, LATENCY_STALL},       {NAN, 132, NAN, LATENCY_STALL}, {64, NAN, NAN, LATENCY_STALL},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        assert_int_equal(bound_latency_cause(embedded_thresholds(), cases[i].grid, cases[i].sms, cases[i].waves),
                         cases[i].cause);
}

static void ncu_rule_as_ncu_has_it(void **state)
{
    (void)state;
    static const struct {
        double sm, memory, waves;
        const char *rule;
    } cases[] = {
        {0.80, 0.10, 4, "High Throughput"},
        {0.10, 0.81, 0.5, "High Throughput"},
        {0.7999, 0.10, 4, "High Compute Throughput"},
        {0.60, 0.70, 4, "High Memory Throughput"},
        {0.65, 0.60, 4, "Balanced Throughput"},
        {0.70, 0.6001, 4, "Balanced Throughput"},
        {0.5999, 0.10, 4, "Latency Issue"},
        {0.30, 0.10, 1, "Latency Issue"},
        {0.30, 0.10, 0.99, "Small Grid"},
        {0.65, 0.10, 0.5, "High Compute Throughput"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        assert_string_equal(bound_ncu_rule(embedded_thresholds(), cases[i].sm, cases[i].memory, cases[i].waves),
                            cases[i].rule);
    assert_null(bound_ncu_rule(embedded_thresholds(), NAN, 0.9, 1));
    assert_null(bound_ncu_rule(embedded_thresholds(), 0.9, NAN, 1));
    assert_null(bound_ncu_rule(embedded_thresholds(), 0.30, 0.10, NAN)); /* either of two */
    assert_string_equal(bound_ncu_rule(embedded_thresholds(), 0.65, 0.10, NAN), "High Compute Throughput");
}

static void every_threshold_is_described(void **state)
{
    (void)state;
    for (int i = 0; i < THRESHOLD_COUNT; i++) {
        const struct threshold *t = threshold_get((enum threshold_id)i);
        assert_non_null(t->name);
        assert_true(strlen(t->meaning) > 10);
        for (int j = 0; j < i; j++)
            assert_string_not_equal(t->name, threshold_get((enum threshold_id)j)->name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shares_make_a_class),
        cmocka_unit_test(dram_is_named_when_close_to_its_ceiling),
        cmocka_unit_test(a_measured_ceiling_takes_the_place_of_the_threshold),
        cmocka_unit_test(shared_is_named_when_it_is_most_of_l1),
        cmocka_unit_test(latency_has_a_cause),
        cmocka_unit_test(ncu_rule_as_ncu_has_it),
        cmocka_unit_test(every_threshold_is_described),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
