/* Did the kernel that was meant run: does it take two witnesses to say so? */
#include "tests/unit/trial.h"

#include "core/bundle/bundle_write.h"
#include "core/run/variant_launches.h"

#define LDGSTS "sm__sass_inst_executed_op_ldgsts.sum"

struct selection_case {
    const char *what;
    const char *pattern;
    const char *first, *measure; /* symbols launched; "" the phase without a launch, NULL no such phase */
    const char *min, *max, *measured;
    unsigned dropped;
    enum verdict_status status;
    const char *reason, *detail;
};

static const struct selection_case selection_cases[] = {
    {"meant and counted", ASYNC_PATTERN, ASYNC_SYMBOL, ASYNC_SYMBOL, "1", "", "4096", 0, VERDICT_PASS, "kernel_matches",
     "executed: 4,096, expected at least 1"},
    {"meant, nothing to count", ASYNC_PATTERN, ASYNC_SYMBOL, ASYNC_SYMBOL, NULL, NULL, NULL, 0, VERDICT_PASS,
     "kernel_matches", "ran void pipeline_cpasync<3>(float const*, float*, int)"},
    {"another kernel", ASYNC_PATTERN, SYNC_SYMBOL, SYNC_SYMBOL, "1", "", "0", 0, VERDICT_FAIL, "kernel_differs",
     "ran pipeline_sync(float const*, float*, int), meant a kernel matching 'pipeline_cpasync<3>'; "
     "cp.async (LDGSTS) warp instructions executed: 0, expected at least 1"},
    {"another kernel once", ASYNC_PATTERN, SYNC_SYMBOL, ASYNC_SYMBOL, NULL, NULL, NULL, 0, VERDICT_FAIL,
     "kernel_differs", "ran pipeline_sync("},
    {"another kernel in a trace with gaps", ASYNC_PATTERN, SYNC_SYMBOL, NULL, NULL, NULL, NULL, 9, VERDICT_FAIL,
     "kernel_differs", "ran pipeline_sync("},
    {"the name alone is not enough", ASYNC_PATTERN, ASYNC_SYMBOL, ASYNC_SYMBOL, "1", "", "0", 0, VERDICT_FAIL,
     "expectation_missed", "expected at least 1"},
    {"too many", "pipeline_sync", SYNC_SYMBOL, SYNC_SYMBOL, "0", "0", "8", 0, VERDICT_FAIL, "expectation_missed",
     "executed: 8, expected 0"},
    {"counters missing", ASYNC_PATTERN, ASYNC_SYMBOL, ASYNC_SYMBOL, "1", "", NULL, 0, VERDICT_INCONCLUSIVE,
     "no_counters", LDGSTS " was not measured"},
    {"counter without a value", ASYNC_PATTERN, ASYNC_SYMBOL, ASYNC_SYMBOL, "1", "", "", 0, VERDICT_INCONCLUSIVE,
     "no_counters", "was not measured"},
    {"no trace", ASYNC_PATTERN, NULL, NULL, "1", "", "4096", 0, VERDICT_INCONCLUSIVE, "no_trace", "holds no trace"},
    {"nothing launched", ASYNC_PATTERN, "", "", NULL, NULL, NULL, 0, VERDICT_FAIL, "not_launched", "no kernel of it"},
    {"gaps in the trace", ASYNC_PATTERN, ASYNC_SYMBOL, ASYNC_SYMBOL, "1", "", "4096", 3, VERDICT_INCONCLUSIVE,
     "trace_incomplete", "the trace has gaps: "},
    {"no pattern", "", ASYNC_SYMBOL, ASYNC_SYMBOL, NULL, NULL, NULL, 0, VERDICT_INCONCLUSIVE, "no_pattern",
     "no valid pattern"},
    {"a pattern that would take gigabytes", "((a{32767}){32767}){32767}", ASYNC_SYMBOL, ASYNC_SYMBOL, NULL, NULL, NULL,
     0, VERDICT_INCONCLUSIVE, "no_pattern", "no valid pattern"},
    {"one repetition that would take gigabytes", "(a|b|c|.*){9000}", ASYNC_SYMBOL, ASYNC_SYMBOL, NULL, NULL, NULL, 0,
     VERDICT_INCONCLUSIVE, "no_pattern", "no valid pattern"},
    {"a pattern that would take for ever", "(.*)\\1", ASYNC_SYMBOL, ASYNC_SYMBOL, NULL, NULL, NULL, 0,
     VERDICT_INCONCLUSIVE, "no_pattern", "no valid pattern"},
    {"a broken pattern", "pipeline_(", ASYNC_SYMBOL, ASYNC_SYMBOL, NULL, NULL, NULL, 0, VERDICT_INCONCLUSIVE,
     "no_pattern", "no valid pattern"},
};

