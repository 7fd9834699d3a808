/* Is each bundle judged at the thresholds of its own chip, however many are open? */
#include "tests/unit/scratch_bundle.h"

#include "analyzers/analysed.h"
#include "core/base/count_of.h"
#include "core/gpu/metrics.h"
#include "core/gpu/thresholds.h"
#include "reports/reports.h"

struct recorded {
    struct scratch scratch;
    struct analysed analysed;
};

/* A kernel whose pipe is busy for 65% of the time, with 14 warps per SM: that is enough to hide its loads where an SM
 * holds 48 warps (12 are), not where it holds 64 (16 are). */
static void record(struct recorded *r, const char *capability)
{
    static const struct {
        const char *id;
        double value;
    } counters[] = {{"fma_share", 0.65},  {"dram_share", 0.10},         {"issue_share", 0.50}, {"warp_latency", 8},
                    {"warps_per_sm", 14}, {"stall_long_scoreboard", 1}, {"stall_barrier", 0},  {"ldgsts", 0}};
    scratch_create(&r->scratch);
    json_object_set_new(r->scratch.manifest, "gpu", json_pack("{s:s}", "compute_capability", capability));
    scratch_row(&r->scratch, BUNDLE_VARIANTS, "f/v|s||k|||2e6|4000|ready");
    for (size_t i = 0; i < COUNT_OF(counters); i++) {
        const struct metric *m = metric_by_id(counters[i].id);
        char row[256];
        snprintf(row, sizeof row, "f/v|s|k|0|%s|%s|%g", m->name, unit_name(m->unit), counters[i].value);
        scratch_row(&r->scratch, BUNDLE_METRICS, row);
    }
    MUST(bundle_seal(r->scratch.path, r->scratch.manifest, &e));
}

static void judge(struct recorded *r, const struct threshold_overrides *overrides)
{
    MUST(analysed_open(&r->analysed, r->scratch.path, &(struct analysed_wish){.overrides = overrides}, &e));
}

static void check(struct recorded *r, double warps, bool hidden)
{
    const struct analysis *a = &r->analysed.analysis;
    bool said = false;
    for (size_t i = 0; i < a->findings.count; i++)
        said |= !strcmp(a->findings.items[i].id, "latency-hidden");
    assert_int_equal(said, hidden);
    assert_true(threshold(&a->thresholds, THRESHOLD_HIDDEN_WARPS) == warps);
    json_t *root = json_classify(a);
    const json_t *told = json_array_get(json_object_get(root, "thresholds"), THRESHOLD_HIDDEN_WARPS);
    assert_string_equal(json_get_text(told, "name", ""), "hidden_warps");
    assert_true(json_get_number(told, "value", 0) == warps);
    json_decref(root);
}

static void forget(struct recorded *r)
{
    analysed_release(&r->analysed);
    scratch_remove(&r->scratch);
}

/* In either order, and both are asked when both are open. */
static void each_has_those_of_its_chip(void **state)
{
    (void)state;
    for (int swapped = 0; swapped < 2; swapped++) {
        struct recorded hopper, ampere;
        record(&hopper, "9.0");
        record(&ampere, "8.6");
        judge(swapped ? &ampere : &hopper, NULL);
        judge(swapped ? &hopper : &ampere, NULL);
        check(&hopper, 16, false);
        check(&ampere, 12, true);
        forget(&hopper);
        forget(&ampere);
    }
}

/* A file holds for those that are opened with it, on the chips that it names. */
static void a_file_holds_for_what_is_opened_with_it(void **state)
{
    (void)state;
    static const struct threshold_overrides file = {
        .path = "t.csv", .count = 1, .items = {{THRESHOLD_HIDDEN_WARPS, "GH100 TU102", 13}}};
    struct recorded with, without, other, unlisted;
    record(&with, "9.0");
    record(&without, "9.0");
    record(&other, "8.6");
    record(&unlisted, "13.7");
    judge(&with, &file);
    judge(&without, NULL);
    judge(&other, &file);
    judge(&unlisted, &file);
    check(&with, 13, true);
    check(&without, 16, false);
    check(&other, 12, true);
    check(&unlisted, 16, false);
    assert_string_equal(with.analysed.analysis.thresholds.path, "t.csv");
    assert_null(without.analysed.analysis.thresholds.path);
    struct recorded *all[] = {&with, &without, &other, &unlisted};
    for (size_t i = 0; i < COUNT_OF(all); i++)
        forget(all[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_has_those_of_its_chip),
        cmocka_unit_test(a_file_holds_for_what_is_opened_with_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
