/* Does a run pass only with all of its evidence, and does its verdict say so? */
#include "tests/unit/trial.h"

#include "analyzers/analysed.h"
#include "reports/reports.h"

static const struct comparison_case clearly_faster = EACH_PAIR_0_8;

static void correctness_sums_up_the_worst(void **state)
{
    (void)state;
    struct trial t;
    scratch_create(&t.scratch);
    scratch_row(&t.scratch, BUNDLE_VARIANTS, "p/a|mission|||||||");
    scratch_row(&t.scratch, BUNDLE_VARIANTS, "p/b|mission|||||||");
    scratch_row(&t.scratch, BUNDLE_VARIANTS, "p/c|mission|||||||");
    scratch_row(&t.scratch, BUNDLE_VERIFY, "p/a|mission|0|0|before|0.01|0|9|h|yes|yes|");
    scratch_row(&t.scratch, BUNDLE_VERIFY, "p/a|mission|0|0|after|0.02|0|9|h|no|yes|");
    scratch_row(&t.scratch, BUNDLE_VERIFY, "p/b|mission|0|1|before|0.5|0.1|9|h|no|no|every 4th value");
    scratch_row(&t.scratch, BUNDLE_VERIFY, "p/b|mission|0|2|before|0.25|0|9|h||yes|");
    scratch_row(&t.scratch, BUNDLE_VERIFY, "p/b|ragged|0|2|before|0|0|9|h|yes||"); /* no verdict */
    trial_judge(&t);
    const struct correctness *a = analysis_correctness(&t.analysis, analysis_arm(&t.analysis, "p/a", "mission"));
    assert_int_equal(a->status, VERDICT_PASS);
    assert_int_equal(a->checks, 2);
    assert_near(a->max_abs_err, 0.02, 0);
    assert_int_equal(a->bitwise_equal, 0); /* once not is not */
    const struct correctness *b = analysis_correctness(&t.analysis, analysis_arm(&t.analysis, "p/b", "mission"));
    assert_int_equal(b->status, VERDICT_FAIL);
    assert_int_equal(b->failed, 1);
    assert_near(b->max_abs_err, 0.5, 0);
    assert_near(b->bad_ratio, 0.1, 0);
    assert_string_equal(b->hint, "every 4th value");
    assert_int_equal(analysis_correctness(&t.analysis, analysis_arm(&t.analysis, "p/b", "ragged"))->status,
                     VERDICT_INCONCLUSIVE);
    assert_int_equal(analysis_correctness(&t.analysis, analysis_arm(&t.analysis, "p/c", "mission"))->status,
                     VERDICT_INCONCLUSIVE);
    assert_int_equal(analysis_correctness(&t.analysis, analysis_arm(&t.analysis, "p/c", "mission"))->bitwise_equal, -1);
    const struct finding *wrong = find(&t.analysis, "wrong-result");
    assert_string_equal(wrong->claim, "p/b computes a wrong result at mission: 1 of 2 checks failed");
    assert_string_equal(wrong->advice, "every 4th value");
    assert_int_equal(wrong->evidence.count, 3);
    assert_int_equal(analysis_status(&t.analysis), EXIT_CHECK_FAILED);
    trial_end(&t);
}

static void build_good_run(struct scratch *s)
{
    build_comparison_case(&clearly_faster, s);
    scratch_row(s, BUNDLE_VERIFY, "p/sync|mission|0|0|before|0|0|9|h|yes|yes|");
    scratch_row(s, BUNDLE_VERIFY, "p/async|mission|0|0|before|0|0|9|h|yes|yes|");
    scratch_row(s, BUNDLE_VERIFY, "p/sync|mission|0|0|after|0|0|9|h|yes|yes|");
    scratch_row(s, BUNDLE_VERIFY, "p/async|mission|0|0|after|0|0|9|h|yes|yes|");
    struct tape tape;
    tape_open(&tape, s);
    tape_phase(&tape, "p/sync | mission | measure", SYNC_SYMBOL, 2);
    tape_phase(&tape, "p/async | mission | measure", ASYNC_SYMBOL, 2);
    /* one copy by a call of the first measured range, and one that setup made under the same kernel */
    tape_add(&tape, (struct cpprof_event){.kind = CPPROF_EVENT_API,
                                          .detail = CPPROF_API_COPY,
                                          .start_ns = 8000,
                                          .end_ns = 9000,
                                          .correlation = 90,
                                          .name = shard_writer_string(&tape.shard, "cudaMemcpyAsync")});
    tape_add(&tape, (struct cpprof_event){.kind = CPPROF_EVENT_COPY,
                                          .detail = CPPROF_COPY_H2D,
                                          .start_ns = 12000,
                                          .end_ns = 62000,
                                          .correlation = 90,
                                          .size_bytes = 4096});
    tape_add(&tape, (struct cpprof_event){.kind = CPPROF_EVENT_COPY,
                                          .detail = CPPROF_COPY_D2H,
                                          .start_ns = 70000,
                                          .end_ns = 80000,
                                          .correlation = 91,
                                          .size_bytes = 8});
    tape_close(&tape);
}