static void build_selection_case(const struct selection_case *c, struct scratch *s)
{
    char row[256];
    scratch_create(s);
    snprintf(row, sizeof row, "p/async|mission||%s|||||", c->pattern);
    scratch_row(s, BUNDLE_VARIANTS, row);
    if (c->min) {
        snprintf(row, sizeof row, "p/async|" LDGSTS "|%s|%s", c->min, c->max);
        scratch_row(s, BUNDLE_EXPECT, row);
    }
    if (c->measured) {
        snprintf(row, sizeof row, "p/async|mission|k|0|" LDGSTS "|count|%s", c->measured);
        scratch_row(s, BUNDLE_METRICS, row);
    }
    if (!c->first && !c->measure)
        return;
    struct tape tape;
    tape_open(&tape, s);
    tape_phase(&tape, "p/async | mission | verify", "_Z6poisonPf", 1); /* may be any kernel */
    if (c->first)
        tape_phase(&tape, "p/async | mission | first", c->first, c->first[0] ? 1 : 0);
    if (c->measure)
        tape_phase(&tape, "p/async | mission | measure", c->measure, c->measure[0] ? 3 : 0);
    shard_writer_dropped(&tape.shard, CPPROF_EVENT_KERNEL, c->dropped);
    tape_close(&tape);
}

static void append_byte(const struct scratch *s, const char *name)
{
    char path[160];
    snprintf(path, sizeof path, "%s/%s", s->path, name);
    FILE *file = fopen(path, "ab");
    assert_non_null(file);
    assert_int_equal(fputc('\n', file), '\n');
    assert_int_equal(fclose(file), 0);
}

static void selection_needs_two_witnesses(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(selection_cases); i++) {
        const struct selection_case *c = &selection_cases[i];
        struct trial t;
        build_selection_case(c, &t.scratch);
        trial_judge(&t);
        const struct selection_check *check =
            analysis_selection(&t.analysis, analysis_arm(&t.analysis, "p/async", "mission"));
        assert_non_null(check);
        if (check->status != c->status || strcmp(selection_reasons[check->reason].key, c->reason) != 0 ||
            !strstr(check->detail, c->detail))
            fail_msg("%s: %s, %s, '%s'", c->what, verdict_status_name(check->status),
                     selection_reasons[check->reason].key, check->detail);
        const struct finding *finding = find(&t.analysis, "wrong-kernel");
        assert_true((finding != NULL) == (c->status == VERDICT_FAIL));
        if (finding) {
            assert_int_equal(finding->severity, SEVERITY_FAILURE);
            assert_true(finding->evidence.count > 0);
            assert_int_equal(analysis_status(&t.analysis), EXIT_CHECK_FAILED);
        } else {
            assert_int_equal(analysis_status(&t.analysis), EXIT_INCONCLUSIVE); /* nothing was verified */
        }
        trial_end(&t);
    }
}

