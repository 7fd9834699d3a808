/* Is a prediction held against the variant that was written to improve on the arm, whatever the run's baseline is? */
#include "tests/unit/analysed_scratch.h"

#include "core/base/count_of.h"
#include "core/gpu/metrics.h"

struct recorded {
    struct scratch scratch;
    struct bundle bundle;
    struct analysis analysis;
};

static void count(struct recorded *r, const char *variant, const char *id, double value)
{
    char cells[256];
    const struct metric *metric = metric_by_id(id);
    snprintf(cells, sizeof cells, "%s|s|k|0|%s|%s|%.17g", variant, metric->name, unit_name(metric->unit), value);
    scratch_row(&r->scratch, BUNDLE_METRICS, cells);
}

/* Warps wait for loads in 3 of 10 cycles: a tile ahead brings up to 30%. */
static void count_arm(struct recorded *r, const char *variant, double ldgsts, double ffma)
{
    size_t metric_count;
    const struct metric *metrics = metrics_known(&metric_count);
    for (size_t i = 0; i < metric_count; i++)
        if (metrics[i].role == METRIC_COMPUTE || metrics[i].role == METRIC_MEMORY)
            count(r, variant, metrics[i].id, strcmp(metrics[i].id, "l2_share") ? 0.1 : 0.2);
    const struct {
        const char *id;
        double value;
    } others[] = {{"warp_latency", 10},   {"stall_long_scoreboard", 3}, {"stall_barrier", 0},     {"issue_share", 0.1},
                  {"warps_per_sm", 4},    {"active_cycles", 1000},      {"elapsed_cycles", 1000}, {"ldgsts", ldgsts},
                  {"ffma_threads", ffma}, {"instructions", 1000}};
    for (size_t i = 0; i < COUNT_OF(others); i++)
        count(r, variant, others[i].id, others[i].value);
}

struct rung {
    const char *cells; /* of variants.csv */
    double time_ns, ldgsts, ffma;
    const char *shared, *right;
};

static void begin(struct recorded *r, const struct rung *rungs, size_t rung_count)
{
    char cells[256];
    scratch_create(&r->scratch);
    json_object_set_new(r->scratch.manifest, "gpu", json_pack("{s:i}", "sm_count", 132));
    for (size_t i = 0; i < rung_count; i++) {
        const struct rung *rung = &rungs[i];
        char variant[32];
        snprintf(variant, sizeof variant, "%.*s", (int)strcspn(rung->cells, "|"), rung->cells);
        scratch_row(&r->scratch, BUNDLE_VARIANTS, rung->cells);
        count_arm(r, variant, rung->ldgsts, rung->ffma);
        snprintf(cells, sizeof cells, "%s|s|k|132|128|32|%s|0|0|8|1|0.9|%zu|10", variant, rung->shared, i);
        scratch_row(&r->scratch, BUNDLE_RESOURCES, cells);
        snprintf(cells, sizeof cells, "%s|s|0|1|all|0.001|0|10|aa|yes|%s|", variant, rung->right);
        scratch_row(&r->scratch, BUNDLE_VERIFY, cells);
        for (int process = 0; process < 6; process++) {
            snprintf(cells, sizeof cells, "%s|s|%d|0|%zu|0|hot|1|1e9|%.17g", variant, process, i,
                     rung->time_ns * (100 + process) / 100);
            scratch_row(&r->scratch, BUNDLE_TIMING, cells);
        }
    }
    scratch_analyse(&r->scratch, &r->bundle, &r->analysis);
}

static void end(struct recorded *r)
{
    scratch_remove_analysed(&r->scratch, &r->bundle, &r->analysis);
}

static const struct prediction *find(const struct recorded *r, const char *variant, const char *id)
{
    for (size_t i = 0; i < r->analysis.predictions.count; i++) {
        const struct prediction *p = &r->analysis.predictions.items[i];
        if (!strcmp(p->variant, variant) && !strcmp(p->id, id))
            return p;
    }
    fail_msg("no prediction of %s for %s", id, variant);
    return NULL;
}

/* f/ahead is compared with f/base, and improves on f/sync: 800 of 1000 ns are a gain of 20%. It has to calculate the
 * same, to be right, and to be timed beside it. */
static void a_rung_is_measured_against_the_one_before(void **state)
{
    (void)state;
    static const struct {
        const char *what, *improves_on, *right;
        double ffma;
        size_t outcomes;
    } cases[] = {{"one tile ahead", "f/sync", "yes", 5000, 1},
                 {"another calculation", "f/sync", "yes", 400, 0},
                 {"wrong", "f/sync", "no", 5000, 0},
                 {"of another", "f/base", "yes", 5000, 0},
                 {"says nothing", "", "yes", 5000, 0}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        char last[64];
        snprintf(last, sizeof last, "f/ahead|s|f/base||x||||ready||||%s", cases[i].improves_on);
        const struct rung rungs[] = {{"f/base|s|||x||||ready||||", 2000, 0, 1, "1024", "yes"},
                                     {"f/sync|s|f/base||x||||ready||||f/base", 1000, 0, 5000, "4096", "yes"},
                                     {last, 800, 64, cases[i].ffma, "8192", cases[i].right}};
        struct recorded r;
        begin(&r, rungs, 3);
        const struct prediction *p = find(&r, "f/sync", "load-ahead");
        if (p->outcome_count != cases[i].outcomes)
            fail_msg("%s: %zu outcomes", cases[i].what, p->outcome_count);
        if (p->outcome_count) {
            assert_string_equal(p->outcomes[0].with, "f/ahead");
            assert_float_equal(p->outcomes[0].gain, 0.2, 1e-6);
            assert_true(p->outcomes[0].inside);
        }
        end(&r);
    }
}

/* What the run compares with this arm is told once, also where it says that it improves on it. */
static void a_comparison_is_told_once(void **state)
{
    (void)state;
    const struct rung rungs[] = {{"f/sync|s|||x||||ready||||", 1000, 0, 5000, "4096", "yes"},
                                 {"f/ahead|s|f/sync||x||||ready||||f/sync", 800, 64, 5000, "8192", "yes"}};
    struct recorded r;
    begin(&r, rungs, 2);
    assert_int_equal(find(&r, "f/sync", "load-ahead")->outcome_count, 1);
    end(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rung_is_measured_against_the_one_before),
        cmocka_unit_test(a_comparison_is_told_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