static void missing_evidence_takes_the_pass_away(void **state)
{
    (void)state;
    static const struct {
        const char *manifest; /* members to add */
        const char *table;    /* what expect.csv holds */
        enum exit_status status;
    } cases[] = {
        {"{}", NULL, EXIT_PASS},
        {"{\"failures\": [{\"role\": \"time\", \"index\": 4, \"detail\": \"killed\"}]}", NULL, EXIT_INCONCLUSIVE},
        {"{\"dropped\": {\"kernel\": 1}}", NULL, EXIT_INCONCLUSIVE},
        {"{\"dropped\": {\"kernel\": 0}}", NULL, EXIT_PASS},
        {"{}", "variant,metric,min,max\np/x,", EXIT_UNUSABLE_INPUT},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct trial t;
        build_good_run(&t.scratch);
        json_t *members = json_loads(cases[i].manifest, 0, NULL);
        json_object_update(t.scratch.manifest, members);
        json_decref(members);
        if (cases[i].table)
            scratch_write(&t.scratch, "expect.csv", cases[i].table);
        trial_judge(&t);
        if (analysis_status(&t.analysis) != cases[i].status)
            fail_msg("case %zu: status %d", i, (int)analysis_status(&t.analysis));
        trial_end(&t);
    }
}

/* A sealed trace with calls on more threads than are told apart: it is whole, and says nothing of the launches. */
static void a_trace_that_cannot_be_read_is_damage(void **state)
{
    (void)state;
    struct scratch s;
    struct shard_writer shard;
    struct analysed a;
    struct err error = {0};
    struct str file;
    build_good_run(&s);
    str_init(&file);
    MUST(shard_writer_open(&shard, files_join(&file, s.path, "trace-77-1.bin"), -1, 0, &e));
    str_release(&file);
    for (uint32_t thread = 1; thread <= 65536 + 1; thread++) {
        const struct cpprof_event call = {.kind = CPPROF_EVENT_API,
                                          .detail = CPPROF_API_LAUNCH,
                                          .start_ns = thread,
                                          .end_ns = thread + 1,
                                          .thread = thread,
                                          .correlation = 1000 + thread,
                                          .device = -1,
                                          .rank = -1};
        MUST(shard_writer_add(&shard, &call, &e));
    }
    MUST(shard_writer_close(&shard, &e));
    MUST(bundle_seal(s.path, s.manifest, &e));
    assert_int_equal(analysed_open(&a, s.path, NULL, &error), 0);
    assert_int_equal(analysis_status(&a.analysis), EXIT_UNUSABLE_INPUT);
    assert_string_equal(caveat_first(&a.bundle.caveats, CAVEAT_TRUNCATED),
                        "the trace cannot be read: calls on more than 65536 threads");
    analysed_release(&a);
    scratch_remove(&s);
}