/* A file that was changed afterwards: one that has no part in the question is not put down to the trace. */
static void only_damage_that_bears_on_launches_weakens_them(void **state)
{
    (void)state;
    static const struct {
        const char *file, *reason, *words, *also; /* `also`: damaged as well */
    } cases[] = {
        {"timing.csv", "kernel_matches", "ran ", NULL},
        {"variants.csv", "bundle_damaged", "; what was meant is not certain: 'variants.csv'", NULL},
        {"expect.csv", "bundle_damaged", "; what was expected is not certain: 'expect.csv'", NULL},
        {"metrics.csv", "bundle_damaged", "; what was counted is not certain: 'metrics.csv'", NULL},
        {"trace-77-0.bin", "trace_incomplete", "; the trace has gaps: 'trace-77-0.bin'", NULL},
        {"trace-77-0.bin", "trace_incomplete", "; the trace has gaps: 'trace-77-0.bin'", "metrics.csv"},
        /* of a trace that came after the seal is told last */
        {"trace-78-0.bin", "trace_incomplete", "; the trace has gaps: '", "metrics.csv"},
        {"variants.csv", "bundle_damaged", " is not certain: ", "metrics.csv"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct trial t;
        build_selection_case(&selection_cases[0], &t.scratch);
        scratch_write(&t.scratch, "timing.csv", "variant,shape\n");
        MUST(bundle_seal(t.scratch.path, t.scratch.manifest, &e));
        append_byte(&t.scratch, cases[i].file);
        if (cases[i].also)
            append_byte(&t.scratch, cases[i].also);
        trial_open(&t);
        const struct selection_check *check =
            analysis_selection(&t.analysis, analysis_arm(&t.analysis, "p/async", "mission"));
        if (strcmp(selection_reasons[check->reason].key, cases[i].reason) != 0)
            fail_msg("%s: %s, '%s'", cases[i].file, selection_reasons[check->reason].key, check->detail);
        assert_non_null(strstr(check->detail, cases[i].words));
        assert_int_equal(strstr(check->detail, "trace has gaps") != NULL, !strcmp(cases[i].reason, "trace_incomplete"));
        assert_int_equal(analysis_status(&t.analysis), EXIT_UNUSABLE_INPUT);
        trial_end(&t);
    }
}

/* One launch of a variant with two kernels: the one without LDGSTS is no
 * contradiction. The second launch, where neither has any, is one. */
static void counters_are_read_launch_by_launch(void **state)
{
    (void)state;
    static const struct {
        const char *second;
        const char *reason;
    } cases[] = {{"7", "no_trace"}, {"0", "expectation_missed"}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct trial t;
        char row[256];
        scratch_create(&t.scratch);
        scratch_row(&t.scratch, BUNDLE_VARIANTS, "p/async|mission||" ASYNC_PATTERN "|||||");
        scratch_row(&t.scratch, BUNDLE_EXPECT, "p/async|" LDGSTS "|1|");
        scratch_row(&t.scratch, BUNDLE_METRICS, "p/async|mission|a|0|" LDGSTS "|count|9");
        scratch_row(&t.scratch, BUNDLE_METRICS, "p/async|mission|b|0|" LDGSTS "|count|0");
        scratch_row(&t.scratch, BUNDLE_METRICS, "p/async|mission|a|1|" LDGSTS "|count|0");
        snprintf(row, sizeof row, "p/async|mission|b|1|" LDGSTS "|count|%s", cases[i].second);
        scratch_row(&t.scratch, BUNDLE_METRICS, row);
        trial_judge(&t);
        assert_string_equal(selection_reasons[t.analysis.selection.items[0].reason].key, cases[i].reason);
        trial_end(&t);
    }
}

/* In a launch on two GPUs either must do what is expected. */
static void each_gpu_does_what_is_expected(void **state)
{
    (void)state;
    static const struct {
        const char *first, *second;
        const char *reason, *detail;
    } cases[] = {{"7", "9", "no_trace", "9 on GPU 1, expected at least 1"},
                 {"0", "9", "expectation_missed", "0 on GPU 0, expected at least 1"},
                 {"9", "0", "expectation_missed", "0 on GPU 1, expected at least 1"}};
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct trial t;
        char row[256];
        scratch_create(&t.scratch);
        scratch_row(&t.scratch, BUNDLE_VARIANTS, "p/async|mission||" ASYNC_PATTERN "|||||");
        scratch_row(&t.scratch, BUNDLE_EXPECT, "p/async|" LDGSTS "|1|");
        snprintf(row, sizeof row, "p/async|mission|gpu 0|0|" LDGSTS "|count|%s", cases[i].first);
        scratch_row(&t.scratch, BUNDLE_METRICS, row);
        snprintf(row, sizeof row, "p/async|mission|gpu 1|0|" LDGSTS "|count|%s", cases[i].second);
        scratch_row(&t.scratch, BUNDLE_METRICS, row);
        trial_judge(&t);
        assert_string_equal(selection_reasons[t.analysis.selection.items[0].reason].key, cases[i].reason);
        assert_non_null(strstr(t.analysis.selection.items[0].detail, cases[i].detail));
        trial_end(&t);
    }
}

/* A variant that chooses a kernel is held against its choice at each config, by name and by counters. */
static void each_shape_has_its_own_meaning(void **state)
{
    (void)state;
    static const char small[] = "cp, chosen for 8 KiB on 2 ranks", large[] = "sync, chosen for 1 MiB on 2 ranks";
    static const struct {
        const char *ran; /* at `large`, where pipeline_sync is meant */
        const char *counted;
        const char *reason, *detail;
    } cases[] = {
        {SYNC_SYMBOL, "0", "kernel_matches",
         "ran pipeline_sync(float const*, float*, int) (sync, chosen for 1 MiB on 2 ranks); "
         "cp.async (LDGSTS) warp instructions executed: 0, expected 0"},
        {SYNC_SYMBOL, "4", "expectation_missed", "executed: 4, expected 0"},
        {ASYNC_SYMBOL, "4", "kernel_differs",
         "meant a kernel matching 'pipeline_sync' (sync, chosen for 1 MiB on 2 ranks)"},
    };
    for (size_t i = 0; i < COUNT_OF(cases); i++) {
        struct trial t;
        struct tape tape;
        char row[512];
        scratch_create(&t.scratch);
        snprintf(row, sizeof row, "p/any|small||" ASYNC_PATTERN "|||||ready|||||%s|", small);
        scratch_row(&t.scratch, BUNDLE_VARIANTS, row);
        snprintf(row, sizeof row, "p/any|large||pipeline_sync|||||ready|||||%s|", large);
        scratch_row(&t.scratch, BUNDLE_VARIANTS, row);
        scratch_row(&t.scratch, BUNDLE_EXPECT, "p/any|" LDGSTS "|1||small");
        scratch_row(&t.scratch, BUNDLE_EXPECT, "p/any|" LDGSTS "|0|0|large");
        scratch_row(&t.scratch, BUNDLE_METRICS, "p/any|small|k|0|" LDGSTS "|count|9");
        snprintf(row, sizeof row, "p/any|large|k|0|" LDGSTS "|count|%s", cases[i].counted);
        scratch_row(&t.scratch, BUNDLE_METRICS, row);
        tape_open(&tape, &t.scratch);
        tape_phase(&tape, "p/any | small | first", ASYNC_SYMBOL, 1);
        tape_phase(&tape, "p/any | large | first", cases[i].ran, 1);
        tape_close(&tape);
        trial_judge(&t);
        assert_string_equal(
            selection_reasons[analysis_selection(&t.analysis, analysis_arm(&t.analysis, "p/any", "small"))->reason].key,
            "kernel_matches");
        const struct selection_check *check =
            analysis_selection(&t.analysis, analysis_arm(&t.analysis, "p/any", "large"));
        if (strcmp(selection_reasons[check->reason].key, cases[i].reason) != 0 ||
            !strstr(check->detail, cases[i].detail))
            fail_msg("%s, '%s'", selection_reasons[check->reason].key, check->detail);
        trial_end(&t);
    }
}