/* A timed arm that was not looked at after its loop may have broken in it. */
static void a_check_on_one_side_of_the_loop_is_no_pass(void **state)
{
    (void)state;
    struct trial t;
    build_comparison_case(&clearly_faster, &t.scratch);
    scratch_row(&t.scratch, BUNDLE_VERIFY, "p/sync|mission|0|0|before|0|0|9|h|yes|yes|");
    scratch_row(&t.scratch, BUNDLE_VERIFY, "p/sync|ragged|0|0|before|0|0|9|h|yes|yes|"); /* not timed */
    trial_judge(&t);
    assert_int_equal(analysis_correctness(&t.analysis, analysis_arm(&t.analysis, "p/sync", "mission"))->status,
                     VERDICT_INCONCLUSIVE);
    assert_int_equal(analysis_correctness(&t.analysis, analysis_arm(&t.analysis, "p/sync", "ragged"))->status,
                     VERDICT_PASS);
    trial_end(&t);
}

/* Tables of results without the plan that names the variants. */
static void a_bundle_without_variants_never_passes(void **state)
{
    (void)state;
    struct trial t;
    scratch_create(&t.scratch);
    scratch_row(&t.scratch, BUNDLE_VERIFY, "p/sync|mission|0|0|before|0|0|9|h|yes|yes|");
    trial_judge(&t);
    assert_int_equal(analysis_status(&t.analysis), EXIT_UNUSABLE_INPUT);
    trial_end(&t);
}

static void an_empty_bundle_proves_nothing(void **state)
{
    (void)state;
    struct trial t;
    scratch_create(&t.scratch);
    trial_judge(&t);
    assert_int_equal(analysis_status(&t.analysis), EXIT_UNUSABLE_INPUT);
    trial_end(&t);
}

static const struct timeline_device *gpu_of(const struct timeline *timeline)
{
    for (size_t i = 0; i < timeline->device_count; i++)
        if (timeline->devices[i].device == 0)
            return &timeline->devices[i];
    fail_msg("the timeline has no device 0");
    return NULL;
}

/* The measured copy [12, 62) us lies under the first kernel [12, 112) us; setup's [70, 80) does not count. */
static void overlap_is_measured(void **state)
{
    (void)state;
    struct trial t;
    build_good_run(&t.scratch);
    trial_judge(&t);
    assert_true(t.analysis.has_timeline);
    const struct timeline_device *device = gpu_of(&t.analysis.timeline);
    assert_string_equal(selector_text(t.analysis.query.sets[0]), "kernel");
    assert_int_equal(device->sets[0].count, 4);
    assert_int_equal(device->sets[0].busy_ns, 400000);
    assert_string_equal(selector_text(t.analysis.query.sets[t.analysis.query.pairs[0].a]), "copy");
    assert_int_equal(device->pairs[0].overlap_ns, 50000);
    trial_end(&t);
}

static void comparisons_as_json(void **state)
{
    (void)state;
    struct trial t;
    build_good_run(&t.scratch);
    trial_judge(&t);
    json_t *out = json_compare(&t.analysis);
    assert_string_equal(json_get_text(out, "schema", ""), "cpprof.compare/1");
    const json_t *row = json_array_get(json_object_get(out, "rows"), 0);
    assert_string_equal(json_get_text(row, "baseline", ""), "p/sync");
    assert_string_equal(json_get_text(row, "candidate", ""), "p/async");
    assert_string_equal(json_get_text(row, "verdict", ""), "faster");
    assert_near(json_get_number(row, "ratio", 0), 0.8, 1e-12);
    assert_near(json_get_number(row, "confidence", 0), 0.95, 1e-12);
    assert_int_equal(json_get_integer(row, "n_processes", 0), 5);
    const json_t *gates = json_object_get(out, "gates");
    assert_int_equal(json_array_size(gates), 4);
    assert_string_equal(json_get_text(json_array_get(gates, 0), "rule", ""), "selection: p/sync, mission");
    assert_string_equal(json_get_text(json_array_get(gates, 3), "status", ""), "pass");
    json_decref(out);
    trial_end(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(correctness_sums_up_the_worst),
        cmocka_unit_test(missing_evidence_takes_the_pass_away),
        cmocka_unit_test(a_trace_that_cannot_be_read_is_damage),
        cmocka_unit_test(a_check_on_one_side_of_the_loop_is_no_pass),
        cmocka_unit_test(a_bundle_without_variants_never_passes),
        cmocka_unit_test(an_empty_bundle_proves_nothing),
        cmocka_unit_test(overlap_is_measured),
        cmocka_unit_test(comparisons_as_json),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