static void launches_are_attributed(void **state)
{
    (void)state;
    struct scratch s;
    struct tape tape;
    scratch_create(&s);
    tape_open(&tape, &s);
    tape_launch(&tape, "_Z7foreignv"); /* outside of every range */
    tape_phase(&tape, "p/a | mission | verify", "_Z1vv", 1);
    tape_phase(&tape, "p/a | odd | shape | first", SYNC_SYMBOL, 1);
    tape_phase(&tape, "p/a | odd | shape | measure", SYNC_SYMBOL, 2);
    tape_phase(&tape, "no phase here", SYNC_SYMBOL, 1);
    /* A graph of two kernels, started by a runtime call with an id of its own
     * around the driver call that the kernels name. */
    const int64_t at = tape.now_ns;
    const uint32_t outer = ++tape.correlation, inner = ++tape.correlation;
    const uint32_t name = shard_writer_string(&tape.shard, ASYNC_SYMBOL);
    tape_add(&tape, (struct cpprof_event){.kind = CPPROF_EVENT_API,
                                          .detail = CPPROF_API_LAUNCH,
                                          .start_ns = at + 100,
                                          .end_ns = at + 9000,
                                          .correlation = outer});
    tape_add(&tape, (struct cpprof_event){.kind = CPPROF_EVENT_API,
                                          .detail = CPPROF_API_LAUNCH,
                                          .start_ns = at + 200,
                                          .end_ns = at + 8000,
                                          .correlation = inner,
                                          .flags = CPPROF_EVENT_DRIVER_API});
    for (int i = 0; i < 2; i++)
        tape_add(&tape, (struct cpprof_event){.kind = CPPROF_EVENT_KERNEL,
                                              .start_ns = at + 20000 + 1000 * i,
                                              .end_ns = at + 20500 + 1000 * i,
                                              .correlation = inner,
                                              .name = name});
    tape_phase(&tape, "p/b | mission | measure", "", 0);
    tape.now_ns = at + 50000;
    tape_close(&tape);
    MUST(bundle_seal(s.path, s.manifest, &e));

    struct variant_launches list;
    variant_launches_init(&list);
    struct event_stream *stream;
    MUST(event_stream_open(&stream, s.path, &e));
    struct arms arms;
    arms_init(&arms);
    MUST(variant_launches_read(&list, stream, &arms, &e));
    event_stream_free(stream);
    assert_true(list.has_trace);
    assert_false(list.partial);
    static const struct {
        const char *variant, *config, *kernel;
        enum launch_phase phase;
        bool first;
        uint32_t part;
    } expected[] = {
        {"p/a", "mission", "v()", LAUNCH_PHASE_VERIFY, false, 0},
        {"p/a", "odd | shape", "pipeline_sync(float const*, float*, int)", LAUNCH_PHASE_FIRST, true, 0},
        {"p/a", "odd | shape", "pipeline_sync(float const*, float*, int)", LAUNCH_PHASE_MEASURE, false, 0},
        {"p/a", "odd | shape", "pipeline_sync(float const*, float*, int)", LAUNCH_PHASE_MEASURE, false, 0},
        {"p/b", "mission", "void pipeline_cpasync<3>(float const*, float*, int)", LAUNCH_PHASE_MEASURE, true, 0},
        {"p/b", "mission", "void pipeline_cpasync<3>(float const*, float*, int)", LAUNCH_PHASE_MEASURE, true, 1},
    };
    assert_int_equal(list.count, COUNT_OF(expected));
    for (size_t i = 0; i < list.count; i++) {
        const struct variant_launch *launch = &list.items[i];
        assert_string_equal(launch->arm->variant, expected[i].variant);
        assert_string_equal(launch->arm->config, expected[i].config);
        assert_string_equal(strtab_text(&list.strings, launch->name), expected[i].kernel);
        assert_int_equal(launch->phase, expected[i].phase);
        assert_int_equal(launch->first, expected[i].first);
        assert_int_equal(launch->part, expected[i].part);
        assert_true(launch->has_kernel);
    }
    assert_int_equal(list.items[5].api_start_ns, at + 100); /* the outer call's */
    assert_int_equal(list.items[5].kernel_start_ns, at + 21000);
    arms_release(&arms);
    variant_launches_release(&list);
    scratch_remove(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(selection_needs_two_witnesses),
        cmocka_unit_test(only_damage_that_bears_on_launches_weakens_them),
        cmocka_unit_test(counters_are_read_launch_by_launch),
        cmocka_unit_test(each_gpu_does_what_is_expected),
        cmocka_unit_test(each_shape_has_its_own_meaning),
        cmocka_unit_test(launches_are_attributed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
